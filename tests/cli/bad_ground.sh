#!/bin/sh
# Where nothing of ours can be mapped, neither for pads nor for the instructions that int3s replace, it is said why, and the program lives on:
# attached to when there is no room within reach of its code, and when it has forbidden itself mmap(2) and nobody is root.
. "$(dirname "$0")/lib"

cat >ground.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void stop(int number)
{
	over = number;
}

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

/* Nothing can be mapped any more within 2 GiB of the code. */
static void fill(void)
{
	const unsigned long here = (unsigned long)work & -4096ul, reach = (1ul << 31) + (64ul << 20);
	unsigned long low, high, at = (here - reach) & -4096ul;
	FILE *maps = fopen("/proc/self/maps", "r");
	static unsigned long gaps[4096][2];
	int n = 0;

	while (n < 4095 && fscanf(maps, "%lx-%lx%*[^\n]", &low, &high) == 2) {
		if (low > at && at < here + reach) {
			gaps[n][0] = at;
			gaps[n++][1] = low < here + reach ? low : here + reach;
		}
		at = high > at ? high : at;
	}
	fclose(maps);
	for (int i = 0; i < n; i++)
		if (mmap((void *)gaps[i][0], gaps[i][1] - gaps[i][0], PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			printf("gap %lx stays\n", gaps[i][0]);
}

static void forbid(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	long wrong = 0;

	signal(SIGTERM, stop);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1 && !strcmp(argv[1], "full"))
		fill();
	if (argc > 1 && !strcmp(argv[1], "filter"))
		forbid();
	printf("ready\n");
	for (long i = 0; !over; i++) {
		wrong += work(i) != i * 3 + 1;
		usleep(100);
	}
	printf("wrong %ld\n", wrong);
	return wrong != 0;
}
END
cc -g -O1 -o ground ground.c || fail 'cannot compile'
chmod 755 . && chmod 644 ground.c

# refused REASON WAY COMMAND...: run by COMMAND, in a folder that it can write to, `ground WAY` is attached to; REASON is told, and it ends well.
refused() {
	reason=$1
	way=$2
	shift 2
	mkdir -m 777 "$way" || fail "no folder $way"
	"$@" "$scratch/ground" "$way" >printed &
	target=$!
	until grep -q ready printed; do sleep 0.05; done
	(cd "$way" && timeout 60 "$@" "$fathom" attach --probes pads --for 0.1 --max-overhead none -f work -o ground.fathom -r report $target) \
		>output 2>errors
	grep -qF "work is not measured: $reason" errors || fail "$way: it does not say '$reason'"
	kill -TERM $target
	wait $target || fail "$way: status $? of the program"
	grep -qx 'wrong 0' printed || fail "$way: its results are wrong"
}
refused 'no room for scratch memory near the code' full
nobody=
[ "$(id -u)" != 0 ] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
# shellcheck disable=SC2086 # several words
! $nobody test -x "$fathom" -a -x ground 2>missing ||
	refused 'the program could not be made to map scratch memory (where it has forbidden itself system calls, that takes root)' filter $nobody
exit 0
