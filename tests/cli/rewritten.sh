#!/bin/sh
# A program that writes other code into a measured function: its own is left as it is, and that nothing is counted any more is said, also
# where it was let go.
# not sanitized: it is about the program
. "$(dirname "$0")/lib"

cat >rewrites.c <<'END2'
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { CALLS = 1000, SIZE = 16 };

static volatile sig_atomic_t over;

__attribute__((noinline, aligned(64))) long first(long n)
{
	__asm__ volatile("imul $3, %0, %0\n\timul $1000, %0, %0" : "+r"(n));
	return n + 1;
}

__attribute__((noinline, aligned(64))) long second(long n)
{
	__asm__ volatile("imul $5, %0, %0\n\timul $2000, %0, %0" : "+r"(n));
	return n + 7;
}

static long call(long factor, long more)
{
	long wrong = 0;

	for (long i = 0; i < CALLS; i++)
		wrong += first(i) != i * factor + more;
	return wrong;
}

static void end(int number)
{
	(void)number;
	over = 1;
}

/* With an argument it waits for probes before, and for a signal afterwards. */
int main(int argc, char **argv)
{
	const uintptr_t page = (uintptr_t)first & -(uintptr_t)4096;
	unsigned char own[SIZE];
	long wrong = 0;

	(void)argv;
	signal(SIGTERM, end);
	memcpy(own, (void *)first, SIZE);
	while (argc > 1 && !memcmp((void *)first, own, SIZE))
		wrong += first(1) != 3001;
	wrong += call(3000, 1);
	mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy((void *)first, (void *)second, SIZE);
	puts("rewritten");
	fflush(stdout);
	do
		wrong += call(10000, 7);
	while (argc > 1 && !over);
	wrong += memcmp((void *)first, (void *)second, SIZE) != 0;
	printf("wrong %ld\n", wrong);
	return wrong != 0;
}
END2
cc -g -O1 rewrites.c -o rewrites || fail 'cannot compile'
told='changed the code of first: no call was counted after that'

for probes in pads stops; do
	run 0 run --probes $probes --max-overhead none --globals none -f first -o run.$probes.fathom --no-models -- ./rewrites
	says 'wrong 0'
	grep -q "$told" errors || fail "$probes: it is not said"
	[ "$(sqlite3 run.$probes.fathom 'SELECT calls FROM account')" -eq 1000 ] || fail "$probes: calls that were seen are not counted"
done

for probes in pads stops; do
	: >printed # what is there is from before until the shell's child has opened it
	./rewrites wait >printed &
	target=$!
	timeout 60 "$fathom" attach --probes $probes --max-overhead none --globals none -f first -o $probes.fathom --no-models $target >output 2>errors &
	tracer=$!
	until grep -q rewritten printed; do
		kill -0 $tracer 2>/dev/null || fail "$probes: it ended"
		sleep 0.05
	done
	kill -TERM $tracer
	wait $tracer
	kill -TERM $target
	wait $target || fail "$probes: status $? of the program"
	grep -qx 'wrong 0' printed || fail "$probes: its results, or its code, are wrong"
	grep -q "$told" errors || fail "$probes: it is not said"
done
exit 0
