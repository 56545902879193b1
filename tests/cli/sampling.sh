#!/bin/sh
# Of the calls of a period so many become samples as were asked for, whatever happens to who measures.
# not sanitized: it asks for many calls in little time
. "$(dirname "$0")/lib"

program=$build/fixtures/paced-gcc-O2
ask() {
	sqlite3 -cmd '.timeout 10000' -separator ' ' "$1" "$2" # a killed tracer may still be dying
}
# Is it so? holds PROFILE CONDITION MESSAGE
holds() {
	[ "$(ask "$1" "SELECT $2")" = 1 ] || fail "$3 ($2): $(ask "$1" 'SELECT * FROM account')"
}
# The calls that the program itself counted.
its_calls() {
	sed -n 's/^calls //p' "$1"
}

# are_of_periods PROFILE: 20 at most of each 50 ms, and of one period more at either end; but not of some periods only, unless there were few calls.
are_of_periods() {
	holds "$1" 'count(*) BETWEEN (SELECT min(100, calls / 10) FROM account) AND 20 * (2 + (max(start_ns) - min(start_ns)) / 50e6) FROM work' \
		'these are not as many as periods of 50 ms have'
}

# A part of the calls, period by period; which, by their numbers, and how many, by their accounts.
run 0 run -f work --samples 20 --period 50 --max-overhead none -o part.fathom --no-models -- "$program" 1.5
calls=$(its_calls output)
holds part.fathom "calls = $calls FROM account" 'calls are missing'
holds part.fathom 'kept = (SELECT count(*) FROM work) FROM account' 'the samples are not so many as was told'
holds part.fathom 'count(DISTINCT n) = count(*) AND min(n) >= 0 FROM work' 'a call is there twice'
holds part.fathom "max(n) < $calls FROM work" 'there are calls that never were'
holds part.fathom 'sum(n = id % 1000000000000 - 1) = count(*) FROM work' 'a sample is made of two calls'
# A period is as long as asked for or longer, so that 50 ms are within two of them.
holds part.fathom 'max(n) <= 40 FROM (SELECT count(*) AS n FROM work GROUP BY start_ns / 50000000)' 'too many were kept'
are_of_periods part.fathom
holds part.fathom 'samples = 20 AND period_ms = 50 AND max_overhead = 0 FROM run' 'it is not told what was asked for'
kept=$(ask part.fathom 'SELECT kept FROM account')
grep -qF "work: $kept of $calls calls became samples" errors || fail 'it is not said that samples are a part'
grep -qF 'at most 20 in 0.05 s' errors || fail 'it is not said how many are kept'

# All; and as many as there are.
run 0 run -f work --samples all --period 50 --max-overhead none -o all.fathom --no-models -- "$program" 0.5
holds all.fathom "count(*) = $(its_calls output) FROM work" 'samples are missing'
! grep -q 'became samples' errors || fail 'all samples are called a part'
run 0 run -f work --max-overhead none -o few.fathom --no-models -- "$program" 0.2
holds few.fathom "count(*) = $(its_calls output) FROM work" 'samples are missing'
! grep -q 'became samples' errors || fail 'all samples are called a part'

# The time of all calls is summed up, also of those that are no samples. Where none is so short that noise would make it less than nothing, it is the
# sum of the samples, to the nanosecond that each was rounded to; of a part it has the others, too: each takes at least half as long as the shortest sample.
for samples in all 20; do
	run 0 run -q -f work --samples $samples --period 0 --max-overhead none -o sum-$samples.fathom --no-models -- \
		"$build/fixtures/elements-old" 500 1000 2000
done
holds sum-all.fathom 'min(time) > 0 AND count(*) > 100 FROM work' 'calls are too short for this test'
holds sum-all.fathom 'abs(time_ns - (SELECT sum(time * 1000 + coalesce(waited_ns, 0)) FROM work)) <= calls FROM account' 'the sum is not that of the calls'
holds sum-20.fathom 'kept = 20 AND time_ns > calls * (SELECT min(time) * 500 FROM work) FROM account' 'the sum is not that of all calls'
holds all.fathom "probes = 'pads' FROM run" 'it is not told what noticed the calls'
run 0 annotate all.fathom --json
python3 -c 'import json; assert json.load(open("output"))["probes"] == ["pads"]' || fail 'the JSON does not say what noticed the calls'
run 0 run -v -f work --probes stops --no-models -- "$program" 0.1
grep -qF 'calls were noticed by stops' errors || fail 'it is not said what noticed the calls'
run 2 run -f work --probes nothing -- "$program" 0.1
complains '--probes is stops, pads, auto or hardware'

