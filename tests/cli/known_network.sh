#!/bin/sh
# A network that takes a known time: it is the network's part of a call, and not the server's.
# not sanitized: six programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

[ -w /dev/net/tun ] && unshare -rn ip link >gone 2>&1 || { echo 'no network devices of our own: skipped'; exit 77; }

cat >far.c <<'END'
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int over;
static void *volatile kept;
__attribute__((noinline)) static void handle(int fd)
{
	const struct timespec pause = {.tv_nsec = 300000};
	int k;

	over = read(fd, &k, sizeof(k)) != sizeof(k);
	kept = malloc(1000 * (size_t)(over ? 0 : k));
	free(kept);
	nanosleep(&pause, NULL);
	if (!over && write(fd, &k, sizeof(k)) != sizeof(k))
		exit(1);
}
__attribute__((noinline)) static void ask(int fd, int k)
{
	int answer;

	if (write(fd, &k, sizeof(k)) != sizeof(k) || read(fd, &answer, sizeof(answer)) != sizeof(answer) || answer != k)
		exit(1);
}
int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7000)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, "10.9.0.2", &at.sin_addr);
	if (argc > 1 && !strcmp(argv[1], "serve")) {
		if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1))
			return 1;
		for (fd = accept(fd, NULL, NULL); !over;)
			handle(fd);
		return 0;
	}
	while (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		usleep(10000), close(fd), fd = socket(AF_INET, SOCK_STREAM, 0);
	for (int k = 1; k <= 30; k++)
		ask(fd, k);
	return 0;
}
END
${CC:-cc} -O1 -g far.c -o far || fail 'the programs are not built'

# Two networks, each with one end of a line that holds each packet for so many ms; SERVER runs in the one, CLIENT in the other.
cat >line.py <<'END'
import ctypes, fcntl, heapq, os, select, shlex, struct, subprocess, sys, time
delay, server, client = float(sys.argv[1]) / 1000, shlex.split(sys.argv[2]), shlex.split(sys.argv[3])

def end(address):
    tun = os.open('/dev/net/tun', os.O_RDWR)
    fcntl.ioctl(tun, 0x400454ca, struct.pack('16sH22x', b'line', 0x1001))
    subprocess.run('ip addr add %s/24 dev line && ip link set line up' % address, shell=True, check=True)
    return tun

here = end('10.9.0.1')
go, ready = os.pipe()
asks = os.fork()
if not asks:
    os.read(go, 1)
    os.execvp(client[0], client)
assert ctypes.CDLL(None).unshare(0x40000000) == 0
there = end('10.9.0.2')
serves = subprocess.Popen(server)
os.write(ready, b'x')
other, held, number = {here: there, there: here}, [], 0
ended = None
while ended is None or serves.poll() is None:
    if ended is None and os.waitpid(asks, os.WNOHANG)[0]:
        ended = time.monotonic()
    wait = max(0, held[0][0] - time.monotonic()) if held else 0.05
    for tun in select.select([here, there], [], [], min(wait, 0.05))[0]:
        heapq.heappush(held, (time.monotonic() + delay, number, other[tun], os.read(tun, 65536)))
        number += 1
    while held and held[0][0] <= time.monotonic():
        _, _, tun, packet = heapq.heappop(held)
        os.write(tun, packet)
sys.exit(serves.wait())
END

# over MS: both are measured, as MS.client and MS.server, and merged as MS.
over() {
	measured="'$fathom' run --no-models -q -m time,mem,remote --max-overhead none --samples all"
	timeout 120 unshare -rn python3 line.py "$1" "$measured -f handle -o $1.server -- ./far serve" "$measured -f ask -o $1.client -- ./far call" >line 2>&1 ||
		fail "$1 ms: $(cat line)"
	run 0 merge "$1.client" "$1.server" -o "$1" --no-models
	grep -q 'ask: 30 of 30 calls are matched by their place' errors || fail "not all calls over $1 ms are matched"
}
over 5
# 5 ms each way; a timer never ends before its time. What is on its way while the client is stopped is not waited for.
[ "$(sqlite3 5 'SELECT count(*), sum("time.network" + stopped_ns / 1000.0 >= 10000), sum("mem.server" = 1000 * k), sum("time.server" >= 300) FROM ask')" = '30|30|30|30' ] ||
	fail "$(sqlite3 5 'SELECT k, time, "time.own", "time.server", "time.network", stopped_ns FROM ask')"
