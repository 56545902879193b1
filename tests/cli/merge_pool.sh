#!/bin/sh
# A pool of threads: who reads a request is not who works for it, so a number that both ends have says whose it is.
# not sanitized: two programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >pool.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

enum { WORKERS = 3, CLIENTS = 2, CALLS = 30 };
struct request {
	int fd, id;
};
static int queue[2], replies;

__attribute__((noinline)) static void serve(const struct request *request)
{
	const struct timespec pause = {.tv_nsec = 100000 * (1 + request->id % 5)};

	nanosleep(&pause, NULL);
}
/* The same, answered by itself; it goes on afterwards. */
__attribute__((noinline)) static void reply(const struct request *request)
{
	const struct timespec pause = {.tv_nsec = 100000 * (1 + request->id % 5)}, more = {.tv_nsec = 20000000};

	nanosleep(&pause, NULL);
	if (write(request->fd, &request->id, sizeof(request->id)) != sizeof(request->id))
		exit(1);
	nanosleep(&more, NULL);
}
static void *work(void *unused)
{
	struct request request;

	while (read(queue[0], &request, sizeof(request)) == sizeof(request)) {
		if (replies)
			reply(&request);
		else
			serve(&request);
		if (!replies && write(request.fd, &request.id, sizeof(request.id)) != sizeof(request.id))
			exit(1);
	}
	return unused;
}
static void *take(void *fd)
{
	struct request request = {.fd = (int)(intptr_t)fd};

	while (read(request.fd, &request.id, sizeof(request.id)) == sizeof(request.id))
		if (write(queue[1], &request, sizeof(request)) != sizeof(request))
			exit(1);
	return NULL;
}
__attribute__((noinline)) static void ask(int fd, int key)
{
	int answer;

	if (write(fd, &key, sizeof(key)) != sizeof(key) || read(fd, &answer, sizeof(answer)) != sizeof(answer) || answer != key)
		exit(1);
}
static void *client(void *fd)
{
	for (int i = 0; i < CALLS; i++)
		ask((int)(intptr_t)fd, (int)(intptr_t)fd * 1000 + i);
	return NULL;
}
int main(int argc, char **argv)
{
	const int asks = argv[1][0] == 'a', fd = asks ? -1 : port_listen(argv[2], CLIENTS);
	pthread_t workers[WORKERS], threads[CLIENTS];

	replies = argv[1][0] == 'r';
	if (pipe(queue))
		return 1;
	for (int i = 0; !asks && i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, asks ? client : take, (void *)(intptr_t)(asks ? port_connect(argv[2]) : accept(fd, NULL, NULL)));
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	close(queue[1]);
	for (int i = 0; !asks && i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" -pthread pool.c -o pool || fail 'the program is not built'

# measured FUNCTION
measured() {
	timeout 120 "$fathom" run --no-models -q -m time,remote --max-overhead none --samples all -f "$1" -o "$1" -- ./pool "$1" port >"$1.told" 2>&1 ||
		echo "$1: $(cat "$1.told")" >failed
}
for function in serve reply; do
	rm -f port ask
	measured $function &
	until [ -s port ] || [ -e failed ]; do sleep 0.05; done
	measured ask
	wait
	[ ! -e failed ] || fail "$(cat failed)"
	run 0 merge ask $function -o joint --match "ask.key = $function.request->id" --no-models
	grep -q 'ask: 60 of 60 calls are matched by the feature' errors || fail "$function: $(cat errors)"
	[ "$(sqlite3 joint 'SELECT count(*), sum("matched.by" = 0), sum("time.server" >= 100 * (1 + key % 5)), sum(requests = 1), sum(abs(time - "time.own" - "time.server" - "time.network") < 0.001) FROM ask')" = '60|60|60|60|60' ] ||
		fail "$function: $(sqlite3 joint 'SELECT key, time, "time.own", "time.server", "time.network", "matched.by" FROM ask')"
done
# The answer may be received by another thread: the server's part is known all the same, own and network are not told apart.
v=$(sqlite3 ask "SELECT 'v' || id FROM variable WHERE name = 'asked.ended'")
w=$(sqlite3 ask "SELECT 'v' || id FROM variable WHERE name = 'remote'")
cp ask shared
sqlite3 shared "UPDATE sample_1 SET $v = NULL, $w = 1"
run 0 merge shared reply -o joint --match "ask.key = reply.request->id" --no-models
[ "$(sqlite3 joint 'SELECT count(*), sum("time.server" > 100), sum("time.own" IS NULL) FROM ask')" = '60|60|60' ] || fail "$(cat errors)"
# While it waited for a processor the server worked on: that it took less time itself contradicts nothing.
t=$(sqlite3 ask "SELECT 'v' || id FROM variable WHERE name = 'time' AND role = 'metric'")
sqlite3 shared "UPDATE sample_1 SET waited_ns = coalesce(waited_ns, 0) + CAST(1000 * ($t - 50) AS INTEGER), $t = 50 WHERE $t > 50"
run 0 merge shared reply -o joint --match "ask.key = reply.request->id" --no-models
[ "$(sqlite3 joint 'SELECT count(*), sum("time.server" > 100), sum(time >= "time.server") FROM ask')" = '60|60|60' ] || fail "$(cat errors)"
run 0 merge ask reply -o joint --match "ask.key = reply.request->id" --no-models
# What it does after it has answered is no part of the call.
[ "$(sqlite3 joint "ATTACH 'reply' AS r; SELECT sum(\"time.server\" < (SELECT time - 19000 FROM r.reply AS s WHERE s.\"request->id\" = key)) > 0 FROM main.ask")" = 1 ] ||
	fail "$(sqlite3 joint 'SELECT key, "time.server" FROM ask')"
