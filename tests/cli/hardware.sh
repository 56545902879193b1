#!/bin/sh
# With --probes hardware a program that sums its own text finds it as it is without us, and the values are those of stops. What is attached to
# lives on: no thread keeps a debug register, which would end it at its next call.
# not sanitized: it is about debug registers and signals
. "$(dirname "$0")/lib"

cat >sums.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const unsigned char __executable_start, etext;
static volatile int rounds;

static void finish(int number)
{
	(void)number;
	rounds = 0;
}

__attribute__((noinline)) int work(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

__attribute__((noinline)) int both(int n)
{
	volatile int twice = 2 * n;

	return twice;
}

static unsigned long sum_text(void)
{
	unsigned long sum = 0;

	for (const volatile unsigned char *at = &__executable_start; at < &etext; at++)
		sum = sum * 31 + *at;
	return sum;
}

static void *turn(void *changed)
{
	static unsigned long first;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 1; i <= rounds; i++) {
		unsigned long sum = sum_text();

		usleep(1000);
		work(i % 1000);
		both(i);
		pthread_mutex_lock(&lock);
		*(int *)changed += first && sum != first;
		first = sum;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int threads = atoi(argv[2]);
	pthread_t list[64];
	int changed = 0, status = 0;

	(void)argc;
	rounds = atoi(argv[1]);
	signal(SIGUSR1, finish);
	for (int i = 1; i < threads; i++)
		pthread_create(&list[i], NULL, turn, &changed);
	turn(&changed);
	for (int i = 1; i < threads; i++)
		pthread_join(list[i], NULL);
	if (fork() == 0)
		_exit(work(3) != 3);
	wait(&status);
	printf("%lx, changed %d times, child %d\n", sum_text(), changed, status);
	return 0;
}
C
${CC:-cc} -g -O1 -pthread -o sums sums.c || fail 'no compiler'

# Some virtual machines take debug registers, and stop nowhere.
cat >registers.c <<'C'
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void here(void)
{
	__asm__ volatile("");
}

int main(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		here();
		_exit(0);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg), here);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg) + 7 * 8, 1L);
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	kill(child, SIGKILL);
	return WIFSTOPPED(status) ? 0 : 77;
}
C
${CC:-cc} -O1 -fno-pie -no-pie -o registers registers.c || fail 'no compiler'
if ! ./registers; then
	run 2 run --probes hardware -f work -- ./sums 1 1
	complains 'stop nothing here'
	echo "skipped: this machine's debug registers stop nothing"
	exit 77
fi

./sums 1 1 >alone
for probes in stops hardware; do
	run 0 run -q --no-models --probes $probes --max-overhead none -f work -f both -o $probes.fathom -- ./sums 50 4
	cp output $probes.said
	for function in work both; do
		sqlite3 $probes.fathom "SELECT '$function', n, count(*) FROM $function GROUP BY n" >>$probes.values
	done
	sqlite3 $probes.fathom 'SELECT name, calls, abandoned FROM account JOIN function ON function.id = function ORDER BY name' >>$probes.values
done
same alone hardware.said
! cmp -s alone stops.said || fail 'the text is the same with stops: this test would not see a change'
same stops.values hardware.values
[ "$(grep -c '|200|0$' hardware.values)" -eq 2 ] || fail 'not all calls were measured'
[ "$(sqlite3 hardware.fathom 'SELECT probes FROM run')" = hardware ] || fail 'the profile does not tell it'

# By a process with eight threads, all of which call it after each measurement.
./sums 100000000 8 >summed &
program=$!
trap 'kill -9 $program 2>missing; rm -rf "$scratch"' EXIT
for way in for INT; do
	rm -f attached.fathom
	if [ $way = for ]; then
		run 0 attach -q --no-models --probes hardware -f work --for 0.3 -o attached.fathom "$program"
	else
		"$fathom" attach -q --no-models --probes hardware -f work -o attached.fathom "$program" >output 2>errors </dev/null &
		tool=$!
		while ! grep -q '^TracerPid:.*[1-9]' "/proc/$program/status"; do
			:
		done
		sleep 0.3
		kill -$way $tool
		wait $tool || fail "attach, ended by SIG$way: status $?"
	fi
	kill -0 "$program" || fail "the program has not survived the end by $way"
	[ "$(sqlite3 attached.fathom 'SELECT calls > 0 FROM account')" = 1 ] || fail "nothing was measured before $way"
done
kill -USR1 "$program"
wait "$program" || fail "the program ended with status $?"
same alone summed

# What four addresses are not enough for is said before anything begins.
cat >many.c <<'C'
#include <stdio.h>

__attribute__((noinline)) int pick(int n)
{
	__asm__ volatile goto("cmp $1, %0; je %l1; jb %l2; cmp $2, %0; je %l3" ::"r"(n)::one, zero, two);
	__asm__ volatile("mov $9, %%eax; ret" :::"eax");
one:
	__asm__ volatile("mov $1, %%eax; ret" :::"eax");
zero:
	__asm__ volatile("mov $0, %%eax; ret" :::"eax");
two:
	return 2;
}

int main(int argc, char **argv)
{
	(void)argv;
	puts("has begun");
	return pick(argc) > 9;
}
C
${CC:-cc} -g -O1 -fcf-protection=none -o many many.c || fail 'no compiler'
run 2 run --probes hardware -f pick -- ./many
complains 'has four addresses, not 5: pick has 4 exits; leave one out'
[ ! -s output ] || fail 'the program was begun'
run 2 run --probes hardware -- ./sums 1 1
complains 'name the functions, with -f'
run 2 run --probes hardware -f work -m mem -- ./sums 1 1
complains 'no addresses left for allocations'
