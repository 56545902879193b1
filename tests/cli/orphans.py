"""Kills `fathom attach` while the program that it measures by pads is busy.

Usage: orphans.py FATHOM COUNT VICTIMS FUNCTION,FUNCTION PROGRAM [ARGUMENT]

VICTIMS are killed COUNT times, as soon as the first FUNCTION has pads, or later: the tracer, the supervisor, both (in both orders), or all
(with the keeper). The program must live on, and its results be right. Nothing may be left in it, neither jumps nor pads, before each processor could have given it a
second, however busy others keep them; when all have died, no jumps after it was measured once more.
"""

import os
import random
import signal
import subprocess
import sys
import time

fathom, count, victims, functions, *program = sys.argv[1:]
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


def parent_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("PPid:"))


def keeper_of(supervisor):
    """Its number, or 0."""
    with open(f"/proc/{supervisor}/task/{supervisor}/children") as file:
        for child in file.read().split():
            with open(f"/proc/{child}/comm") as name:
                if name.read() == "keeper\n":
                    return int(child)
    return 0


def worked(pid):
    """Seconds of processors."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def code_of(pid):
    """The mappings that are code."""
    with open(f"/proc/{pid}/maps") as file:
        return [line.split() for line in file if "x" in line.split()[1]]


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


def kill(tool, tracer, supervisor_first):
    """The front dies with the supervisor, and that ends with the front."""
    supervisor = parent_of(tracer)
    keeper = keeper_of(supervisor)
    order = [supervisor, tracer] if supervisor_first else [tracer, supervisor]
    for pid in {"front": [tool.pid], "tracer": [tracer], "supervisor": [supervisor], "both": order, "all": [keeper, *order]}[victims]:
        os.kill(pid, signal.SIGKILL)


def attach(pid, name):
    """The running tool; its messages are in the file errors."""
    return subprocess.Popen([fathom, "attach", "--no-models", "--probes", "pads", "--max-overhead", "none",
                             *(word for name in functions for word in ("-f", name)), "-o", f"{name}.fathom", "-r", "report", str(pid)],
                            stderr=open("errors", "w"), stdin=subprocess.DEVNULL)


def said():
    with open("errors") as file:
        return file.read()


def measure_again(process, name, leaf, before):
    tool = attach(process.pid, name)
    found = wait_for(lambda: "had left probes" in said() or tool.poll() is not None)
    padded = found and wait_for(lambda: process.poll() is not None or code_at(process.pid, leaf).count(b"\xe9") > before.count(b"\xe9") or tool.poll() is not None)
    tool.send_signal(signal.SIGINT)
    tool.wait()
    if process.poll() is not None:
        return f"it died of what was left: status {process.returncode}"
    if not padded or "had left probes" not in said() or tool.returncode not in (0, 1, 2):
        return f"what was left is not found: {said()}"
    if code_at(process.pid, leaf) != before:
        return f"it is not as before: {code_at(process.pid, leaf)}, {before}"
    return None


def turn(supervisor_first):
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    leaf = base_of(process.pid) + first
    before = code_at(process.pid, leaf)
    mappings = code_of(process.pid)
    profile = f"{os.getpid()}-{len(times)}"  # the tracer may outlive its turn
    tool = attach(process.pid, profile)
    if not wait_for(lambda: code_at(process.pid, leaf).count(b"\xe9") > before.count(b"\xe9")):
        tool.terminate()
        tool.wait()
        process.kill()
        return f"there are no pads: {said()}"
    tracer = tracer_of(process.pid)
    time.sleep(random.uniform(0, 0.4))
    began = worked(process.pid)
    kill(tool, tracer, supervisor_first)
    killed = time.monotonic()
    tool.wait()
    if victims != "all" and not wait_for(lambda: process.poll() is not None or code_of(process.pid) == mappings and code_at(process.pid, leaf) == before):
        process.kill()
        return f"it is not as before: {code_of(process.pid)}, {code_at(process.pid, leaf)}, {before}"
    times.append(time.monotonic() - killed)
    spent = process.poll() is None and worked(process.pid) - began
    if victims != "all" and spent > len(os.sched_getaffinity(0)):
        process.kill()
        return f"it ran for {spent} s with what was ours"
    time.sleep(random.uniform(0, 0.5))
    harm = victims == "all" and process.poll() is None and measure_again(process, f"{profile}-again", leaf, before)
    if harm:
        process.kill()
        return harm
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
times = []
for i in range(int(count)):
    harm = turn(i % 2)
    if harm:
        sys.exit(f"turn {i}, {' '.join(program[1:])}: {harm}")
print(f"{count} lived on; it took {sorted(times)[len(times) // 2]:.2f} s in the middle, at most {max(times):.2f}")
