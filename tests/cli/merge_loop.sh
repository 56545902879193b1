#!/bin/sh
# A server that reads in a loop, and then calls what works for the request, whoever answers: the call is that of the request; which one is never guessed.
# not sanitized: many programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >loop.c <<'END'
#include <time.h>
#include <unistd.h>

#include "ports.h"

enum { CALLS = 40, CLIENTS = 2, ALL = CALLS * CLIENTS };
struct request {
	int k, client;
};
static int inside; /* the call answers itself */
static int first;  /* another one receives, for it */

static void reply(int fd, int k)
{
	if (write(fd, &k, sizeof(k)) != sizeof(k))
		exit(1);
}
__attribute__((noinline)) static void prepare(const struct request *request)
{
	const struct timespec pause = {.tv_nsec = 200000 + request->k};

	nanosleep(&pause, NULL);
}
__attribute__((noinline)) static void handle(const struct request *request, int fd)
{
	const struct timespec pause = {.tv_nsec = 100000 * (1 + request->k % 5)};

	nanosleep(&pause, NULL);
	if (inside)
		reply(fd, request->k);
}
/* In two pieces, which are one request. */
static void take(int fd, struct request *request)
{
	if (read(fd, request, 3) != 3 || read(fd, (char *)request + 3, sizeof(*request) - 3) != sizeof(*request) - 3)
		exit(2);
}
__attribute__((noinline)) static void fetch(int fd, struct request *request)
{
	const struct timespec pause = {.tv_nsec = 200000};

	take(fd, request);
	nanosleep(&pause, NULL);
}
/* Reads those of @n clients before it calls anything else. */
static void serve(const int *fds, int n)
{
	struct request requests[CLIENTS];

	if (first) {
		fetch(fds[0], requests);
		handle(requests, fds[0]);
		if (!inside)
			reply(fds[0], requests[0].k);
		return;
	}
	for (int i = 0; i < n; i++)
		take(fds[i], &requests[i]);
	for (int i = 0; i < n; i++) {
		prepare(&requests[i]);
		handle(&requests[i], fds[i]);
		if (!inside && n == 1)
			reply(fds[i], requests[i].k);
	}
	for (int i = 0; i < n && !inside && n > 1; i++)
		reply(fds[i], requests[i].k);
}
__attribute__((noinline)) static void ask(int fd, int k, int client)
{
	const struct request request = {k, client};
	int answer;

	if (write(fd, &request, sizeof(request)) != sizeof(request) || read(fd, &answer, sizeof(answer)) != sizeof(answer) || answer != k)
		exit(3);
}
/* loop FUNCTION PORTFILE LAW CLIENT; law: i(nside) or o(utside), of 1 client or of 2 at once; f: another one fetches it */
int main(int argc, char **argv)
{
	const int n = argv[3][1] - '0';
	int fds[CLIENTS], hello;

	inside = argv[3][0] == 'i';
	first = argv[3][2] == 'f';
	if (argv[1][0] == 'a') {
		fds[0] = port_connect(argv[2]);
		/* the server has said something before it is asked: no request */
		if (read(fds[0], &hello, sizeof(hello)) != sizeof(hello))
			return 4;
		for (int k = 0; k < CALLS; k++) {
			if (first) /* the server awaits it */
				nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
			ask(fds[0], k, atoi(argv[4]));
		}
		return 0;
	}
	hello = port_listen(argv[2], n);
	for (int i = 0; i < n; i++)
		fds[i] = accept(hello, NULL, NULL);
	for (int i = 0; i < n; i++)
		reply(fds[i], 0);
	for (int k = 0; k < CALLS; k++)
		serve(fds, n);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" loop.c -o loop || fail 'the program is not built'

# measured FUNCTION PROBES LAW CLIENT
measured() {
	timeout 120 "$fathom" run --no-models -q -m time,remote --max-overhead none --samples all --probes "$2" -f "$1" ${5:-} -o "$1.$4" -- ./loop "$1" port "$3" "$4" >"$1.$4.told" 2>&1 ||
		echo "$1: $(cat "$1.$4.told")" >failed
}
# pair LAW PROBES [OPTION OF THE SERVER]: joint has the first client's calls
pair() {
	rm -f port failed ask.[12] handle.0
	measured handle "$2" "$1" 0 "${3:-}" &
	until [ -s port ] || [ -e failed ]; do sleep 0.05; done
	[ "${1#?2}" = "$1" ] || measured ask "$2" "$1" 2 &
	measured ask "$2" "$1" 1
	wait
	[ ! -e failed ] || fail "$1, $2: $(cat failed)"
}
for probes in auto stops; do
	for law in o1 i1 i2; do
		pair $law $probes
		run 0 merge ask.1 handle.0 -o joint --no-models
		[ "$(sqlite3 joint 'SELECT count(*), sum("matched.by" = 1), sum("time.server" >= 100 * (1 + k % 5)), sum("time.server" <= time), sum(requests = 1), sum(abs(time - "time.own" - "time.server" - "time.network") < 0.001) FROM ask')" = '40|40|40|40|40|40' ] ||
			fail "$law, $probes: $(cat errors; sqlite3 -header joint 'SELECT k, time, "time.own", "time.server", "time.network", "matched.by" FROM ask' | sort)"
		[ "$(grep -c 'for 40 of 40 calls the server.s call returned before the answer was sent' errors)" = "$([ $law = o1 ] && echo 1 || echo 0)" ] ||
			fail "$law, $probes: who answers is not told: $(cat errors)"
		# The server's call has the request's own number: it is the right one.
		[ "$(sqlite3 joint 'SELECT sum(k = "handle.request->k"), sum("handle.request->client" = 1) FROM ask')" = '40|40' ] ||
			fail "$law, $probes: another request's call: $(sqlite3 -header joint 'SELECT * FROM ask LIMIT 3')"
	done
	# Two in a row work for it; the first one may receive it.
	for law in o1 i1f; do
		case $law in ??f) of=-ffetch ;; *) of=-fprepare ;; esac
		pair $law $probes $of
		run 0 merge ask.1 handle.0 -o joint --no-models
		[ "$(sqlite3 joint 'SELECT count(*), sum("matched.by" = 1), sum("time.server" >= 200 + 100 * (1 + k % 5)), sum("time.server" <= time), sum(requests = 2), sum(abs(time - "time.own" - "time.server" - "time.network") < 0.001) FROM ask')" = '40|40|40|40|40|40' ] ||
			fail "two in a row, $law, $probes: $(cat errors; sqlite3 -header joint 'SELECT k, time, "time.own", "time.server", requests FROM ask' | sort)"
	done
	# Both were there when the calls began, and neither answers: nobody knows whose is whose.
	pair o2 $probes
	run 2 merge ask.1 handle.0 -o joint --no-models
	grep -q 'no call of ask.1 could be matched' errors || fail "$probes: guessed: $(cat errors)"
	grep -q 'ask: 40 of 40 calls asked while requests of other connections were there, too' errors &&
		grep -qF 'handle() had requests of up to 2 connections at once' errors ||
		fail "$probes: why is not told: $(cat errors)"
	[ "$(sqlite3 handle.0 'SELECT sum("served.peers" = 2) FROM handle')" = 80 ] || fail "$probes: they are not told to be of several"
done
