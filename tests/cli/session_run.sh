#!/bin/sh
# The session with a process, from scripts: samples and models, conditions, stops, signals, attaching.
# sanitized by --full: session_pads.sh does the same
. "$(dirname "$0")/lib"
. "$top/tests/cli/session_lib"

# Samples, models, files.
echo text >text
printf 'work.time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(1e-3*n, 1);\n}\n' >dear.annotations
session 0 "$parley" 'probe work' 'run work 100' 'info samples' 'annotate work' 'save saved.fathom' 'save' \
	'plot work n' 'plot work.time box->size > plot.svg' 'shell grep -c "<svg" plot.svg' 'load dear.annotations' \
	'predict work n=50'
order 'worked 100 times' 'work: 100 samples of 100 calls' 'work.time {' 'Saved in saved.fathom' 'Saved in saved.fathom' \
	'work.time' 'a call' 'Drawn in plot.svg' '1 annotation' 'work.time: 0.05'
run 0 annotate saved.fathom
says 'work.time {'
cp output work.annotations
session 0 saved.fathom 'info samples' 'annotate' 'load work.annotations' 'check'
order 'work: 100 samples' 'work.time {' '1 annotation of work.annotations' 'work.time: ' ' tests violated)'
# A terminal shows eight dots a cell, if its locale has them.
for locale in C.UTF-8 C; do
	LC_ALL=$locale script -qc "$fathom -batch -ex 'load saved.fathom' -ex 'plot work n'" plotted </dev/null >/dev/null
	if LC_ALL=C grep -q "|.*$(printf '\342[\240-\243]')" plotted; then
		dots="${dots-}$locale"
	fi
	grep -q 'a call' plotted || fail "plot on a terminal with $locale"
done
[ "$dots" = C.UTF-8 ] || fail "Braille where there is none, or none where there is: '$dots'"
session 2 saved.fathom 'plot work nothing'
complains 'no feature nothing'
session 2 saved.fathom 'plot nothing'
complains 'no samples of nothing'
session 2 saved.fathom 'explore'
complains 'needs a terminal'
session 2 saved.fathom 'run'
complains 'no program'
session 2 saved.fathom 'check nowhere'
complains 'nowhere'
session 2 "$parley" 'probe work' 'run work 3' 'save text'
grep -q 'is there and is no profile' errors || fail 'a file was to be overwritten'
grep -qx text text || fail 'a file was overwritten'
timeout 60 "$fathom" -batch -o added.fathom -f work -ex 'run work 30' -ex 'run work 20' "$parley" >output 2>errors \
	</dev/null || fail 'samples of -o'
[ "$(sqlite3 added.fathom 'SELECT count(*) FROM run')" -eq 2 ] || fail 'there are not two runs in the profile of -o'

# A condition keeps the calls for which it holds.
session 0 "$parley" 'probe work if n > 90' 'run work 100' 'info samples' 'info probes' 'info overhead'
says 'work: 10 samples of'
[ "$probes" = pads ] && stops=0 || stops=200
says "The last process, which is gone: $stops stops"
grep -q 'work: 90 of 100 calls are no samples, as a condition does not hold' errors || fail 'calls that were left out'
! grep -q 'by chance' errors || fail 'calls that were left out are told as chance'
says '100 calls looked at, for 10 it held'
session 0 "$parley" 'probe work if box->colour == BLUE && !(n > 10)' 'run work 40' 'info samples'
says 'work: 5 samples of'

session 0 "$parley" 'probe work if box != 0 && !(box == 0)' 'run work 9' 'info samples'
says 'work: 9 samples of'
session 2 "$parley" 'probe work if box > 3'
complains 'box is a pointer'
session 0 "$parley" 'probe work stop if n / 0 > 2' 'run work 3'
grep -q 'divides by zero for a call of work' errors || fail 'a division by zero'
session 0 - 'info overhead'
says 'No process was measured yet.'

# A stop at a call's return: its features, its stack, what was expected.
session 0 "$parley" 'probe work stop if n == 77 && time > 0' 'run work 100' 'print' 'print n' 'print time' 'print box->colour' 'bt' 'thread' \
	'info threads' 'info overhead' 'continue'
order 'Probe 1: work returned in thread' '  n = 77' '#0  work at' 'work, as it returned:' 'n = 77' 'time = ' 'box->colour = RED' 'work_up_to' 'is looked at' \
	'parley' '77 calls' 'worked 100 times'

# Where it begins, if that is all the condition is about: it has not run, and what it costs is told in the end.
session 0 "$parley" 'probe work stop if n == 77 && box->colour == RED' 'run work 100' 'print n' 'bt' 'info overhead' 'finish' 'print time' 'continue' \
	'info probes' 'info samples'
