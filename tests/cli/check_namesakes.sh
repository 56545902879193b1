#!/bin/sh
# Functions of one printed name are told apart in annotations, and each is checked against its own: static functions of two files, and the parts of a coroutine.
# not sanitized: the names are told apart in unit tests, too
. "$(dirname "$0")/lib"

# Thirty times the memory in b.c.
cat >a.c <<'END'
#include <stdlib.h>
static void *volatile kept;
static __attribute__((noinline, noclone)) void help(int n) { kept = malloc(1 * n); free(kept); }
void a(int n) { help(n); }
END
sed -e 's/void a/void b/' -e 's/1 \* n/30 * n/' a.c >b.c
cat >main.c <<'END'
void a(int);
void b(int);
int main(void)
{
	for (int i = 0; i < 200; i++) {
		a(3000 + i);
		b(3000 + i);
	}
	return 0;
}
END
cc -O1 -g a.c b.c main.c -o statics || fail 'it does not compile'
run 0 run -q -m mem --max-overhead=none -f a.c:help -f b.c:help -o statics.fathom -r statics.ann -- ./statics
grep -qF 'help [a.c].mem {' statics.ann && grep -qF 'help [b.c].mem {' statics.ann || fail "$(cat statics.ann)"
run 0 check -q statics.ann statics.fathom
says 'help [a.c].mem: conforms (200 samples'
says 'help [b.c].mem: conforms (200 samples'

# In the other order they are the same.
awk -v RS= '{ text[NR] = $0 } END { print text[2] "\n\n" text[1] }' statics.ann >other.ann
run 0 check -q other.ann statics.fathom
[ "$(grep -c conforms output)" -eq 2 ] || fail 'order decides'

# Measured again by what they are called, each is the one that is meant: a's cost for b is far less.
sed -e 's/\[a\.c\]/[c.c]/' -e 's/\[b\.c\]/[a.c]/' -e 's/\[c\.c\]/[b.c]/' statics.ann >swapped.ann
run 1 check -q swapped.ann -- ./statics
says 'help [b.c].mem: WORSE (200 samples'

# Both parts of a coroutine are called; only .resume allocates, and is resumed at another place, too.
command -v clang++ >/dev/null || exit 0
cat >parts.cc <<'END'
#include <coroutine>
#include <cstdlib>
static void *volatile kept;
struct task {
	struct promise_type {
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
task work(int n)
{
	kept = malloc(100 * n);
	free(kept);
	co_await std::suspend_always{};
	co_return;
}
int main()
{
	for (int i = 0; i < 200; i++) {
		task one = work(1000 + i);
		one.handle.resume();
		one.handle.resume();
		one.handle.destroy();
	}
}
END
clang++ -std=c++20 -O0 -g parts.cc -o parts 2>compiler || exit 0
run 0 run -q -m mem --max-overhead=none -f work -o parts.fathom -r parts.ann -- ./parts
grep -qxF 'work(int).mem {' parts.ann && grep -qxF 'work(int) [resume].mem {' parts.ann || fail "$(cat parts.ann)"
run 0 check -q parts.ann parts.fathom
says 'work(int).mem: conforms (200 samples'
says 'work(int) [resume].mem: conforms (400 samples'
run 0 check -q --budget 'work(int) [resume].mem <= 10 MB' parts.ann parts.fathom
says 'work(int) [resume].mem: conforms: '
