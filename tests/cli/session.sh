#!/bin/sh
# The session's commands, from scripts: what they do, and what wrong ones say.
. "$(dirname "$0")/lib"

HOME=$scratch
export HOME
parley=$build/fixtures/parley

# session STATUS FILE COMMAND...: a session about FILE (- for none) that executes the commands and leaves.
session() {
	expected=$1
	about=$2
	shift 2
	: >commands
	for command in "$@"; do
		printf '%s\n' "$command" >>commands
	done
	[ "$about" = - ] && about=
	# shellcheck disable=SC2086 # nothing, or one word
	timeout 120 "$fathom" -batch -x commands $about >output 2>errors </dev/null
	status=$?
	[ "$status" -eq "$expected" ] || fail "$*: status $status, not $expected"
}
lacks() {
	! grep -qF -- "$1" output || fail "the output says '$1'"
}
# order WORDS...: these are in the output, in this order.
order() {
	python3 - "$@" <<'END' || fail "not in this order: $*"
import sys
text, at = open("output").read(), 0
for words in sys.argv[1:]:
    at = text.find(words, at)
    if at < 0:
        sys.exit(f"'{words}' is not there, or not behind what should be before it")
    at += len(words)
END
}

# Ways in: what the argument may be, -ex, -x, -batch, standard input.
run 0 -batch -ex 'help' -ex '# nothing' -ex ''
says 'probe      Measure the calls'
run 0 -batch -ex 'help tb'
says 'short: tb'
printf 'info probes\nquit\nnonsense\n' >commands
timeout 60 "$fathom" <commands >output 2>errors || fail 'commands from standard input'
says 'no probes'
printf 'info probes\nnonsense\nhelp\n' >commands
timeout 60 "$fathom" <commands >output 2>errors && fail 'a wrong command does not end the script'
complains 'there is no command "nonsense"'
lacks 'Measure the calls'
run 2 -batch nothing-like-that
complains "there is no command 'nothing-like-that', and no program, process or profile of that name"
run 2 -batch -ex
complains '-ex is without its command'
run 2 -batch "$scratch"
complains 'neither a program nor a profile'
run 2 -batch 4194304999
complains '4194304999'
echo text >text
run 2 -batch ./text
complains 'neither a program nor a profile'
run 2 --nonsense
complains 'fathom session --help'
run 0 help session
says '-ex COMMAND'
run 0 session -batch -ex 'help kill'
says 'Kill the process'
run 2 -batch -x nowhere
complains 'nowhere: No such file'
run 2 -batch -x .
complains 'folder'
echo 'source circle' >circle
run 2 -batch -x circle
complains 'too deeply'
printf 'help kill\nprobe\nhelp run\n' >wrong
run 2 -batch -x wrong "$parley"
complains 'wrong:2: which function?'
says 'Kill the process'
lacks 'Launch the program'

# Without a program, or a process.
for command in run start 'probe work' 'info functions' list; do
	session 2 - "$command"
	complains 'no program'
done
for command in continue interrupt finish kill detach backtrace thread print 'info threads' 'info overhead'; do
	session 2 "$parley" "$command"
	complains 'there is no process'
done
for command in annotate 'info samples' save\ x 'plot work' check\ x; do
	session 2 "$parley" "$command"
	complains 'no samples yet'
done
session 2 "$parley" 'de'
complains '"de" may be any of detach, delete'
session 2 "$parley" 'info f'
complains 'functions features probes'
session 2 "$parley" 'quit now'
complains 'takes no arguments'
session 2 "$parley" "info 'x"
complains 'no end'
session 2 "$parley" 'file nowhere'
complains 'no file nowhere'
session 2 "$parley" 'load nowhere'
complains 'nowhere'
session 2 "$parley" 'shell exit 3'
complains 'status 3'
session 0 "$parley" '!echo from the shell'
says 'from the shell'

# What the program is.
session 0 "$parley" 'info functions work*' 'info features work' 'list parley.c:35' 'list' 'list hold'
order 'work ' 'box->colour  at' '   35  ' '   40  ' 'void hold(int n)'
session 2 "$parley" 'list nowhere.c:3'
complains 'nowhere.c'
session 0 "$parley" 'info metrics' 'metric time,mem' 'metric'
order '* time' 'mem' 'time' 'mem'
session 2 "$parley" 'metric nonsense'
complains 'no metric "nonsense"'

# Probes, and what is wrong with them.
session 0 "$parley" 'probe work' 'tprobe hold stop' 'b work if n > 3' 'info probes' 'disable 1' 'ignore 2 5' \
	'info probes' 'enable 1' 'delete 2' 'info probes' 'delete' 'info probes'
order 'Probe 1: work at' 'Probe 2: hold at' 'stops' 'Probe 3' '1   enabled  work' '2   once     hold stop' \
	'1   disabled work' '5 more ignored' '1   enabled  work' '3   enabled  work if n > 3' 'no probes'
session 2 "$parley" 'probe wrok'
complains 'work'
session 2 "$parley" 'probe work if m > 3'
complains 'work has no feature m; near: n'
session 2 "$parley" 'probe work if box->sizes > 3'
complains 'near: box->size'
session 2 "$parley" 'probe work if box->colour == GREEN'
complains 'no value that is called GREEN'
session 2 "$parley" 'probe work if n == RED'
complains 'n is a number'
session 2 "$parley" 'probe work if n >'
complains 'missing at the end'
session 2 "$parley" 'probe work stop n > 3'
complains 'if CONDITION may follow stop'
session 2 "$parley" 'delete 7'
complains 'no probe 7'
session 2 "$parley" 'probe work' 'ignore 1 1'
complains 'does not stop anyway'
session 2 "$parley" 'probe work' 'ignore 1'
complains 'how often'

# Samples, models, files.
session 0 "$parley" 'probe work' 'run work 100' 'info samples' 'annotate work' 'save saved.fathom' 'save' \
	'plot work n' 'plot work.time box->size > plot.svg' 'shell grep -c "<svg" plot.svg' 'predict work n=50'
order 'worked 100 times' 'work: 100 samples of 100 calls' 'work.time {' 'Saved in saved.fathom' 'Saved in saved.fathom' \
	'work.time' 'a call' 'Drawn in plot.svg' 'work.time: '
run 0 annotate saved.fathom
says 'work.time {'
cp output work.annotations
session 0 saved.fathom 'info samples' 'annotate' 'load work.annotations' 'check' 'predict work n=50'
order 'work: 100 samples' 'work.time {' '1 annotation of work.annotations' 'work.time: conforms' 'work.time: '
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
session 0 "$parley" 'probe work if n > 90' 'run work 100' 'info samples' 'info probes'
says 'work: 10 samples of'
says '100 calls, for 10 it held'
session 0 "$parley" 'probe work if box->colour == BLUE && !(n > 10)' 'run work 40' 'info samples'
says 'work: 5 samples of'

# A stop at a call's return: its features, its stack, what was expected.
session 0 "$parley" 'probe work stop if n == 77' 'run work 100' 'print n' 'print box->colour' 'bt' 'thread' 'info threads' \
	'info overhead' 'continue'
order 'Probe 1: work returned in thread' '  n = 77' '#0  work at' 'n = 77' 'box->colour = RED' 'work_up_to' 'is looked at' \
	'parley' '77 calls' 'worked 100 times'
printf 'work.time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(1e-3*n, 1);\n}\n' >dear.annotations
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
order 'hold has run for' '  n = 7' 'n = 7' 'usleep' 'Stopped.' 'Until hold returns' 'hold returned in thread' 'time = ' 'done'
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
