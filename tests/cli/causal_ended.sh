#!/bin/sh
# Whatever ends causal experiments while a thread is paused for them: the process goes on, with all of its threads.
# not sanitized: what is left behind is left by the kernel's doing, not by memory
. "$(dirname "$0")/lib"
program=$build/fixtures/causal

"$program" barrier 100000000 >lived &
child=$!
trap 'kill -KILL $child; rm -rf "$scratch"' EXIT

# states: one letter for each of its threads, and who traces them.
states() {
	cat /proc/$child/task/*/status 2>missing | sed -n 's/^State:\s*\(.\).*/\1/p; s/^TracerPid:\s*//p' | tr '\n' ' '
}

# wait_for TIMES PATTERN WHAT: until it was seen so often in what its threads do; for two minutes.
wait_for() {
	tries=0
	times=0
	while [ $times -lt "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || fail "$3: the threads are $(states)"
		sleep 0.02
		! states | grep -q "$2" || times=$((times + 1))
	done
}

# end SIGNAL WHO: fathom's first process, or the tracer.
end() {
	"$fathom" causal -q -p round_done --fixed first=90% --attach $child >output 2>errors </dev/null &
	fathom_pid=$!
	wait_for 10 '^t \|[0-9] t ' "no thread was paused before $1" # more often than for breakpoints
	if [ "$2" = tracer ]; then
		kill -"$1" "$(pgrep -P $fathom_pid)"
	else
		kill -"$1" $fathom_pid
	fi
	wait $fathom_pid
	wait_for 1 '^[RSD] 0 [RSD] 0 $' "after $1 of $2"
}

signals='TERM KILL'
[ -z "${FATHOM_FULL:-}" ] || signals='HUP INT QUIT ABRT USR1 PIPE ALRM TERM SEGV KILL'
for signal in $signals; do
	end $signal supervisor
done
end KILL tracer

# Both threads work on.
before=$(cat /proc/$child/task/*/schedstat | awk '{ print $1 }')
tries=0
for ran in $before; do
	until ! cat /proc/$child/task/*/schedstat | grep -q "^$ran " || [ $tries -eq 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
done
[ $tries -lt 600 ] || fail "a thread does not run: $before"
