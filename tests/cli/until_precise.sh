#!/bin/sh
# --until-precise: a function whose cost is known is measured no longer; when all are, the program runs on alone.
. "$(dirname "$0")/lib"

# The program goes on until the file says the words, and then for 200 calls of each.
cat >steady.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *volatile block;

__attribute__((noinline)) void steady(int n)
{
	block = malloc(16 * n);
	free(block);
}

__attribute__((noinline)) void wild(void)
{
	block = malloc(1 + random() % 5000);
	free(block);
}

static int is_said(const char *path, const char *words)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");

	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return strstr(text, words) != NULL;
}

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + 100;
	long calls = 0, left = -1;

	for (; left && time(NULL) < end; calls++, left -= left > 0) {
		if (left < 0 && calls % 20 == 0 && is_said(argv[1], argv[2]))
			left = 200;
		steady(1 + calls * 37 % 211);
		wild();
		usleep(500);
	}
	printf("calls %ld\n", calls);
	return left > 0;
}
END
gcc -g -O2 steady.c -o steady || exit 77
measure() { # WORDS FUNCTION...
	words=$1
	shift
	rm -f steady.fathom
	run 0 run -m mem --period 100 --samples all --max-overhead none --until-precise 1% "$@" -o steady.fathom -r report \
		-- ./steady "$scratch/errors" "$words"
	calls=$(sed -n 's/^calls //p' output)
}
seen() { # FUNCTION: how many calls of it were seen
	sqlite3 steady.fathom "SELECT calls FROM account JOIN function ON function.id = function WHERE name = '$1'"
}

measure 'steady is measured no longer, after' -f steady -f wild
[ "$(seen steady)" -ge 100 ] || fail "steady is said to be known after $(seen steady) calls"
[ "$(seen steady)" -le $((calls - 200)) ] || fail "steady was seen $(seen steady) times of $calls"
[ "$(seen wild)" = "$calls" ] || fail "wild was seen $(seen wild) times of $calls"
# How long it was looked at is what its part of the time is of.
[ "$(sqlite3 steady.fathom "SELECT count(*) FROM account a JOIN account b ON a.function <> b.function
	JOIN function ON function.id = a.function AND name = 'steady' WHERE a.open_ns < b.open_ns")" = 1 ] ||
	fail 'steady is said to have been measured all the time'

measure 'the measurement has ended: what calls cost is known' -f steady
[ "$(seen steady)" -le $((calls - 200)) ] || fail 'the measurement has not ended'
grep -q 'steady exited with status 0; it was measured for' errors || fail 'the end of the program is not told'
grep -q 'Norm(16\*n, 0)' report || fail 'what was known is not reported'

run 2 run -m mem --period 0 --until-precise 1% -f wild -o steady.fathom -- ./steady
complains 'leave --period 0 out'

# Unknown is unknown: 1 % of a uniform cost wants some 13,000 calls.
rm -f steady.fathom
run 0 run -m mem --period 100 --max-overhead none --samples all --until-precise 1% -f wild -o steady.fathom -r report \
	-- ./steady /proc/self/cmdline steady
[ "$(seen wild)" = "$(sed -n 's/^calls //p' output)" ] || fail 'what is not known is no longer measured'
! grep -q 'no longer' errors || fail 'what is not known is said to be'