order 'stops before it runs' 'Probe 1: work begins in thread' '  n = 77' '#0  work at' 'n = 77' 'work_up_to' 'work: 76 calls' 'Until work returns' \
	'work returned in thread' '  time = ' '#0  work at' 'time = ' 'worked 100 times' '100 calls looked at, for 1 it held' 'work: 100 samples of 100 calls'
lacks 'at least'
[ "$probes" = pads ] && stops=1 || stops=153
says "$stops stops; measuring"
session 0 "$parley" 'probe work stop if !(box->size <= 10 || n < 8) && n != 8' 'probe work stop if box == 0 || n == 3' 'run work 10' 'continue' \
	'continue' 'continue'
order 'Probe 2: work begins' '  n = 3' 'Probe 1: work begins' '  n = 9' 'Probe 1: work begins' '  n = 10' 'worked 10 times'
session 0 "$parley" 'probe work stop if n * 2 == 10 && n > 3' 'run work 10' 'info overhead' 'continue'
order 'Probe 1: work begins' '  n = 5' 'worked 10 times'
[ "$probes" = pads ] && stops=2 || stops=9
says "$stops stops; measuring"
session 0 "$parley" 'load dear.annotations' 'probe work stop if time > 3 * predicted && n > 60' 'run work 100' 'kill'
order 'returned in thread' 'is expected by dear.annotations' '  n = 61'
session 0 "$parley" 'probe work stop if time > predicted - 1 min && n > 60' 'run work 100' 'kill'
order 'returned in thread' 'is expected by the model of the samples so far' '  n = 61'
grep -q 'work.time is predicted by a model of' errors || fail 'it is not said what predicts'
session 0 "$parley" 'probe hold stop if time > 3 * predicted' 'run work 5'
lacks 'returned'

# One-shot probes, ignored ones, those that are changed while the process is there.
session 0 "$parley" 'tprobe work stop if n > 4' 'run work 20' 'info probes' 'probe work stop if n == 9' 'continue' 'disable' \
	'continue'
order '  n = 5' 'There are no probes' '  n = 9' 'worked 20 times'
session 0 "$parley" 'probe work stop' 'ignore 1 6' 'run work 20' 'delete 1' 'continue'
order '  n = 7' 'worked 20 times'
session 0 "$parley" 'start work 12' 'probe work if n > 5' 'continue' 'info samples'
order 'before its first instruction' 'Probe 1' 'worked 12 times' 'work: 7 samples of'
session 2 "$parley" 'probe work' 'run work 3' 'start' 'probe work if mem > 3'
grep -q 'mem is not measured in this process' errors || fail 'a metric that is not measured'

# A stop in the middle of a call, and its end.
session 0 "$parley" 'probe hold stop if elapsed > 20 ms && n == 7' 'run wait' 'print n' 'list' 'continue 10 ms' 'shell touch go' \
	'finish' 'continue'
order 'hold has run for' '  n = 7' 'n = 7' 'usleep' 'Stopped.' 'Until hold returns' 'hold returned in thread' 'time = at least ' ': it was halted meanwhile' 'done'
grep -q '1 of 1 calls was halted meanwhile and is no sample' errors || fail 'a call that was halted became a sample'
rm go

# Signals that end it, and that stop it.
session 0 "$parley" 'run crash' 'bt' 'continue'
order 'SIGSEGV' 'crash at' '*where = 1' 'main'
grep -q 'killed by signal 11' errors || fail 'the end of a crash'
session 0 "$parley" 'run stop' 'continue'
order 'was stopped by SIGSTOP' 'done'
session 2 "$parley" 'run crash' 'run'
grep -q 'is there already' errors || fail 'a second process of the program'

# Redirections; the program of a run is killed at the end, that of attach is not.
echo 'some words' >words
session 0 "$parley" 'run read > written < words' 'shell cat written' 'run read >>written'
order 'read some words'
session 2 "$parley" 'run read < nowhere'
complains 'nowhere'
"$parley" wait >target 2>&1 &
target=$!
trap 'kill -KILL "$target" 2>/dev/null; rm -rf "$scratch"' EXIT
session 0 - "attach $target" 'probe hold stop if elapsed > 1 ms' 'continue 50 ms' 'backtrace' 'detach'
order 'is stopped' 'Stopped' 'hold'
session 2 - "attach $target" 'attach 1'
grep -q 'detach it first' errors || fail 'a second process'
session 0 "$target" 'info threads' 'quit'
says hold
kill -0 "$target" || fail 'the process did not survive'
touch go
wait "$target" || fail 'the process does not end as it would'
grep -qx done target || fail 'the process does not do what it would'
