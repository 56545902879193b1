#!/bin/sh
# Pads and what programs do without asking: libraries that are measured come and go in threads that are interrupted at 1 kHz, and every call
# is counted; gs is changed by an instruction of which the kernel knows nothing: nothing is written there, and every call is counted by stops.
# not sanitized: it is about signals and costs
. "$(dirname "$0")/lib"

cat >plug.c <<'END2'
__attribute__((noinline)) long plug(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}
END2
cat >busy.c <<'END2'
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { THREADS = 4 };

static long rounds, plugs, works, wrong;
static unsigned long gs;
static char memory[4096];

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

static void add(long *to, long n)
{
	__atomic_add_fetch(to, n, __ATOMIC_SEQ_CST);
}

/* Each loads the library, which goes when nobody has it any more. */
static void *load(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		void *library = dlopen("./plug.so", RTLD_NOW);
		long (*plug)(long) = (long (*)(long))dlsym(library, "plug");

		for (long j = 0; j < 20; j++) {
			add(&wrong, plug(j) != j * 3 + 1);
			add(&wrong, work(j) != j * 3 + 1);
		}
		dlclose(library);
	}
	add(&plugs, rounds * 20);
	add(&works, rounds * 20);
	return unused;
}

/* In its midst without a system call, as the kernel would notice. */
static void *take_gs(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		if (i == rounds / 2)
			_writegsbase_u64(gs);
		add(&wrong, work(i) != i * 3 + 1);
		add(&wrong, i >= rounds / 2 && _readgsbase_u64() != gs);
	}
	return unused;
}

static void ignore(int number)
{
	add(&wrong, work(number) != number * 3 + 1);
	add(&works, 1);
}

int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	const char *way = argv[1];
	pthread_t threads[THREADS];

	rounds = atol(argv[2]);
	gs = !strcmp(way, "memory") ? (unsigned long)memory : 0x1000;
	if (!strcmp(way, "load")) {
		signal(SIGPROF, ignore);
		setitimer(ITIMER_PROF, &often, NULL);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, strcmp(way, "load") ? take_gs : load, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	signal(SIGPROF, SIG_IGN); /* what came after the truth was printed would be a call too many */
	for (size_t i = 0; i < sizeof(memory); i++)
		wrong += memory[i] != 0;
	printf("plug %ld\nwork %ld\nwrong %ld\n", plugs, works, wrong);
	return wrong != 0;
}
END2
cc -g -O2 -fPIC -shared plug.c -o plug.so && cc -g -O2 -mfsgsbase -pthread busy.c -o busy || fail 'cannot compile'

# measured WAY ROUNDS OPTION...
measured() {
	way=$1
	rounds=$2
	shift 2
	rm -f busy.fathom
	run 0 run --probes pads --max-overhead none --samples 50 --globals none -f work "$@" -o busy.fathom --no-models -- ./busy "$way" "$rounds"
	says 'wrong 0'
}
counts='SELECT name, calls FROM account JOIN function ON function.id = function ORDER BY name'

measured load 200 -f "$PWD/plug.so:plug"
sed -n '/^plug\|^work/p' output >truth
sqlite3 -separator ' ' busy.fathom "$counts" >counted
same truth counted

# Where the processor has the instruction and the kernel allows it.
grep -qw fsgsbase /proc/cpuinfo || exit 0
for gs in memory nowhere; do
	measured $gs 2000
	grep -q 'the gs register itself' errors || fail "$gs: it is not said"
	calls=$(sqlite3 busy.fathom 'SELECT calls FROM account')
	[ "$calls" -eq 8000 ] || fail "$gs: $calls calls of 8000 were counted"
done
exit 0
