"""Checks the names in src/ (see CONTRIBUTING.md, "Style") and the width of its lines.

Usage: names.py SRC, or names.py --self-test. Prints one line for each name or line that is wrong.
"""

import collections
import pathlib
import re
import sys
import tempfile

COLUMNS = 100
NAMESAKES = 0.05  # the share of static functions that may have a namesake in another file

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
# A definition begins in the first column; its body is a brace in the first column.
DEFINITION = re.compile(r"^((?:[A-Za-z_][\w ]*[ *]+)?\**)(\w+)\(([^;{}]*)\)[^;{}()]*\n\{", re.MULTILINE)


def definitions(text):
    """(name, whether it is static) of each function that @text defines."""
    blank = DIRECTIVE.sub("", COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", "_", match.group()), text))
    for match in DEFINITION.finditer(blank):
        yield match.group(2), "static" in match.group(1).split()


def has_prefix(name, stem):
    return name == stem or name.startswith(stem + "_")


def prefixes(path, headers, depth):
    """
    Functions of annotation_print.c may begin with `annotation_print`, or with `annotation` if its stage, the first
    @depth parts of its path, has an annotation.h.
    """
    words = path.stem.split("_")
    for n in range(len(words), 0, -1):
        stem = "_".join(words[:n])
        if n == len(words) or any(header.stem == stem and header.parts[:depth] == path.parts[:depth]
                                  for header in headers):
            yield stem


def may_part(path, other):
    """Whether a .c and a .h of one stem may lie so: in one folder, or the header among the public ones of its stage."""
    code, header = (path, other) if path.suffix == ".c" else (other, path)
    return header.parent in (code.parent, pathlib.Path(code.parts[0]))


def stem_faults(paths):
    places = collections.defaultdict(list)
    for path in paths:
        places[path.name].append(path.parent)
        for other in paths:
            if other.stem == path.stem and other.suffix != path.suffix and not may_part(path, other):
                places[path.name].append(other.parent)
    for name, folders in sorted(places.items()):
        if len(folders) > 1:
            yield f"{name}: files of this name are in {', '.join(sorted(map(str, folders)))}"


def width_faults(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line.expandtabs(8)) > COLUMNS:
            yield f"{path}:{number}: {len(line.expandtabs(8))} columns, {COLUMNS} are allowed"


def faults(source):
    paths = sorted(source.rglob("*.[ch]"))
    headers = {path for path in paths if path.suffix == ".h"}
    owners = collections.defaultdict(set)
    statics = []
    yield from stem_faults([path.relative_to(source) for path in paths])
    for path in paths:
        text = path.read_text()
        yield from width_faults(path.relative_to(source), text)
        for name, static in definitions(text):
            owners[name].add(path)
            if static:
                statics.append((name, path))
            elif name != "main" and not any(
                    has_prefix(name, stem) for stem in prefixes(path, headers, len(source.parts) + 1)):
                yield f"{path.relative_to(source)}: {name}() is public and does not begin with {path.stem}_"
    same = [(name, path) for name, path in statics if path.suffix == ".c" and len(owners[name]) > 1]
    if len(same) > NAMESAKES * len(statics):
        yield (f"{len(same)} of {len(statics)} static functions have a namesake in another file, "
               f"{NAMESAKES:.0%} may: name what they work on")
        for name, path in sorted(same):
            yield f"  {name}() in {path.relative_to(source)}"


def self_test():
    """Trees with known faults: each must be found, and nothing else."""
    good = {
        "core/value.h": "#pragma once\nbool value_read(int a);\n",
        "core/value.c": "/* value_x(\n{ */\nstatic int value_find(int a,\n\t\t      int b)\n{\n}\n\n"
                        "bool value_read(int a)\n{\n}\n",
        "core/value_print.c": "#define X(a) \\\n\tx(a) \\\n{\nvoid value_write(void)\n{\n}\n",
        "core/run.h": "inline int run_count(void)\n{\n}\n\nstatic inline int count(void)\n{\n}\n",
        "core/samples/run.c": "void run_end(void)\n{\n}\n",
        "main.c": "int main(int argc, char *argv[])\n{\n}\n",
    }
    bad = [
        {"model/value.c": ""},
        {"core/samples/row.h": "", "core/plan/row.c": ""},
        {"core/samples/row.h": "", "core/row.c": ""},
        {"core/plan.h": "inline int make_plan(void)\n{\n}\n"},
        {"core/plan.c": "struct plan *make_plan(int a)\n{\n}\n"},
        {"core/plan.c": "static void value_find(void)\n{\n}\n"},
        {"core/plan.c": "\t" * 12 + "/* 8 */\n"},
    ]
    for files in [{}, *bad]:
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            for name, text in {**good, **files}.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text)
            found = list(faults(source))
        if bool(found) != bool(files):
            sys.exit(f"with {files} it finds {found}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
