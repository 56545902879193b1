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
	gcc -g -O2 -DBYTES="$2" -DOWN="$3" parts.c -o parts || fail 'the program is not built'
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
run 1 diff -m mem,self.mem parts.fathom callee.fathom
[ "$(grep -c '^  of what it calls got worse, too: fill$' output)" -ge 2 ] || fail 'the diff does not blame the callee'
run 1 diff -m mem,self.mem parts.fathom own.fathom
says '  not by what it calls, which did not: fill'
! grep -q 'too: fill' output || fail 'the diff blames the callee'

# Where calls are missing, it is said.
gcc -g -O2 -DBYTES=16 -DOWN=3 parts.c -o parts || fail 'the program is not built'
run 0 run -q -m mem --no-models --samples 50 --period 0 --max-overhead none -f two -f many -f steps -f fill -o few.fathom -- ./parts
run 0 annotate --compose -m mem few.fathom
grep -q 'steps.mem is not composed: of 3230 calls of fill, which it calls, 50 were kept: measure with --samples all, or -m mem,self.mem --probes stops' errors ||
	fail 'why there is no composition is not told'
! grep -q '@fill' output || fail 'it is composed of some calls'
run 2 annotate --compose --where 'a > 3' parts.fathom
complains 'leave --where out'

# What a call's own calls cost is counted whichever of them are samples: by stops and by pads.
cat >sampled.c <<'END'
#include <stdlib.h>

static void *volatile block;

__attribute__((noinline)) void fill(int length)
{
	block = malloc(16 * length);
	free(block);
}

__attribute__((noinline)) void once(int n, int k)
{
	fill(n);
	block = malloc(3 * k);
	free(block);
}

__attribute__((noinline)) void many(int count)
{
	for (int i = 0; i < count; i++)
		fill(i);
}

__attribute__((noinline)) void outer(int count)
{
	many(count);
	many(count);
}

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		once(10 + i * 37 % 211, 10 + i * 53 % 199);
		outer(i % 4);
	}
}
END
gcc -g -O2 sampled.c -o sampled || fail 'the program is not built'
wrong() { # TABLE CONDITION
	sqlite3 sampled.fathom "SELECT count(*) FROM \"$1\" WHERE ($2) IS NOT TRUE"
}
# Of 1000 calls of once and 4000 of fill 800 each are kept: some 160 of fill in one of once, where the binding wants 30.
for probes in pads stops; do
	rm -f sampled.fathom
	run 0 run -q --no-models -m time,self.time,mem,self.mem --probes $probes --samples 800 --max-overhead none \
		--period 0 -f once -f many -f outer -f fill -o sampled.fathom -- ./sampled
	[ "$(sqlite3 sampled.fathom 'SELECT count(*) FROM once')" -eq 800 ] || fail "$probes: other calls were kept"
	[ "$(wrong once '"callee.fill.calls" = 1')" -eq 0 ] || fail "$probes: once calls fill once"
	[ "$(wrong many '"callee.fill.calls" = count')" -eq 0 ] || fail "$probes: many calls fill count times"
	[ "$(wrong outer '"callee.many.calls" = 2')" -eq 0 ] || fail "$probes: outer calls many twice"
	[ "$(sqlite3 sampled.fathom "SELECT count(*) FROM variable JOIN function ON function.id = function
		WHERE function.name = 'outer' AND variable.name LIKE 'callee.fill%'")" -eq 0 ] ||
		fail "$probes: outer does not call fill itself"
	# The rest is its own, unless noise was cut off at 0.
	[ "$(sqlite3 sampled.fathom 'SELECT count(*) FROM many
		WHERE "self.time" > 0 AND time > 0 AND abs("self.time" + "callee.fill.time" - time) > 1e-3')" -eq 0 ] ||
		fail "$probes: a call is not the sum of its parts"
done
[ "$(wrong once '"callee.fill.mem" = 16 * n')" -eq 0 ] || fail 'what a callee allocates is not known'
run 0 annotate --compose -m mem sampled.fathom
says '@fill[length:=n] + 3*k, 0)' 'Parts: fill '
