#!/bin/sh
# Calls that end by another one: the fixture counts them, pads and stops notice each, and pads without stops where they follow the callee,
# or know where the caller goes on.
. "$(dirname "$0")/lib"

# measure PROGRAM FUNCTION...: with $probes.
measure() {
	program=$1
	shift
	rm -f tails.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run -v --probes $probes --branches --max-overhead none $(printf -- '-f %s ' "$@") -o tails.fathom --no-models \
		-- "$program" $turns
	sed -n 's/^\([a-z]* [0-9]*\)$/\1/p' output >printed
	ended tails.fathom | sed 's/ 0 0$//' >counted
}

for program in $(built tails); do
	turns=300
	for probes in stops pads; do
		measure "$program" abroad circle first maybe only pick room second third
		same printed counted
	done
	case $program in
	*gcc-O2)
		turns=100 # so many fit into the ring that is emptied now and then
		measure "$program" first maybe second third
		grep -q ': 0 stops' errors || fail "stops for tail calls to functions that are followed"
		measure "$program" abroad only pick room
		grep -q ': 0 stops' errors || fail "stops for tail calls to others: $(grep stops errors)"
		"$fathom" list -v "$program" room >listed
		grep -q '1 of 1 tail jump .*(and behind 2 of 2 direct calls)' listed || fail "$(cat listed)"
		turns='100 by-pointer'
		measure "$program" room
		grep -qx 'room 300' counted || fail "calls by a pointer are lost"
		;;
	esac
done

# Where nobody knows the caller, and the function is closed now and then: pads begin calls until they are told of that.
cat >closed.c <<'END'
#define APART __attribute__((noipa))
APART int helper(int n)
{
	volatile int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
APART int leaves(int n)
{
	volatile int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i;
	return helper(n);
}
int (*volatile by_pointer)(int) = leaves;
int main(void)
{
	for (int i = 0; i < 20000; i++)
		by_pointer(1 + i * 37 % 400);
	return 0;
}
END
gcc -O2 -g -o closed closed.c
for _ in 1 2 3 4 5; do
	rm -f closed.fathom
	run 0 run --no-models -f leaves -o closed.fathom -- ./closed
	! grep 'not seen' errors || fail 'a call is lost'
done
