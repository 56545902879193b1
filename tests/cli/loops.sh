#!/bin/sh
# Turns of loops are features: as many as the program counts itself, by pads and by stops, optimised or not; only when asked for.
# sanitized by --full: what finds loops is in unit tests and fuzzed
. "$(dirname "$0")/lib"

cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
struct node {
	struct node *next;
};
static volatile unsigned sink;
static unsigned outer, inner, links, until;
APART void nested(unsigned n, unsigned m)
{
	for (unsigned i = 0; i < n; i++) { /* OUTER */
		sink += i;
		outer++;
		for (unsigned j = i; j < m; j++) { /* INNER */
			sink ^= j;
			inner++;
		}
	}
}
APART void chain(struct node *node)
{
	while (node) { /* LINKS */
		sink++;
		links++;
		node = node->next;
	}
}
APART unsigned search(unsigned from)
{
	do {
		until++;
		sink += from;
	} while (++from % 11);
	return from;
}
int main(int argc, char **argv)
{
	static struct node nodes[9];
	const unsigned most = argc > 1 ? atoi(argv[1]) : 7;
	for (int i = 0; i < 8; i++)
		nodes[i].next = &nodes[i + 1];
	for (unsigned i = 0; i < 40; i++) {
		outer = inner = links = until = 0;
		nested(i % most, i % 5);
		chain(i % 10 == 9 ? NULL : &nodes[i % 10]);
		sink += search(i);
		printf("%u %u %u %u\n", outer, inner, links, until);
	}
	return 0;
}
END
line() {
	awk -v mark="$1" 'index($0, "/* " mark " */") { print NR }' program.c
}
outer=loop\(program.c:$(line OUTER)\) inner=loop\(program.c:$(line INNER)\)
links=loop\(program.c:$(line LINKS)\)

values() {
	sqlite3 loops.fathom "SELECT CAST(\"$2\" AS INTEGER) FROM \"$1\" ORDER BY id"
}
for compiler in gcc clang; do
	for options in -O0 -O1 -O2 -Os; do
		[ $compiler = gcc ] || vectors='-fno-vectorize -fno-unroll-loops'
		$compiler -g $options ${vectors-} -o program program.c || fail 'the program cannot be built'
		run 0 list --loops program nested
		says "$outer  turns begin" "$inner  turns begin" ', in another loop' '2 loops'
		run 0 list --loops program search # at another line where the compiler has turned it round
		until=$(sed -n 's/^ *\(loop([^)]*)\) .*/\1/p' output)
		for probes in pads stops; do
			rm -f loops.fathom
			run 0 run -q --loops --samples all --max-overhead none --probes $probes -f nested -f chain -f search \
				--globals none -o loops.fathom --no-models -- ./program
			cp output truth
			values nested "$outer" >1
			values nested "$inner" >2
			values chain "$links" >3
			values search "$until" >4
			paste -d ' ' 1 2 3 4 >counted
			[ -s counted ] || fail "$compiler $options, by $probes: no turns"
			same truth counted
		done
	done
done

# By stops each turn is a stop: what turns often is given up, told, and no feature. Pads count on.
run 0 run --loops --max-overhead none --probes stops -f nested --globals none -o many.fathom --no-models -- ./program 400
grep -qF "nested: a call turned $outer more than 64 times" errors && fail 'a loop of at most 39 turns is given up'
cat >often.c <<'END'
volatile unsigned sink;
__attribute__((noinline)) void often(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}
int main(void)
{
	for (unsigned i = 0; i < 200; i++)
		often(10 * i);
	return 0;
}
END
gcc -g -O1 -o often often.c || fail 'the program cannot be built'
run 0 run -v --loops --max-overhead none --probes stops -f often --globals none -o often.fathom --no-models -- ./often
grep -qF 'often: a call turned loop(often.c:4) more than 64 times' errors || fail 'it is not told'
run 0 annotate often.fathom
grep -qF 'loop(' output && fail 'turns that were given up are a feature'
rm often.fathom
run 0 run -v --loops --samples all --max-overhead none --probes pads -f often --globals none -o often.fathom --no-models -- ./often
grep -q ': 0 stops' errors || fail "pads stop: $(cat errors)"
sqlite3 often.fathom 'SELECT sum("loop(often.c:4)" <> n), count(*) FROM often' >counted
[ "$(cat counted)" = '0|200' ] || fail "by pads: $(cat counted)"
run 0 annotate often.fathom
says 'Counting the turns of loops takes some ns a turn'

# Nobody who does not ask has them.
run 0 run -q --max-overhead none -f often --globals none -o plain.fathom --no-models -- ./often
sqlite3 plain.fathom "SELECT count(*) FROM variable WHERE name LIKE 'loop(%'" >counted
[ "$(cat counted)" = 0 ] || fail 'loops are features unasked'
