#!/bin/sh
# Records of many functions with many features fill a thread's ring at once. The program waits until it is read while it has credit;
# then fewer calls become records.
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

functions=20
features=100
{
	echo 'struct wide {'
	for i in $(seq $features); do echo "	int m$i;"; done
	echo '} w;'
	for i in $(seq $functions); do
		echo "__attribute__((noipa)) int wide$i(struct wide *p) { p->m$i++; return p->m1; }"
	done
	echo 'int main(void) { int sum = 0; for (int i = 0; i < 3000; i++) { int *m = (int *)&w; m[i % 100] += i;'
	for i in $(seq $functions); do echo "		sum += wide$i(&w);"; done
	echo '	} return sum == 1; }'
} >wide.c
gcc -g -O1 -o wide wide.c

# stops OPTION...: how often the program was stopped.
stops() {
	run 0 run -v -f 'wide*' "$@" --no-models -- ./wide
	sed -n 's/^fathom: \([0-9]*\) stops, .*/\1/p' errors
}

all=$(stops --max-overhead none)
some=$(stops)
[ "$all" -gt 150 ] || fail "only $all stops: the rings were not full"
[ "$some" -lt $((all / 2)) ] || fail "$some stops, $all without a limit: the program waited though its credit was spent"
