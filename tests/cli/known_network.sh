#!/bin/sh
# A network that takes a known time: it is the network's part of a call, and not the server's.
# not sanitized: six programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"

[ -w /dev/net/tun ] && unshare -rn ip link >gone 2>&1 || { echo 'no network devices of our own: skipped'; exit 77; }

${CC:-cc} -O1 -g "$top/tests/support/far.c" -o far || fail 'the programs are not built'


# over MS: both are measured, as MS.client and MS.server, and merged as MS.
over() {
	measured="'$fathom' run --no-models -q -m time,mem,remote --max-overhead none --samples all"
	timeout 120 unshare -rn python3 "$top/tests/support/line.py" "$1" "$measured -f handle -o $1.server -- ./far serve" "$measured -f ask -o $1.client -- ./far call" >line 2>&1 ||
		fail "$1 ms: $(cat line)"
	run 0 merge "$1.client" "$1.server" -o "$1" --no-models
	grep -q 'ask: 30 of 30 calls are matched by their place' errors || fail "not all calls over $1 ms are matched"
}
over 5
# 5 ms each way; a timer never ends before its time. What is on its way while the client is stopped is not waited for.
[ "$(sqlite3 5 'SELECT count(*), sum("time.network" + stopped_ns / 1000.0 >= 10000), sum("mem.server" = 1000 * k), sum("time.server" >= 300) FROM ask')" = '30|30|30|30' ] ||
	fail "$(sqlite3 5 'SELECT k, time, "time.own", "time.server", "time.network", stopped_ns FROM ask')"
