#!/bin/sh
# Calls that have not returned as the program ends are told with what ended it; so is who ended it.
. "$(dirname "$0")/lib"

cat >ends.c <<'END'
#include <stdlib.h>
#include <string.h>
static const char *how = "";
static volatile int sink;
__attribute__((noipa)) int helper(int n)
{
	return n + 1;
}
__attribute__((noipa)) int make(int n)
{
	for (int i = 0; i < n % 100; i++)
		sink += i;
	return helper(n);
}
__attribute__((noipa)) int last(int n)
{
	if (!strcmp(how, "crash"))
		*(volatile int *)0 = n;
	if (!strcmp(how, "exit"))
		exit(3);
	return make(n) + 1;
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 20000; i++)
		sum += make(i);
	how = argc > 1 ? argv[1] : how;
	return last(sum) == 0;
}
END
gcc -g -O2 ends.c -o ends || fail 'gcc'

for probes in auto stops; do
	run 2 run --probes $probes -f last -o crash.fathom -- ./ends crash
	grep -qF 'last: 1 call was not seen to return before ./ends was killed by signal 11 (Segmentation fault), and is not counted' errors ||
		fail "$probes: a crash within a call is not told"
	grep -q 'no call was seen to return' errors || fail "$probes: the one call that there was is denied"
	run 0 run --probes $probes -f make -f last -o exit.fathom -- ./ends exit
	grep -qF 'last: 1 call was not seen to return before ./ends exited with status 3, and is not counted' errors ||
		fail "$probes: exit() within a call is not told"
done

# The session ends what it has launched, and says so.
run 0 -batch -ex 'break last' -ex run -ex kill ./ends
grep -qF './ends was killed by this session' errors || fail 'kill is not told'
printf 'break last\nrun\nnonsense\n' >script
run 2 -batch -x script ./ends
grep -qF './ends was killed by this session' errors || fail 'the end of a script is not told'
grep -q 'signal 9' errors && fail 'a signal is told that nobody else has sent'

# Times of threads are added up, and that is said.
run 0 run -v -f make -o verbose.fathom -- ./ends
grep -q 'stops, [0-9.]* s in them, all threads together' errors || fail '-v: whose stops'
