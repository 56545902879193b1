"""Checks that doc/absence.md says of each reason for an absent value where it arises: see there.

Usage: absence.py TOP. Each row's reason is one of enum absence; each file and function that a row names exists; and
each function of src/ that gives a reason (and does not compare with it) is in a row of that reason.
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| (ABSENT_\w+) \| ([^|]*) \|", re.MULTILINE)
PLACE = re.compile(r"`(src/[^`]+\.c)`|`(\w+)\(\)`")
# Compared with, or named to be stored: that is no place where it arises.
TAKEN = re.compile(r"[!=]=\s*ABSENT_\w+|absence_name\(ABSENT_\w+\)")


def reasons(top):
    text = (top / "src/core/value.h").read_text()
    return set(re.findall(r"^\t(ABSENT_\w+),", text, re.MULTILINE))


def functions(path):
    """The lines of each function of a file that clang-format formatted: (name, text)."""
    name, lines = None, []
    for line in path.read_text().splitlines():
        begins = re.match(r"[a-z][^;=]*?\b(\w+)\(", line)
        if begins and not line.endswith(";"):
            name, lines = begins[1], []
        lines.append(line)
        if line.startswith("}") and name:
            yield name, "\n".join(lines)
            name = None


def told(page):
    """The places that the page names, as (reason, file, function)."""
    for reason, places in ROW.findall(page):
        path = None
        for file, function in PLACE.findall(places):
            path = file or path
            if function:
                yield reason, path, function


def arising(top, known):
    for path in sorted((top / "src").rglob("*.c")):
        name = path.relative_to(top).as_posix()
        for function, text in functions(path):
            for reason in re.findall(r"\bABSENT_\w+", TAKEN.sub("", text)):
                if reason in known:
                    yield reason, name, function


def faults(top):
    known = reasons(top)
    page = set(told((top / "doc/absence.md").read_text()))
    for reason in sorted(known - {place[0] for place in page}):
        yield f"doc/absence.md does not say where {reason} arises"
    for reason, path, function in sorted(page):
        if reason not in known:
            yield f"doc/absence.md tells of {reason}, which is no reason"
        if not (top / path).is_file():
            yield f"doc/absence.md: there is no {path}"
        elif function not in {name for name, _ in functions(top / path)}:
            yield f"doc/absence.md: {path} has no {function}()"
    for reason, path, function in sorted(set(arising(top, known)) - page):
        yield f"doc/absence.md does not say that {reason} arises in {path}, {function}()"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
