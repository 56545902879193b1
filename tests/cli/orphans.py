"""Kills tracer and supervisor of `fathom attach` at once, while the program that it measures by pads is busy.

Usage: orphans.py FATHOM COUNT FUNCTION,FUNCTION PROGRAM [ARGUMENT]

COUNT times, in both orders, as soon as the first FUNCTION has pads, or later. The program must live on, and its results be right, for a random time up to a second and a half.
"""

import os
import random
import signal
import subprocess
import sys
import time

fathom, count, functions, *program = sys.argv[1:]
functions = functions.split(",")
random.seed(os.urandom(8))


def tracer_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("TracerPid:"))


def symbol(name):
    for line in subprocess.check_output(["nm", program[0]], text=True).splitlines():
        if line.split()[2:] == [name]:
            return int(line.split()[0], 16)
    sys.exit(f"{program[0]} has no {name}")


def base_of(pid):
    with open(f"/proc/{pid}/maps") as file:
        return int(file.readline().split("-")[0], 16)


def code_at(pid, address):
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(address)
        return memory.read(5)


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


def turn(supervisor_first):
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    leaf = base_of(process.pid) + first
    before = code_at(process.pid, leaf)
    for file in ("profile", "report"):
        if os.path.exists(file):
            os.unlink(file)
    tool = subprocess.Popen([fathom, "attach", "-q", "--probes", "pads", "--max-overhead", "none",
                             *(word for name in functions for word in ("-f", name)), "-o", "profile", "-r", "report", str(process.pid)],
                            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    if not wait_for(lambda: code_at(process.pid, leaf).count(b"\xe9") > before.count(b"\xe9")):
        tool.kill()
        process.kill()
        return "there are no pads"
    tracer = tracer_of(process.pid)
    time.sleep(random.uniform(0, 0.4))
    for pid in [tool.pid, tracer] if supervisor_first else [tracer, tool.pid]:
        os.kill(pid, signal.SIGKILL)
    tool.wait()
    time.sleep(random.uniform(0, 1.5))
    process.send_signal(signal.SIGTERM)
    try:
        printed, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return "it does not end"
    if process.returncode or " wrong 0\n" not in printed:
        return f"status {process.returncode}, {printed.strip()}"
    return None


first = symbol(functions[0])
for i in range(int(count)):
    harm = turn(i % 2)
    if harm:
        sys.exit(f"turn {i}, {' '.join(program[1:])}: {harm}")
