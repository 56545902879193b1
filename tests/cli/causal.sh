#!/bin/sh
# Causal profiles of a program that arithmetic knows. What depends on how fast anything is, is in tests of chance and of a simulation
# (tests/unit/*/causal); here is what is true however busy the machine is. Runs are repeated until experiments were made.
# not sanitized: the machine's load is what experiments have to put up with as it is
. "$(dirname "$0")/lib"
program=$build/fixtures/causal

# profile ARGUMENT...: fathom causal's object is in the file report, and its status says the same.
profile() {
	timeout 120 "$fathom" causal -q --json -r report "$@" >output 2>errors </dev/null
	status=$?
	python3 - "$status" <<'END' || fail "causal $*: status $status, $(cat report)"
import json, sys
r = json.load(open("report"))
assert list(r) == ["fathom", "progress", "causal", "experiments", "unused", "elapsed_s", "paused_s", "load", "waits_for_outside", "refused"]
assert sys.argv[1] == ("0" if r["refused"] is None else "2")
assert bool(r["causal"]) == (r["refused"] is None)
assert 0 <= r["paused_s"] <= r["elapsed_s"] and sum(r["unused"].values()) <= r["experiments"]
END
}

# repeat COMMAND CONDITION: until it holds; for minutes if need be.
repeat() {
	tries=0
	while $1 && ! $2; do
		tries=$((tries + 1))
		[ $tries -lt 60 ] || fail "never: $2"
	done
}
# kept FILE SQL: what the profile has.
kept() {
	sqlite3 "$1" "$2" 2>missing
}
has_experiments() {
	[ "$(kept kept.fathom 'SELECT count(*) FROM experiment')" -ge 2 ] 2>missing
}

