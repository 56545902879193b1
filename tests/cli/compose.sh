#!/bin/sh
# annotate --compose writes costs in terms of callees' costs; check says whether the change is a part's or its own.
. "$(dirname "$0")/lib"

cat >parts.c <<'END'
#include <stdlib.h>

static void *volatile block;

/* 16 bytes for each, and in `two` 3 for each of b: BYTES and OWN are what another build has. */
__attribute__((noinline)) void fill(int length)
{
	block = malloc(BYTES * length);
	free(block);
}

__attribute__((noinline)) void two(int a, int b)
{
	fill(a);
	block = malloc(OWN * b);
	free(block);
	fill(b);
}

__attribute__((noinline)) void many(int count, int size)
{
	for (int i = 0; i < count; i++)
		fill(2 * size + 1);
}

__attribute__((noinline)) void steps(int n)
{
	for (int i = 1; i <= n; i++)
		fill(i);
}

int main(void)
{
	for (int i = 0; i < 200; i++) {
		two(10 + i * 37 % 211, 10 + i * 53 % 199);
		many(1 + i % 7, 10 + i * 53 % 199);
		steps(1 + i * 37 % 19);
	}
}
END
measure() { # PROFILE BYTES OWN [OPTION...]
	profile=$1
	gcc -g -O2 -DBYTES="$2" -DOWN="$3" parts.c -o parts || exit 77
	shift 3
	run 0 run -q -m mem,self.mem --no-models "$@" -f two -f many -f steps -f fill -o "$profile" -- ./parts
}

measure parts.fathom 16 3 --samples all --max-overhead none
run 0 annotate --compose -m mem parts.fathom
says '@fill[length:=a] + @fill[length:=b] + 3*b, 0)' '@fill[length:=1 + 2*size]*count, 0)' \
	'Parts: fill 100 % (no reference: its length is no feature of the caller), own 0 %.'
[ "$(grep -c '^  // Parts: ' output)" -eq 3 ] || fail 'a function has other parts'
cp output parts.ann
# a and b are as large in the mean, about 115: 32 of 35 are the callee's, to a per cent.
grep -Eq '^  // Parts: fill 9[0-2] %, own (8|9|10) %\.$' parts.ann || fail 'the shares are others'

# Without the option nothing is new; the numbers of a call are the same.
run 0 annotate -m mem parts.fathom
! grep -q '@fill\|Parts' output || fail 'it composes without being asked'
says 'Norm(16*a + 19*b, 0)'
run 0 predict parts.ann two a=100 b=200
says 'two.mem: 5400 bytes'

# Who did it: the callee, or its caller.
run 0 check parts.ann parts.fathom
! grep -q 'parts' output || fail 'parts are told of what conforms'
measure callee.fathom 24 3 --samples all --max-overhead none
run 1 check parts.ann callee.fathom
[ "$(grep -c '^  of its parts changed: fill$' output)" -eq 2 ] || fail 'the callee is not blamed'
measure own.fathom 16 30 --samples all --max-overhead none
run 1 check parts.ann own.fathom
says 'two.mem: WORSE' '  not by its parts, which conform: fill' 'many.mem: conforms' 'fill.mem: conforms'

# A diff says so without annotations, of what the code calls directly.
run 1 diff parts.fathom callee.fathom
[ "$(grep -c '^  of what it calls got worse, too: fill$' output)" -ge 2 ] || fail 'the diff does not blame the callee'
run 1 diff parts.fathom own.fathom
says '  not by what it calls, which did not: fill'
! grep -q 'too: fill' output || fail 'the diff blames the callee'

# Where calls are missing, it is said.
measure few.fathom 16 3 --samples 50 --max-overhead none
run 0 annotate --compose -m mem few.fathom
grep -q 'two.mem is not composed: of 3230 calls of fill, which it calls, 50 were kept: measure with --samples all' errors ||
	fail 'why there is no composition is not told'
! grep -q '@fill' output || fail 'it is composed of some calls'
run 2 annotate --compose --where 'a > 3' parts.fathom
complains 'leave --where out'
