#!/bin/sh
# The session's commands without a process, from scripts: ways in, what is there, probes, and what wrong ones say.
. "$(dirname "$0")/lib"
. "$top/tests/cli/session_lib"

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
for command in continue interrupt finish kill detach backtrace thread print 'info threads'; do
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
	'1   disabled work' '5 more ignored' '1   enabled  work' '3   enabled  work break if n > 3' 'no probes'
# gdb's breakpoints stop where calls begin, and measure.
session 0 "$parley" 'tbreak work' 'run work 9' 'break work if n > 3' 'condition 2 n > 4' 'info probes' 'condition 2' 'info probes' 'kill'
order 'Probe 1: work at' 'stops before it runs' 'Probe 2: work at' '2   enabled  work break if n > 4' '2   enabled  work break '
session 2 "$parley" 'break work if time > 3 us'
complains 'is not known where a call begins'
session 2 "$parley" 'condition 7 n > 4'
complains 'there is no probe 7'
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

# What notices calls.
session 0 "$parley" 'set probes pads' 'set probes' 'set pro st' 'set probes' 'set probes auto' 'set probes' 'help set'
order pads stops auto 'set probes stops|pads|auto|hardware'
session 2 "$parley" 'set probes nothing'
complains 'stops pads auto'
session 2 "$parley" 'set'
complains 'probes'
session 0 "$parley" 'probe work' 'run work 3' 'info overhead' 'set probes stops' 'run work 3' 'info overhead'
order 'Calls are noticed by' 'Calls are noticed by stops'
session 0 "$parley" 'set probes hardware' 'set probes' 'show probes' 'set probes stops' 'probe work' 'run work 3' 'info overhead'
order hardware 'Calls are noticed by: hardware' 'Calls are noticed by stops'
