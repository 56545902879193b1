#!/bin/sh
# What pads say of a program is what stops say: calls, callers, values, branches, ends. With FATHOM_FULL=1 of all builds.
# sanitized by --full: pads do not depend on how fathom is built; what plans and writes them is fuzzed
. "$(dirname "$0")/lib"

# alike PROGRAM OPTIONS [ARGUMENT...]
alike() {
	program=$1
	options=$2
	shift 2
	# shellcheck disable=SC2086 # several options
	timeout 400 "$top/tests/cli/pads_same.py" "$fathom" "$scratch" $options -- "$program" "$@" >output 2>errors ||
		fail "$(basename "$program"): pads and stops differ"
}

# of NAME SUFFIX...: the builds of a fixture: those with a suffix, or all; with sanitizers, which look for faults in fathom, those with the first.
of() {
	name=$1
	shift
	[ -z "${FATHOM_SANITIZED:-}" ] || set -- "$1"
	[ -n "${FATHOM_FULL:-}" ] && set -- ''
	for suffix in "$@"; do
		ls "$build/fixtures/$name"-*"$suffix" 2>missing || :
	done
}

named() {
	printf -- '-f %s ' "$@"
}

# Threads and their globals: values that race are no features here.
ways="--globals none -m time,self.time $(named coroutine_step in_child in_handler in_thread interrupted jumps_out last raises recursive tail)"
for program in $(of ways gcc-O2); do
	alike "$program" "$ways" 5
done
for program in $(of jumps gcc-O0 clang-O2-fixed); do
	alike "$program" "$(named by_object by_switch dispatch in_loop spins through)"
done
for program in $(of branches clang-O3-protected gcc-Os); do
	alike "$program" "--globals none --branches $(named 'measured_*')" truth
done
for program in $(of gives gcc-O0 clang-O2-static); do
	alike "$program" "$(named 'gives.cc:*')"
done
for program in $(of throws gcc-O2-static clang-O0); do
	alike "$program" "-m time,self.time $(named 'shop::*')"
done
for program in $(of leaves gcc-O2); do
	# shellcheck disable=SC2046 # one option a function
	alike "$program" "--globals none $(named $("$program" | sed 's/ .*//'))"
done
for program in $(of args clang-O2-fixed); do
	alike "$program" "$(named 'args.c:*')"
done
for program in $([ -n "${FATHOM_SANITIZED:-}" ] || of exotic gcc-O2); do # a quarter of all with sanitizers, and in signals.sh
	alike "$program" "--globals none $(named 'in_*')"
done
for program in $(of depth gcc-O0); do
	alike "$program" "--globals none -m time,self.time $(named even odd wide)"
done
for program in $(of sealed gcc-O2); do
	alike "$program" "$(named compare)"
done
for program in $(of tails gcc-O2); do
	alike "$program" "--globals none -m time,self.time $(named abroad circle maybe only pick room second)" 50 by-pointer
done
# Calls that a stop begins or ends.
for program in $(of spin gcc-O2); do
	alike "$program" "--globals none -m time,self.time $(named late early part nest)" 5 100 1 1000 900
done
# Allocations: bytes are exact, and hardly a stop is left of those of every allocation.
memory="--globals none -m mem,self.mem,peak,leaks"
for program in $(of memory gcc-O0 clang-O2-static) $(of news gcc-O2); do
	alike "$program" "$memory $(named work)"
	[ $((100 * $(sqlite3 pads.fathom 'SELECT stops FROM run'))) -lt "$(sqlite3 stops.fathom 'SELECT stops FROM run')" ] ||
		fail "$(basename "$program"): pads need many stops to measure mem and peak"
done
for program in $(of memory clang-O2); do
	alike "$program" "$memory --count-mappings $(named work grow last leaves libc.so.6:malloc)"
done
for library in "$build"/fixtures/liballocator*.so; do
	alike env "--follow-fork $memory $(named work "$library:malloc" "$library:memalign")" \
		"LD_PRELOAD=$library" "$(of memory gcc-O2)" foreign
done
for program in $(of ways clang-O2); do
	alike "$program" "$memory $(named coroutine_step in_child in_handler jumps_out last raises recursive tail)" 5
done

# Locks: what is known of them, without a stop.
locks="--globals none -m wait,hold,self.wait,self.hold"
for program in $(of locks gcc-O2 gcc-O0 clang-O2-static); do
	# shellcheck disable=SC2046 # one option a function
	alike "$program" "$locks $(named $("$program" | sed -n 's/^truth \([^ ]*\) .*/\1/p' | sort -u))"
	[ $((10 * $(sqlite3 pads.fathom 'SELECT stops FROM run'))) -lt "$(sqlite3 stops.fathom 'SELECT stops FROM run')" ] ||
		fail "$(basename "$program"): pads need many stops to measure locks"
done
# Calls that are cancelled, thrown or jumped out of while they wait or hold; a child with its parent's lock.
for program in $(of locks gcc-O2 clang-O0); do
	alike "$program" "--follow-fork $locks $(named holds_other waits_in_vain throws_under_lock catches jumps_with_lock lands \
		releases_in_child forks_with_lock)" cut
done
for program in $(of ways gcc-O2); do
	alike "$program" "$locks $(named coroutine_step in_child in_handler jumps_out last raises recursive tail)" 5
done
# Calls of threads that lock all the time are measured, every one, at the default overhead.
for program in $(of locks gcc-O2); do
	rm -f locks.fathom
	run 0 run -q -f contends -m wait -o locks.fathom -r report -- "$program" contend 2 100 0
	[ "$(sqlite3 locks.fathom 'SELECT count(wait) FROM contends')" = 200 ] || fail 'calls are lost for their locks'
	[ "$(sqlite3 locks.fathom 'SELECT stops FROM run')" -lt 50 ] || fail 'locks need stops'
done

# A thread calls needed_work() at any time: its static variable is anybody's.
for compiler in gcc ${FATHOM_FULL:+clang}; do
	[ ! -f "$build/fixtures/host-$compiler" ] ||
		alike "$build/fixtures/host-$compiler" "--globals none $(named needed_work "$build/fixtures/plugin-$compiler.so:plugin_work")" \
			"$build/fixtures/plugin-$compiler.so" 6
done
