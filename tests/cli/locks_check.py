#!/usr/bin/env python3
"""Compares what a profile says of waits and holds with what fixtures/trace/locks.cc says itself.

Usage: locks_check.py PROFILE TRUTH

The fixture's account has what it was stopped for in it, and what it waited for a processor, so that the profile may have less: at most
what it says that was.
Waits and holds are 5 ms and more, so what is missed or counted twice is farther off than what may be.
"""
import collections
import sqlite3
import sys

SLACK_US = 1500
SLACK_PART = 0.05


def read_truth(path):
    truth = collections.defaultdict(list)
    for line in open(path):
        word, *fields = line.split()
        if word == "truth":
            truth[fields[0]].append(tuple(map(float, fields[1:])))
    return {function: [call[1:] for call in sorted(calls)] for function, calls in truth.items()}


def is_near(measured, expected, less):
    slack = SLACK_US + SLACK_PART * expected
    return measured is not None and expected - less - slack <= measured <= expected + slack


def compare(function, number, row, expected):
    failures = []
    for metric, measured, true in zip(("wait", "hold"), row, expected):
        if not is_near(measured, true, row[3] / 1000):
            failures.append("%s, call %d: %s is %s, not %.1f" % (function, number, metric, measured, true))
    if row[1] is not None and row[1] > row[2]:
        failures.append("%s, call %d: hold is more than time" % (function, number))
    return failures


def main(profile, path):
    database = sqlite3.connect(profile)
    failures = []
    for function, expected in read_truth(path).items():
        rows = database.execute('SELECT wait, hold, time, ifnull(stopped_ns, 0) + ifnull(waited_ns, 0) FROM "%s" ORDER BY id' % function).fetchall()
        if len(rows) != len(expected):
            failures.append("%s has %d samples, not %d" % (function, len(rows), len(expected)))
        for number, (row, true) in enumerate(zip(rows, expected), 1):
            failures += compare(function, number, row, true)
    print("\n".join(failures))
    return bool(failures)


sys.exit(main(*sys.argv[1:]))
