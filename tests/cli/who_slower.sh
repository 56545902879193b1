#!/bin/sh
# A diff of merged calls says who got slower: the server, the client itself or the network, and that another workload is nobody's.
. "$(dirname "$0")/lib"

# calls FILE OWN SERVER NETWORK MOST: 200 calls with param 0 … MOST, whose parts cost so many µs, the server for each of param.
calls() {
	awk -v own="$2" -v server="$3" -v network="$4" -v most="$5" 'BEGIN {
		srand(7)
		print "function,param,time,time.own,time.server,time.network"
		for (i = 0; i < 200; i++) {
			k = 1 + i % most
			a = own * (1 + 0.02 * rand()); b = server * k * (1 + 0.02 * rand()); c = network * (1 + 0.02 * rand())
			printf "ask,%d,%.6f,%.6f,%.6f,%.6f\n", k, a + b + c, a, b, c
		}
	}' >"$1.csv"
	"$fathom" import -q -o "$1" "$1.csv" || fail "$1 is not imported"
}

calls old 100 200 50 10
calls server 100 400 50 10
calls network 100 200 1550 10
calls slow 3000 200 50 10
calls client 300 200 50 10
calls more 100 200 50 20
run 1 diff old server
says '  the server +1.11 ms a call; the '
run 1 diff old network
says '  the network +1.51 ms a call; the '
run 0 diff slow client
says '  the client itself -2.73 ms a call; the '
run 0 diff old more
! grep -q 'a call; ' output || fail 'another workload has a payer'
# A check against what was annotated says which part it is: 1.5 ms more of the network are not the server's.
run 0 annotate old
cp output annotations
run 1 check annotations network
grep -q '^ask.time.network: WORSE' output && grep -q '^ask.time.server: conforms' output && grep -q '^ask.time.own: conforms' output ||
	fail "the network is not found, or others are: $(cat output)"
run 1 diff old server --json
python3 - <<'END' || fail 'the JSON does not say who'
import json
time = [d for d in json.load(open('output'))['differences'] if d['metric'] == 'time'][0]
first, *rest = time['payers']
assert first['part'] == 'time.server' and first['certain'] and 1100 < first['change'] < 1120, time['payers']
assert len(rest) == 2 and not any(p['certain'] or abs(p['change']) > 1 for p in rest), rest
END
