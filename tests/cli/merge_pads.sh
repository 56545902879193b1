#!/bin/sh
# Transfers by pads: the same messages as by stops, whichever function sends and receives, and whatever passes libc by; hardly a stop.
# not sanitized: four programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >mix.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ports.h"

enum { WAYS = 9, CALLS = 90 };
static int file;

static void sends(int fd, int way, int size)
{
	char bytes[64] = {(char)way, (char)size};
	struct iovec part = {bytes, (size_t)size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct iovec parts[] = {{bytes, 1}, {bytes + 1, (size_t)size - 1}};
	struct mmsghdr messages[] = {{.msg_hdr = {.msg_iov = &parts[0], .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}}};
	off_t at = 0;
	long sent = -1;

	switch (way % WAYS) {
	case 0: sent = write(fd, bytes, (size_t)size); break;
	case 1: sent = send(fd, bytes, (size_t)size, MSG_NOSIGNAL); break;
	case 2: sent = sendto(fd, bytes, (size_t)size, 0, NULL, 0); break;
	case 3: sent = sendmsg(fd, &message, 0); break;
	case 4: sent = writev(fd, &part, 1); break;
	case 5: sent = sendfile(fd, file, &at, (size_t)size); break;
	case 6: sent = syscall(SYS_write, fd, bytes, 1) + write(fd, bytes, (size_t)size - 1); break;
	case 7: sent = write(fd, bytes, 1) + write(fd, bytes, (size_t)size - 1); break;
	case 8: sent = sendmmsg(fd, messages, 2, 0) == 2 ? messages[0].msg_len + messages[1].msg_len : -1; break;
	}
	if (sent != size)
		exit(1);
}
static void receives(int fd, int way, int size)
{
	char bytes[64];
	struct iovec part = {bytes, (size_t)size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct mmsghdr one = {.msg_hdr = message};
	long n;

	for (; size > 0; size -= (int)n, part.iov_len = (size_t)size) {
		switch (way % WAYS) {
		case 0: n = read(fd, bytes, (size_t)size); break;
		case 1: n = recv(fd, bytes, (size_t)size, 0); break;
		case 2: n = recvfrom(fd, bytes, (size_t)size, 0, NULL, NULL); break;
		case 3: n = recvmsg(fd, &message, 0); break;
		case 4: n = readv(fd, &part, 1); break;
		case 8: n = recvmmsg(fd, &one, 1, 0, NULL) == 1 ? one.msg_len : -1; break;
		case 5: n = recv(fd, bytes, 1, MSG_PEEK) + read(fd, bytes, (size_t)size) - 1; break;
		default: n = read(fd, bytes, 1);
		}
		if (n <= 0)
			exit(2);
	}
}
__attribute__((noinline)) static void ask(int fd, int k)
{
	sends(fd, k, 8 + k % 32);
	receives(fd, k + 1, 4 + k % 16);
}
__attribute__((noinline)) static void handle(int fd, int k)
{
	receives(fd, k + 2, 8 + k % 32);
	sends(fd, k + 3, 4 + k % 16);
}
int main(int argc, char **argv)
{
	const int asks = argv[1][0] == 'a';
	const int fd = asks ? port_connect(argv[2]) : accept(port_listen(argv[2], 1), NULL, NULL);

	file = fileno(fopen(argv[0], "r"));
	for (int k = 0; k < CALLS; k++)
		asks ? ask(fd, k) : handle(fd, k);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" mix.c -o mix || fail 'the program is not built'

# measured FUNCTION PROBES
measured() {
	timeout 120 "$fathom" run --no-models -q -m time,remote --max-overhead none --samples all --probes "$2" -f "$1" -o "$1.$2" -- ./mix "$1" "$2.port" >"$1.told" 2>&1 ||
		echo "$1: $(cat "$1.told")" >failed
}
for probes in stops auto; do
	measured handle $probes &
	until [ -s $probes.port ] || [ -e failed ]; do sleep 0.05; done
	measured ask $probes
	wait
	[ ! -e failed ] || fail "$(cat failed)"
	for function in ask handle; do
		# What a call received of its answer, or began to answer, is a moment.
		sqlite3 $function.$probes "SELECT k, \"asked.peers\", \"asked.from\", \"asked.to\", \"asked.way\", \"asked.began\" > 0, \"asked.ended\" > \"asked.began\",
			\"served.peers\", \"served.from\", \"served.to\", \"served.way\", \"served.began\" > 0, \"served.ended\" >= \"served.began\", \"served.worked\" > 0 FROM $function ORDER BY k" >messages.$function.$probes
	done
	run 0 merge ask.$probes handle.$probes -o joint.$probes --no-models
	# One in nine sends a byte that passes libc by: nobody says whose it is.
	[ "$(sqlite3 joint.$probes 'SELECT count(*), sum("matched.by" = 1), sum("time.server" IS NULL AND k % 9 = 6), sum(abs(time - "time.own" - "time.server" - "time.network") < 0.001) FROM ask')" = '90|80|10|80' ] ||
		fail "$probes: $(cat errors)"
done
for function in ask handle; do
	[ "$(wc -l <messages.$function.auto)" = 90 ] || fail "not all calls of $function are there"
	cmp -s messages.$function.stops messages.$function.auto || fail "$function: $(diff messages.$function.stops messages.$function.auto)"
	# A look at what stays is asked about, and so is a connection that is new.
	stops=$(sqlite3 $function.auto 'SELECT stops FROM run')
	[ "$stops" -lt 40 ] || fail "$function: $stops stops by pads"
	[ "$(sqlite3 $function.stops 'SELECT stops FROM run')" -gt 400 ] || fail "$function: the other one has no stops"
done

# On a unix socket nobody counts but the call: of several messages their bytes, by pads and by stops.
cat >local.c <<'END2'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALLS = 5 };

__attribute__((noinline)) static void ask(int fd, int k)
{
	char bytes[64] = {0};
	struct iovec parts[] = {{bytes, 3}, {bytes, (size_t)(4 + k)}};
	struct mmsghdr messages[] = {{.msg_hdr = {.msg_iov = &parts[0], .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}}};

	if (sendmmsg(fd, messages, 2, 0) != 2 || read(fd, bytes, 1) != 1)
		exit(1);
}
static void answer(int fd)
{
	char bytes[64];

	for (int k = 0; k < CALLS; k++) {
		for (long got = 0; got < 7 + k;)
			got += read(fd, bytes, sizeof(bytes));
		if (write(fd, bytes, 1) != 1)
			exit(2);
	}
	_exit(0);
}
int main(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 3;
	if (!fork())
		close(ends[0]), answer(ends[1]);
	for (int k = 0; k < CALLS; k++)
		ask(ends[0], k);
	return 0;
}
END2
${CC:-cc} -O1 -g local.c -o local || fail 'the program is not built'
for probes in stops auto; do
	run 0 run --no-models -q -m time,remote --max-overhead none --samples all --probes $probes -f ask -o local.$probes -- ./local
	[ "$(sqlite3 local.$probes 'SELECT group_concat("asked.to" - "asked.from") FROM (SELECT * FROM ask ORDER BY k)')" = 7,8,9,10,11 ] ||
		fail "$probes: messages are taken for bytes: $(sqlite3 -header local.$probes 'SELECT * FROM ask')"
done
