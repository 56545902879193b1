"""Checks the frames of `fathom stack --json` against gdb's. Usage: stack_gdb.py FILE, gdb's output on standard input

gdb also shows frames of calls that were replaced by tail calls, gives functions of the C library names with __GI_,
and ends at main: so ours must be a part of its, in the same order.
"""

import json
import re
import sys


def plain(name):
    return re.sub(r"^__GI_", "", name or "??")


gdb = {}
frames = []
for line in sys.stdin:
    thread = re.match(r"Thread \d+ .*LWP (\d+)", line)
    if thread:
        frames = gdb.setdefault(int(thread[1]), [])
    frame = re.match(r"#\d+ +(?:0x[0-9a-f]+ in )?(<signal handler called>|[^ ]+)", line)
    if frame:
        frames.append(plain(frame[1]))

checked = 0
for thread in json.load(open(sys.argv[1]))["threads"]:
    if thread["activity"] not in ("waits", "stopped") or thread["tid"] not in gdb:
        continue
    ours = ["<signal handler called>" if frame["signal"] else plain(frame["function"]) for frame in thread["frames"]]
    if "main" in ours:
        ours = ours[: ours.index("main") + 1]
    theirs = iter(gdb[thread["tid"]])
    if not all(name in theirs for name in ours):
        sys.exit(f"{thread['name']}: ours: {ours}; gdb's: {gdb[thread['tid']]}")
    checked += 1
print(f"{checked} threads have gdb's frames")
sys.exit(0 if checked > 5 else 1)
