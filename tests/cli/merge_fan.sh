#!/bin/sh
# A call that asks over several connections: at once, servers are awaited once; in turn, their times add up. A process for each connection serves.
# not sanitized: programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >fan.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

enum { PEERS = 3, CALLS = 20 };

static int fds[PEERS];

__attribute__((noinline)) static int handle(int fd)
{
	int32_t us;

	if (read(fd, &us, sizeof(us)) != sizeof(us))
		return 0;
	nanosleep(&(struct timespec){.tv_nsec = us * 1000L}, NULL);
	return write(fd, &us, sizeof(us)) == sizeof(us);
}
static void *serve(void *at)
{
	while (handle((int)(intptr_t)at))
		;
	return NULL;
}
static void ask(int i, int us)
{
	if (write(fds[i], &us, sizeof(us)) != sizeof(us))
		exit(1);
}
static void hear(int i)
{
	int32_t us;

	if (read(fds[i], &us, sizeof(us)) != sizeof(us))
		exit(1);
}
__attribute__((noinline)) static void at_once(int us)
{
	for (int i = 0; i < PEERS; i++)
		ask(i, us * (i + 1));
	for (int i = 0; i < PEERS; i++)
		hear(i);
}
__attribute__((noinline)) static void in_turn(int us)
{
	for (int i = 0; i < PEERS; i++) {
		ask(i, us * (i + 1));
		hear(i);
	}
}

int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "call")) {
		for (int i = 0; i < PEERS; i++)
			fds[i] = port_connect(argv[2]);
		for (int i = 0; i < CALLS; i++) {
			at_once(1000 * (1 + i % 4));
			in_turn(200 * (1 + i % 4));
		}
		return 0;
	}
	pthread_t threads[PEERS];
	const int fd = port_listen(argv[2], PEERS);
	for (int i = 0; i < PEERS; i++) {
		const int peer = accept(fd, NULL, NULL);
		if (!strcmp(argv[1], "threads")) {
			pthread_create(&threads[i], NULL, serve, (void *)(intptr_t)peer);
		} else if (fork() == 0) {
			serve((void *)(intptr_t)peer);
			return 0;
		} else
			close(peer);
	}
	for (int i = 0; i < PEERS; i++)
		if (!strcmp(argv[1], "threads"))
			pthread_join(threads[i], NULL);
		else
			wait(NULL);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" -pthread fan.c -o fan || fail 'the program is not built'

measured='--no-models -q -m time,remote --max-overhead none --samples all --follow-fork'
for way in processes threads; do
	rm -f port
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run $measured -f handle -o "$way.server" -- ./fan $way port >served 2>&1 &
	server=$!
	until [ -s port ] || ! kill -0 $server 2>gone; do sleep 0.05; done
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run $measured -f at_once -f in_turn -o "$way.client" -- ./fan call port >truth 2>&1 || fail "the client failed: $(cat truth)"
	wait $server || fail "the server failed: $(cat served)"
	run 0 merge "$way.client" "$way.server" -o joint --no-models
	cp errors told
	for function in at_once in_turn; do
		grep -q "$function: 20 of 20 calls are matched by their place" told || fail "$way: $(cat told)"
		[ "$(sqlite3 joint "SELECT count(*), sum(requests = 3), sum(abs(time - \"time.own\" - \"time.server\" - \"time.network\") < 0.001),
			sum((SELECT count(*) FROM handle WHERE parent = a.id) = 3) FROM $function AS a")" = '20|20|20|20' ] ||
			fail "$way: $(sqlite3 joint "SELECT us, time, \"time.own\", \"time.server\", \"time.network\", requests FROM $function")"
	done
	# In turn they add up. At once, the longest is waited for, of three that take one, two and three parts.
	worked='(SELECT sum(min(coalesce(time, "served.worked" / 1000.0), "served.worked" / 1000.0)) FROM handle WHERE parent = a.id)'
	[ "$(sqlite3 joint "SELECT sum(abs(\"time.server\" - $worked) < 0.001) FROM in_turn AS a")" = 20 ] || fail "$way: in turn servers do not add up"
	[ "$(sqlite3 joint "SELECT sum(\"time.server\") < 0.8 * sum($worked) AND sum(\"time.server\") > 0.9 * sum(3 * us) FROM at_once AS a")" = 1 ] ||
		fail "$way: $(sqlite3 joint "SELECT us, time, \"time.own\", \"time.server\", $worked, \"time.network\" FROM at_once AS a")"
	grep -qE 'at_once: for [0-9]+ of 20 calls servers worked in parallel' told || fail "$way: that it was at once is not said: $(cat told)"
	! grep -q 'in_turn: for' told || fail "$way: $(cat told)"
done
