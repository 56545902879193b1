#!/bin/sh
# Ctrl-C in a terminal ends the measurement, not the program: what it does with SIGINT is its own matter, and the
# results are printed in every case. fixtures/trace/interrupt.c counts its calls.
# not sanitized: session_terminal.sh and explore_live.sh interrupt as well
. "$(dirname "$0")/lib"
export NO_COLOR=1 # what is shown is compared

type python3 >/dev/null || {
	echo 'python3 has the terminal'
	exit 77
}
program=$build/fixtures/interrupt-gcc-O2

# in_terminal WORDS[:WORDS...] ARGUMENT...: Ctrl-C when the WORDS are shown; all that is shown is in output
in_terminal() {
	words=$1
	shift
	rm -f interrupt.fathom
	python3 "$top/tests/cli/terminal.py" "$words" "$fathom" "$@" >output 2>errors </dev/null
	status=$?
	[ "$status" -eq 0 ] || fail "fathom $*, interrupted: status $status"
	says 'work.time {'
}
# What the program printed that it made, and what was measured of it.
made() {
	sed -n 's/^.*\(saved\|made\) \([0-9]*\) calls$/\2/p' output
}
measured() {
	sqlite3 interrupt.fathom 'SELECT calls + abandoned FROM account'
}

# It saves its data and ends: all is measured, unless it was quicker to save them than to be let go.
in_terminal 'is ready' run -f work -o interrupt.fathom -- "$program" saves 100
says 'saved '
says 'exited with status 7'
[ "$(measured)" -ge 1 ] && [ "$(measured)" -le "$(made)" ] || fail "$(measured) calls of $(made) were measured"
[ "$(sqlite3 interrupt.fathom 'SELECT ended, ending FROM run')" = 'exited|7' ] || fail 'its end is not stored'

# It dies of it.
in_terminal 'is ready' run -f work -o interrupt.fathom -- "$program" dies 100
says 'was killed by signal 2 (Interrupt)'

# It goes on, unmeasured, and is waited for.
in_terminal 'is ready' run -f work -o interrupt.fathom -- "$program" ignores 4
says 'the measurement has ended; the program goes on to its end'
says 'exited with status 0; it was measured for'
[ "$(measured)" -ge 1 ] && [ "$(measured)" -lt "$(made)" ] || fail "$(measured) calls of $(made) were measured"

# Only the tool gets the signal.
in_terminal 'kill=is ready' run -f work -o interrupt.fathom -- "$program" dies 4
says 'exited with status 0; it was measured for'

# Nobody can stop the parent of a vfork while it waits; it is let go when it wakes.
cat >parent.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("");
	return n + 1;
}

int main(void)
{
	signal(SIGINT, SIG_IGN);
	work(1);
	puts("is ready");
	fflush(stdout);
	if (vfork() == 0) {
		sleep(4);
		_exit(0);
	}
	wait(NULL);
	puts("parent and child are through");
	return 5;
}
C
gcc -g -O1 parent.c -o parent || fail 'the parent is not built'
for option in -v --follow-fork; do
	in_terminal 'is ready' run -f work -o interrupt.fathom $option -- ./parent
	says 'parent and child are through'
	says 'exited with status 5; it was measured for'
done

# The second one ends the waiting: the program lives on. (Without a terminal, whose end would be a signal, too.)
rm -f interrupt.fathom
rm -f output errors # nothing of before is waited for
"$fathom" run -f work -o interrupt.fathom -- "$program" saves 100 >output 2>errors </dev/null &
tool=$!
wait_for() {
	for _ in $(seq 600); do
		! grep -q "$1" "$2" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "'$1' was not said"
}
wait_for 'is ready' output
sleep 0.3
kill -INT $tool
wait_for 'goes on to its end' errors
kill -INT $tool
wait $tool || fail "interrupted twice: status $?"
says 'work.time {'
grep -q 'was measured for .* and goes on' errors || fail 'it is not said that the program goes on'
[ "$(sqlite3 interrupt.fathom 'SELECT ended FROM run')" = detached ] || fail 'the end is not stored'
[ -z "$(made)" ] || fail 'the program was waited for'
kill -INT "$(sed -n 's/^process \(.*\) is ready$/\1/p' output)"
wait_for '^saved ' output
[ "$(measured)" -lt "$(made)" ] || fail 'all calls were measured'

