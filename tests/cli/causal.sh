#!/bin/sh
# Causal profiles of a program that arithmetic knows: what is said is true, however busy the machine is, or refused with
# the reason. The program does all it would have done.
# not sanitized: the machine's load is what experiments have to put up with as it is
. "$(dirname "$0")/lib"
program=$build/fixtures/causal

# profile SECONDS ARGUMENT...: fathom causal's object is in the file report; its status in $status.
profile() {
	seconds=$1
	shift
	timeout 120 "$fathom" causal -q --json -r report --for "$seconds" "$@" >output 2>errors </dev/null
	status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ] || fail "causal $*: status $status"
}

# 60 % of a round: an interval that excludes the truth beyond a tenth is none of 95 %.
profile 5 -p round_done --fixed first=60% -- "$program" serial 500
says 'rounds 500'
python3 - "$status" <<'END' || fail "the profile is not true: $(cat report)"
import json, sys
r = json.load(open("report"))
assert r["fathom"] == 1 and r["progress"] == "round_done" and r["experiments"] >= 0
assert (r["refused"] is None) == (sys.argv[1] == "0")
if r["refused"] is None:
    [unit] = r["causal"]
    assert unit["unit"] == "first" and unit["file"] == "causal.c" and unit["line"] > 0
    [point] = unit["points"]
    assert point["speedup"] == 0.6 and point["experiments"] >= 2
    if unit["low"] is not None:
        width = unit["high"] - unit["low"]
        assert unit["low"] - width - 0.1 < 0.6 < unit["high"] + width + 0.1, unit
else:
    assert not r["causal"] and len(r["refused"]) > 20
END

# Two threads that run at the same time, on one processor: refused, and the program goes on to its end.
timeout 120 taskset -c "$(taskset -cp $$ | sed 's/.*[: ]//; s/[,-].*//')" "$fathom" causal -p round_done --json -r report \
	-- "$program" lock 40 >output 2>errors </dev/null
status=$?
says "rounds 80"
python3 - "$status" <<'END' || fail "two threads on one processor are not refused: $(cat report)"
import json, sys
r = json.load(open("report"))
assert sys.argv[1] == "2" and not r["causal"]
assert "of its threads could run at a time" in r["refused"] or "ended before two experiments" in r["refused"], r["refused"]
END

# Why there is no profile, each in one line.
run 2 causal -q -p round_done -- "$program" serial 1
complains 'no causal profile: '
run 2 causal -q -p round_done --scope 'nothing*' -- "$program" serial 100
complains "was in the scope: choose another --scope"
run 2 causal -q -p round_done --fixed nobody=50% -- "$program" serial 100
complains 'nobody was not seen to run'
run 2 causal -q -p main -- "$program" serial 100
complains 'no causal profile: '
run 2 causal -- "$program"
complains 'what is progress?'
run 2 causal -p round_done
complains 'which program?'
run 2 causal -p rund_done -- "$program"
complains 'round_done'
run 2 causal -p round_done --fixed first=100% -- "$program"
complains 'up to 95%'
run 2 causal -p round_done --fixed first -- "$program"
complains 'as in parse=50%'
run 2 causal -p round_done -- "$scratch/none"
complains 'give the path of a program'
run 2 causal -p round_done -- no-such-program
complains 'there is no program'
printf '#!/bin/sh\n:\n' >script
chmod +x script
run 2 causal -p round_done -- ./script
complains 'is a script'

# A function, a line in it and a variable count the same rounds; what sleeps gains nothing.
line=$(grep -n '__atomic_fetch_add(&done' "$top/fixtures/trace/causal.c" | cut -d: -f1)
profile 5 -p round_done -p "causal.c:$line" -p done -- "$program" sleeps 600
says 'rounds 600'
python3 - <<'END' || fail "three ways of counting differ: $(cat report)"
import json
r = json.load(open("report"))
if r["refused"] is None:
    units = r["causal"]
    assert len(units) == 3 and {u["unit"] for u in units} == {"work_ms"}, units
    slopes = [u["slope"] for u in units]
    assert max(slopes) - min(slopes) < 0.05 and max(slopes) < 0.45, slopes
END

# Attached to, by callers: the process does all that it would have done.
"$program" callers 3000 >output &
child=$!
profile 4 -p round_done --callers --attach "$child" --fixed 'shared called by one=45%'
wait "$child" || fail "the process did not live on"
says 'rounds 3000'
python3 - <<'END' || fail "units are not by caller: $(cat report)"
import json
r = json.load(open("report"))
assert all(u["unit"] == "shared called by one" for u in r["causal"]) and (r["causal"] or r["refused"])
END

# Twice the work: an event loop cannot do it earlier; another thread can until it has no time left.
profile 5 -p round_done --arrival arrives --load 2 -- "$program" events 3000
grep -q 'in an event loop' errors || grep -q 'passed arrives' errors || fail "not refused: $(cat report errors)"
profile 6 -p round_done --arrival arrives --load 1.5 -- "$program" pool 600
says 'rounds 600'
python3 - <<'END' || fail "more work is not more done: $(cat report)"
import json
r = json.load(open("report"))
for u in r["causal"]:
    [point] = u["points"]
    assert abs(point["load"] - 1.5) < 1e-9 and -0.2 < point["gain"] < 0.5, point
END

# The whole run, launched in pairs.
profile 4 --end-to-end --fixed first=60% -- "$program" serial 20
grep -q '^rounds 20$' output || fail "the program was not launched"

# What cannot be counted is said.
run 2 causal -p causal.c:1 -- "$program"
complains 'the next that has some is'
run 2 causal -p nothing.c:1 -- "$program"
complains 'name no file nothing.c'
run 2 causal -p round_done --load 2 -- "$program"
complains 'where does work arrive?'
run 2 causal -p round_done --arrival arrives --load 0.5 -- "$program"
complains 'is no load'
run 2 causal --latency first -- "$program"
complains 'BEGIN,END'
run 2 causal -p round_done --attach 1x
complains "1x"

# Ctrl-C ends the experiments; the program goes on, and ends as it would.
"$fathom" causal -q -p round_done -r report -- "$program" queue 150 >output 2>errors </dev/null &
fathom_pid=$!
tries=0
until child=$(pgrep -P "$fathom_pid" causal) || [ $tries -eq 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -INT "$fathom_pid"
wait "$fathom_pid"
status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 2 ] || fail "Ctrl-C: status $status"
says 'rounds 150'
[ ! -d "/proc/$child" ] || fail "process $child is left"
