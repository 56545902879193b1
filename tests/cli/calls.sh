#!/bin/bash
# Who calls whom by the machine code: levels, trees, DOT, and which functions of two builds differ.
. "$(dirname "$0")/lib"

cat >program.c <<'E2'
#include <stdio.h>
#include <stdlib.h>
struct item { int key; EXTRA_MEMBER int value; };
static inline __attribute__((always_inline)) int helper(int x) { return x * HELPED; }
__attribute__((noinline)) int constant(int x) { return x + CONSTANT; }
__attribute__((noinline)) int grown(int x) { for (int i = 0; i < x; i++) { GROWN; x ^= i; } return x; }
__attribute__((noinline)) int member(struct item *item) { return item->value; }
__attribute__((noinline)) int host(int x) { return helper(x) + 1; }
__attribute__((noinline)) int third(int x) { if (x > 3) puts("first"); if (x > 5) puts("second"); if (x > 7) puts(THIRD); return x; }
__attribute__((noinline)) int chooses(int x)
{
	static double table[] = {1.5};
	switch (x) {
	case 0: puts("zero"); break;
	case 1: return grown(x + 1);
	case 2: puts("two"); return 5;
	case 3: return constant(x);
	case 4: puts("four"); return 3;
	case 5: puts("five"); return 17;
	case 6: return third(x);
	}
	return (int)table[0];
}
__attribute__((noinline)) int tail(int x) { x *= 3; return chooses(x); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) int again(int n) { return n > 1 ? again(n - 1) * 2 + again(n - 2) : 1; }
int (*pointer)(int) = host;
__attribute__((noinline)) int unknown(int x) { return pointer(x) + 1; }
__attribute__((noinline)) void fill(int *to) { to[0] = 1; to[1] = 2; to[2] = 3; to[3] = 4; }
__attribute__((noinline)) int never(int x) { return x + 9; }
int main(int argc, char **argv)
{
	int numbers[] = {3, 1, 2};
	struct item item = {argc};
	(void)argv;
	qsort(numbers, 3, sizeof(int), compare);
	return tail(argc) + again(argc) + unknown(argc) + member(&item) == 5;
}
E2
build_program() { # NAME OPTION...
	name=$1
	shift
	${CC:-cc} -O2 -g -DCONSTANT=5 -DEXTRA_MEMBER= -DHELPED=7 -DGROWN= -DTHIRD='"third"' "$@" -o "$name" "${source:-program.c}" 2>warnings ||
		fail "$(head -n 5 warnings)"
}
# differ NEW NAME...: exactly these functions are not the same in NEW as in base
differ() {
	new=$1
	shift
	run 0 list --levels --json "./$new"
	python3 - "$@" base.json output <<'E2' || fail "$new: not these functions differ: $*"
import json, sys
*expected, old, new = sys.argv[1:]
code = lambda path: {f["name"]: f["code"] for f in json.load(open(path))["functions"] if "code" in f}
old, new = code(old), code(new)
changed = sorted(name for name in old.keys() & new.keys() if old[name] != new[name])
if changed != sorted(expected) or len(old) < 12:
    sys.exit(print(changed, len(old)))
E2
}
for mode in '-pie -fPIE' '-no-pie -fno-pie'; do
	build_program base $mode
	run 0 list --levels --json ./base
	cp output base.json
	(echo '/* a comment */'; cat program.c) | sed 's/numbers/figures/g' >renamed.c
	source=renamed.c build_program new $mode
	differ new
	build_program new $mode -DCONSTANT=6
	differ new constant
	build_program new $mode -DGROWN='puts("it grows"); puts("and others move")'
	differ new grown
	build_program new $mode -DTHIRD='"other"'
	differ new third
	build_program new $mode -DHELPED=11
	differ new host
	build_program new $mode -DEXTRA_MEMBER='int more;'
	grep -q member base.json && run 0 list --levels --json ./new
	differ new main member
	sed 's/{1.5}/{2.5}/' program.c >other.c
	source=other.c build_program new $mode
	differ new chooses
done

run 0 list --levels ./base
says 'level 0: main'
says 'level 1: tail'
says 'level 2: chooses'
says 'level 3, loops: grown'
says 'level 2: host' # by the pointer, which unknown() has
says 'level 1, calls through pointers: unknown'
says 'never called, as far as the code tells: never'
run 0 calls ./base chooses
says 'called by'
says '  tail  level 1, by a jump at its end'
says '  puts  of another module'
run 0 calls ./base host
says '  pointer  an object, by its address'
run 0 calls ./base again --max-depth 1
says 'again  level 1'
says 'see above'
run 0 calls --dot ./base tail
says 'digraph calls {'
[ "$(grep -c -- '->' output)" -ge 6 ] || fail 'there are too few edges'
! command -v dot >found || dot -Tsvg output >picture.svg || fail 'Graphviz does not take it'
# Names are anybody's, and terminals obey control characters.
LC_ALL=C sed "s/unknown/$(printf 'unk\033\302\233n')/g" base >names
run 0 calls --dot ./names main
says 'unk???n'

# In a profile: the same, with what was measured, and who was called through a pointer.
run 0 run -q --no-models --max-overhead=none -f unknown -f host -f tail -o measured.fathom -- ./base
run 0 calls measured.fathom host
says '  unknown  level 1, calls through pointers, 1 call'
says 'through a pointer, as was seen'
run 0 calls ./base chooses
cp output code
run 0 calls measured.fathom chooses
sed 's/, 1 call\(, [0-9.]* % of the time\)\?//' output | diff - code >difference || fail "the profile has another graph: $(cat difference)"
[ "$(sqlite3 measured.fathom "SELECT count(*) FROM code AS a JOIN code_call ON a.id = caller JOIN code AS b ON b.id = callee
	WHERE a.name = 'tail' AND b.name = 'chooses' AND code_call.kind = 'jump' AND a.level = 1 AND a.hash <> b.hash")" = 1 ] ||
	fail 'the profile does not have a jump'
cp measured.fathom damaged.fathom
sqlite3 damaged.fathom "UPDATE code_call SET callee = callee + 1000000 WHERE kind = 'jump'"
run 2 calls damaged.fathom host
complains 'its call graph has calls of nobody'
sqlite3 damaged.fathom 'DROP TABLE code'
run 2 calls damaged.fathom host
complains 'has no call graph'

run 2 calls ./base chosen
complains 'chooses'
strip -s -o stripped base
run 2 calls ./stripped
complains 'it is stripped'
run 2 list --levels ./stripped
complains '-g'
run 2 calls /nonexistent
complains 'No such file'
: >empty
run 2 calls ./empty
complains 'not an ELF file'
