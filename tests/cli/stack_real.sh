#!/bin/sh
# No value of a parameter that gdb shows in a frame is missing, or another one, in stacks of real programs that wait in the middle
# of things: CPython's build with debug information, and SQLite's shell.
# not sanitized: it is about values, which the debugger reads slowly
. "$(dirname "$0")/lib"
. "$top/tests/cli/stack_lib"

cat >points.py <<'END'
import functools, json, re, sys, time
def here(*of):
    print("ready", flush=True)
    time.sleep(1000)
class Box:
    def __lt__(self, other): here()
    def __hash__(self): return 7
    def __eq__(self, other): here()
    def __getattr__(self, name): here()
    def __iter__(self): yield here()
{
    "sort": lambda: sorted([3, 1, 2], key=here),
    "less": lambda: sorted([Box(), Box(), Box()]),
    "sub": lambda: re.sub("b+", here, "aabbcc"),
    "dict": lambda: {Box(): 1, Box(): 2},
    "attribute": lambda: Box().missing,
    "json": lambda: json.dumps({"a": [1, {2}]}, default=here),
    "reduce": lambda: functools.reduce(here, [1, 2, 3]),
    "iterate": lambda: list(map(str, Box())),
    "exec": lambda: exec(compile("here()", "text", "exec"), {"here": here}),
}[sys.argv[1]]()
END
points='sort dict json'
[ -z "${FATHOM_FULL:-}" ] || points="$points less sub attribute reduce iterate exec"
python=$(command -v python3.11d || command -v python3-dbg)
for point in $points; do
	[ -z "$python" ] || waits 60 "python, $point" "$python" points.py $point
done

# What it reads is a pipe that nobody writes to.
build_real sqlite3
mkfifo nothing
while read -r point statement; do
	waits 12 "sqlite, $point" "$real" -batch :memory: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')" \
		'.shell echo ready' "$statement"
done <<'END'
expression SELECT a, length(readfile('nothing')) FROM t WHERE b > 'w' ORDER BY a
import .import nothing t
recursion WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + length(readfile('nothing')) FROM n) SELECT max(i) FROM n
END
