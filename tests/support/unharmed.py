"""What a process is besides its data, to be compared before and after it was measured."""
import os


def status_of(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/status", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":", 1) for line in file)


def parent_of(pid):
    return int(status_of(pid, pid)["PPid"])


def tracer_of(pid):
    return int(status_of(pid, pid)["TracerPid"])


def code_of(pid):
    """The lines of its maps that are code: those of the heap and of stacks are its own matter."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
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
            original = original[:len(text)] + bytes(max(0, len(text) - len(original)))
            if text != original:
                at = next(i for i in range(len(text)) if text[i] != original[i])
                yield f"{fields[5]}: the text is another at {low + at:#x}"


def dispositions(pid):
    """Which signals it handles, and which it ignores."""
    status = status_of(pid, pid)
    return status["SigCgt"].strip(), status["SigIgn"].strip()


def thread_faults(pid):
    """A thread that waits for a processor takes its signals, and its process's, as soon as it has one: on a busy machine some always wait for it."""
    threads = {tid: status_of(pid, tid) for tid in os.listdir(f"/proc/{pid}/task")}
    waiting = [tid for tid, status in threads.items() if status["State"].split()[0] == "R"]
    for tid, status in threads.items():
        if status["State"].split()[0] not in "RSD" or int(status["TracerPid"]):
            yield f"thread {tid}: {status['State'].strip()}, traced by {status['TracerPid'].strip()}"
        if tid not in waiting and int(status["SigPnd"], 16) or not waiting and int(status["ShdPnd"], 16):
            yield f"thread {tid}: signals wait for it"


def faults(pid, before, handled, affinity):
    yield from text_faults(pid)
    if dispositions(pid) != handled:
        yield f"it handles other signals: {dispositions(pid)}, not {handled}"
    if code_of(pid) != before:
        yield f"the mappings differ: {code_of(pid)}"
    yield from thread_faults(pid)
    for tid in os.listdir(f"/proc/{pid}/task"):
        if os.sched_getaffinity(int(tid)) != affinity:
            yield f"thread {tid}: its affinity is {os.sched_getaffinity(int(tid))}"
