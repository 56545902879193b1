#!/bin/sh
# Runs lie elsewhere, as they are told to; costs that depend on where are found; several builds make a side, three sides are compared.
# not sanitized: run, diff and check are
. "$(dirname "$0")/lib"
TMPDIR=$scratch
export TMPDIR
cat >aim.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void *volatile keep;
uintptr_t stack; /* where it begins */
__attribute__((noinline)) void work(int n)
{
	keep = malloc(TIMES * ((stack & 4095) < 2048 ? n : 3 * n));
	free(keep);
}
int main(int argc, char **argv)
{
	char *first = malloc(1);
	FILE *out = fopen(argv[1], "a");
	int i;
	stack = (uintptr_t)argv - 8;
	for (i = 0; i < 40; i++)
		work(100 + i);
	fprintf(out, "%lx %lx %lx %s\n", (long)first & 4095, (long)stack & 4095, (long)main >> 12, getenv("FATHOM_LAYOUT") ? "padded" : "plain");
	return argc == 2 ? 0 : 1;
}
END
gcc -g -O1 -DTIMES=1 aim.c -o aim
gcc -g -O1 -DTIMES=2 aim.c -o double
gcc -g -O1 -DTIMES=1 -falign-functions=128 aim.c -o moved

# distinct PLACES FIELD: how many there were.
distinct() { cut -d ' ' -f "$2" "$1" | sort -u | grep -c .; }

# As many runs as tell; nothing else than the stack decides, and the programs are the same.
run 0 compare -f work -m mem --runs 16 --precision 0 --layout stack,heap -o kept -- ./aim both -- ./aim both
grep -qE 'work.mem: depends on the layout: [0-9.]+ times the cost in runs with layout.stack > [0-9]+ \(32 runs, p 0.0005' output || fail 'the dependence is not found'
[ "$(grep -c depends output)" = 1 ] || fail 'something else is said to matter, too'
# Runs of one program differ by three times: 16 of each may be too few to say that it is the same, and may not say more.
grep -qE 'work.mem: (unchanged|inconclusive)' output || fail 'one program is said to differ from itself'
run 0 annotate -m mem kept.old
grep -qE 'int stack = layout.stack;' output && grep -qE '^  \[stack > [0-9]+\] Norm\(3\*n, 0\)' output || fail 'the stack is not in the formula'
[ "$(distinct both 1)" -gt 12 ] && [ "$(distinct both 2)" -gt 12 ] || fail 'heap and stack did not move'
[ "$(distinct both 3)" = 1 ] || fail 'pages moved, which was not asked for'
grep -q padded both && fail 'the environment was padded'
run 0 compare -f work -m mem --runs 2 --layout fixed -- ./aim fixed -- ./aim fixed
[ "$(sort -u fixed | grep -c .)" = 1 ] || fail 'a fixed layout differs'
"$fathom" compare -q -f work -m mem --runs 2 --layout environment,pages -- ./aim pages -- ./aim pages >/dev/null 2>&1 # whatever it says
grep -q padded pages && [ "$(distinct pages 3)" -gt 2 ] || fail 'pages and environment are where they were'
run 2 compare -f work --layout stacks -- ./aim x -- ./aim x
complains "'stacks' is not of"

# Three sides; builds of a side.
run 1 compare -f work -m mem --runs 5 --layout fixed -- ./aim x -- ./aim x -- ./double x
says 'work.mem, new2: WORSE, 2 times the cost' 'work.mem, new: unchanged'
grep -qE 'work.mem, all 3 by the means of their runs: F\(2, 12\) = .*, p ' output || fail 'no analysis of variance'
run 1 compare -f work -m mem --runs 1 --layout fixed --old ./aim --old ./moved --old ./aim --new ./double --new ./double --new ./double -- x
says 'work.mem: WORSE, 2 times the cost'
run 1 compare -f work -m mem --runs 2 --layout fixed -o builds --old ./aim --old ./moved --new ./double -- x
[ "$(python3 -c 'import sqlite3; print(sqlite3.connect("builds.old").execute("SELECT count(DISTINCT build_id) FROM run").fetchone()[0])')" = 2 ] ||
	fail 'not both builds are in the profile'
run 2 compare -f work --old ./aim -- x
complains '--old and --new go together'
