#!/bin/sh
# Oracles of a merge: a network that holds each segment for a known time, a conversation that stays byte for byte the same, and many requests on one connection.
# not sanitized: two programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >mux.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

enum { CALLS = 20 };

struct request {
	long id, k;
};

static int fd;
static void *volatile kept;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER, receiving = PTHREAD_MUTEX_INITIALIZER;
static volatile char answered[2 * CALLS];

__attribute__((noinline)) static int answer(long key, long k)
{
	kept = malloc(1000 * k);
	nanosleep(&(struct timespec){.tv_nsec = 100000 * k}, NULL);
	free(kept);
	return write(fd, &key, sizeof(key)) == sizeof(key);
}
__attribute__((noinline)) static int serve(void)
{
	struct request request;

	return read(fd, &request, sizeof(request)) == sizeof(request) && answer(request.id, request.k);
}
__attribute__((noinline)) static void ask(long id, long k)
{
	const struct request request = {id, k};
	long heard;

	pthread_mutex_lock(&sending);
	if (write(fd, &request, sizeof(request)) != sizeof(request))
		exit(1);
	pthread_mutex_unlock(&sending);
	while (!answered[id]) {
		pthread_mutex_lock(&receiving);
		if (!answered[id]) {
			if (read(fd, &heard, sizeof(heard)) != sizeof(heard))
				exit(1);
			answered[heard] = 1;
		}
		pthread_mutex_unlock(&receiving);
	}
}
static void *asks(void *first)
{
	for (long id = (long)first; id < (long)first + CALLS; id++)
		ask(id, 1 + id % 5);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argv[1][0] == 's') {
		fd = accept(port_listen(argv[2], 1), NULL, NULL);
		while (serve())
			;
		return 0;
	}
	fd = port_connect(argv[2]);
	if (argc > 3)
		pthread_create(&other, NULL, asks, (void *)CALLS);
	asks((void *)0);
	return argc > 3 ? pthread_join(other, NULL) : 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" -pthread mux.c -o mux || fail 'the program is not built'

# Holds what it gets for 5 ms, each way, and writes what passed as a hash, and for how long it held it in µs, a line for two ways.
cat >relay.py <<'END'
import hashlib, socket, sys, time
here = socket.create_server(('127.0.0.1', 0))
print(here.getsockname()[1], file=open('relay.new', 'w'))
__import__('os').rename('relay.new', 'relay')
client = here.accept()[0]
server = socket.create_connection(('127.0.0.1', int(open('port').read())))
seen, held = hashlib.sha256(), open('held', 'w')
while True:
    total = 0
    for source, to in (client, server), (server, client):
        data = source.recv(65536)
        if not data:
            server.close()
            print(seen.hexdigest(), file=open('hash', 'w'))
            sys.exit()
        since = time.monotonic()
        time.sleep(0.005)
        total += time.monotonic() - since
        seen.update(data)
        to.sendall(data)
    print(total * 1e6, file=held, flush=True)
END

# measure CLIENT PORT ARGUMENT...: with "$under" before the programs, in the profiles $1 and $1.server if it is fathom.
measure() {
	rm -f port relay hash
	# shellcheck disable=SC2086
	timeout 120 ${under:-env} ${under:+-f serve -f answer -o "$1.server" --} ./mux serve port >served 2>&1 &
	server=$!
	until [ -s port ] || ! kill -0 $server 2>gone; do sleep 0.05; done
	relay=
	[ "$2" != relay ] || { timeout 120 python3 relay.py & relay=$!; until [ -s relay ]; do sleep 0.05; done; }
	client=$1
	shift
	# shellcheck disable=SC2086
	timeout 120 ${under:-env} ${under:+-f ask -o "$client" --} ./mux ask "$@" >truth 2>&1 || fail "the client failed: $(cat truth)"
	wait $server || fail "the server failed: $(cat served)"
	[ -z "$relay" ] || wait $relay || fail 'the relay failed'
}

# What passes is what passes without us; what the relay held is the network's part, and nobody else's.
under=
measure bare relay
cp hash before
under="$fathom run --no-models -q -m time,mem,remote --max-overhead none --samples all"
measure far relay
cmp -s hash before || fail 'the conversation is another one'
run 0 merge far far.server -o joint --match 'ask.id = answer.key' --no-models
grep -q 'ask: 20 of 20 calls are matched by the feature' errors || fail 'a call through a relay is not matched by its key'
sqlite3 joint 'SELECT "time.network", "time.server", "mem.server" = 1000 * k, (stopped_ns + waited_ns) / 1000.0 FROM ask ORDER BY id' >parts
python3 - <<'END' || fail "the network is not what held it: $(cat parts) $(cat held)"
held = [float(line) for line in open('held')]
parts = [[float(number or 'inf') for number in line.strip().split('|')] for line in open('parts')]
assert len(held) == len(parts) == 20
# What is on its way while the client is stopped, or has no processor (empty: not known), is in no part.
assert all(network + missed > hold - 50 for (network, _, _, missed), hold in zip(parts, held))
assert sum(network > hold / 2 for (network, _, _, _), hold in zip(parts, held)) > 10
assert min(network - hold for (network, _, _, _), hold in zip(parts, held)) < 5000
assert min(server for _, server, _, _ in parts) < 5000 and all(exact for _, _, exact, _ in parts)
END

# Two threads, one connection: by their place each is refused or right, by their key all are right.
measure two port both
for match in '' 'ask.id = answer.key'; do
	run 0 merge two two.server -o joint ${match:+--match "$match"} --no-models
	[ "$(sqlite3 joint 'SELECT count(*), sum("mem.server" != 1000 * k), sum("mem.server" IS NULL AND "time.server" IS NOT NULL) FROM ask')" = '40|0|0' ] ||
		fail "another's server is in a call: $(sqlite3 joint 'SELECT id, k, "mem.server" FROM ask')"
	cp errors "told.${match:+key}"
done
matched=$(sed -n 's/.*ask: \([0-9]*\) of 40 calls are matched by the feature.*/\1/p' told.key)
short=$(sed -n 's/.*ask: \([0-9]*\) of 40 calls waited for less time.*/\1/p' told.key)
[ $((matched + short)) -eq 40 ] && [ "$matched" -gt 20 ] || fail "by their key not all are matched: $(cat told.key)"
