#!/bin/bash
# Rules choose functions by the machine code, each left out with its reason; compare --changed measures what differs.
# sanitized by --full: what looks at code is in unit tests and fuzzed, and this looks at all of it many times
. "$(dirname "$0")/lib"

cat >program.c <<'E2'
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) void deep(int n) { for (int i = 0; i < n * 100; i++) sink += i; }
__attribute__((noinline)) void upper(int n) { deep(n); deep(n / 2 + 1); }
__attribute__((noinline)) int simple(int n) { return n * CONSTANT + 1; }
__attribute__((noinline)) void calls_simple(int n) { for (int i = 0; i < n; i++) sink += simple(i); }
__attribute__((noinline)) void aside(int n) { for (int i = 0; i < n; i++) sink ^= i; }
__attribute__((noinline)) void never(int n) { deep(n); }
#ifndef FIRST
#define FIRST "rcx"
#define SECOND "rdx"
#endif
__asm__(".type colours, @function\ncolours: mov %rdi, %" FIRST "\nmov $7, %" SECOND "\nadd %" FIRST ", %" SECOND
	"\nmov %" SECOND ", %rax\nret\n.size colours, . - colours");
int main(void)
{
	for (int i = 1; i <= 60; i++) {
		upper(i);
		calls_simple(i);
		aside(i);
	}
	return 0;
}
E2
cc -O1 -g -DCONSTANT=3 -o old program.c && cc -O1 -g -DCONSTANT=5 -o new program.c && cc -O1 -g -DCONSTANT=3 -o same program.c ||
	fail 'the programs cannot be built'

# left RULES FUNCTION...: exactly these are left out of new
left() {
	rules=$1
	shift
	run 0 list -v --select="$rules" ./new
	grep 'left out: ' output | sed 's/  .*//' | sort >found
	printf '%s\n' "$@" | sed '/^$/d' | sort >wanted
	diff -u wanted found >difference || fail "--select=$rules: $(cat difference)"
}
left all
left reachable never
left trim=2 deep simple never
says 'trim: level 2 of 2, and 2 are kept'
left constant simple
says 'constant: neither it nor what it calls loops'
left constant,reachable simple never
left constant,changed=./old
left trim=1,changed=./old upper deep calls_simple aside never
left changed=./old upper deep aside never main
left changed=./new main upper deep simple calls_simple aside never

run 0 run -q --no-models --select=trim=2 --max-overhead=none -o trimmed.fathom -- ./new
[ "$(sqlite3 trimmed.fathom 'SELECT group_concat(name) FROM (SELECT name FROM function ORDER BY name)')" = aside,calls_simple,main,upper ] ||
	fail 'other functions were measured than those of two levels'
run 0 run --no-models --select=constant -f 's*' -f upper --max-overhead=none -o some.fathom -- ./new
grep -q 'leaves out 1 of' errors || fail 'it is not said how many are left out'
[ "$(sqlite3 some.fathom 'SELECT group_concat(name) FROM function')" = upper ] || fail '-f and --select are not both heeded'

[ "$(sqlite3 trimmed.fathom 'SELECT group_concat(name) FROM (SELECT name FROM code WHERE left_out LIKE "trim: level 2%" ORDER BY name)')" = deep,simple ] ||
	fail 'the profile does not say why functions were left out'

# A profile of another build knows that build's code; without it the build itself is needed, for what changed.
run 0 run -q --no-models --max-overhead=none -f '*' -o earlier.fathom -- ./old
left changed=earlier.fathom upper deep aside never main
run 0 list -v --select=learn=earlier.fathom ./new
! grep -q '^simple .*left out' output || fail 'a function that changed is left out'
cp earlier.fathom without.fathom
sqlite3 without.fathom 'DROP TABLE code'
run 2 list --select=learn=without.fathom ./new
complains 'add changed=OLD'
run 2 list --select=changed=earlier.fathom --same-code=colour ./new
complains 'give the older build'
run 0 list -v --select=learn=earlier.fathom,changed=./old ./new
! grep -q '^simple .*left out' output || fail 'a function that changed is left out'
run 0 list -v --select=learn=earlier.fathom ./old

