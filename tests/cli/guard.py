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

fathom, program, threads, victim, name, count = sys.argv[1:7]
spare = sys.argv[7:] == ["spare"]
number = getattr(signal, "SIG" + name, 0)
deadline = time.monotonic() + float(os.environ.get("GUARD_SECONDS", "600"))
random.seed(os.urandom(8))


def status_of(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/status") as file:
        return dict(line.rstrip("\n").split(":", 1) for line in file)


def parent_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("PPid:"))


def tracer_of(pid):
    return int(status_of(pid, pid)["TracerPid"])


def code_of(pid):
    """The lines of its maps that are code: those of the heap and of stacks are its own matter."""
    with open(f"/proc/{pid}/maps") as file:
        return [line.split() for line in file if "x" in line.split()[1]]


def text_faults(pid):
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for fields in code_of(pid):
            if len(fields) < 6 or not os.path.exists(fields[5]):
                continue
            low, high = (int(address, 16) for address in fields[0].split("-"))
            memory.seek(low)
            text = memory.read(high - low)
            with open(fields[5], "rb") as file:
                file.seek(int(fields[2], 16))
                original = file.read(high - low)
            original += bytes(len(text) - len(original))
            if text != original:
                at = next(i for i in range(len(text)) if text[i] != original[i])
                yield f"{fields[5]}: the text is another at {low + at:#x}"


def handled_by(pid):
    return status_of(pid, pid)["SigCgt"]


def faults(pid, before, handled):
    yield from text_faults(pid)
    if handled_by(pid) != handled:
        yield f"it handles other signals: {handled_by(pid)}, not {handled}"
    if code_of(pid) != before:
        yield f"the mappings differ: {code_of(pid)}"
    for tid in os.listdir(f"/proc/{pid}/task"):
        status = status_of(pid, tid)
        if status["State"].split()[0] not in "RSD" or int(status["TracerPid"]):
            yield f"thread {tid}: {status['State'].strip()}, traced by {status['TracerPid'].strip()}"
        if int(status["SigPnd"], 16) or int(status["ShdPnd"], 16):
            yield f"thread {tid}: signals wait for it"
        if os.sched_getaffinity(int(tid)) != os.sched_getaffinity(0):
            yield f"thread {tid}: its affinity is {os.sched_getaffinity(int(tid))}"


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
        self.handled = handled_by(self.pid)

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
    tool = subprocess.Popen([fathom, "attach", "-q", *moment, "-f", "leaf", "-f", "deep", "-o", "profile", "-r", "report",
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
        ret[:] = list(faults(target.pid, target.before, target.handled))
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
