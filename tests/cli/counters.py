"""Compares what a program (fixtures/trace/counted.c) found of its own calls with its profile.

Usage: counters.py OUTPUT PROFILE. Calls, page faults and what is left of them without callees must be equal, one by one. Switches are
never less than the program's own, and equal for most calls: it may be driven away between the probe and its own look. Its
time on a processor must be close for most, as close as the measurement itself says that it can tell times; one that would be
below nothing by more than that is absent, and counts as too small. Exit status 2: only such times are wrong.
"""

import collections
import sqlite3
import sys

STOPS = {"nests": 4}  # of two measured callees; the program sees them as switches; with pads that many at most
STOP_MOST_US = 16  # of a processor, where another one must be woken; the program's own clock counts it, and we subtract what is usual
MORE_MOST_US = 50  # what stops and sleeps leave behind them: cold caches
wrong = disturbed = 0


def complain(text):
    global wrong
    wrong += 1
    if wrong <= 10:
        print(text)


def read_output(path):
    threads = collections.defaultdict(list)
    for line in open(path):
        words = line.split()
        if len(words) == 7:
            threads[words[0], int(words[1])].append([int(word) for word in words[2:]])
    return threads


def column(db, view, metric):
    """SQL does not tell pfaults from Pfaults: the second column has a number behind it."""
    names = [row[1] for row in db.execute('pragma table_info("%s")' % view)]
    return next(name for name in (metric + ":1", metric) if name in names)


def judge_switches(where, said, found, most):
    more = [a - b for a, b in zip(found, said)]
    if min(more) < 0:
        complain("%s: %d switches less than there were" % (where, -min(more)))
    if sum(difference <= most for difference in more) < len(more) / 2:
        complain("%s: switches too many: %s" % (where, more))


def judge_cpu(where, stops, said_us, found_us):
    global disturbed
    more = sorted(float("-inf") if a is None else a - b for a, b in zip(found_us, said_us))
    stop_us, most_us = max(STOP_MOST_US, nap_us), max(MORE_MOST_US, 3 * nap_us)
    if not -10 - stop_us * (2 + stops) - resolution_us <= more[len(more) // 2] <= most_us + resolution_us:
        disturbed += 1
        print("%s: %g µs on a processor too many, of which %g cannot be told" % (where, more[len(more) // 2], resolution_us))


def judge(db, function, thread, said):
    where = "%s in thread %d" % (function, thread)
    found = db.execute(
        'select pfaults, "%s", switches, cpu from "%s" where thread = ? order by id'
        % (column(db, function, "Pfaults"), function), (thread,)).fetchall()
    if len(found) != len(said):
        complain("%s: %d calls, not %d" % (where, len(found), len(said)))
        return
    missing = [number for number, row in enumerate(found) if None in row[:3]]
    if missing:
        complain("%s: values are missing in %d calls, the first is %d: %s" % (where, len(missing), missing[0], found[missing[0]]))
        return
    for number, (one, other) in enumerate(zip(said, found)):
        if list(other[:2]) != one[1:3]:
            complain("%s: call %d: faults %s, not %s" % (where, number, other[:2], one[1:3]))
    stops = STOPS.get(function, 0)
    judge_switches(where, [one[3] - stops for one in said], [row[2] for row in found], stops if by_pads else 0)
    judge_cpu(where, stops, [one[4] / 1000 for one in said], [row[3] for row in found])


def judge_own(db):
    """What is not of measured callees is what the others say of themselves."""
    for pfaults, own, inner, n in db.execute(
            'select nests.pfaults, nests."self.pfaults", sum(callee.pfaults), count(*) from nests join'
            ' (select parent, pfaults from pages union all select parent, pfaults from sleeps) as callee'
            " on callee.parent = nests.id group by nests.id"):
        if own != pfaults - inner or n != 2 or own < 3:
            complain("nests: %s of %s faults are its own, %s those of %d callees" % (own, pfaults, inner, n))


db = sqlite3.connect(sys.argv[2])
threads = read_output(sys.argv[1])
[resolution_us] = db.execute("select max(resolution) from calibration where metric = 'cpu'").fetchone()
# A stop is a switch to another thread and back, as a nap is: on a slow or busy machine each takes longer than the limits above.
naps_us = sorted(call[4] / 1000 / call[0] for (function, _), calls in threads.items() if function == "sleeps" for call in calls if call[0])
nap_us = naps_us[len(naps_us) // 2] if naps_us else 0
[by_pads] = db.execute("select max(probes = 'pads') from run").fetchone()
if not threads:
    complain("the program said nothing")
for (function, thread), said in sorted(threads.items()):
    judge(db, function, thread, said)
judge_own(db)
for number, faults, _, _, _ in [row for rows in threads.items() if rows[0][0] in ("pages", "copies") for row in rows[1]]:
    if not number <= faults <= number + 2:
        complain("the program touched %d pages, and saw %d faults" % (number, faults))
sys.exit(1 if wrong else 2 if disturbed else 0)
