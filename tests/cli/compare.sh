#!/bin/sh
# Two programs are launched by turns and compared; what is not to be compared is refused before anything runs.
# not sanitized: run, diff and check are
. "$(dirname "$0")/lib"
old=$build/fixtures/elements-old
TMPDIR=$scratch
export TMPDIR
new=$build/fixtures/elements-steeper

run 1 compare -f work -m mem,time --runs 3 --json -o kept -- "$old" 100 10 1000 -- "$new" 100 10 1000
python3 - <<'END' || fail 'the JSON is not as promised'
import json
r = json.load(open("output"))
d = {d["metric"]: d for d in r["differences"]}
assert d["mem"]["verdict"] == d["time"]["verdict"] == "worse" and r["regression"]
runs = d["time"]["tests"][0]["runs"]
assert runs["old"] == runs["new"] == 3 and not runs["assumed"]
assert d["mem"]["old"]["samples"] == 300
END
grep -qF '3 runs of each' errors || fail 'the runs are not told'
[ "$(sqlite3 kept.old 'SELECT count(*) FROM run' 2>/dev/null || python3 -c 'import sqlite3; print(sqlite3.connect("kept.old").execute("SELECT count(*) FROM run").fetchone()[0])')" = 3 ] ||
	fail 'the warm-up is in the profile'
run 2 compare -f work -o kept -- "$old" 1 10 1000 -- "$new" 1 10 1000
complains 'kept.old is there already'

# The same twice: the program's output is not shown, its end is looked at.
run 0 compare -f work -m mem --runs 2 -- "$old" 100 10 1000 -- "$old" 100 10 1000
says 'work.mem: unchanged'
! grep -q elements output || fail "the program's output is among the results"
run 0 compare -f work -m mem --runs 2 -- "$old" 100 10 1000 11 -- "$old" 100 10 1000
grep -qF 'the old program, failed in 2 of 2 runs' errors || fail 'the failures are not told'

run 2 compare -f work -- "$old" 1 10 1000
complains 'which two programs?'
run 2 compare -- "$old" -- "$new"
complains 'give -f NAME'
run 2 compare -f work
complains 'which two programs?'
run 2 compare -f nothing -- "$old" 1 10 1000 -- "$new" 1 10 1000
complains 'no function "nothing"'
[ "$(grep -c '' errors)" -eq 1 ] || fail 'an error is one line'
run 2 compare -f work -- "$old" 1 10 1000 -- ./none
complains ./none
run 2 compare -f work --runs 0 -- "$old" 1 10 1000 -- "$new" 1 10 1000
complains '--runs is at least 1'
ls fathom-compare-* >/dev/null 2>&1 && fail 'profiles are left behind'
exit 0
