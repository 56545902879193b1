#!/bin/sh
# A drain asks the kernel for one read of all threads, and the tracer's sleep: what pads are told is written in one drain of eight, or
# when the ring may get full before; the tracer's own time is asked then, too. Files are opened for values of the system alone, once.
# not sanitized: it counts system calls
. "$(dirname "$0")/lib"
command -v strace >/dev/null || { echo 'no strace: the system calls of a drain are not counted'; exit 77; }

cat >calls.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* For SECONDS, whatever the machine's speed; seldom enough that no ring is full before a late draining. */
static void *call(void *seconds)
{
	const double until = now() + *(int *)seconds;

	for (double next = now(); next < until; next += 1e-4) {
		while (now() < next)
			;
		work(1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int seconds = atoi(argv[1]);
	pthread_t other;

	if (argc > 2)
		pthread_create(&other, NULL, call, &seconds);
	call(&seconds);
	if (argc > 2)
		pthread_join(other, NULL);
	return 0;
}
END
cc -g -O2 -pthread calls.c -o calls || fail 'cannot compile'

# drained: what the tracer does between two sleeps in which it reads the program's first thread, a line each.
drained() {
	awk '/process_vm_readv\([0-9]*, \[\{iov_base="DPfathom/ && /\}, \{iov_base=/ { last = $0 }
		END { split(last, part, /[ (,]+/); print part[1], part[3] }' trace >of
	read -r tracer thread <of
	[ -n "$thread" ] || fail 'no drain was seen'
	awk -v tracer="$tracer" -v thread="$thread" '
		$1 != tracer || $2 == "---" || /resumed>/ { next }
		{ name = $2; sub(/\(.*/, "", name) }
		name == "wait4" { if (drain) print line; line = ""; drain = 0 }
		index($0, "process_vm_readv(" thread ", [{iov_base=\"DPfathom") && /\}, \{iov_base=/ { drain = 1 }
		name !~ /^(wait4|timer_settime|rt_sigreturn|brk|sysinfo)$/ { line = line " " name }' trace >drains
}

for threads in 1 2; do
	rm -f calls.fathom
	more=$([ $threads -eq 1 ] || echo more)
	# shellcheck disable=SC2086 # one argument or none
	timeout 120 strace -f -o trace -e trace=all "$fathom" run -q --probes pads --samples 50 -f work -o calls.fathom \
		--no-models -- ./calls 3 $more >output 2>errors || fail "strace: $(cat errors)"
	drained
	all=$(wc -l <drains)
	[ "$all" -ge 20 ] || fail "$threads: only $all drains"
	once=$(grep -v 'process_vm_readv.*process_vm_readv' drains | grep -c process_vm_readv)
	[ $((once * 10)) -ge $((all * 8)) ] || fail "$threads: $once of $all drains read once: $(sort drains | uniq -c | sort -rn | head -5)"
	# A late drain has more to tell and to ask: half of them do on a busy machine.
	only=$(grep -cx ' process_vm_readv' drains)
	[ $((only * 10)) -ge $((all * 4)) ] || fail "$threads: $only of $all drains only read: $(sort drains | uniq -c | sort -rn | head -5)"
	for rest in process_vm_writev clock_gettime open; do
		with=$(grep -c "$rest" drains)
		[ $((with * 10)) -le $((all * 3)) ] || fail "$threads: $with of $all drains have a $rest"
	done
done
exit 0
