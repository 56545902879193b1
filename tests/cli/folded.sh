#!/bin/bash
# Functions of one code, which linkers fold (identical code folding): each call is measured once, and both names are told.
. "$(dirname "$0")/lib"

cat >folded.cc <<'END'
#include <cstdio>
template <class T> __attribute__((noinline)) T fill(T *a, int n)
{
	T sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i] = i;
	return sum;
}
int main()
{
	static long a[50];
	static unsigned long b[50];
	long sum = 0;

	for (int i = 0; i < 50; i++) {
		sum += fill(a, i);
		sum += fill(b, i);
	}
	printf("%ld\n", sum);
}
END
# gold leaves both in the debug information, the others only in the symbols.
linkers=
for built in 'c++ gold' 'c++ lld' 'c++ mold' 'clang++ lld'; do # clang writes no .debug_aranges
	linker=${built#* }
	${built% *} -g -O1 -ffunction-sections -fuse-ld="$linker" -Wl,--icf=all folded.cc -o folded 2>missing || continue
	linkers="$linkers $linker"
	for probes in stops pads; do
		rm -f both.fathom one.fathom
		run 0 run -f 'fill<*' --max-overhead none --probes $probes -o both.fathom ./folded
		grep -q 'one code' errors || fail "that two functions have one code is not told ($built)"
		grep -q 'fill<long>.*also.*fill<unsigned long>' errors || fail "the names are not told ($built)"
		[ "$(sqlite3 both.fathom 'SELECT sum(calls) FROM account')" -eq 100 ] || fail "not each of 100 calls was measured once ($built, $probes)"
	done
	run 0 run -q -f 'fill<unsigned long>' --max-overhead none -o one.fathom ./folded
	[ "$(sqlite3 one.fathom 'SELECT sum(calls) FROM account')" -eq 100 ] || fail "the second name is not accepted ($built)"
done

# Parameters are those of the function that the caller meant.
cat >meant.cc <<'END'
#include <cstdio>
struct box { long many; };
struct list { long length; };
template <class T> __attribute__((noinline)) long fill(T *a, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += *(volatile long *)a;
	return sum;
}
int main()
{
	static box b;
	static list l;
	long sum = 0;

	for (int i = 0; i < 50; i++) {
		b.many = i;
		l.length = 1000 + i;
		sum += fill(&b, i);
		sum += fill(&l, i);
	}
	printf("%ld\n", sum);
}
END
if c++ -g -O1 -ffunction-sections -fuse-ld=gold -Wl,--icf=all meant.cc -o meant 2>missing; then
	for probes in stops pads; do
		rm -f meant.fathom
		run 0 run -f 'fill<*' --max-overhead none --probes $probes -o meant.fathom ./meant
		grep -q 'that the call site means' errors || fail 'whose parameters are told is not said'
		[ "$(sqlite3 meant.fathom 'SELECT count("a->many"), sum("a->many"), count("a->length"), sum("a->length"), count(n) FROM "fill<box>(box*, long)"')" = \
			'50|1225|50|51225|100' ] || fail "parameters of the function that was not meant ($probes)"
	done
fi
if [ -z "$linkers" ]; then
	echo 'skipped: there is no linker that folds'
	exit 77
fi
