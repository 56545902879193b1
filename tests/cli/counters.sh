#!/bin/sh
# Time on a processor, page faults and context switches are those that the program found itself: in threads, children, other
# programs, attached processes, and for those who may not use perf_event_open. Hardware counters are refused where there are none.
# alone: it compares times on a processor, and counts switches
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

metrics=cpu,pfaults,Pfaults,switches,self.pfaults
functions='copies nests pages sleeps spins'

# options: of a run, one a word
options() {
	echo "-m $metrics --max-overhead none -o counted.fathom --no-models"
	for function in $functions; do
		echo "-f $function"
	done
}

# What is measured must be what there is. Times on a processor may have been disturbed: `measure WHAT...` is tried five times for
# their sake, and for theirs alone.
judged() {
	for _ in 1 2 3 4 5; do
		rm -f counted.fathom
		measure "$@"
		python3 "$top/tests/cli/counters.py" output counted.fathom >judgement
		status=$?
		[ "$status" -eq 2 ] || break
		echo "once more: $(head -n 1 judgement)"
	done
	[ "$status" -eq 0 ] || {
		cat judgement
		fail "$*: what was counted is not what there was"
	}
}

# counted PROGRAM HOW [OPTION...]: measure it, and compare.
counted() {
	measure() {
		program=$1 how=$2
		shift 2
		# shellcheck disable=SC2046,SC2086 # one option a word; none if it is empty
		run 0 run --max-overhead none $(options) "$@" -- "$program" $how
	}
	for probes in stops pads; do
		judged "$@" --probes "$probes"
	done
}

# as_others PREFIX...: /proc serves those to whom perf_event_open is refused, which is said.
as_others() {
	measure() {
		# shellcheck disable=SC2046 # one option a word
		timeout 120 "$@" "$fathom" run --max-overhead none $(options) -- "$program" threads >output 2>errors \
			</dev/null || fail "$*: status $?"
	}
	judged "$@"
	grep -q 'faults and switches are read in /proc' errors || fail "$*: nobody was told where counts come from"
}

case $(uname -m) in
x86_64) ;;
*)
	echo 'the filter of system calls is for x86-64'
	exit 77
	;;
esac

for compiler in gcc clang; do
	[ -x "$build/fixtures/counted-$compiler-O2" ] || continue
	counted "$build/fixtures/counted-$compiler-O0" ''
	counted "$build/fixtures/counted-$compiler-O2" threads
done
program=$build/fixtures/counted-gcc-O2
counted "$program" fork --follow-fork
counted "$program" exec --follow-fork

# A file that was not in memory: where the system can drop it.
functions="$functions disk"
counted "$program" disk
majors=$(awk '$1 == "disk" { sum += $5 } END { print sum }' output)
[ "$majors" -gt 0 ] || echo 'major faults were not tested: the system does not drop files'

# A sleep into which signals of no interest come is one sleep: the tracer alone lets them wake a thread. The thread may be
# driven away as well, by chance, so there are five attempts. One in which the process is stopped is no sample.
switches_of() {
	rm -f counted.fathom
	# shellcheck disable=SC2046 # one option a word
	run 0 run --max-overhead none $(options) -f "$1s" -- "$program" "$1"
	sqlite3 counted.fathom "SELECT CAST(switches AS integer) FROM $1s"
}
found=
for _ in 1 2 3 4 5; do
	found="$found $(switches_of ignore)"
	[ "${found##* }" -ne 1 ] || break
done
[ "${found##* }" -eq 1 ] || fail "ignores has$found switches, not 1"
# shellcheck disable=SC2046
run 0 run --no-models --max-overhead none $(options) -f stops -o stopped.fathom -- "$program" stop
grep -q '1 of 1 calls was halted meanwhile and is no sample' errors || fail 'a call that was stopped is a sample'

# A program that forbids itself the system calls of pads is measured without.
counted "$program" seal -f sealed
grep -q 'is measured by stops: it is about to forbid itself system calls' errors || fail 'nobody was told that there are no pads'
[ "$(sqlite3 counted.fathom 'SELECT count(cpu) FROM sealed')" -eq 40 ] || fail 'calls of a sealed program are not counted'

# Threads that are older than the measurement.
mkfifo go
measure() {
	: >output # not what is there from before
	"$program" late <go >output &
	pid=$!
	exec 3>go
	until grep -q ready output; do sleep 0.05; done
	# shellcheck disable=SC2046 # one option a word
	timeout 120 "$fathom" attach $(options) "$pid" >attached 2>errors </dev/null &
	tracer=$!
	python3 "$top/tests/cli/planted.py" "$pid" || fail 'nothing is planted'
	echo >&3
	exec 3>&-
	wait "$pid" || fail 'the program that was attached to was harmed'
	wait "$tracer" || fail "attach: status $?"
}
judged attached

# Hardware counters: where there are none nothing is begun, and the reason is said.
rm -f hardware.fathom
timeout 120 "$fathom" run -m instructions -f spins -o hardware.fathom --no-models -- "$program" >output 2>errors </dev/null
status=$?
if [ "$status" -eq 0 ]; then
	few=$(sqlite3 hardware.fathom 'SELECT count(*) FROM spins WHERE instructions < 1000')
	[ "$few" -eq 0 ] || fail "$few calls spun for 100 µs without instructions"
else
	[ "$status" -eq 2 ] || fail "no hardware counters: status $status"
	complains 'instructions cannot be measured'
	[ ! -s output ] || fail 'the program was launched all the same'
	[ ! -e hardware.fathom ] || fail 'a profile was begun all the same'
fi

# Without the right to perf_event_open: a filter refuses it, with EPERM and ENOSYS; then another user.
cat >sealed.py <<'END'
import ctypes, os, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
load, equal, answer = 0x20, 0x15, 0x06
code = struct.pack("HBBI" * 4, load, 0, 0, 0, equal, 0, 1, 298, answer, 0, 0, 0x00050000 | int(sys.argv[1]),
                   answer, 0, 0, 0x7FFF0000)
kept = ctypes.create_string_buffer(code, len(code))
filter = struct.pack("HxxxxxxP", 4, ctypes.addressof(kept))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter, 0, 0):
    sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
END
for number in 1 38; do
	as_others python3 sealed.py $number
done
python3 sealed.py 1 timeout 20 "$fathom" run -m cycles -f spins -o hardware.fathom -- "$program" >output 2>errors </dev/null
[ $? -eq 2 ] || fail 'a hardware counter without the right to it is not an error'
complains 'the kernel does not let you use hardware counters'
python3 sealed.py 1 timeout 20 "$fathom" run -m cpu -f spins -o cpu.fathom --no-models -- "$program" >output 2>errors </dev/null ||
	fail 'time on a processor needs the right to perf_event_open'
! grep -q '/proc' errors || fail 'of the time on a processor there is nothing to say'

if ! nobody_can_run "$program"; then
	echo 'not tested as another user: that takes root, setpriv, and a folder that others may enter'
	exit 77
fi
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	cd "$nobodys" || exit 1
	fathom=$nobodys/fathom
	program=$nobodys/$(basename "$program")
	as_others $as_nobody
fi
