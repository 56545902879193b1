#!/bin/sh
# Whatever happens to `fathom attach`, the program that it measures goes on as if nobody had been there. FATHOM_FULL=1
# does everything often, and counts what SIGKILL of the tracer itself costs.
# alone: its threads take all processors
# not sanitized: it is about signals, and long
. "$(dirname "$0")/lib"

program=$build/fixtures/guarded-gcc-O2
harm() {
	timeout 1200 python3 "$top/tests/cli/guard.py" "$fathom" "$program" "$@" || fail "guard.py $*"
}

few=2
signals='SEGV TERM'
if [ -n "${FATHOM_FULL:-}" ]; then
	few=100
	signals='ABRT ALRM BUS FPE HUP ILL INT IO PIPE PROF PWR QUIT SEGV STKFLT SYS TERM TRAP USR1 USR2 VTALRM XCPU'
fi

# The process that the user knows.
for victim in front supervisor; do
	harm 1 $victim KILL "$few"
	harm 8 $victim KILL "$few"
done
for signal in INT QUIT; do
	harm 8 front "$signal" 1
done

# The one that traces, by what it can catch.
for signal in $signals; do
	harm 8 tracer "$signal" 2
done

# While it forks: what it is told then is what the kernel says, whatever the tracer had it do.
cat >forker.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static volatile long sum;

static void end(int signal)
{
	over = signal;
}

__attribute__((noinline)) void leaf(long n)
{
	sum += n;
}

__attribute__((noinline)) void deep(long n)
{
	for (long i = 0; i < n % 8; i++)
		leaf(i);
}

int main(void)
{
	long forks = 0, wrong = 0;
	int status;

	signal(SIGTERM, end);
	puts("ready");
	fflush(stdout);
	for (; !over; forks++) {
		const pid_t child = fork();

		deep(forks);
		if (child == 0)
			_exit(0);
		wrong += child < 0 || waitpid(child, &status, 0) != child || status;
	}
	printf("forks %ld wrong %ld\n", forks, wrong);
	return 0;
}
END
gcc -g -O2 forker.c -o forker || fail 'the program is not built'
guarded=$program program=$scratch/forker
harm 1 tracer SEGV $((10 * few))
GUARD_OPTIONS=--follow-fork harm 1 tracer SEGV $((10 * few))
program=$guarded

# By what it cannot: a thread that has just run into a breakpoint may be lost, and nothing else may be.
harm 1 tracer KILL "$few" spare
if [ -n "${FATHOM_FULL:-}" ]; then
	harm 8 tracer KILL "$few" spare
	harm 1 both KILL "$few" spare
	harm 8 both KILL "$few" spare
fi

# Killed with the process that the user knows, it stores and models what it has.
"$program" 1 >printed &
target=$!
"$fathom" attach -q -f deep -o killed.fathom -r killed.txt "$target" 2>errors &
tool=$!
tracer() {
	sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$target/status"
}
wait_for() {
	for _ in $(seq 3000); do
		! eval "$1" || return 0
		sleep 0.02
	done
	kill "$target"
	fail "$2"
}
wait_for '[ "$(tracer)" != 0 ]' 'nobody attaches'
[ "$(cat "/proc/$(tracer)/comm")" = tracer ] || fail 'who kills by name kills both'

# Neither the measurement nor the program stands still when one of its processes is stopped.
wait_for '[ -s killed.fathom ]' 'there is no profile'
stored() {
	sqlite3 killed.fathom "SELECT count(*) FROM sqlite_master WHERE name = 'deep'" | grep -q 1 &&
		sqlite3 killed.fathom 'SELECT count(*) FROM deep'
}
parent() {
	sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"
}
for stopped in "$tool" "$(parent "$(tracer)")" "$(tracer)"; do
	before=$(stored)
	kill -STOP "$stopped"
	wait_for '[ "$(stored)" -gt "${before:-0}" ] 2>/dev/null' "the program stands still while $(cat "/proc/$stopped/comm") is stopped"
	kill -CONT "$stopped"
done

kill -KILL "$tool"
wait_for '[ "$(tracer)" = 0 ]' 'the program is still traced'
wait_for 'grep -q "deep" killed.txt 2>/dev/null' 'what was measured is not modelled'
kill "$target"
wait "$target" || fail 'the program was harmed'
grep -q 'wrong 0$' printed || fail 'the program was harmed'
exit 0
