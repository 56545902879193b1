#!/bin/sh
# A request that is read before a call works for it: one at a time it is certain, also where threads take turns; of several at once it is never another's.
# not sanitized: many programs under stops take too long then; what decides is in unit tests
. "$(dirname "$0")/lib"

cat >turns.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

enum { CALLS = 24, TWO = 2 };
struct request {
	long id, k;
};
static int fds[TWO];
static sem_t mine[TWO], both;
static struct request handed[TWO];

__attribute__((noinline)) static void handle(const struct request *request)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000 * (1 + request->k)}, NULL);
}
static struct request take(int fd)
{
	struct request ret;

	if (read(fd, &ret, sizeof(ret)) != sizeof(ret))
		exit(2);
	return ret;
}
static void reply(int fd, const struct request *request)
{
	if (write(fd, &request->id, sizeof(request->id)) != sizeof(request->id))
		exit(3);
}
static void meet(long me)
{
	sem_post(&mine[!me]);
	sem_wait(&mine[me]);
}
/* queue: two are there at any time, and who is worked for is not who was read last. */
static void serve_queue(void)
{
	struct request first = take(fds[0]), next = take(fds[0]);

	for (int i = 0; i < TWO * CALLS; i++) {
		handle(&first);
		reply(fds[0], &first);
		first = next;
		if (i < TWO * CALLS - TWO)
			next = take(fds[0]);
	}
}
/* turns: of four the first is read by thread 0, and worked for by 1; the second is 1's, the others are 0's. */
static void *serve_turns(void *which)
{
	const long me = (long)which;

	for (int i = 0; i < CALLS; i++) {
		if (me == (i % 4 == 1))
			handed[0] = take(fds[0]);
		meet(me);
		if (me == (i % 4 < 2)) {
			handle(&handed[0]);
			reply(fds[0], &handed[0]);
		}
		meet(me);
	}
	return NULL;
}
/* crossed: each thread reads one connection, the other one after two requests, and works for the other one's. */
static void *serve_crossed(void *which)
{
	const long me = (long)which;

	for (int i = 0; i < CALLS; i++) {
		const int reads = (me + i / 2) % 2;

		handed[reads] = take(fds[reads]);
		meet(me);
		handle(&handed[!reads]);
		reply(fds[!reads], &handed[!reads]);
		meet(me);
	}
	return NULL;
}
__attribute__((noinline)) static void ask(long id, long k, int fd, sem_t *sent, sem_t *turn)
{
	const struct request request = {id, k};
	long heard;

	if (write(fd, &request, sizeof(request)) != sizeof(request))
		exit(4);
	sem_post(sent);
	sem_wait(turn);
	if (read(fd, &heard, sizeof(heard)) != sizeof(heard) || heard != id)
		exit(5);
}
/* Each has its answer after the other one. */
static void *ask_queued(void *which)
{
	const long me = (long)which;

	if (me)
		sem_wait(&both);
	else
		sem_post(&mine[0]);
	for (long i = TWO + me; i < TWO * (CALLS + 1); i += TWO) {
		ask(i, i % 5, fds[0], &both, &mine[me]);
		sem_post(&mine[!me]);
	}
	return NULL;
}
static void *ask_alone(void *which)
{
	const long me = (long)which;

	for (long i = 0; i < CALLS; i++) {
		sem_post(&mine[me]);
		ask(TWO * i + me, me ? 4 : i % 4, fds[me], &both, &mine[me]);
	}
	return NULL;
}
/* turns FUNCTION PORTFILE queue|turns|crossed */
int main(int argc, char **argv)
{
	const char how = argv[argc - 1][0];
	const int n = how == 'c' ? TWO : 1;
	const int asks = argv[1][0] == 'a', alone = how == (asks ? 't' : 'q');
	void *(*run)(void *) = how == 't' ? serve_turns : serve_crossed;
	int listening = asks ? 0 : port_listen(argv[2], n);
	pthread_t other;

	for (int i = 0; i < TWO; i++)
		sem_init(&mine[i], 0, 0);
	sem_init(&both, 0, 0);
	for (int i = 0; i < n; i++)
		fds[i] = asks ? port_connect(argv[2]) : accept(listening, NULL, NULL);
	if (asks)
		run = how == 'q' ? ask_queued : ask_alone;
	else if (alone)
		serve_queue();
	if (!alone)
		pthread_create(&other, NULL, run, (void *)1);
	if (asks || !alone)
		run((void *)0);
	return alone ? 0 : pthread_join(other, NULL);
}
END
${CC:-cc} -O1 -g -pthread -I"$top/tests/cli" turns.c -o turns || fail 'the program is not built'

# pair LAW PROBES: the profiles ask.of and handle.of
pair() {
	rm -f port joint ask.of handle.of
	measured="--no-models -q -m time,remote --max-overhead none --samples all --probes $2"
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run $measured -f handle -o handle.of -- ./turns handle port "$1" >served 2>&1 &
	server=$!
	until [ -s port ] || ! kill -0 $server 2>gone; do sleep 0.05; done
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run $measured -f ask -o ask.of -- ./turns ask port "$1" >asked 2>&1 || fail "$1, $2: $(cat asked served)"
	wait $server || fail "$1, $2: $(cat served)"
}
for probes in auto stops; do
	# Thread 0 has read two when it works for the second one, whose asker knows that the first one was answered. Thread 1 has read none when it
	# works for the first one: who worked while that one waited is known.
	pair turns $probes
	run 0 merge ask.of handle.of -o joint --no-models
	[ "$(sqlite3 joint 'SELECT count(*), sum("handle.request->id" = "id:1"), sum("matched.by" = 1), sum("matched.by" = 3) FROM ask')" = '24|24|18|6' ] ||
		fail "turns, $probes: $(cat errors; sqlite3 -header joint 'SELECT * FROM ask')"
	grep -q 'ask: 6 of 24 calls are matched by when they were' errors || fail "how is not told: $(cat errors)"
	# Of several that were there at once none is another's, and a number that both know tells them.
	for law in queue:48:'on a connection on which others waited' crossed:48:'take each other.s requests'; do
		IFS=: read -r law n why <<END
$law
END
		pair "$law" $probes
		run 2 merge ask.of handle.of -o joint --no-models
		grep "ask: .* of $n calls .*$why.* --match" errors || fail "$law, $probes: $(cat errors)"
		run 0 merge ask.of handle.of -o joint --no-models --match 'ask.id = handle.request->id'
		grep -q "ask: $n of $n calls are matched by the feature" errors || fail "$law, $probes, by the number: $(cat errors)"
	done
done
