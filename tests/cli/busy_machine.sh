#!/bin/sh
# A machine that was busier for one side is told, and shifts all of its runs: a moderate difference is inconclusive then, a large one is not.
. "$(dirname "$0")/lib"

# samples NAME SLOPE LOAD: five runs that do not differ.
samples() {
	awk "BEGIN {
		srand(3)
		print \"function,time,n,run,system.load\"
		for (i = 0; i < 500; i++) {
			n = 10 + int(990 * rand())
			print \"work,\" (100 + $2 * n) * (1 + 0.02 * rand()) \",\" n \",\" int(i / 100) \",\" $3 + rand()
		}
	}" >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}
samples quiet 2 0.5
samples dearer 2.8 0.5
samples dearer_busy 2.8 5000
samples steep_busy 20 5000
samples busy 2 5000
"$fathom" annotate quiet.fathom -r quiet.ann
grep -q 'Of 5 runs, which differ by .* %, at load [01]' quiet.ann || fail 'the load is not in the annotation'
"$fathom" annotate busy.fathom -r busy.ann

run 1 check quiet.ann dearer.fathom
run 0 check quiet.ann dearer_busy.fathom
says 'inconclusive'
says 'the machine was busy (load 5'
run 1 check --fail-inconclusive quiet.ann dearer_busy.fathom
run 1 check quiet.ann steep_busy.fathom
# Busy both times is fair, but for the minutes of each.
run 1 check busy.ann dearer_busy.fathom
samples fifth 2.5 0.5
samples fifth_busy 2.5 5000
run 1 check quiet.ann fifth.fathom
run 0 check busy.ann fifth_busy.fathom
says 'inconclusive' 'minutes are taken to differ by 11 %'
run 1 diff quiet.fathom fifth.fathom
run 0 diff busy.fathom fifth_busy.fathom
says 'work.time: inconclusive' 'minutes are taken to differ by 11 %'
run 1 diff quiet.fathom dearer.fathom
run 0 diff quiet.fathom dearer_busy.fathom --json
python3 - <<'END' || fail 'the JSON is not as promised'
import json
[d] = json.load(open("output"))["differences"]
assert d["verdict"] == "inconclusive" and all(t["runs"]["busy"] for t in d["tests"])
END
run 0 diff dearer_busy.fathom quiet.fathom
says 'inconclusive'
run 1 diff busy.fathom dearer_busy.fathom
run 1 diff quiet.fathom steep_busy.fathom
# But one run each does not say how much runs of such a machine differ.
samples double 3.7 0.5
samples double_busy 3.7 5000
for name in quiet busy steep_busy double double_busy; do
	awk -F, 'NR == 1 || $4 == 0' "$name.csv" >one.csv
	"$fathom" import -q -o "one_$name.fathom" one.csv || fail "import of one run of $name"
done
run 1 diff one_quiet.fathom one_double.fathom
run 0 diff one_busy.fathom one_double_busy.fathom
says 'inconclusive' 'one run each' 'the machine was busy (load 5'
run 1 diff one_busy.fathom one_steep_busy.fathom

# So is one whose calls had no processor for a third of their time, whatever its load; and calibrations that differ are told.
cp dearer.fathom preempted.fathom
column=$(sqlite3 preempted.fathom "SELECT 'v' || id FROM variable WHERE name = 'time'")
sqlite3 preempted.fathom "UPDATE sample_1 SET waited_ns = CAST($column * 500 AS INTEGER)"
run 0 diff quiet.fathom preempted.fathom
says 'inconclusive'
says 'calls without a processor 33 % of their time, 0 % before'
run 0 check quiet.ann preempted.fathom
says 'inconclusive'
"$fathom" annotate preempted.fathom -r preempted.ann
grep -q ', preempted 33 %' preempted.ann || fail 'what calls waited is not in the annotation'
run 0 check preempted.ann preempted.fathom
! grep -q 'busy' output || fail 'it was as busy before'
# Or of whose processors other machines had a part.
cp dearer.fathom stolen.fathom
sqlite3 stolen.fathom "UPDATE run SET stolen = 0.12; DELETE FROM model"
run 0 diff quiet.fathom stolen.fathom
says 'inconclusive' 'other machines had 12 % of the processors, 0 % before'
"$fathom" annotate stolen.fathom -r stolen.ann
grep -q ', stolen 12 %' stolen.ann || fail 'what other machines had is not in the annotation'
run 0 check quiet.ann stolen.fathom
says 'inconclusive'
run 0 check stolen.ann stolen.fathom
! grep -q 'busy' output || fail 'as much was stolen before'
run 1 check stolen.ann steep_busy.fathom
sqlite3 quiet.fathom "UPDATE calibration SET resolution = 0.1 WHERE metric = 'time'"
sqlite3 dearer.fathom "UPDATE calibration SET resolution = 0.5 WHERE metric = 'time'"
run 1 diff -v quiet.fathom dearer.fathom
says 'calibration differs: a resolution of 0.5 µs, 0.1 before'
# A run whose pads could not be calibrated is as the other runs, but that nothing was subtracted.
sqlite3 quiet.fathom "UPDATE calibration SET resolution = 1 WHERE metric = 'time'"
sqlite3 dearer.fathom "UPDATE run SET probes = 'pads'; INSERT INTO pad_calibration SELECT run, 0.03, 0, 0, 0, 0, 0.01, 0, 0, 0 FROM calibration WHERE metric = 'time' AND run > 1"
run 1 diff -v quiet.fathom dearer.fathom
says 'calibration differs: a resolution of 0.04 µs, 1 before'

# Where the processor's time was measured, too, and did not grow, a large difference is inconclusive as well; where it grew, it is not.
both() {
	awk -F, -v cpu="$2" 'NR == 1 { print $0 ",cpu"; next } { print $0 "," (100 + cpu * $3) * (1 + 0.01 * (NR % 5)) }' "$1.csv" >"$3.csv"
	"$fathom" import -q -o "$3.fathom" "$3.csv" || fail "import of $3.csv"
}
both quiet 2 quiet_cpu
both steep_busy 2 same_cpu
both steep_busy 20 more_cpu
"$fathom" annotate quiet_cpu.fathom -r cpu.ann
run 0 diff quiet_cpu.fathom same_cpu.fathom
says 'work.time: inconclusive'
run 1 diff quiet_cpu.fathom more_cpu.fathom
says 'work.time: WORSE'
run 0 check cpu.ann same_cpu.fathom
says 'work.time: inconclusive'
run 1 check cpu.ann more_cpu.fathom
says 'work.time: WORSE'
