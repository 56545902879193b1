#!/usr/bin/env python3
"""A new class of growth is added in two places and a new metric in five, and everything else follows.

Usage: additions.py TOP BUILD. Copies the sources of TOP, adds n^1.5 and the number of preemptions, builds the executable, and has it
find that law and count these, in a program of BUILD/fixtures that counts them, too. Without FATHOM_FULL=1 only the places are looked
for: building takes minutes.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

GROWTHS = "core/growth.h"
GROWTH_ROWS = "core/growth.c"
METRICS = "core/metric.h"
METRIC_ROWS = "core/metric.c"
PROC_COUNTERS = "trace/kernel/proc_counters.c"
OPTIONS = "cli/options_table.c"

SKIPPED = 77

# File of src/, what stands there once, and what is put before it.
GROWTH = (
    (GROWTHS, "\tGROWTH_QUADRATIC,\n", "\tGROWTH_NSQRT,\n"),
    (GROWTH_ROWS, "\t[GROWTH_QUADRATIC] =", '\t[GROWTH_NSQRT] = {"nsqrt", "n sqrt n", "n√n", 1.5, 0, 8, 0.05},\n'),
)
METRIC = (
    (METRICS, "\tMETRIC_SUMS,", "\tMETRIC_PREEMPTIONS,\n"),
    (METRIC_ROWS, "\t[METRIC_PEAK] =", '\tSUM(PREEMPTIONS, "preemptions", "count", "", "involuntary switches", METRIC_PROC),\n'),
    (PROC_COUNTERS, "1u << METRIC_SWITCHES}", "1u << METRIC_PREEMPTIONS | "),
    (PROC_COUNTERS, "\tnumbers[METRIC_SWITCHES] =", "\tnumbers[METRIC_PREEMPTIONS] = other;\n"),
    (OPTIONS, 'switches, "\n\t ', 'preemptions, '),
)


def fail(text):
    sys.exit("FAILED: " + text)


def add(source, places):
    for name, anchor, text in places:
        with open(os.path.join(source, name)) as file:
            before = file.read()
        if before.count(anchor) != 1:
            fail(f"{name} has {before.count(anchor)} times {anchor!r}: it tells where this test adds something")
        with open(os.path.join(source, name), "w") as file:
            file.write(before.replace(anchor, text + anchor))


def copy(top, folder):
    """Only src/ is a copy."""
    for name in os.listdir(top):
        if not name.startswith((".", "build", "src")):
            os.symlink(os.path.join(top, name), os.path.join(folder, name))
    shutil.copytree(os.path.join(top, "src"), os.path.join(folder, "src"))
    add(os.path.join(folder, "src"), GROWTH + METRIC)


def build(fixtures, folder):
    for command in (["meson", "setup", "build", "-Doptimization=0", "-Ddebug=false", "-Dfixtures=" + fixtures],
                    ["ninja", "-C", "build", "fathom"]):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            fail(" ".join(command) + ":\n" + done.stdout[-4000:])
    return os.path.join(folder, "build", "fathom")


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **more)
    if done.returncode:
        fail(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def finds_the_growth(fathom, folder):
    calls, profile = os.path.join(folder, "calls.csv"), os.path.join(folder, "calls.fathom")
    with open(calls, "w") as file:
        file.write("function,time,n\n")
        for n in range(1, 401):
            file.write(f"work,{5 + 0.25 * n ** 1.5:.9g},{n}\n")
    run(fathom, "import", "-q", "-o", profile, calls)
    text = run(fathom, "annotate", profile)
    if "Norm(5 + 0.25*n^1.5, " not in text or "// n sqrt n: " not in text:
        fail("the law is not told:\n" + text)
    if '"nsqrt"' not in json.dumps(json.loads(run(fathom, "annotate", "--json", profile))):
        fail("JSON does not tell the class")


def counts_the_metric(fathom, program, folder):
    """Another process wants the same processor, so calls that spin are preempted; each prints its own account."""
    profile = os.path.join(folder, "counted.fathom")
    one = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(0, one)
    rival = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        truth = run(fathom, "run", "-q", "-m", "preemptions", "--max-overhead", "none", "-f", "spins", "-o", profile,
                    "-r", os.path.join(folder, "report"), "--", program)
    finally:
        rival.kill()
        rival.wait()
    told = [int(line.split()[5]) for line in truth.splitlines() if line.startswith("spins ")]
    rows = list(csv.DictReader(run(fathom, "export", "--csv", profile).splitlines()))
    counted = [float(row["preemptions"]) for row in rows]
    if not sum(told):
        fail("nothing was preempted")
    if len(counted) != len(told) or any(one < other for one, other in zip(counted, told)):
        fail(f"calls were preempted {told} times, {counted} was counted")


def main():
    top, built = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        copy(top, folder)
        if "FATHOM_FULL" not in os.environ:
            print("what is added is built by --full")
            sys.exit(SKIPPED)
        fathom = build(os.path.realpath(os.path.join(built, "fixtures")), folder)
        finds_the_growth(fathom, folder)
        counts_the_metric(fathom, os.path.join(built, "fixtures", "counted-gcc-O2"), folder)


main()
