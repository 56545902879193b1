#!/bin/sh
# A function that was never observed has a skeleton of its code: calls, as often as loops around them turn.
. "$(dirname "$0")/lib"

cat >program.c <<'END'
static volatile unsigned sink;
#define APART __attribute__((noinline, noclone))
APART void unit(int n) { sink += n; }
APART void other(int n) { sink -= n; }
APART void last(int n) { sink ^= n; }
APART void work(int n, int m, void (*by)(int))
{
	unit(1);
	for (int i = 0; i < n; i++) {
		other(i);
		for (int j = 0; j < m; j++) {
			unit(j);
			unit(i);
		}
	}
	by(2);
	last(n);
}
APART int again(int n) { return n > 1 ? again(n - 1) + again(n - 2) + 1 : 1; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5)
		work(argc, argc, other);
	return again(3) == 0;
}
END
outer=$(awk '/i < n/ { print NR }' program.c) inner=$(awk '/j < m/ { print NR }' program.c)
for built in 'cc -O0' 'cc -O1' 'clang -O0'; do # clang writes no .debug_aranges
	options=${built#* }
	command -v "${built% *}" >found || continue
	${built% *} -g "$options" -fno-optimize-sibling-calls -o program program.c 2>warnings || fail "the program cannot be built: $built"
	run 0 calls --skeleton program work
	says 'Norm(own + @unit + turns1*@other + 2*turns1*turns2*@unit + @last, 0)' 'Not observed' 'Calls through pointers'
	grep -q "turns1: of the loop at program.c:$outer" output || fail "$built: the outer loop is elsewhere: $(cat output)"
	grep -q "turns2: of the loop at program.c:$inner" output || fail "$built: the inner loop is elsewhere: $(cat output)"
done
# With what calls of the others cost it says what one of this costs.
cp output all.ann
for function in unit=2 other=10 last=100; do
	printf '%s.time {\nfeatures:\nannotations:\n  Norm(%s, 0);\n}\n' "${function%=*}" "${function#*=}" >>all.ann
done
run 0 predict all.ann work own=1000 turns1=5 turns2=3
says '1212 µs' # 1000 + 2 + 5 * 10 + 2 * 15 * 2 + 100
cc -g -O2 -o optimised program.c
run 0 calls --skeleton optimised work # as the compiler has unrolled it
says '+ @last'
run 0 calls --skeleton program again
says 'It calls itself'
cat >leaf.c <<'END'
int main(int argc, char **argv)
{
	volatile int sum = 0;
	for (int i = 0; i < argc; i++)
		sum += i;
	return !argv && sum;
}
END
cc -g -O0 -o leaf leaf.c
run 0 calls --skeleton leaf main
says 'Norm(own, 0)' 'The loop at leaf.c:4 calls nothing: it is in own.'
! grep -q turns output || fail 'a loop that plays no part is a feature'
run 2 calls --skeleton program nothing