# At the end, and from anywhere in the run.
run 0 run -f work --samples 50 --period 0 --max-overhead none -o end.fathom --no-models -- "$program" 0.5
calls=$(its_calls output)
holds end.fathom 'count(*) = 50 FROM work' 'these are not 50 samples of all'
# All in one half have the chance of 2 / 2^50.
holds end.fathom "sum(n < $calls / 2) BETWEEN 1 AND 49 FROM work" 'half of the run was left out'
grep -qF 'at most 50 in all' errors || fail 'it is not said how many are kept'

# Two runs do not keep the same calls: of 50 in some thousands hardly any are.
run 0 run -q -f work --samples 50 --period 0 --max-overhead none -o end.fathom --no-models -- "$program" 0.5
holds end.fathom 'count(DISTINCT n) > 55 FROM work' 'two runs keep the same calls'

# A program that does nothing any more: the period before is stored all the same.
"$fathom" run -q -f work --follow-fork --period 100 --max-overhead none -o idle.fathom --no-models -- \
	sh -c "'$program' 0.3; exec sleep 100" >output 2>errors </dev/null &
tool=$!
for _ in $(seq 1000); do
	[ "$(ask idle.fathom 'SELECT count(*) FROM work' 2>/dev/null)" != "$(its_calls output)" ] ||
		[ -z "$(its_calls output)" ] || break
	sleep 0.05
done
kill -KILL $tool
wait $tool 2>/dev/null
holds idle.fathom "count(*) = $(its_calls output) FROM work" 'samples of an idle program are in memory only'

# Attached to, and what it forks.
: >output # not what is there from before
"$program" 10 >output &
process=$!
until grep -q ready output; do sleep 0.05; done
timeout 60 "$fathom" attach -f work --for 1.5 --samples 20 --period 50 --max-overhead none -o attach.fathom --no-models \
	"$process" 2>errors </dev/null || fail "status $? of attach"
are_of_periods attach.fathom
holds attach.fathom 'kept = (SELECT count(*) FROM work) AND kept < calls FROM account' 'these are not all samples'
wait "$process" || fail 'the process was harmed'
run 0 run -f work --follow-fork --samples 20 --period 50 --max-overhead none -o fork.fathom --no-models -- \
	sh -c "'$program' 0.5 & '$program' 0.5; wait"
calls=$(its_calls output | awk '{ sum += $1 } END { print sum }')
holds fork.fathom "calls = $calls AND kept < calls FROM account" 'calls of two processes are missing'
holds fork.fathom 'count(DISTINCT process) = 2 FROM work' 'a process has no samples'
holds fork.fathom 'max(n) <= 40 FROM (SELECT count(*) AS n FROM work GROUP BY start_ns / 50000000)' 'too many were kept'

# Killed while it writes, it leaves whole periods.
for delay in 0.01 0.05 0.09; do
	rm -f killed.fathom*
	"$fathom" run -q -f work --samples 100 --period 20 --max-overhead none -o killed.fathom --no-models -- "$program" 100 \
		>output 2>errors </dev/null &
	tool=$!
	for _ in $(seq 1000); do
		[ "$(ask killed.fathom 'SELECT count(*) > 0 FROM work')" != 1 ] || break
		sleep 0.05
	done
	sleep "$delay"
	kill -KILL $tool
	wait $tool
	[ "$(ask killed.fathom 'PRAGMA integrity_check')" = ok ] || fail 'the profile of a killed writer is damaged'
	run 0 annotate killed.fathom
	holds killed.fathom 'count(*) > 0 AND count(DISTINCT n) = count(*) FROM work' 'earlier periods are lost'
done 2>/dev/null
