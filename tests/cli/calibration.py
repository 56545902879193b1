"""Signals to fathom while it calibrates: before the program was started or attached to.

Usage: calibration.py FATHOM PROGRAM

A copy of fathom that is calibrated with is stopped as soon as it is seen, so that the calibration goes on until the signal comes.
"""

import os
import signal
import subprocess
import sys
import time

fathom, program = sys.argv[1:3]
PATIENCE = 120  # s; nothing here takes long, but the machine may be busy


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def children(pid):
    return [int(word) for word in read(f"/proc/{pid}/task/{pid}/children").split()]


def descendants(pid):
    for child in children(pid):
        yield child
        yield from descendants(child)


def is_copy(pid):
    """It is traced by its parent, and is what that is: the supervisor traces its child, too, which has another name."""
    status = dict(line.split(b":\t", 1) for line in read(f"/proc/{pid}/status").splitlines() if b":\t" in line)
    parent = status.get(b"PPid", b"0").decode().strip()
    return (status.get(b"TracerPid", b"").decode().strip() == parent and
            read(f"/proc/{pid}/comm") == read(f"/proc/{parent}/comm") and os.path.samefile(f"/proc/{pid}/exe", fathom))


def stopped_copy(process):
    """None: it calibrated too quickly for us."""
    while process.poll() is None:
        for pid in descendants(process.pid):
            try:
                if is_copy(pid):
                    os.kill(pid, signal.SIGSTOP)
                    return pid
            except OSError:
                pass
    return None


def is_there(pid):
    return read(f"/proc/{pid}/stat").rsplit(b")", 1)[-1].split()[:1] not in ([], [b"Z"], [b"X"])


def ended(number, arguments, status):
    """Whether a copy was stopped; what must be then, is."""
    process = subprocess.Popen([fathom] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    copy = stopped_copy(process)
    known = list(descendants(process.pid))
    if copy:
        process.send_signal(number)
    try:
        printed, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        for pid in known + [process.pid]:
            os.kill(pid, signal.SIGKILL)
        sys.exit(f"{arguments[0]} does not end by signal {number} while it calibrates")
    if not copy:
        return False
    until = time.monotonic() + PATIENCE
    while any(map(is_there, known)):
        if time.monotonic() > until:
            sys.exit(f"{arguments[0]} has left {[read(f'/proc/{pid}/stat') for pid in known if is_there(pid)]}")
        time.sleep(0.01)
    if process.returncode != status:
        sys.exit(f"{arguments[0]} ends by signal {number} with {process.returncode}, not {status}: {errors}")
    if printed:
        sys.exit(f"the program was begun: {printed}")
    if errors.count("\n") > 1:
        sys.exit(f"{arguments[0]} says more than a line: {errors}")
    return True


def check(number, arguments, status):
    for _ in range(200):
        if ended(number, arguments, status):
            return
    sys.exit("no copy was seen")


target = subprocess.Popen([program, "1"], stdout=subprocess.PIPE, text=True)
target.stdout.readline()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    check(number, ["attach", "-f", "deep", "--for", "1", str(target.pid)], 128 + number)
    check(number, ["run", "-f", "deep", "--", program, "1"], -number)
if b"TracerPid:\t0\n" not in read(f"/proc/{target.pid}/status") or target.poll() is not None:
    sys.exit("the program is traced, or has ended")
target.send_signal(signal.SIGTERM)
target.communicate(timeout=PATIENCE)
