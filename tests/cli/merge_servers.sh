#!/bin/sh
# A call that asks functions of two servers: what each adds to it is apart, adds up, and has a model and a verdict of its own.
# not sanitized: three programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

cat >parts.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ports.h"

static int over, fds[2], bytes = 1000;
static void *volatile block;

static void serve(int fd, int per_us, int size)
{
	struct timespec pause = {.tv_nsec = 300000};
	int k = 0;

	over = read(fd, &k, sizeof(k)) != sizeof(k);
	if (over)
		return;
	block = malloc((size_t)(k * size));
	pause.tv_nsec += k * per_us * 1000L;
	nanosleep(&pause, NULL);
	free(block);
	if (write(fd, &k, sizeof(k)) != sizeof(k))
		exit(1);
}
__attribute__((noinline)) static void handle(int fd) { serve(fd, 100, bytes); }
__attribute__((noinline)) static void look_up(int fd) { serve(fd, 0, 0); }
static void ask(int i, int k)
{
	if (write(fds[i], &k, sizeof(k)) != sizeof(k))
		exit(1);
}
static void hear(int i)
{
	int k;

	if (read(fds[i], &k, sizeof(k)) != sizeof(k))
		exit(1);
}
__attribute__((noinline)) static void in_turn(int k)
{
	for (int i = 0; i < 3; i++) {
		ask(i > 0, k);
		hear(i > 0);
	}
}
__attribute__((noinline)) static void at_once(int k)
{
	ask(0, k);
	ask(1, k);
	hear(0);
	hear(1);
}

int main(int argc, char **argv)
{
	int fd;

	if (argv[1][0] == 'c') {
		fds[0] = port_connect(argv[2]);
		fds[1] = port_connect(argv[3]);
		for (int k = 0; k < 60; k++) {
			in_turn(k % 12);
			at_once(k % 12);
		}
		return 0;
	}
	bytes = argc > 3 ? atoi(argv[3]) : bytes;
	fd = accept(port_listen(argv[2], 1), NULL, NULL);
	while (!over)
		argv[1][0] == 'h' ? handle(fd) : look_up(fd);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$top/tests/cli" -fno-ipa-icf parts.c -o parts || fail 'the program is not built'

# measured NAME METRICS FUNCTIONS ARGUMENT...: as the profile NAME.
measured() {
	name=$1 metrics=$2 functions=$3
	shift 3
	# shellcheck disable=SC2086
	timeout 120 "$fathom" run --no-models -q -m "$metrics" --max-overhead none --samples all $functions -o "$name" -- ./parts "$@" >"$name.told" 2>&1 ||
		echo "$name: $(cat "$name.told")" >failed
}
await() {
	until [ -s "$1" ] || [ -e failed ]; do sleep 0.05; done
}
# all_of NAME ARGUMENT...: NAME.joint, of a client and two servers, the first one with the argument.
all_of() {
	all=$1
	shift
	rm -f h.port l.port
	measured handle.$all time,mem,remote '-f handle' handle h.port "$@" &
	measured look.$all time,remote '-f look_up' look_up l.port &
	await h.port
	await l.port
	measured client.$all time,remote '-f in_turn -f at_once' call h.port l.port
	wait
	[ ! -e failed ] || fail "$(cat failed)"
	run 0 merge client.$all handle.$all look.$all -o $all.joint
}
all_of once
for function in in_turn at_once; do
	[ "$(sqlite3 once.joint "SELECT count(*), sum(abs(\"time.server\" - \"time.server(handle)\" - \"time.server(look_up)\") < 0.001) FROM $function")" = '60|60' ] ||
		fail "$function: the servers' functions do not add up: $(sqlite3 once.joint "SELECT \"time.server\", \"time.server(handle)\", \"time.server(look_up)\" FROM $function")"
done
# In turn each has its own time; at once that of whoever was awaited, who ends last.
own='(SELECT sum(min(coalesce(time, "served.worked" / 1000.0), "served.worked" / 1000.0)) FROM NAME WHERE parent = a.id)'
for name in handle look_up; do
	[ "$(sqlite3 once.joint "SELECT sum(abs(\"time.server($name)\" - $(echo "$own" | sed "s/NAME/$name/")) < 0.001) FROM in_turn AS a")" = 60 ] || fail "$name: not its own time"
done
ended='(SELECT max("served.ended") FROM NAME WHERE parent = a.id)'
for name in handle/look_up look_up/handle; do
	awaited="\"time.server(${name%/*})\" - $(echo "$own" | sed "s/NAME/${name%/*}/")"
	last="$(echo "$ended" | sed "s/NAME/${name%/*}/") > $(echo "$ended" | sed "s/NAME/${name#*/}/")"
	[ "$(sqlite3 once.joint "SELECT count(*) FROM at_once AS a WHERE $awaited > 0.001 OR ($last AND $awaited < -0.001)")" = 0 ] ||
		fail "$name: who ends last is not who is awaited"
done
grep -qE 'at_once: for [0-9]+ of 60 calls servers worked in parallel' errors || fail "that it was at once is not said: $(cat errors)"
grep -qE 'in_turn.time = own .* \+ server [0-9]+ % \(handle [0-9]+ %, look_up [0-9]+ %\) \+ network' errors || fail "$(cat errors)"
# One measured memory, the other did not: what is not known is absent.
[ "$(sqlite3 once.joint 'SELECT sum("mem.server(handle)" = 1000 * k), sum("mem.server(look_up)" IS NULL), sum("mem.server" IS NULL) FROM in_turn')" = '60|60|60' ] ||
	fail "$(sqlite3 once.joint 'SELECT k, "mem.server(handle)", "mem.server(look_up)" FROM in_turn')"
# Each has a model of the client's features.
grep -q '^in_turn.mem.server(handle)' output && grep -q '1000\*k' output || fail "$(cat output)"
grep -q '^in_turn.time.server(handle)' output && grep -q '^in_turn.time.server(look_up)' output || fail "$(cat output)"
run 0 annotate -q --json once.joint -f in_turn -m time
python3 - <<'END' || fail "what the functions cost is not told: $(cat output)"
import json
models = {a['function']: a for a in json.load(open('output'))['annotations']}
assert {'in_turn', 'in_turn.server(handle)', 'in_turn.server(look_up)'} <= set(models), list(models)
END
# The first one allocates more: it is named.
all_of later 1500
run 1 diff once.joint later.joint -f in_turn -m mem
grep -q 'in_turn.mem.server(handle): WORSE' output && ! grep -q 'look_up.*WORSE' output || fail "$(cat output)"
