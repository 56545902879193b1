"""Checks the JSON of `fathom stack` of fixtures/trace/stuck.c. Usage: stack_check.py FILE O0|O2|few|stripped

few: which values the compiler keeps is its matter, but those that there are must be right.
"""

import json
import sys

stack = json.load(open(sys.argv[1]))
how = sys.argv[2]
threads = {thread["name"]: thread for thread in stack["threads"]}
tids = {thread["tid"]: thread for thread in stack["threads"]}
failures = []
if any(thread["activity"] == "missed" for thread in stack["threads"]):
    sys.exit(3)  # the machine is too busy for the threads to stop in time


def expect(what, right):
    if not right:
        failures.append(what)


def calls(name):
    return [frame["function"] for frame in threads[name]["frames"]]


def values(name, function, index=0):
    frames = [frame for frame in threads[name]["frames"] if frame["function"] == function]
    if len(frames) <= index:
        failures.append(f"{name}: no {function} in {calls(name)}")
        return {}
    return {each["expression"]: each["label"] or each["value"] for each in frames[index]["features"]
            if each["absence"] is None}


def has(name, function, index=0, **wanted):
    found = values(name, function, index)
    for expression, value in wanted.items():
        if how == "few" and expression not in found:
            continue
        expect(f"{name}: {function}: {expression} is {value}, not {found.get(expression)}",
               found.get(expression) == value)


def waits(name, call, words):
    wait = threads[name]["waits"] or {}
    expect(f"{name}: waits in {call}, not {wait.get('call')}", wait.get("call") == call)
    expect(f"{name}: '{words}', not '{wait.get('what')}'", words in (wait.get("what") or ""))
    return wait


for name, other in (("deadlock a", "deadlock b"), ("deadlock b", "deadlock a")):
    wait = waits(name, "futex", f"which thread {threads[other]['tid']} ({other}) holds")
    expect(f"{name}: the owner", wait.get("owner") == threads[other]["tid"])
expect("the deadlock is told", any("deadlock" in note for note in stack["notes"]))
waits("reads", "read", "reads from descriptor 3 (pipe:[")
waits("receives", "recvfrom", "(unix socket")
waits("accepts", "accept", "(tcp socket 127.0.0.1:")
waits("epoll", "epoll_wait", "waits for descriptor 5 (pipe:[")
waits("semop", threads["semop"]["waits"]["call"], "waits for semaphores")
waits("polls", "poll", "descriptor 5 (pipe:")
waits("polls", "poll", "descriptor 7 (pipe:")
waits("polls", "poll", "for 600 s at most")
waits("sleeps", threads["sleeps"]["waits"]["call"], "sleeps for 1000 s")
waits("sigtimedwait", "rt_sigtimedwait", "for 600 s at most")
waits("condition", "futex", " to change from 0")
expect("runs", threads["runs"]["activity"] == "runs" and threads["runs"]["waits"] is None)
for name, thread in threads.items():
    expect(f"{name} ends well, not by '{thread['end']}'", thread["end"] is None)
    expect(f"{name} waits", thread["activity"] == ("runs" if name == "runs" else "waits"))
signals = [frame["signal"] for frame in threads["handles"]["frames"]]
expect("one frame of the signal", signals.count(True) == 1)
expect("held less than 100 ms", stack["longest_held_ms"] < 100)

if how != "stripped":
    number = {"deadlock a": 11, "deadlock b": 22}
    for name in number:
        has(name, "lock_both", number=number[name])
    has("sleeps", "nap", **{"color": "GREEN", "seconds": 1000, "order->amount": 7, "order->price": 2.5,
                            "strlen(order->label)": 5})
    expect("recursion", calls("reads").count("take") == 4)
    for depth in range(4):
        wanted = {"depth": depth, "fd": 3, "size": 1} if how == "O0" else {"depth": depth}
        if how == "O0" or depth:
            has("reads", "take", depth, **wanted)
    has("receives", "hear", seconds=600)
    has("runs", "spin", step=3)
    has("handles", "interrupted", number=33)
    has("handles", "on_signal", number=10)
    order = calls("handles")
    expect("the handler lies further in",
           order.index("on_signal") < signals.index(True) < order.index("interrupted"))
    order = calls("sorts")
    expect("through qsort", order.index("compare") < order.index("sorts"))
    main = [frame for thread in stack["threads"] for frame in thread["frames"] if frame["function"] == "main"]
    expect("a source line", main and main[0]["file"].endswith("stuck.c") and main[0]["line"] > 300)

print("\n".join(failures))
sys.exit(1 if failures else 0)
