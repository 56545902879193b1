"""Checks that the pages name only files and functions that exist: ARCHITECTURE.md, CONTRIBUTING.md and the rooms' README.md;
and that no page has marks of a conflict.

Usage: pages.py PROJECT, or pages.py --self-test. Prints one line for each name that is stale, and page with marks.
"""

import pathlib
import re
import sys
import tempfile

PATH = re.compile(r"`((?:[a-z0-9_]+/)*[a-z0-9_]+\.(?:[ch]|\[ch\]|sh|py))`")
FUNCTION = re.compile(r"`([a-z_0-9]+)\(\)` in `((?:[a-z0-9_]+/)*[a-z0-9_]+\.[ch])`")

MARK = re.compile(r"^(<{7}|>{7}|\|{7}) ", re.MULTILINE)


def found(project, page, name):
    """Where a page may mean by @name: beside itself, from src/ or from the top, or a file whose name has no folder."""
    for folder in (page.parent, project / "src", project):
        if (folder / name).is_file():
            return folder / name
    if "/" not in name:
        return next((path for top in ("src", "tests") for path in sorted((project / top).rglob(name))), None)
    return None


def faults(project):
    pages = [project / "ARCHITECTURE.md", project / "CONTRIBUTING.md", *sorted((project / "src").rglob("README.md"))]
    for page in pages:
        text, name_of_page = page.read_text(), page.relative_to(project)
        for name in sorted(set(PATH.findall(text))):
            for one in sorted({name.replace("[ch]", "c"), name.replace("[ch]", "h")}):
                if not found(project, page, one):
                    yield f"{name_of_page}: there is no {one}"
        for function, name in FUNCTION.findall(text):
            path = found(project, page, name)
            if path and not re.search(r"\b%s\(" % function, path.read_text()):
                yield f"{name_of_page}: {name} has no {function}()"
    for page in sorted([*project.glob("*.md"), *(project / "doc").rglob("*.md")]):
        if MARK.search(page.read_text()):
            yield f"{page.relative_to(project)}: marks of a conflict"


def self_test():
    files = {
        "src/core/value.c": "int value_read(int a)\n{\n}\n",
        "src/core/value.h": "",
        "src/core/README.md": "`value.c`, `value_read()` in `value.c`",
        "CONTRIBUTING.md": "`tests/x.py` and `src/core/value.[ch]` and `breakpoint_plant()` alone",
        "tests/x.py": "",
        "doc/guide.md": "one\n<<<<<<< HEAD\ntwo\n=======\n",
        "ARCHITECTURE.md": "`core/value.c`, `core/plan.c`, `plan.h`, `value_gone()` in `core/value.c`",
    }
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        for name, text in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        lines = list(faults(project))
    if len(lines) != 4:
        sys.exit(f"it finds {lines}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    lines = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(lines))
    sys.exit(1 if lines else 0)


main()
