#!/bin/sh
# Where the time is, live: a table for programs, each second for processes, of children, too; a screen on a terminal, whose Enter measures; and
# without perf_event, by short stops. Also what run chooses by then.
# not sanitized: samples must come as fast as the clock says, which a sanitized fathom on a busy machine does not keep
. "$(dirname "$0")/lib"
. "$top/tests/cli/tmux_lib"

# A background job is the shell itself until it has become the program.
is_started() {
	[ "$(readlink -f "/proc/$target/exe")" = "$(readlink -f "$1")" ]
}
says_like() {
	grep -qE -- "$1" output || fail "nothing is like $1"
}
spin=$build/fixtures/elements-steeper
target=
end_all() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null
	end_tmux
}
trap end_all EXIT

sed -n '/^cat >sealed.py/,/^END/p' "$top/tests/cli/counters.sh" | sed '1d;$d' >sealed.py
cat >again <<END
#!/bin/sh
while :; do "$spin"; done
END
chmod +x again

# Where a thread that runs is at work is said beside its stack, too.
"$build/fixtures/toil" 20000 >/dev/null &
target=$!
until_true 'toil does not start' is_started "$build/fixtures/toil"
is_at_work() {
	run 0 stack -q $target
	grep -qE '^it is at work at toil.c:[0-9]+ in toil \([0-9]+ %\).*; loops there turn about [0-9]+ times a second' output
}
until_true 'stack does not say where it is at work' is_at_work
kill $target
wait $target || :
target=

# Of a program that starts others, those have the time.
has_children() {
	run 0 top --for 1 ./again
	says_like '^   share     self function$'
	grep -q ' processes$' output && grep -qE '%.* work  elements.c:[0-9]+$' output && grep -q 'line$' output
}
until_true 'the time is not that of children' has_children
# Without the right to perf_event_open.
has_halted_children() {
	timeout 120 python3 sealed.py "$1" "$fathom" top --for 1 ./again >output 2>errors </dev/null || fail 'top needs perf_event'
	complains 'stopped for a moment'
	grep -q '%.* work  elements.c' output
}
for number in 1 38; do
	until_true 'short stops do not see what works' has_halted_children $number
done
run 2 top no-such-program
complains 'there is no program'
run 2 top 999999999
complains 'no process'
run 2 top

# A process shows a table each second, until it ends.
"$build/fixtures/guarded-gcc-O2" >printed 2>&1 &
target=$!
until_true 'guarded does not start' is_started "$build/fixtures/guarded-gcc-O2"
timeout --foreground 60 "$fathom" top "$target" >tables 2>errors &
shower=$!
shown_twice() { [ "$(grep -c ' function$' tables)" -ge 2 ]; }
until_true 'no table a second' shown_twice
kill -INT $shower
wait $shower || fail 'Ctrl-C is a failure'

# The screen, and the explorer of what was selected.
terminal 90 24
command_line "$fathom top $target; echo status=\$?"
screen 'Enter measures'
screen '[0-9] %.*guarded.c:'
keys q
screen 'status=0'
command_line clear
no_screen 'guarded.c:'
command_line "$fathom top $target; echo status=\$?"
screen '[0-9] %.*guarded.c:'
keys j
keys Enter
screen 'live .*calls seen'
keys Q
screen 'status='
kill -TERM "$target"
wait "$target" || fail 'the process did not end well'
target=
grep -q 'wrong 0$' printed || fail 'the process did something else than without us'

# run chooses by short stops, too, if the program works for long enough to be seen at it.
for calls in 5000 20000 80000 320000; do
	rm -f chosen.fathom
	if timeout 120 python3 sealed.py 1 "$fathom" run --no-models -o chosen.fathom -- "$spin" $calls 10 1000 >output 2>errors </dev/null; then
		# A share is told of what was looked at for a fifth of the run, or 0.2 s.
		[ "$(sqlite3 chosen.fathom 'SELECT sum(open_ns) > 2.5e8 FROM account')" != 1 ] || break
		continue
	fi
	grep -q 'ended before it was seen at work long enough' errors || fail 'run needs perf_event'
done
grep -q 'seen by short halts' errors || fail 'the halts are not told'
[ "$(sqlite3 chosen.fathom 'SELECT name FROM function')" = work ] || fail 'the choice is another one'

# list by share: as a profile of that build has it, or by samples of a process.
run 2 list --sort=share "$spin"
complains 'fathom run'
cp chosen.fathom fathom.fathom
run 0 list --sort share "$spin"
[ "$(sed -n '1s/.* % .*work.*/work/p' output)" = work ] || fail 'work has no share'
run 2 list --sort share "$build/fixtures/elements-old"
"$spin" 100000 10 1000 >/dev/null &
target=$!
until_true 'the program does not start' is_started "$spin"
run 0 list --sort share $target
[ "$(sed -n '1s/.* % .*\(work\|main\).*/found/p' output)" = found ] || fail 'no function has a share'
kill -KILL $target
target=