run 2 list --select=bogus ./new
complains 'there are all, userspace'
run 2 run --select=trim -f x -- ./new
complains 'trim=N'
run 2 list --select=changed=/nonexistent ./new
complains 'No such file'
run 2 list --select=learn=/nonexistent ./new
complains 'No such file'
run 2 list --select=changed="$build/fixtures/sort" ./new
complains 'no build of the same program'
strip -s -o stripped new
run 2 list --select=reachable ./stripped
complains 'it is stripped'
run 2 run --select=changed=./stripped -- ./new
complains 'it is stripped'

run 0 compare --changed --runs 2 --max-overhead=none -- ./old -- ./new
grep -q 'functions whose code changed: 1, new: 0, gone: 0; measuring ' errors || fail 'it is not said what changed'
says simple
says calls_simple
! grep -qE 'aside|upper|deep' output || fail 'what did not change is compared'
run 0 compare --changed -- ./old -- ./same
grep -q 'nothing that both have differs' errors || fail 'it is not said that nothing changed'
# What is the same code is told: another constant is the same kinds of instructions, other registers are the same colours.
cc -O1 -g -DCONSTANT=3 '-DFIRST="rsi"' '-DSECOND="r8"' -o registers program.c || fail 'the program cannot be built'
run 0 compare --changed --same-code semistrict -- ./old -- ./new
grep -q 'nothing that both have differs' errors || fail 'another constant is another kind of code'
run 0 compare --changed --same-code colour -m mem --runs 1 --max-overhead=none -- ./old -- ./new
grep -q 'functions whose code changed: 1,' errors || fail 'another constant has the same colour'
for how in strict semistrict colour; do
	count=1
	[ $how = strict ] || count=0
	run 0 compare --changed --same-code $how -m mem -f upper --runs 1 --max-overhead=none -- ./old -- ./registers
	grep -q "functions whose code changed: $count," errors || fail "$how: other registers: $(cat errors)"
done
sed 's/aside/sideways/; s/sink ^= i/sink ^= i + 1/' program.c >renamed.c
cc -O1 -g -DCONSTANT=3 -o renamed renamed.c || fail 'the program cannot be built'
run 0 compare --changed -m mem -f upper --runs 1 --max-overhead=none -- ./old -- ./renamed
grep -q 'new: 0, gone: 0; renamed: sideways, once aside' errors || fail 'a function is not known by what is around it'
run 2 compare --changed --same-code alike -- ./old -- ./new

# The rest of the program: the same code takes longer, as it is given more to do.
sed 's/upper(i)/upper(i * more)/; s/^int main(void)/static int more = MORE;\nint main(void)/; s/i <= 60/i <= 400/' program.c >rest.c
cc -O1 -g -DCONSTANT=3 -DMORE=20 -o less rest.c && cc -O1 -g -DCONSTANT=3 -DMORE=60 -o more rest.c || fail 'the programs cannot be built'
run 0 compare --changed -m mem --runs 1 --max-overhead=none -- ./less -- ./more
cp errors rest
grep -q '^deep.mem: unchanged' output || fail 'what got slower elsewhere is not compared'
grep -qE 'measured, too: (rest.c:)?deep.self.time: WORSE' rest || fail "what got slower elsewhere is not found: $(cat rest)"
run 2 compare --changed -- ./old -- "$build/fixtures/sort"
complains 'no build of the same program'

# A function of a file is the one that was measured, wherever -f names it.
run 0 annotate -f program.c:simple earlier.fathom
says simple
! grep -q calls_simple output || fail 'others are annotated, too'
run 2 annotate -f other.c:simple earlier.fathom
cp earlier.fathom same.fathom
run 2 run --select=changed=same.fathom -- ./old
grep -q 'leaves out all that can be measured' errors || fail 'it is not said that nothing is left to be measured'
