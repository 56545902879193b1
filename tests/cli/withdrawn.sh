#!/bin/sh
# Where calls of a closed function are so many that passing its pads costs too much, its jumps are withdrawn until it is measured again: the code is the
# program's own for a while, then has the jump, and so on; and the program does what it does alone.
. "$(dirname "$0")/lib"

program=$build/fixtures/hot-gcc-O2-fixed
address=$(nm "$program" | sed -n 's/ [Tt] fib$//p')
"$program" fib:200 | sed '/^took/d' >alone

cat >changes.py <<'EOF'
"""Prints how often the code at an address of the process that a process has started changes, until WANTED times, and ends that."""
import os
import signal
import sys
import time

pid, address, wanted = sys.argv[1], int(sys.argv[2], 16), int(sys.argv[3])


def child(of):
    with open("/proc/%s/task/%s/children" % (of, of), encoding="ascii") as file:
        for each in file.read().split():
            if os.readlink("/proc/%s/exe" % each) == sys.argv[4]:
                return each
            deeper = child(each)
            if deeper:
                return deeper
    return None


def code(of):
    with open("/proc/%s/mem" % of, "rb") as file:
        file.seek(address)
        return file.read(16)


seen, last, until = 0, None, time.time() + 60
while seen < wanted and time.time() < until:
    try:
        now = code(child(pid)) if child(pid) else None
    except OSError:
        now = None
    seen += now is not None and last is not None and now != last
    last = now or last
    time.sleep(0.001)
print(seen)
os.kill(int(child(pid)), signal.SIGTERM)
EOF

timeout 100 "$fathom" run --no-models -f fib -o hot.fathom -- "$program" fib:4000000000 >output 2>errors &
front=$!
tracer=
while [ -z "$tracer" ] && kill -0 "$front" 2>missing; do
	read -r tracer _ <"/proc/$front/task/$front/children" || sleep 0.01
done
seen=$(python3 changes.py "$tracer" "$address" 4 "$(readlink -f "$program")")
wait "$front"
[ "$seen" -ge 4 ] || fail "the code changed $seen times only"
[ "$(sqlite3 hot.fathom "SELECT calls > 1000 FROM account JOIN function ON function.id = function WHERE name = 'fib'")" -eq 1 ] ||
	fail 'hardly any call was measured'

run 0 run --no-models -f fib -o short.fathom -- "$program" fib:200
sed '/^took/d' output >measured
same alone measured
