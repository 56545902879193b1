#!/bin/sh
# A profile of several machines: host, processor and kernel are features, and costs that depend on them say so.
. "$(dirname "$0")/lib"

cat >work.c <<'CODE'
#include <stdlib.h>
void *volatile keep;
int factor;
__attribute__((noinline)) void work(int n)
{
	keep = malloc((n << 10) * factor);
	free(keep);
}
int main(int argc, char **argv)
{
	factor = atoi(argv[1]);
	for (int n = 100; n < 120; n++)
		work(n);
}
CODE
gcc -g -O1 work.c -o work
for i in 1 2 3 4 5 6; do
	for factor in 1 2; do
		run 0 run -q -f work -m mem --globals none -o a.fathom --no-models -- ./work $factor
	done
done
run 0 annotate -m mem a.fathom
! grep -q 'system.host' output || fail 'one machine is a feature'
# As if every second run had been on another machine, with a name that nobody gives.
sqlite3 a.fathom "UPDATE run SET host = '=2+\"' || char(27) || '[31m' || host WHERE id % 2 = 0; UPDATE run SET kernel = NULL WHERE id > 4; DELETE FROM model"
run 0 annotate -m mem a.fathom
cat output
run 0 annotate -m mem a.fathom
says 'string host = system.host;' '[host == "=2+\"\x1b[31m' "[host == \"$(uname -n)\"] Norm(1024*n, 0);"
cp output kept
run 0 predict kept work n=110 "host=$(uname -n)"
says 'work.mem: 112640 bytes'
run 0 annotate -m mem --where "host == \"$(uname -n)\"" a.fathom
says 'Norm(1024*n, 0);  // linear: 120 samples'

# A profile of one of them conforms to what was found on both, unless it is like the other.
run 0 run -q -f work -m mem --globals none -o same.fathom --no-models -- ./work 1
run 0 check kept same.fathom
says 'work.mem: conforms'
run 0 run -q -f work -m mem --globals none -o other.fathom --no-models -- ./work 2
run 1 check kept other.fathom
