#!/bin/sh
# Sources that debug information names by relative paths are found where the compiler ran, wherever fathom does, and no others of that name.
. "$(dirname "$0")/lib"

mkdir -p build/src elsewhere/src far
cat >build/src/t.c <<'END'
#include <stdio.h>
__attribute__((noinline)) long work(int n)
{
	volatile long sum = 0; /* the right one */
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 200; i++)
		sum += work(i);
	return printf("%ld\n", sum) < 0;
}
END
(cd build && gcc -g -O1 src/t.c -o ../far/t) || fail 'gcc'
run 0 list far/t work
says 'work  src/t.c:'
sed 's/the right one/another one/' build/src/t.c >elsewhere/src/t.c
cp elsewhere/src/t.c far/t.c
cd elsewhere || fail 'no folder'

run 0 -batch -ex 'list work' ../far/t
says 'the right one'
run 0 -batch -ex 'list src/t.c:4' ../far/t
says 'the right one'
run 0 -batch -ex 'list t.c:4' ../far/t
says 'the right one'
run 0 -batch -ex 'break t.c:5' -ex run -ex kill ../far/t
says '>    5'
run 0 run -q -f work -o t.fathom -- ../far/t

# Without where it was built, what is here, or has moved along with the program.
mv ../build ../built
run 0 -batch -ex 'list work' ../far/t
says 'another one'
rm -r src
run 0 -batch -ex 'list work' ../far/t
says 'another one'
rm ../far/t.c
run 2 -batch -ex 'list work' ../far/t
complains 'the source file src/t.c is not there'
mv ../built ../build

# The explorer shows it.
. "$top/tests/cli/tmux_lib"
terminal 80 24
command_line "clear; $fathom explore t.fathom; echo status=\$?"
screen 'work +[0-9]+ '
keys Enter
screen 'Scatter'
keys 9
screen 'the right one'
keys Q
screen 'status=0'
