"""Harms `fathom attach` while it measures a busy program, and looks at what that leaves behind.

Usage: guard.py FATHOM PROGRAM THREADS VICTIM SIGNAL COUNT [spare]

VICTIM is the process that was started (front), the one that minds the one that traces (supervisor), that (tracer), the last two (both), or nobody: then it measures for a
moment and ends by itself. COUNT times the signal comes at a
random moment. The program must go on, with the text of its files, the mappings of before, no thread stopped, traced or
owing a signal, and the right results in the end. With `spare` it may have died, which is counted. After
GUARD_SECONDS (600) no new turn begins.
"""

import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from unharmed import code_of, dispositions, faults, parent_of, status_of, tracer_of  # noqa: E402

fathom, program, threads, victim, name, count = sys.argv[1:7]
spare = sys.argv[7:] == ["spare"]
options = os.environ.get("GUARD_OPTIONS", "").split()  # of attach
number = getattr(signal, "SIG" + name, 0)
deadline = time.monotonic() + float(os.environ.get("GUARD_SECONDS", "600"))
random.seed(os.urandom(8))


def wait_for(condition, seconds):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


class Target:
    def __init__(self):
        self.process = subprocess.Popen(["nice", program, threads], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.pid = self.process.pid
        self.before = code_of(self.pid)
        self.handled = dispositions(self.pid)

    def died(self):
        return self.process.poll() is not None

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        printed, _ = self.process.communicate(timeout=60)
        if self.process.returncode or " wrong 0\n" not in printed:
            sys.exit(f"the program itself is wrong: {self.process.returncode}, {printed}")


def harm(target):
    for file in ("profile", "report"):
        if os.path.exists(file):
            os.unlink(file)
    moment = ["--for", "0.05", "--probes", "pads"] if victim == "nobody" else []
    tool = subprocess.Popen([fathom, "attach", "-q", *moment, *options, "-f", "leaf", "-f", "deep", "-o", "profile", "-r", "report",
                             str(target.pid)], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    if not wait_for(lambda: tool.poll() is not None or tracer_of(target.pid), 60) or tool.poll() is not None:
        sys.exit("fathom does not attach")
    tracer = tracer_of(target.pid)
    time.sleep(random.uniform(0, 0.3))
    supervisor = parent_of(tracer)
    victims = {"nobody": [], "front": [tool.pid], "supervisor": [supervisor], "tracer": [tracer], "both": [tracer, supervisor]}[victim]
    for pid in victims:
        os.kill(pid, number)
    return tool, tracer


def judge(target, tool, tracer):
    """Whether the program lives; ends with a complaint if it is not as before."""
    tool.wait(60)
    if not wait_for(lambda: target.died() or not tracer_of(target.pid), 60):
        sys.exit("the program is still traced")
    found = []
    wait_for(lambda: target.died() or not found_now(target, found), 30)
    if victim == "both" and found and not target.died():
        target.process.kill()
        target.process.wait()
    if target.died():
        return False
    if found:
        sys.exit(f"{victim}, SIG{name}: the program was harmed: {found[:4]}")
    if victim in ("front", "supervisor") and not wait_for(lambda: not os.path.exists(f"/proc/{tracer}"), 60):
        sys.exit("the tracer does not end")
    return True


def found_now(target, ret):
    try:
        ret[:] = list(faults(target.pid, target.before, target.handled, os.sched_getaffinity(0)))
    except (FileNotFoundError, ProcessLookupError, ValueError, OSError) as error:
        ret[:] = [str(error)]
    return ret


survived = broken = turns = 0
target = Target()
while turns < int(count):
    tool, tracer = harm(target)
    turns += 1
    if judge(target, tool, tracer):
        survived += 1
    elif not spare:
        sys.exit(f"{victim}, SIG{name}: the program died: {target.process.returncode}")
    else:
        broken += victim != "both" and target.process.returncode != -signal.SIGTRAP
        target = Target()
    if time.monotonic() > deadline:
        break
target.end()
print(f"{threads} threads, SIG{name} to {victim}: {survived} of {turns} survive" +
      (f", {broken} died otherwise than of SIGTRAP" if broken else ""))
sys.exit(broken != 0)
