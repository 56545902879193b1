#!/usr/bin/env python3
"""Whether pads and stops say the same of a program: each call, its caller, all values, how it ended.

pads_same.py FATHOM FOLDER [OPTION...] -- PROGRAM [ARGUMENT...]

Measures the program with each kind of probes. Ids, times and addresses differ from run to run, so calls are compared
by their order in each thread, and a value that differs between two runs with stops is not compared; of what locks cost,
whether it is known. Prints what differs,
and ends with status 1 then.
"""

import collections
import os
import sqlite3
import subprocess
import sys

TIMES = {"wait", "hold", "self.wait", "self.hold"}
NOT_COMPARED = {"id", "parent", "run", "process", "thread", "start_ns", "stops", "stopped_ns", "waited_ns"}
LINES_MAX = 12


def is_compared(column, alone):
    """Of calls in other threads pads know those of the last draining; what else the system does is read then."""
    if column.startswith("system."):
        return alone and column == "system.call"
    return column not in NOT_COMPARED and column not in ("time", "self.time")


def is_branch(column, function):
    """Stops give a branch up as soon as one call comes to it again; pads see that some ms later."""
    return f" at {function}+0x" in column


def is_untold(column, left, right):
    """Pads count callees for self.time only. What they cost are times, and bytes that pads do not know."""
    return column.startswith("callee.") and not (column.endswith(".calls") and column in left and column in right)


def measure(fathom, folder, probes, options, command):
    profile = os.path.join(folder, f"{probes}.fathom")
    if os.path.exists(profile):
        os.remove(profile)
    done = subprocess.run(
        [fathom, "run", "-q", "--probes", probes.rstrip("2"), "--max-overhead", "none", "--samples", "all", "-o", profile,
         "--no-models", *options, "--", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=180, check=False)
    with open(os.path.join(folder, f"{probes}.output"), "wb") as file:
        file.write(done.stdout)
    return done, profile


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Profile:
    """Calls of each thread in their order, and the accounts."""

    def __init__(self, path):
        connection = sqlite3.connect(path)
        names = dict(connection.execute("SELECT id, name FROM function"))
        self.accounts = {names[function]: ended for function, *ended in connection.execute(
            "SELECT function, sum(calls), sum(abandoned) FROM account GROUP BY function")}
        threads = collections.defaultdict(list)
        for name in names.values():
            try:
                cursor = connection.execute(f"SELECT * FROM {quoted(name)}")
            except sqlite3.OperationalError:
                continue
            columns = [column[0] for column in cursor.description]
            for row in cursor:
                call = dict(zip(columns, row))
                threads[call["process"], call["thread"]].append((call["id"], name, call))
        self.threads = [self.describe(sorted(calls, key=lambda call: call[0]), len(threads) == 1)
                        for _, calls in sorted(threads.items())]

    @staticmethod
    def describe(calls, alone):
        index = {call[0]: number for number, call in enumerate(calls)}
        # A caller in another thread: a coroutine's.
        return [(name, "-" if call["parent"] is None else index.get(call["parent"], "elsewhere"),
                 {column: "some" if column in TIMES else value
                  for column, value in call.items() if is_compared(column, alone) and value is not None})
                for _, name, call in calls]


def ordered(threads):
    return sorted(threads, key=lambda calls: [(call[0], str(call[1])) for call in calls])


def pairs(one, other):
    """Of calls in the same place."""
    for left, right in zip(ordered(one.threads), ordered(other.threads)):
        yield from zip(left, right)


def unstable(one, other):
    """Values that differ between runs with the same probes."""
    found = set()
    for left, right in pairs(one, other):
        if left[0] == right[0]:
            found |= {(left[0], column) for column in left[2].keys() | right[2].keys()
                      if left[2].get(column) != right[2].get(column)}
    return found


def differences(stops, pads, ignored):
    for name in stops.accounts.keys() | pads.accounts.keys():
        if stops.accounts.get(name) != pads.accounts.get(name):
            yield f"calls, abandoned of {name}: {stops.accounts.get(name)} {pads.accounts.get(name)}"
    shapes = [sorted(map(len, profile.threads)) for profile in (stops, pads)]
    if shapes[0] != shapes[1]:
        yield f"calls in threads: {shapes[0][:20]} {shapes[1][:20]}"
    for left, right in pairs(stops, pads):
        if left[:2] != right[:2]:
            yield f"calls (function, caller): {left[:2]} {right[:2]}"
            return
        for column in left[2].keys() | right[2].keys():
            if column not in left[2] and is_branch(column, left[0]):
                continue
            if is_untold(column, left[2], right[2]):
                continue
            if left[2].get(column) != right[2].get(column) and (left[0], column) not in ignored:
                yield f"{left[0]}, {column}: {left[2].get(column)} {right[2].get(column)}"


def main():
    fathom, folder = sys.argv[1:3]
    end = sys.argv.index("--")
    options, command = sys.argv[3:end], sys.argv[end + 1:]
    ended = {}
    profiles = {}
    ignored = set()

    for probes in ("stops", "pads"):
        done, path = measure(fathom, folder, probes, options, command)
        ended[probes] = done.returncode, done.stderr
        profiles[probes] = Profile(path)
    if ended["stops"][0] != ended["pads"][0]:
        print("it ended otherwise:", ended["stops"], ended["pads"])
        sys.exit(1)
    if not any(profiles["stops"].threads):
        print("nothing was measured", ended)
        sys.exit(1)
    found = list(differences(profiles["stops"], profiles["pads"], ignored))
    if found:
        again = Profile(measure(fathom, folder, "stops2", options, command)[1])
        found = list(differences(profiles["stops"], profiles["pads"], unstable(profiles["stops"], again)))
    for line in found[:LINES_MAX]:
        print(" ", line)
    sys.exit(1 if found else 0)


main()