# The program does not stand still while one of the tool's processes is stopped: neither that which was started nor the tracer.
for stopped in tool tracer; do
	rm -f output errors # nothing of before is waited for
	"$fathom" run -f work --probes stops -o stopped.fathom -- "$program" dies 2 >output 2>errors </dev/null &
	tool=$!
	wait_for 'is ready' output
	process=$(sed -n 's/^process \(.*\) is ready$/\1/p' output)
	tracer=$(sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$process/status")
	[ "$tracer" != "$tool" ] || fail 'who is started traces'
	eval "kill -STOP \$$stopped"
	wait_for '^made ' output
	kill -CONT $tool
	wait $tool || fail "its $stopped was stopped: status $?"
	says 'work.time {'
done

# A signal to the whole group is one request: the second SIGTERM would kill the program.
cat >slow.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void ask(int number)
{
	asked = number;
}

__attribute__((noinline)) int work(int n)
{
	usleep(1000);
	return n + 1;
}

int main(void)
{
	signal(SIGTERM, ask);
	puts("is ready");
	fflush(stdout);
	while (!asked)
		work(1);
	for (int i = 0; i < 1000; i++)
		work(2);
	puts("has saved");
	return 5;
}
C
gcc -g -O1 slow.c -o slow || fail 'slow.c is not built'
rm -f output errors # nothing of before is waited for
setsid "$fathom" run -f work -o group.fathom -- ./slow >output 2>errors </dev/null &
tool=$!
wait_for 'is ready' output
sleep 0.3
kill -TERM "-$tool"
wait $tool || fail "SIGTERM of the group: status $?"
says 'has saved'
grep -q 'exited with status 5' errors || fail 'one signal to the group counts twice'

# What a program started is let go as well: it ends after the tool.
cp "$build/fixtures/images-gcc-O2" images
in_terminal 'processes that it started go on' run -f work --follow-fork -o interrupt.fathom -- \
	./images daemon "$PWD/sum" 20 "$PWD/waited"
says 'exited with status 0'
[ ! -s sum ] || fail 'the daemon was waited for'
touch waited
wait_for 210 sum

# SIGTERM is passed on to the program, and ends the measurement when there is none any more.
rm -f output errors # nothing of before is waited for
"$fathom" run -f work -o term.fathom -- "$program" dies 300 >output 2>errors </dev/null &
tool=$!
wait_for 'is ready' output
sleep 0.3
kill $tool
wait $tool || fail "ended by SIGTERM: status $?"
grep -q 'killed by signal 15' errors || fail 'SIGTERM was not passed on'
rm -f sum waited term.fathom
rm -f output errors # nothing of before is waited for
"$fathom" run -f work --follow-fork -o term.fathom -- ./images daemon "$PWD/sum" 20 "$PWD/waited" >output 2>errors </dev/null &
tool=$!
wait_for 'processes that it started go on' errors
kill $tool
wait $tool || fail "ended by SIGTERM while a daemon runs: status $?"
[ ! -s sum ] || fail 'the daemon was waited for'
touch waited
wait_for 210 sum

# The shortest time is not for ever.
rm -f output errors # nothing of before is waited for
"$program" dies 300 >output 2>&1 </dev/null &
process=$!
wait_for 'is ready' output
timeout 60 "$fathom" attach --for 1e-9 -f work "$process" >report 2>errors </dev/null
[ $? -ne 124 ] || fail 'a very short time lasts for ever'
kill -0 $process || fail 'the process was harmed'
kill -9 $process

# A series of runs ends with the run that is under way, and that at once, also if the signal is for the tool alone.
cat >sleeps.c <<'C'
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

int main(int argc, char **argv)
{
	FILE *began = fopen(argv[argc - 1], "w");

	fprintf(began, "began %d\n", work(argc));
	fclose(began);
	sleep(600);
	return 0;
}
C
gcc -g -O1 -o sleeps sleeps.c || fail 'sleeps.c does not compile'
for number in 2 15; do
	rm -f began
	"$fathom" compare -f work --runs 2 -- ./sleeps "$PWD/began" -- ./sleeps "$PWD/began" >output 2>errors </dev/null &
	tool=$!
	wait_for began began
	kill -$number $tool
	for i in $(seq 300); do
		kill -0 $tool 2>gone || break
		sleep 0.1
	done
	! kill -0 $tool 2>gone || fail "compare goes on after signal $number"
	grep -q 'interrupted before both had run' errors || fail "signal $number: $(cat errors)"
done
