#!/bin/sh
# A program that has moved its text to huge pages is measured by pads as others are, and has its own text again afterwards.
# not sanitized: it is about the program
. "$(dirname "$0")/lib"

cat >huge.c <<'END2'
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 2 << 20 };

extern char etext[];
static volatile sig_atomic_t over;
static char saved[SIZE];
static long wrong;

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

static void end(int number)
{
	(void)number;
	over = 1;
}

static void move_text(char *text)
{
	char *room = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *copy = (char *)(((uintptr_t)room + SIZE - 1) & -(uintptr_t)SIZE);

	madvise(copy, SIZE, MADV_HUGEPAGE);
	memcpy(copy, text, etext - text);
	memcpy(saved, text, etext - text);
	wrong += mprotect(copy, SIZE, PROT_READ | PROT_EXEC) != 0;
	wrong += mremap(copy, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, text) != text;
}

int main(void)
{
	char *text = (char *)((uintptr_t)work & -(uintptr_t)SIZE);

	signal(SIGTERM, end);
	move_text(text);
	puts("ready");
	fflush(stdout);
	for (long i = 0; !over; i++)
		wrong += work(i) != i * 3 + 1;
	wrong += memcmp(text, saved, etext - text) != 0;
	printf("wrong %ld\n", wrong);
	return wrong != 0;
}
END2
cc -g -O2 -no-pie -Wl,-z,separate-code -Wl,-z,max-page-size=0x200000 huge.c -o huge || fail 'cannot compile'

./huge >printed &
target=$!
until grep -q ready printed; do
	kill -0 $target 2>/dev/null || fail "it ended: $(cat printed)"
	sleep 0.05
done
grep -q '^AnonHugePages: *2048 kB' "/proc/$target/smaps" || echo 'this kernel gives it no huge page'
for probes in pads stops; do
	timeout 60 "$fathom" attach --probes $probes --for 0.5 --max-overhead none --samples 50 -f work -o $probes.fathom --no-models $target \
		>output 2>errors || fail "$probes: status $?"
	[ "$(sqlite3 $probes.fathom "SELECT calls > 0 AND (stops = 0) = ('$probes' = 'pads') FROM account")" = 1 ] || fail "$probes: it is not measured so"
done
kill -TERM $target
wait $target || fail "status $? of the program"
grep -qx 'wrong 0' printed || fail 'its results, or its text, are wrong'
exit 0
