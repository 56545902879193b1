"""Tools that notice the calls of a function, for bench/stops and bench/peers: how each is run, and what it noticed.

The program (fixtures/trace/stops.c) prints its own wall-clock time by its calls of an empty function. Tools run in the
current folder, which holds the program and what they write. A way is a tool with a build of the program; `noticed`
counts the calls that it has really seen in its last run, since some are silent when they see none.
"""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
FATHOM = os.path.join(BUILD, "fathom")
TRACEFS = "/sys/kernel/tracing"
GROUP = "fathom_bench_%d" % os.getpid()
GDB = ["-ex", "set startup-with-shell off", "-ex", "set pagination off", "-x", "breakpoint", "-ex", "run",
       "-ex", "info breakpoints"]
TRIAL_CALLS = 1000
FEATURES = {0: "empty", 3: "empty_three", 10: "empty_ten", 20: "empty_twenty", 100: "empty_hundred"}

# The executable and its package; what it does at a call; calls of a turn, so many that it takes a fraction of a second;
# the build of the program; from the program's command to the tool's; from what both printed to the calls noticed.
Way = collections.namedtuple("Way", "executable package does calls build command noticed")


def compile_source(source, name, *options):
    if subprocess.run(["cc", "-g", "-pthread", *options, os.path.join(TOP, source), "-o", name],
                      stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit("%s does not compile with %s" % (source, " ".join(options)))


def compile_program(name, *options):
    compile_source("fixtures/trace/stops.c", name, *options)


def remove(*names):
    for name in names:
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.unlink(name)


def counted(pattern, text):
    """The number that a tool's output has, 0: it has none."""
    found = re.search(pattern, text, re.M)
    return int(found.group(1)) if found else 0


def read(name):
    if not os.path.exists(name):
        return ""
    with open(name, errors="replace") as file:
        return file.read()


def fathom(program, features=0, probes="pads"):
    remove("profile", "report")
    return [FATHOM, "run", "-q", "--probes", probes, "--max-overhead", "none", "--globals", "none",
            "-f", FEATURES[features], "-o", "profile", "-r", "report", "--"] + program


def fathom_stops(program):
    return fathom(program, probes="stops")


def fathom_noticed(_):
    return sqlite3.connect("profile").execute("SELECT sum(calls) FROM account").fetchone()[0]


def gdb(program):
    with open("breakpoint", "w") as file:
        file.write("break empty\ncommands\nsilent\ncontinue\nend\n")
    return ["gdb", "-batch", "-nx"] + GDB + ["--args"] + program


def gdb_noticed(output):
    return counted(r"already hit (\d+) time", output)


def ltrace(program):
    return ["ltrace", "-L", "-x", "empty", "-o", "ltrace.out"] + program


def ltrace_noticed(_):
    return len(re.findall(r"^empty(?:@.*)?\(", read("ltrace.out"), re.M))


def bpftrace(program):
    probes = "uprobe:%s:empty { @calls = count(); } uretprobe:%s:empty { @returns = count(); }" % (
        program[0], program[0])
    return ["bpftrace", "-e", probes, "-c", " ".join(program)]


def bpftrace_noticed(output):
    return counted(r"^@returns: (\d+)$", output)


def bpftrace_times(program):
    probes = "uprobe:%s:empty { @begin[tid] = nsecs; } uretprobe:%s:empty { @took = stats(nsecs - @begin[tid]); }" % (
        program[0], program[0])
    return ["bpftrace", "-e", probes, "-c", " ".join(program)]


def bpftrace_times_noticed(output):
    return counted(r"^@took: count (\d+)", output)


def tracefs(program):
    return program  # the probes are switched on around it


def tracefs_noticed(_):
    return counted(r"^ *%s +return +(\d+)" % re.escape(os.path.abspath("stops")), read("tracefs.out"))


def uftrace(*options):
    def command(program):
        remove("uftrace.data")
        return ["uftrace", "record", "-d", "uftrace.data", *options] + program
    return command


def uftrace_noticed(_):
    report = subprocess.run(["uftrace", "report", "--no-pager", "-d", "uftrace.data"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120)
    return counted(r"(\d+)  empty$", report.stdout)


def callgrind(program):
    remove("callgrind.out")
    return ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=callgrind.out"] + program


def callgrind_noticed(_):
    """A name stands at its first use, its number at the others."""
    text = read("callgrind.out")
    number = counted(r"fn=\((\d+)\) empty$", text)
    return sum(int(calls) for calls in re.findall(r"^cfn=\(%d\).*\ncalls=(\d+)" % number, text, re.M))


WAYS = {
    "fathom": Way("fathom", None, "counts and times each call in the program itself, keeps what it read of those that "
                  "chance chose", 2000000, "stops", fathom, fathom_noticed),
    "fathom, stops": Way("fathom", None, "stops at entry and exit (`--probes stops`), keeps what each call took and the "
                         "values that it read", 20000, "stops", fathom_stops, fathom_noticed),
    "gdb": Way("gdb", "gdb", "stops at entry alone, `commands silent, continue`; no times",
               1500, "stops", gdb, gdb_noticed),
    "ltrace": Way("ltrace", "ltrace", "stops at entry and exit (`-x`), writes a line a call",
                  2000, "stops", ltrace, ltrace_noticed),
    "bpftrace": Way("bpftrace", "bpftrace", "counts calls and returns in the kernel (uprobe, uretprobe); no times",
                    200000, "stops", bpftrace, bpftrace_noticed),
    "bpftrace, times": Way("bpftrace", "bpftrace", "times calls in the kernel (uprobe, uretprobe), keeps their mean",
                           200000, "stops", bpftrace_times, bpftrace_times_noticed),
    "tracefs": Way(None, None, "notes calls and returns in the kernel (uprobe, uretprobe)",
                   200000, "stops", tracefs, tracefs_noticed),
    "uftrace -pg": Way("uftrace", "uftrace", "keeps the times of each call; the program was compiled for it, `-pg`",
                       200000, "stops-pg", uftrace(), uftrace_noticed),
    "uftrace -P, patchable": Way("uftrace", "uftrace", "keeps the times of each call; the program was compiled for it, "
                                 "`-fpatchable-function-entry=5`",
                                 200000, "stops-patchable", uftrace("-P", "empty"), uftrace_noticed),
    "uftrace -P, full dynamic": Way("uftrace", "uftrace", "keeps the times of each call; patches the ordinary build",
                                    200000, "stops", uftrace("-P", "empty"), uftrace_noticed),
    "callgrind": Way("valgrind", "valgrind", "translates the whole program, counts instructions of all its functions; "
                     "no times", 200000, "stops", callgrind, callgrind_noticed),
}
BUILDS = {"stops": [], "stops-pg": ["-pg"], "stops-patchable": ["-fpatchable-function-entry=5"]}


def write_tracefs(name, text):
    file = os.open(os.path.join(TRACEFS, name), os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def offset_of_empty():
    """Where the function is in the file: uprobe_events wants that."""
    symbols = subprocess.run(["nm", "stops"], capture_output=True, text=True, check=True).stdout
    address = int(re.search(r"^(\w+) T empty$", symbols, re.M).group(1), 16)
    headers = subprocess.run(["readelf", "-lW", "stops"], capture_output=True, text=True, check=True).stdout
    for offset, low, size in re.findall(r"^  LOAD +(\w+) (\w+) \w+ (\w+)", headers, re.M):
        if int(low, 16) <= address < int(low, 16) + int(size, 16):
            return address - int(low, 16) + int(offset, 16)
    sys.exit("the function is in no segment of the program")


def tracefs_begin():
    where = "%s:%#x" % (os.path.abspath("stops"), offset_of_empty())
    write_tracefs("uprobe_events", "p:%s/call %s\nr:%s/return %s\n" % (GROUP, where, GROUP, where))
    write_tracefs("events/%s/enable" % GROUP, "1")


def tracefs_end():
    if os.path.exists(os.path.join(TRACEFS, "events", GROUP)):
        with open("tracefs.out", "w") as file:
            file.write(read(os.path.join(TRACEFS, "uprobe_profile")))
        write_tracefs("events/%s/enable" % GROUP, "0")
        write_tracefs("uprobe_events", "-:%s/call\n-:%s/return\n" % (GROUP, GROUP))


def said_of(command):
    """µs of a call, as the program prints them, and all that was printed. None: the tool did not let it run."""
    child = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=120)
    output = child.stdout.decode(errors="replace")
    said = re.search(r"^([0-9.]+) ns$", output, re.M)
    return float(said.group(1)) / 1000 if said and child.returncode == 0 else None, output


def time_of(command):
    return said_of(command)[0]


def run_way(name, calls=None, prefix=()):
    """µs of a call with a tool around the program, and all that was printed; prefix is a command that runs it."""
    way = WAYS[name]
    command = list(prefix) + way.command(["./" + way.build, str(calls or way.calls)])
    if name != "tracefs":
        return said_of(command)
    try:
        tracefs_begin()
        return said_of(command)
    finally:
        tracefs_end()


def why_not(name):
    """What keeps a tool from being used; None: nothing."""
    way = WAYS[name]
    if way.package and not shutil.which(way.executable):
        return "not installed (apt-get install %s)" % way.package
    if name == "tracefs" and not os.path.exists(os.path.join(TRACEFS, "uprobe_events")):
        return "not mounted, or not for you (mount -t tracefs tracefs %s)" % TRACEFS
    try:
        took, output = run_way(name, TRIAL_CALLS)
        seen = way.noticed(output) if took else 0
    except (OSError, sqlite3.Error, subprocess.TimeoutExpired) as failure:
        return str(failure)
    if not took:
        return "not permitted, or it does not work here: %s" % (output.split("\n")[0] or "it says nothing")
    return None if seen == TRIAL_CALLS else "it noticed %d of %d calls" % (seen, TRIAL_CALLS)


def choose(wanted):
    """Those that can be used, in order, and why others are left out.

    tracefs has the same probes as bpftrace, and stands in for it.
    """
    usable, left_out = [], []
    for name in wanted:
        if name == "tracefs" and "bpftrace" in usable:
            continue
        why = why_not(name)
        if why:
            left_out.append("%s is left out: %s" % (name, why))
        else:
            usable.append(name)
    return usable, left_out
