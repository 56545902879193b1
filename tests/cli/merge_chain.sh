#!/bin/sh
# A chain: who asks a server that asks another one. What the middle one cost is its own part and what the last one cost; the merged profile is a tree.
# not sanitized: three programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >chain.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

static int next = -1, over;

static void ask(int fd, int k)
{
	int answer;

	if (write(fd, &k, sizeof(k)) != sizeof(k) || read(fd, &answer, sizeof(answer)) != sizeof(answer))
		exit(1);
}
static void serve(int fd)
{
	struct timespec pause = {.tv_nsec = 200000};
	int k = 0;

	over = read(fd, &k, sizeof(k)) != sizeof(k);
	if (over)
		return;
	pause.tv_nsec *= 1 + k % 4;
	nanosleep(&pause, NULL);
	if (next >= 0)
		ask(next, k);
	if (write(fd, &k, sizeof(k)) != sizeof(k))
		exit(1);
}
__attribute__((noinline)) static void middle(int fd) { serve(fd); }
__attribute__((noinline)) static void last(int fd) { serve(fd); }
__attribute__((noinline)) static void first(int fd, int k) { ask(fd, k); }

int main(int argc, char **argv)
{
	int fd;

	if (argc > 3)
		next = port_connect(argv[3]);
	fd = argv[1][0] == 'f' ? port_connect(argv[2]) : accept(port_listen(argv[2], 1), NULL, NULL);
	for (int k = 0; argv[1][0] == 'f' && k < 20; k++)
		first(fd, k);
	while (argv[1][0] != 'f' && !over)
		argv[1][0] == 'm' ? middle(fd) : last(fd);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" -fno-ipa-icf chain.c -o chain || fail 'the program is not built'

# measured NAME ARGUMENT...: as the profile NAME, of the function NAME.
measured() {
	timeout 120 "$fathom" run --no-models -q -m time,remote --max-overhead none --samples all -f "$1" -o "$1" -- ./chain "$@" >"$1.told" 2>&1 ||
		echo "$1: $(cat "$1.told")" >failed
}
await() {
	until [ -s "$1" ] || [ -e failed ]; do sleep 0.05; done
}
measured last last.port &
await last.port
measured middle middle.port last.port &
await middle.port
measured first middle.port
wait
[ ! -e failed ] || fail "$(cat failed)"

run 0 merge middle last -o both --no-models
grep -q 'middle: 20 of [0-9]* calls are matched by their place' errors || fail 'the middle and the last are not matched'
run 0 merge first both -o all --no-models
grep -q 'first: 20 of 20 calls are matched by their place' errors || fail 'the first is not matched'
[ "$(sqlite3 all 'SELECT count(*) FROM first AS a JOIN middle AS b ON b.parent = a.id JOIN last AS c ON c.parent = b.id
	WHERE abs(a.time - a."time.own" - a."time.server" - a."time.network") < 0.001 AND abs(b.time - b."time.own" - b."time.server" - b."time.network") < 0.001
	AND a."time.server" >= b."time.server" AND b."time.server" >= 200 AND b."time.own" >= 200')" = 20 ] ||
	fail "$(sqlite3 all 'SELECT a.time, a."time.server", b.time, b."time.own", b."time.server", b."time.network" FROM first AS a LEFT JOIN middle AS b ON b.parent = a.id')"
run 0 export --otlp all
python3 - <<'END' || fail 'a trace is not of three programs'
import collections, json
traces = collections.defaultdict(set)
for resource in json.load(open('output'))['resourceSpans']:
    pid = resource['resource']['attributes'][2]['value']['intValue']
    for span in resource['scopeSpans'][0]['spans']:
        traces[span['traceId']].add((pid, span['name']))
assert len(traces) == 20 and all({name for _, name in trace} == {'first', 'middle', 'last'} and len({pid for pid, _ in trace}) == 3
                                 for trace in traces.values()), traces
END
