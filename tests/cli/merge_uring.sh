#!/bin/sh
# What a program sends and receives by io_uring is noticed by nobody: the end says so, and such calls are not matched, whichever side has them.
# not sanitized: it is about the kernel
. "$(dirname "$0")/lib"

cat >ring.c <<'END2'
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

enum { CALLS = 40, ENTRIES = 4 };
static struct io_uring_params setting;
static char *rings;
static struct io_uring_sqe *asked;
static int ring;

static int ring_begin(void)
{
	ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &setting);
	if (ring < 0 || !(setting.features & IORING_FEAT_SINGLE_MMAP))
		return 0;
	rings = mmap(NULL, setting.cq_off.cqes + setting.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	asked = mmap(NULL, ENTRIES * sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	return 1;
}
static long by_ring(int op, int fd, void *bytes, unsigned size)
{
	unsigned *tail = (unsigned *)(rings + setting.sq_off.tail), *head = (unsigned *)(rings + setting.cq_off.head);
	const struct io_uring_cqe *done = (const void *)(rings + setting.cq_off.cqes);

	asked[0] = (struct io_uring_sqe){.opcode = (unsigned char)op, .fd = fd, .addr = (unsigned long)bytes, .len = size};
	((unsigned *)(rings + setting.sq_off.array))[*tail % ENTRIES] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		exit(2);
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return done[(*head - 1) % setting.cq_entries].res;
}
static void sends(int by, int fd, int k)
{
	if ((by ? by_ring(IORING_OP_SEND, fd, &k, sizeof(k)) : send(fd, &k, sizeof(k), 0)) != sizeof(k))
		exit(3);
}
static int receives(int by, int fd)
{
	int k;

	if ((by ? by_ring(IORING_OP_RECV, fd, &k, sizeof(k)) : recv(fd, &k, sizeof(k), 0)) != sizeof(k))
		exit(4);
	return k;
}
__attribute__((noinline)) static void ask(int by, int fd, int k)
{
	sends(by, fd, k);
	if (receives(by, fd) != k)
		exit(5);
}
__attribute__((noinline)) static void handle(int by, int fd, int k)
{
	if (receives(by, fd) != k)
		exit(6);
	sends(by, fd, k);
}
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
/* ring FUNCTION PORTFILE WHO: every other call of WHO is by io_uring; nobody: is there one? early: one that is closed after a while */
int main(int argc, char **argv)
{
	const int asks = argv[1][0] == 'a', serves = argv[1][0] == 'h';
	const double begun = seconds();
	int by = !strcmp(argv[1], argv[3]), fd, pair[2];

	if ((by || !(asks || serves)) && !ring_begin())
		return 77;
	if (argv[1][0] == 'e') {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		do { /* the last call is no earlier */
			fd = seconds() - begun < 0.6;
			if (send(pair[1], &fd, sizeof(fd), 0) != sizeof(fd))
				return 1;
			handle(0, pair[0], fd);
			if (recv(pair[1], &by, sizeof(by), 0) != sizeof(by))
				return 1;
		} while (fd);
		close(ring);
		return 0;
	}
	if (argv[1][0] == 'n')
		return 0;
	fd = asks ? port_connect(argv[2]) : accept(port_listen(argv[2], 1), NULL, NULL);
	for (int k = 0; k < CALLS; k++)
		asks ? ask(by && k % 2, fd, k) : handle(by && k % 2, fd, k);
	return 0;
}
END2
${CC:-cc} -O1 -g -I"$top/tests/cli" ring.c -o ring || fail 'the program is not built'
./ring nobody port - || { echo 'the kernel has no io_uring for us: skipped'; exit 77; }

# measured FUNCTION WHO
measured() {
	timeout 120 "$fathom" run --no-models -m time,remote --max-overhead none --samples all -f "$1" -o "$1" -- ./ring "$1" port "$2" >"$1.told" 2>&1 ||
		echo "$1: $(cat "$1.told")" >failed
}
# One that was closed before the end.
run 0 run --no-models --probes stops -m remote -f handle -o early -- ./ring early port -
grep -q 'has io_uring, by which it may send' errors || fail "a ring that was closed is not told: $(cat errors)"
for who in ask handle; do
	rm -f port ask handle
	measured handle $who &
	until [ -s port ] || [ -e failed ]; do sleep 0.05; done
	measured ask $who
	wait
	[ ! -e failed ] || fail "$who: $(cat failed)"
	for side in ask handle; do
		grep -q 'has io_uring, by which it may send and receive unnoticed' $side.told
		[ $? = "$([ $side = $who ] && echo 0 || echo 1)" ] || fail "$who: $side says $(cat $side.told)"
	done
	run 0 merge ask handle -o joint --no-models
	[ "$(sqlite3 joint 'SELECT count(*), sum("matched.by" = 1), sum("time.server" IS NULL AND k % 2 = 1), sum(k % 2 = 0 AND requests = 1) FROM ask')" = '40|20|20|20' ] ||
		fail "$who: $(cat errors; sqlite3 joint 'SELECT k, time, "time.server", requests FROM ask')"
	case $who in
	ask) reason='asked nobody over a connection that could be followed, as datagrams and what passes by io_uring cannot be' ;;
	*) reason='asked what no sample of a server served in whole' ;;
	esac
	grep -q "ask: 20 of 40 calls $reason" errors || fail "$who: the reason is not told: $(cat errors)"
done
