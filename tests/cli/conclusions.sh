#!/bin/sh
# The sentences at the end: of an exponential law, and of a function whose cost is in one call of many.
. "$(dirname "$0")/lib"

awk 'BEGIN {
	print "function,time,k"
	for (i = 0; i < 400; i++)
		printf "doubles,%.4f,%d\n", 2 + 0.5 * 2 ^ (i % 12) * (1 + (i * 37 % 41 - 20) / 1000), i % 12
}' >doubles.csv
run 0 import -q doubles.csv -o doubles.fathom
run 0 annotate doubles.fathom
complains 'doubles grows faster than linearly: exponential in k (0 to 11); at 22, twice the most seen, a call would cost about 2.1 s'

cat >seldom.c <<'END_OF_C'
#include <unistd.h>
static volatile long sum, turns = 2000, more;
__attribute__((noinline)) void seldom(int i)
{
	for (long turn = 0; turn < turns + more * i; turn++)
		sum += turn;
	if (i == 150)
		usleep(300000);
	else if (more < 0 && i % 30 == 20)
		usleep(1 << i / 12);
}
int main(int argc, char **argv)
{
	(void)argv;
	more = argc > 2 ? -1 : argc > 1 ? 500 : 0;
	for (int i = 0; i < 200; i++)
		seldom(i);
	return 0;
}
END_OF_C
gcc -g -O1 seldom.c -o seldom || fail 'gcc'
run 0 run -f seldom --max-overhead none -o seldom.fathom -- ./seldom
one_call_costs() {
	grep -Eq "^fathom: [0-9]+ % of the time is in seldom, ((100|[89][0-9.]+) % of that in [0-9]+ of [24]00 calls, of which no formula tells anything|whose calls are of [0-9]+ kinds, and [0-9.]+ % of them take (at least )?(100|[89][0-9.]+) % of that|5 % of whose calls take at least (100|[89][0-9.]+) % of that)$" errors || fail 'the one call that costs is not told'
}
one_call_costs
# What the others depend on is no matter then.
run 0 run -f seldom --max-overhead none -o linear.fathom -- ./seldom linear
one_call_costs
# A few that cost more and more.
for _ in 1 2; do
	run 0 run -f seldom --max-overhead none -o more.fathom -- ./seldom more and more
	one_call_costs
done

# What holds of a part of the calls is told of that part, and why R² is low where the others cost most.
awk 'BEGIN {
	print "function,time,n"
	for (i = 0; i < 500; i++) {
		n = 10 + i * 7919 % 990
		printf "part,%.4f,%d\n", i % 6 == 5 ? i * 104729 % 3000 : n * n / 10000 * (1 + (i * 37 % 41 - 20) / 1000), n
	}
}' >part.csv
run 0 import -q part.csv -o part.fathom
run 0 annotate part.fathom
grep -q 'part grows faster than linearly in 8[0-9] % of its calls: quadratic in n' errors || fail 'a part of the calls is told as all of them'
grep -q 'do not follow the main trend (M): .* R² is so low as it is that of all' output || fail 'why R² is low is not told'

# Three threads are in it at once nearly all the time, whatever processors there are.
cat >waits.c <<'END_OF_C'
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) void waits(int us)
{
	usleep(us);
}
static void *work(void *unused)
{
	for (int i = 0; i < 60; i++)
		waits(2000 + 500 * (i % 10));
	return unused;
}
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	return 0;
}
END_OF_C
gcc -g -O1 -pthread waits.c -o waits || fail 'gcc'
run 0 run -f waits --max-overhead none -o waits.fathom -- ./waits
grep -Eq '^fathom: [23][0-9][0-9] % of the time \([23](\.[0-9])? calls at once\) is in waits, whose cost( in [0-9]+ % of its calls)? depends on us' errors || fail "calls at once are not told: $(cat errors)"
