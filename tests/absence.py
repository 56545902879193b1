"""Checks that doc/absence.md says of each reason for an absent value where it arises: see there.

Usage: absence.py TOP, or absence.py --self-test. Prints one line for each fault. Each row's reason is one of enum
absence; the functions that its rows name are just those of src/ that give it: that name it, or a constant of their file
that has it, and do not compare with it. Outside functions, it may stand in such a constant alone.
"""

import pathlib
import re
import sys
import tempfile

ENUM = "src/core/value.h"
ROW = re.compile(r"^\| (ABSENT_\w+) \| ([^|]*) \|", re.MULTILINE)
PLACE = re.compile(r"`(src/[^`]+\.[ch])`|`(\w+)\(\)`")
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# A definition begins in the first column; so do the braces of its body.
FUNCTION = re.compile(r"^\w[^;{}=#]*?\b(\w+)\([^;{}]*\)[^;{}()]*\n\{.*?^\}", re.MULTILINE | re.DOTALL)
CONSTANT = re.compile(r"^static const (?:\w+ )+\**(\w+) = [^;]*;", re.MULTILINE)
# Compared with, named to be stored, or the index of what a table says of it: that is no place where it arises.
TAKEN = re.compile(r"[!=]=\s*ABSENT_\w+|ABSENT_\w+\s*[!=]=|\bcase\s+ABSENT_\w+\s*:|absence_name\(ABSENT_\w+\)"
                   r"|\[ABSENT_\w+\]\s*=")


def reasons(top):
    return set(re.findall(r"^\t(ABSENT_\w+),", (top / ENUM).read_text(), re.MULTILINE))


def code(path):
    return COMMENT_OR_TEXT.sub("_", path.read_text())


def functions(path):
    """The text of each function of a file that clang-format formatted."""
    return {match[1]: match[0] for match in FUNCTION.finditer(code(path))}


def given(text, known):
    return known.intersection(re.findall(r"\bABSENT_\w+", TAKEN.sub("", text)))


def told(page):
    """The places that the page names, as (reason, file, function)."""
    for reason, places in ROW.findall(page):
        path = ""
        for file, function in PLACE.findall(places):
            path = file or path
            if function:
                yield reason, path, function


def arising(path, known):
    """Where a file gives reasons, as (reason, function); the function is None if there is none."""
    bodies = functions(path)
    outside = FUNCTION.sub("", code(path))
    for constant in CONSTANT.finditer(outside):
        use = re.compile(rf"(?<!\.)(?<!->)\b{constant[1]}\b")
        users = [name for name, text in bodies.items() if use.search(text)]
        for reason in given(constant[0], known):
            yield from ((reason, name) for name in users or [None])
    for reason in given(CONSTANT.sub("", outside), known):
        yield reason, None
    for name, text in bodies.items():
        yield from ((reason, name) for reason in given(text, known))


def faults(top):
    known = reasons(top)
    page = set(told((top / "doc/absence.md").read_text()))
    sources = sorted(path for path in (top / "src").rglob("*.[ch]") if path != top / ENUM)
    source = {(reason, path.relative_to(top).as_posix(), function)
              for path in sources for reason, function in arising(path, known)}
    for reason in sorted(known - {place[0] for place in page}):
        yield f"doc/absence.md does not say where {reason} arises"
    for reason, path, function in sorted(page - source):
        if reason not in known:
            yield f"doc/absence.md tells of {reason}, which is no reason"
        elif not (top / path).is_file():
            yield f"doc/absence.md: there is no {path}"
        elif function not in functions(top / path):
            yield f"doc/absence.md: {path} has no {function}()"
        else:
            yield f"doc/absence.md says that {reason} arises in {path}, {function}(), which does not give it"
    for reason, path, function in sorted(source - page, key=str):
        if function:
            yield f"doc/absence.md does not say that {reason} arises in {path}, {function}()"
        else:
            yield f"{path}: {reason} is outside functions, and in no constant that a function of the file uses"


def self_test():
    """Trees with a known fault each: it must be found, and nothing else."""
    page = ("| reason | where |\n|---|---|\n| ABSENT_NULL | `src/a.c`: `give()`, `give_two()` | when |\n"
            "| ABSENT_LOOPED | `src/b.c`: `use()`; `src/a.c`: `give_two()` | when |\n")
    first = ("/* ABSENT_LOOPED */\nstatic int give_two(int a,\n\t\t    int b);\n\nint give(int a)\n{\n"
             "\tif (a == ABSENT_LOOPED)\n\t\tf(value_absence_name(ABSENT_LOOPED), \"ABSENT_LOOPED\");\n"
             "\treturn ABSENT_NULL;\n}\n\nstatic int give_two(int a,\n\t\t    int b)\n{\n"
             "\treturn a ? ABSENT_NULL : ABSENT_LOOPED;\n}\n")
    second = ("static const struct value unknown = {.absence = ABSENT_LOOPED};\n\nstruct value use(void)\n{\n"
              "\treturn unknown;\n}\n\nint pass(struct x *x)\n{\n\treturn x->unknown + x[0].unknown;\n}\n")
    good = {
        ENUM: "enum absence {\n\tPRESENT,\n\tABSENT_NULL, /* 0 */\n\tABSENT_LOOPED,\n};\n",
        "doc/absence.md": page,
        "src/a.c": first,
        "src/b.c": second,
        "src/names.c": "static const char *const names[] = {\n\t[ABSENT_NULL] = \"null\",\n};\n",
    }
    bad = [
        ({"src/a.c": first.replace("return ABSENT_NULL", "return 0")}, "which does not give it"),
        ({"src/b.c": second.replace("return unknown", "return x->unknown")}, "which does not give it", "outside"),
        ({"src/b.c": second.replace("x->unknown", "unknown.absence")}, "pass()"),
        ({"src/b.c": second.replace("LOOPED", "NULL")}, "which does not give it", "that ABSENT_NULL arises"),
        ({"src/c.c": "static const struct value unused = {.absence = ABSENT_NULL};\n"}, "outside"),
        ({"src/c.c": "int f(int a,\n      int b);\nstatic const int table[] = {\n\tABSENT_NULL,\n};\n\n"
                     "int f(int a,\n      int b)\n{\n\treturn table[a];\n}\n"}, "outside"),
        ({"src/c.h": "#define NONE ABSENT_NULL\n"}, "outside"),
        ({"src/c.h": "static inline int f(void)\n{\n\treturn ABSENT_NULL;\n}\n"}, "src/c.h, f()"),
        ({"doc/absence.md": page.replace("give()", "given()")}, "has no given()", "give()"),
        ({"doc/absence.md": page.replace("src/b.c", "src/d.c")}, "there is no src/d.c", "use()"),
        ({"doc/absence.md": page + "| ABSENT_MOON | `src/a.c`: `give()` | when |\n"}, "no reason"),
        ({ENUM: good[ENUM].replace("};", "\tABSENT_NEW,\n};")}, "where ABSENT_NEW arises"),
    ]
    for files, *said in [({},), *bad]:
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            for name, text in {**good, **files}.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text)
            found = list(faults(top))
        if len(found) != len(said) or not all(what in line for what, line in zip(said, found)):
            sys.exit(f"with {files} it finds {found}, not {said}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
