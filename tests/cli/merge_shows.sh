#!/bin/sh
# A merged profile has the servers' calls within the client's: as a time line and as traces; clocks of two hosts are found by their calls.
# not sanitized: two programs under stops take too long then; what it reads is in unit tests
. "$(dirname "$0")/lib"
asked=$build/fixtures/asked
measured='--no-models -q -m time,remote --max-overhead none --samples all'

# shellcheck disable=SC2086
timeout 120 "$fathom" run $measured -f handle -o server -- "$asked" serve port >served 2>&1 &
server=$!
until [ -s port ] || ! kill -0 $server 2>gone; do sleep 0.05; done
# shellcheck disable=SC2086
timeout 120 "$fathom" run $measured -f do_stuff -o client -- "$asked" call port sum 2 >truth 2>&1 || fail "the client failed: $(cat truth)"
"$asked" call port end 1
wait $server || fail "the server failed: $(cat served)"

run 0 merge client server -o joint --no-models
[ "$(sqlite3 joint 'SELECT count(*), sum(a.requests = (SELECT count(*) FROM handle WHERE parent = a.id)), (SELECT count(*) FROM handle) FROM do_stuff AS a')" = '20|20|110' ] ||
	fail 'the calls of the server are not within those of the client'

# Within a call are param + 1 of the server.
run 0 export --timeline line.svg joint --where 'param == 9'
[ "$(grep -c '<rect class="h h0"' line.svg) $(grep -c '<rect class="h h1"' line.svg)" = '1 10' ] || fail 'the time line is not of ten calls in one'
run 0 export --timeline few.svg joint --where 'param == 2'
[ "$(grep -c '<rect class="h h1"' few.svg)" = 3 ] || fail 'the time line is not of the selected call'
run 0 export --otlp joint
python3 - <<'END' || fail 'the traces are not those of the calls'
import json
spans, services = {}, set()
for resource in json.load(open('output'))['resourceSpans']:
    facts = {a['key']: a['value'] for a in resource['resource']['attributes']}
    services.add((facts['service.name']['stringValue'], facts['process.pid']['intValue']))
    for span in resource['scopeSpans'][0]['spans']:
        assert len(span['traceId']) == 32 and len(span['spanId']) == 16 and span['spanId'] not in spans
        spans[span['spanId']] = span
assert len(services) == 2 and len(spans) == 130, (services, len(spans))
assert len({s['traceId'] for s in spans.values()}) == 20
for span in spans.values():
    parent = spans.get(span.get('parentSpanId'))
    assert span['kind'] == (2 if parent else 3)
    if parent:
        assert parent['traceId'] == span['traceId']
        assert int(parent['startTimeUnixNano']) < int(span['startTimeUnixNano']) < int(parent['endTimeUnixNano'])
END
# The same in the explorer.
timeout 120 python3 - "$top/tests/cli" "$fathom" <<'END' >told 2>&1 || fail "the explorer has no time line: $(cat told)"
import sys
sys.path.insert(0, sys.argv[1])
import terminal_shell
terminal = terminal_shell.Terminal([sys.argv[2], "explore", "joint", "-f", "do_stuff", "-m", "time"], "xterm-256color")
terminal.shows("do_stuff")
terminal.type("\r6")
terminal.shows("1000000000002")
at = len(terminal.shown)
terminal.type("t")
terminal.shows("handle", at)
terminal.shows("from 0 ns on", at)
terminal.type("qQ")
assert terminal.report("ended") == "0 same"
terminal.drain()
terminal.close()
END
run 2 export --otlp --csv joint
complains 'one of --csv, --json and --otlp at a time'

# set KEY EXPRESSION PROFILE: of the server's calls.
set_key() {
	v=v$(sqlite3 "$3" "SELECT id FROM variable WHERE name = '$1' AND role = 'key'")
	sqlite3 "$3" "UPDATE sample_1 SET $v = $(echo "$2" | sed "s/KEY/$v/g") WHERE $v > 0"
}
# Another host, whose clock is 3.7 s ahead and gains 50 ppm: durations are as before, and the clocks are found.
cp server away
since=$(sqlite3 server 'SELECT min(began) FROM handle WHERE began > 0')
for key in began served.began served.ended; do
	set_key $key "KEY + 3700000000 + (KEY - $since) * 50e-6" away
done
set_key clock 'KEY + 1' away
run 0 merge client away -o apart --no-models
grep -E "by [0-9]+ pairs of calls the server's clock is" errors >told || fail 'nothing is said of the clocks'
sqlite3 client 'SELECT min("asked.ended" - "asked.began") / 1000.0 FROM do_stuff WHERE "asked.ended" > 0' >shortest
python3 - <<'END' || fail "the clocks are not what they are: $(cat told)"
import re
ahead, width, gain, low, high = map(float, re.search(
    r"clock is ([-\d.]+) s \(± ([\d.]+) µs\).*gains ([-\d.e+]+) ppm \(([-\d.e+]+) to ([-\d.e+]+)\)", open('told').read()).groups())
assert 2 * width <= float(open('shortest').read()) + 1, (width, open('shortest').read())
assert abs(ahead - 3.7) <= 2 * width / 1e6 + 1e-6 and low <= 50 <= high, (ahead, width, low, high)
END
[ "$(sqlite3 apart "ATTACH 'joint' AS j; SELECT count(*), sum(abs(a.\"time.server\" - b.\"time.server\") + abs(a.\"time.own\" - b.\"time.own\")
	+ abs(a.\"time.network\" - b.\"time.network\") < 0.001) FROM main.do_stuff AS a JOIN j.do_stuff AS b USING (start_ns)")" = '20|20' ] ||
	fail 'parts depend on the clocks'

# Two calls' keys are exchanged: that they worked for each other's clients is contradicted, by one clock and by two.
for at in server away; do
	cp $at wrong
	v=$(sqlite3 wrong "SELECT group_concat('v' || id, ' ') FROM variable WHERE name IN ('served.from', 'served.to')")
	for one in $v; do
		sqlite3 wrong "CREATE TABLE kept AS SELECT id, $one AS number FROM sample_1 ORDER BY id;
			UPDATE sample_1 SET $one = (SELECT number FROM kept WHERE rowid = 100) WHERE id = (SELECT id FROM kept WHERE rowid = 10);
			UPDATE sample_1 SET $one = (SELECT number FROM kept WHERE rowid = 10) WHERE id = (SELECT id FROM kept WHERE rowid = 100);
			DROP TABLE kept"
	done
	run 0 merge client wrong -o joint --no-models
	grep -q 'do_stuff: 18 of 20 calls are matched' errors && grep -q 'do_stuff: 2 of 20 calls waited for less time than the servers worked' errors ||
		fail "$at: wrong keys are not seen"
done
grep -q '2 pairs of calls contradict that' errors || fail 'contradictions are not counted'
