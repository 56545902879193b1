#!/bin/sh
# Branches on the command line: what is listed, and that the branch of a loop costs two stops however often it loops, by pads none.
. "$(dirname "$0")/lib"

program=$build/fixtures/branches-gcc-O2

run 0 list --branches "$program" measured_switch
grep -qE '^    switch 0x[0-9a-f]+ by table  .*branches\.c:[0-9]+$' output || fail 'no switch is listed'
grep -qE '^    branch 0x[0-9a-f]+ to 0x[0-9a-f]+  .*branches\.c:[0-9]+$' output || fail 'no branch is listed'

run 0 list --json "$program" measured_switch
python3 - output <<'END' || fail 'the JSON of branches'
import json, re, sys
[function] = json.load(open(sys.argv[1]))["functions"]
names = [branch["name"] for branch in function["branches"]]
assert len(set(names)) == len(names) > 2
for name in names:
    assert re.fullmatch(r"branches\.c:\d+ at measured_switch\+0x[0-9a-f]+", name), name
[switch] = [branch for branch in function["branches"] if branch["kind"] == "switch"]
assert switch["target"] is None
assert function["switches_cut"] == 0
END

# 20 calls of a million turns.
stops() {
	run 0 run -v --max-overhead none --globals none "$@" -f million -o profile --no-models -- "$program" loop 20
	sed -n 's/.*: \([0-9]*\) stops.*/\1/p' errors
}
[ "$(stops --probes stops)" = 40 ] || fail 'stops without branches'
[ "$(stops --probes stops --branches)" = 42 ] || fail 'stops with branches'
[ "$(stops --probes pads)" = 0 ] || fail 'pads stop without branches'
[ "$(stops --probes pads --branches)" = 0 ] || fail 'pads stop with branches'
