#!/bin/sh
# The explorer beside a measurement: numbers grow while somebody looks, what the program writes is shown afterwards, and whichever of the
# processes is killed, the others end well and leave nothing behind.
# sanitized by --full: explorer_terminal.sh and unit tests show the same pages
. "$(dirname "$0")/lib"
. "$top/tests/cli/tmux_lib"

forever=$build/fixtures/guarded-gcc-O2 # until SIGTERM
target=
end_all() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null
	end_tmux
}
trap end_all EXIT

# The number of the status line: calls seen, 1.3 M at most.
seen() {
	shown
	sed -n 's/.* seen \([0-9,.]*[0-9]\).*/\1/p' output | tr -d ,
}
is_not() {
	now=$(seen)
	[ -n "$now" ] && [ "$now" != "$1" ]
}
grows() {
	screen ' seen [0-9]'
	first=$(seen)
	until_true 'the number of calls does not grow' is_not "${first:-0}"
}
# pid_of NAME: of the process of this terminal that is called so and lives; of `fathom` the oldest
pid_of() {
	pane=$(in_tmux list-panes -F '#{pane_tty}')
	ps -o pid=,stat=,comm= -t "${pane#/dev/}" | awk -v name="$1" '$2 !~ /Z/ && $3 == name { print $1; exit }'
}
is_gone() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}
nothing_left() {
	[ -z "$(ls -A "$TMPDIR")" ]
}
leaves_nothing() {
	until_true "a temporary profile is left ($(find "$TMPDIR" | tr '\n' ' '))" nothing_left
	explorer=$(pid_of explorer)
	[ -z "$explorer" ] || until_true 'an explorer is left' is_gone "$explorer"
}
stored() {
	[ "$(sqlite3 "$1" 'SELECT count(*) FROM run WHERE ended IS NOT NULL' 2>/dev/null)" = "$2" ]
}

# To the end: what was measured is looked at, then printed behind what the program wrote.
terminal 80 24
command_line "$fathom run --explore -f work -- $build/fixtures/paced-gcc-O2 3 1000; echo status=\$?"
grows
no_screen 'ready$'
screen '^work '
keys Enter
screen 'work\.time'
screen 'ended'
keys Q
screen '^ready$'
screen '^}'
screen 'status=0'
leaves_nothing

# Quit before the end, it is measured on, and so it is stored.
terminal 80 24
command_line "$fathom run --explore --samples 100 -f deep -o quit.fathom -- $forever 1; echo status=\$?"
grows
keys q
screen 'the explorer has ended; the program'
pkill -TERM -t "$(in_tmux list-panes -F '#{s|/dev/||:pane_tty}')" guarded
screen 'status=0'
stored quit.fathom 1 || fail 'the run was not stored'
[ ! -e quit.fathom-wal ] || fail 'a log is left'

# Ctrl-C is for the program, as it would be without the explorer, which stays until it is quit.
command_line "clear; $fathom run --explore -f work -- $build/fixtures/interrupt-gcc-O2 saves 60; echo status=\$?"
grows
keys C-c
screen 'ended'
keys C-c
screen 'saved [0-9]* calls'
screen '^}'
leaves_nothing

# The explorer is killed: the terminal is restored, and the measurement goes on.
terminal 80 24
command_line "$fathom run --explore --samples 100 -f deep -o killed.fathom -- $forever 1; echo status=\$?"
grows
kill -KILL "$(pid_of explorer)"
screen 'the explorer was killed; the program'
pkill -TERM -t "$(in_tmux list-panes -F '#{s|/dev/||:pane_tty}')" guarded
screen 'status=0'
stored killed.fathom 1 || fail 'the run was not stored'

# Who measures is killed: the explorer ends, and what was stored can be read. The shell may have said so before the explorer was gone.
command_line "clear; stty -g >before; $fathom run --explore --samples 100 -f deep -- $forever 1"
grows
kill -KILL "$(pid_of fathom)"
leaves_nothing
command_line 'clear; stty -g >after; echo done-$?'
screen '^done-0'
same before after
command_line "clear; $fathom run --explore --samples 100 -f deep -o cut.fathom -- $forever 1"
screen '^deep +[0-9]'
kill -KILL "$(pid_of fathom)"
leaves_nothing
command_line "clear; $fathom annotate cut.fathom >annotated; echo status=\$?"
screen 'status=0'
grep -q '^deep.time {' annotated || fail 'what was stored is not read'

# SIGTERM ends both, whichever of the processes gets it, and is passed on to the program.
for victim in explorer fathom; do
	command_line "clear; $fathom run --explore --samples 100 -f deep -o $victim.fathom -- $forever 1; echo status=\$?"
	grows
	kill -TERM "$(pid_of "$victim")"
	screen 'status=0'
	stored "$victim.fathom" 1 || fail "SIGTERM of $victim: the run was not stored"
	leaves_nothing
done

# So it does while the terminal takes nothing, also where it was attached to the program, which is let go.
tty=$(in_tmux list-panes -F '#{pane_tty}')
writes() {
	grep -q '^1 ' "/proc/$explorer/syscall"
}
# ends_unread VICTIM: SIGTERM of it while the explorer waits for the terminal
ends_unread() {
	grows
	python3 -c 'import os, sys, termios; termios.tcflow(os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY), termios.TCOOFF)' "$tty"
	explorer=$(pid_of explorer)
	until_true 'the explorer does not wait for the terminal' writes
	kill -TERM "$(pid_of "$1")"
	screen 'status=0'
	leaves_nothing
}
command_line "clear; $fathom run --explore --samples 100 -f deep -o unread.fathom -- $forever 1; echo status=\$?"
ends_unread fathom
"$forever" 1 >printed &
target=$!
for victim in fathom tracer explorer; do
	command_line "clear; $fathom attach --explore --samples 100 -f deep $target; echo status=\$?"
	ends_unread $victim
	grep -q '^TracerPid:[[:space:]]*0$' "/proc/$target/status" || fail "SIGTERM of $victim, unread: the process is still traced"
done
kill -TERM "$target"
wait "$target" || fail 'the process did not end well, unread'
target=

# Attached to, the process goes on whatever happens.
"$forever" 1 >printed &
target=$!
command_line "clear; $fathom attach --explore --samples 100 -f deep -o attached.fathom $target; echo status=\$?"
grows
keys Q
screen 'status=0'
screen 'the samples are in attached.fathom'
no_screen 'deep.time {'
stored attached.fathom 1 || fail 'the measurement was not stored'
for victim in fathom explorer tracer; do
	command_line "clear; $fathom attach --explore --samples 100 -f deep $target; echo status=\$?"
	grows
	kill -TERM "$(pid_of "$victim")"
	screen 'status=0'
	leaves_nothing
	# Whoever kills a tracer by SIGKILL may kill a thread that is in a breakpoint just then: nobody else has a say.
	[ "$victim" != tracer ] || continue
	command_line "clear; $fathom attach --explore --samples 100 -f deep $target; echo status=\$?"
	grows
	kill -KILL "$(pid_of "$victim")"
	leaves_nothing
	command_line 'clear; echo done-$?'
	screen 'done-[0-9]' # at times amid what the rest of us still says
	kill -0 "$target" || fail "SIGKILL of $victim ended the process"
done
kill -TERM "$target"
wait "$target" || fail 'the process did not end well'
target=
grep -q 'wrong 0$' printed || fail 'the process did something else than without us'