# What is asked for wrongly.
for what in 'what is progress?:-- program' 'which program?:-p round_done' 'round_done:-p rund_done -- program' \
	'up to 95%:-p round_done --fixed first=100% -- program' 'as in parse=50%:-p round_done --fixed first -- program' \
	'give the path of a program:-p round_done -- ./none' 'there is no program:-p round_done -- no-such-program' \
	'is a script:-p round_done -- ./script' 'the next that has some is:-p causal.c:1 -- program' \
	'name no file nothing.c:-p nothing.c:1 -- program' 'where does work arrive?:-p round_done --load 2 -- program' \
	'is no load:-p round_done --arrival arrives --load 0.5 -- program' 'BEGIN,END:--latency first -- program' \
	'which thread changes it:-p round_done --arrival done --load 2 -- program' 'takes the place of all points:--end-to-end -p round_done -- program' '1x:-p round_done --attach 1x'; do
	printf '#!/bin/sh\n:\n' >script
	chmod +x script
	ln -sf "$program" program
	arguments=${what#*:}
	run 2 causal $(echo "$arguments" | sed 's|-- program|-- ./program|')
	complains "${what%%:*}"
done

# Why there is no profile: of these reasons none depends on time.
run 2 causal -q -p round_done --scope 'nothing*' -- "$program" serial 40
complains "was in the scope: choose another --scope"
run 2 causal -q -p round_done --fixed nobody=50% -- "$program" serial 40
complains 'nobody was not seen to run'
run 2 causal -q -p round_done --callers --fixed shared=50% -- "$program" callers 50
complains 'shared was not seen to run'
profile -p main -- "$program" serial 40
[ "$status" -eq 2 ] || fail 'once is a rate'
says 'rounds 40'
sed -n '/^cat >sealed.py/,/^END/p' "$top/tests/cli/counters.sh" | sed '1d;$d' >sealed.py
timeout 120 python3 sealed.py 1 "$fathom" causal -q -p round_done -- "$program" serial 40 >output 2>errors </dev/null
status=$?
[ $status -ne 0 ] || fail 'samples without the right to take some'
complains 'the kernel does not let threads be sampled'

# A function, a line in it and a variable count rounds; what was tried is kept, and the next run goes on from it.
line=$(grep -n '__atomic_fetch_add(&done' "$top/fixtures/trace/causal.c" | cut -d: -f1)
# Some virtual machines have no debug registers that work: that is told, and lines are not tried then, nor entries without pads.
registers=yes
second=causal.c:$line
timeout 120 "$fathom" causal -q -p "$second" -- "$program" serial 1 >output 2>errors </dev/null
if grep -q 'are not to be had here: name a function' errors; then
	echo 'not tried, as debug registers do not work here: lines, arrivals without pads'
	registers=no
	second=third
fi
points="-p round_done -p $second -p done --fixed first=60%"
runs=0
go_on() {
	before=$(kept kept.fathom 'SELECT count(*) FROM experiment') || before=0
	profile -o kept.fathom $points -- "$program" serial 250
	says 'rounds 250'
	runs=$((runs + 1))
	now=$(kept kept.fathom 'SELECT count(*) FROM experiment') || now=0
	[ "$now" -ge "$before" ] || fail "$before experiments became $now"
	[ "$now" -eq "$(python3 -c 'import json; print(json.load(open("report"))["experiments"])')" ] || fail 'others are kept'
}
go_on
repeat go_on has_experiments
python3 - $runs "$second" <<'END' || fail 'what was kept is not true'
import math, sqlite3, sys
db = sqlite3.connect("kept.fathom")
names = [row[0] for row in db.execute("SELECT name FROM causal_progress ORDER BY number")]
assert names == ["round_done", sys.argv[2], "done"], names
tried = db.execute("SELECT experiment.number, name, file, speedup, elapsed_s, inserted_s, waited_s FROM experiment"
                   " JOIN causal_unit ON causal_unit.number = unit").fetchall()
for number, name, file, speedup, elapsed, inserted, waited in tried:
    assert (name, file) == ("first", "causal.c") and speedup in (0, 0.6), (name, speedup)
    # One thread, so each sample of 1 ms in first() is a gain of so much, and nothing else is but having no processor.
    (samples,) = db.execute("SELECT sum(samples) FROM experiment_sampled WHERE unit IN (SELECT number FROM causal_unit"
                            " WHERE name = 'first') AND experiment = ?", (number,)).fetchone()
    assert 0 <= inserted <= elapsed
    assert abs(inserted - waited - speedup * samples / 1000) < 1e-6, (speedup, samples, inserted, waited)
for progress in range(3):
    (seen,) = db.execute("SELECT sum(visits) FROM experiment_seen WHERE progress = ?", (progress,)).fetchone()
    assert 0 < seen <= 250 * int(sys.argv[1]), (progress, seen)
# 60 % of processor time: were all samples independent, which is worse than samples at even distances, 5 deviations.
units = dict(db.execute("SELECT name, sum(s.samples) FROM experiment_sampled s JOIN causal_unit u ON u.number = s.unit"
                        " GROUP BY name"))
n = sum(units.values())
assert abs(units["first"] / n - 0.6) < 5 * math.sqrt(0.6 * 0.4 / n), units
END

# Of experiments that are known, everything is: twelve pairs with a gain of 0.36 at 60 %, and a name that others wrote.
python3 - <<'END'
import sqlite3
db = sqlite3.connect("kept.fathom")
for table in "experiment", "experiment_seen", "experiment_sampled":
    db.execute("DELETE FROM " + table)
db.execute("UPDATE causal_unit SET samples = 1e9, file = char(27) || 'c' WHERE name = 'first'")
(unit,) = db.execute("SELECT number FROM causal_unit WHERE name = 'first'").fetchone()
for i in range(24):
    db.execute("INSERT INTO experiment VALUES (1, ?, ?, ?, ?, 0, ?, 0, 0)", (i, unit, i // 2, 0.6 * (i % 2), 1 - 0.36 * (i % 2)))
    for progress in range(3):
        db.execute("INSERT INTO experiment_seen VALUES (1, ?, ?, 100, 0, 0)", (i, progress))
    db.execute("INSERT INTO experiment_sampled VALUES (1, ?, ?, 600)", (i, unit))
db.commit()
END
profile -o kept.fathom $points -- "$program" serial 1
python3 - "$second" <<'END' || fail "known experiments have another profile: $(cat report)"
import json, sys
r = json.load(open("report"))
assert r["experiments"] == 24 and abs(r["elapsed_s"] - 12 * 1.64) < 1e-9 and r["paused_s"] == 0
assert [u["progress"] for u in r["causal"]] == ["round_done", sys.argv[1], "done"]
for u in r["causal"]:
    assert u["unit"] == "first" and u["file"] == "\33c" and u["line"] > 0 and u["certain"] and u["active"] == 1
    assert abs(u["slope"] - 0.6) < 1e-5 and u["low"] < 0.6 < u["high"] and u["upto"] is None and u["then"] is None
    [point] = u["points"]
    assert point["speedup"] == 0.6 and abs(point["gain"] - 0.36) < 1e-9 and point["experiments"] == 24
END
run 0 causal -q -o kept.fathom -r text $points -- "$program" serial 1
grep -q '^first  ?c:[0-9]*  +0.60 % per 1 %' text || fail "it is not safe text: $(cat text)"

# A profile with them is printed and drawn; where it has samples, too, terms have a worth: 5*n^2 of 5*n^2 is all, so half of 0.6.
(
	echo function,self.time,n
	seq 100 400 | awk '{ print "first," 5 * $1 * $1 "," $1 }'
) >first.csv
run 0 import -o known.fathom first.csv
python3 - <<'END'
import sqlite3
db = sqlite3.connect("known.fathom")
db.execute("ATTACH 'kept.fathom' AS kept")
for name, made in db.execute("SELECT name, sql FROM kept.sqlite_master WHERE type = 'table' AND"
                             " (name LIKE 'causal%' OR name LIKE 'experiment%')").fetchall():
    db.execute(made)
    db.execute("INSERT INTO main.%s SELECT * FROM kept.%s" % (name, name))
db.execute("UPDATE function SET line = (SELECT line FROM causal_unit WHERE name = 'first')")
db.commit()
END
run 0 causal known.fathom
[ "$(grep -c '^first  ?c:[0-9]*  +0.60 % per 1 %' output)" -eq 3 ] || fail "not printed: $(cat output)"
[ "$(grep -c '^if the term n^2 of first, 100 % of its own time, were halved: +30.0 % (' output)" -eq 3 ] || fail "no term: $(cat output)"
run 0 causal --json known.fathom
[ "$(grep -c '"unit": "first"' output)" -eq 3 ] || fail "no object: $(cat output)"
run 0 export kept.fathom --html page.html --plots pictures
grep -q 'throughput of round_done' page.html || fail 'the page has no section of it'
python3 -c 'import sys, xml.dom.minidom as dom; [dom.parse(name) for name in sys.argv[1:]]' pictures/*.causal.svg || fail 'no SVG'
[ "$(ls pictures/*.causal.svg | wc -l)" -eq 3 ] || fail "$(ls pictures)"
run 2 causal known.fathom -- "$program" serial 1
complains 'is a profile to print'
run 0 import -o without.fathom first.csv
run 2 causal without.fathom
complains 'has no causal experiments'

# What takes so long is a call: it is begun when it is entered, and ended when it returns, in 6 of 10 units of time.
last() {
	profile -o lasts.fathom --latency first,first --fixed first=0% -- "$program" serial 250
}
has_lasts() {
	[ "$(kept lasts.fathom 'SELECT count(*) FROM experiment WHERE flaw = 0')" -ge 1 ] 2>missing
}
repeat last has_lasts
[ "$(kept lasts.fathom 'SELECT count(*) FROM experiment JOIN experiment_seen ON experiment = experiment.number
	WHERE flaw = 0 AND (abs(grown) > 1 OR open <= 0 OR open > 1)')" -eq 0 ] || fail 'a call of first() takes another time'

profile -o kept.fathom -p round_done --lines -- "$program" serial 1
[ "$(kept kept.fathom 'SELECT count(*) FROM experiment')" -eq 24 ] || fail 'another setting took their place'

# Two threads that always run, on one processor: that is too few in each experiment without a speedup, which 0 % is.
one=$(taskset -cp $$ | sed 's/.*[: ]//; s/[,-].*//')
crowd() {
	timeout 120 taskset -c "$one" "$fathom" causal -q -o one.fathom -p round_done --fixed first=0% -- "$program" barrier 36 \
		>output 2>errors </dev/null
	status=$?
	[ $status -eq 2 ] || fail "two threads on one processor: status $status"
	says 'rounds 36'
}
has_crowd() {
	[ "$(kept one.fathom 'SELECT count(*) FROM experiment')" -ge 1 ] 2>missing
}
repeat crowd has_crowd
[ "$(kept one.fathom 'SELECT count(*) FROM experiment WHERE speedup <> 0 OR flaw <> 4')" -eq 0 ] ||
	fail 'two threads on one processor have processors enough'

# Who waits for the other again and again cannot be paused in time: tests/unit/trace/causal/test_causal_between.c has by how much.
take_turns() {
	profile -o turns.fathom -p round_done --fixed first=90% --for 5 -- "$program" turns 8000
}
has_turns() {
	[ "$(kept turns.fathom 'SELECT count(*) FROM experiment WHERE flaw = 5')" -ge 1 ] 2>missing
}
repeat take_turns has_turns

# Inlined code is that of the function that it is in, by caller.
inline_it() {
	profile -o inlined.fathom -p round_done --callers --fixed 'inner called by more=45%' -- "$program" inlined 250
}
has_inlined() {
	[ "$(kept inlined.fathom 'SELECT count(*) FROM experiment')" -ge 1 ] 2>missing
}
repeat inline_it has_inlined
kept inlined.fathom 'SELECT name FROM causal_unit' >names
grep -qx 'inner called by less' names || fail "inlined code is not by caller: $(cat names)"

# Attached to, by callers: the process does all that it would have done.
attach() {
	"$program" callers 300 >lived &
	child=$!
	profile -o callers.fathom -p round_done --callers --attach "$child" --fixed 'shared called by one=45%'
	wait "$child" || fail "the process did not live on"
	grep -q '^rounds 300$' lived || fail 'the process did something else'
}
has_callers() {
	[ "$(kept callers.fathom 'SELECT count(*) FROM experiment')" -ge 1 ] 2>missing
}
repeat attach has_callers
[ "$(kept callers.fathom "SELECT group_concat(name) FROM (SELECT DISTINCT name FROM causal_unit JOIN experiment ON unit = causal_unit.number)")" = \
	'shared called by one' ] || fail "units are not by caller"
kept callers.fathom 'SELECT name FROM causal_unit' >names
grep -qx 'shared called by other' names || fail 'the other caller is the same'

# More work: where one thread does all of it, it cannot come earlier; where another serves it, it is tried at that load only.
bring_events() {
	profile --probes $probes -p round_done --arrival arrives --load 2 -- "$program" events 1000
	[ "$status" -eq 2 ] || fail 'an event loop is not refused'
	says 'rounds 1000'
}
is_event_loop() {
	grep -q 'the threads that pass arrives do 100 % of all work themselves: in an event loop' errors
}
probes=pads
repeat bring_events is_event_loop
probes=stops
[ $registers = no ] || repeat bring_events is_event_loop
# 300 µs are that part of the time between two, which is at least 9.9 ms.
bring_more() {
	profile -o loads.fathom -p round_done --arrival arrives --load 1.5,300us -- "$program" pool 150
	says 'rounds 150'
}
has_loads() {
	[ "$(kept loads.fathom 'SELECT count(*) FROM experiment')" -ge 1 ] 2>missing
}
repeat bring_more has_loads
[ "$(kept loads.fathom "SELECT count(*) FROM experiment JOIN causal_unit ON unit = causal_unit.number
	WHERE name <> 'arrivals at arrives' OR NOT is_load OR
		speedup <> 0 AND abs(speedup - 1 / 3.0) > 1e-9 AND speedup NOT BETWEEN 1e-9 AND 0.3 / 9.9")" -eq 0 ] ||
	fail 'another load was tried'

bring_too_early() {
	profile -p round_done --arrival arrives --load 1s -- "$program" pool 60
}
is_too_early() {
	grep -q 'so that it cannot come 1000 ms earlier' errors
}
repeat bring_too_early is_too_early

# The whole run: the first launch shows what runs; each experiment is one more, and the last may be cut short.
launch() {
	profile --for $((tries + 1)) --end-to-end --fixed first=60% -- "$program" serial 20
	experiments=$(python3 -c 'import json; print(json.load(open("report"))["experiments"])')
	launches=$(grep -cx 'rounds 20' output)
	[ "$launches" -eq "$(grep -c '' output)" ] || fail 'a launch did something else'
	[ $((launches - experiments)) -eq 1 ] || [ $((launches - experiments)) -eq 2 ] ||
		fail "$experiments experiments in $launches launches"
}
has_launches() {
	[ "$experiments" -ge 2 ]
}
repeat launch has_launches

# Ctrl-C ends the experiments; the program goes on, and ends as it would.
"$fathom" causal -q -p round_done -r report --json -- "$program" queue 60 >output 2>errors </dev/null &
fathom_pid=$!
tries=0
until child=$(pgrep -P "$(pgrep -P "$fathom_pid" tracer)" causal 2>missing) || [ $tries -eq 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -INT "$fathom_pid"
wait "$fathom_pid"
status=$?
[ "$status" -eq 2 ] || [ "$(python3 -c 'import json; print(json.load(open("report"))["refused"])')$status" = None0 ] ||
	fail "Ctrl-C: status $status"
says 'rounds 60'
[ ! -d "/proc/$child" ] || fail "process $child is left"

# The explorer shows what a profile keeps.
. "$top/tests/cli/tmux_lib"
terminal 100 24
command_line "$fathom explore known.fathom"
screen 'first'
keys w
screen '0\.60 % per 1 %'
