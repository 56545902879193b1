"""Checks that files of src/ include only what their room may, that each folder is a room and has its page, and that
tests have the same rooms.

Usage: layers.py PROJECT, or layers.py --self-test. Prints one line for each fault. A new arrow between rooms is a
decision: it goes into ROOMS, which is in the order of who may know whom, so that there can be no circle.
"""

import pathlib
import re
import sys
import tempfile

# Each room, and the rooms whose headers it includes: only rooms that stand above it in this table.
ROOMS = {
    "base": (),
    "core": ("base",),
    "core/annotation": ("base", "core"),
    "core/plan": ("base", "core"),
    "core/catalogue": ("base", "core", "core/plan"),
    "core/samples": ("base", "core", "core/annotation"),
    "core/verdict": ("base", "core", "core/annotation"),
    "core/causal": ("base",),
    "core/flow": ("base",),
    "core/figure": ("base", "core/annotation", "core/causal", "core/samples"),
    "dwarf/file": ("base", "core", "core/catalogue"),
    "dwarf/graph": ("base", "core", "core/annotation", "core/catalogue", "dwarf/file"),
    "dwarf/location": ("base", "core", "core/catalogue", "core/plan", "dwarf/file"),
    "dwarf/search": ("base", "core", "dwarf/file"),
    "dwarf/type": ("base", "core", "dwarf/file", "dwarf/location", "dwarf/search"),
    "dwarf/class": ("base", "core", "core/catalogue", "dwarf/file", "dwarf/search", "dwarf/type"),
    "dwarf/code": ("base", "core/catalogue", "core/flow", "dwarf/file", "dwarf/location", "dwarf/type"),
    "dwarf/feature": (
        "base", "core", "dwarf/class", "dwarf/file", "dwarf/location", "dwarf/search",
        "dwarf/type"
    ),
    "dwarf/written": (
        "base", "core/catalogue", "core/plan", "dwarf/feature", "dwarf/location", "dwarf/type"
    ),
    "dwarf": (
        "base", "core", "core/catalogue", "dwarf/code", "dwarf/feature", "dwarf/file",
        "dwarf/location", "dwarf/search", "dwarf/written"
    ),
    "trace": ("base", "core", "core/catalogue", "core/plan", "core/verdict"),
    "trace/kernel": ("base", "core", "trace"),
    "trace/snapshot": ("base", "core/plan", "trace", "trace/kernel"),
    "trace/target": ("base", "core", "core/catalogue", "core/plan", "trace", "trace/kernel"),
    "trace/probe": ("base", "core/catalogue", "trace/kernel", "trace/target"),
    "trace/pad": ("base", "core/catalogue", "core/plan", "trace/probe", "trace/target"),
    "trace/rescue": ("base", "trace", "trace/kernel", "trace/target"),
    "trace/state": ("base", "core", "core/catalogue", "trace", "trace/probe", "trace/target"),
    "trace/cost": ("base", "core", "core/catalogue", "trace/probe", "trace/state"),
    "trace/call": (
        "base", "core/catalogue", "trace/cost", "trace/kernel", "trace/probe", "trace/state"
    ),
    "trace/ring": (
        "base", "trace/call", "trace/cost", "trace/pad", "trace/probe", "trace/state"
    ),
    "trace/session": (
        "base", "core", "core/catalogue", "trace", "trace/call", "trace/cost",
        "trace/kernel", "trace/probe", "trace/ring", "trace/snapshot", "trace/state",
        "trace/target"
    ),
    "trace/calibrate": ("base", "core", "core/catalogue", "trace", "trace/state"),
    "trace/sampling": ("base", "trace", "trace/kernel"),
    "trace/causal": ("base", "core", "core/causal", "trace", "trace/kernel"),
    "profile": ("base", "core", "core/catalogue", "core/causal", "core/samples"),
    "profile/csv": ("base", "core", "profile"),
    "profile/graph": ("base", "core/catalogue", "core/figure", "profile"),
    "profile/merge": ("base", "core", "core/samples", "profile"),
    "model/data": ("base", "core/annotation", "core/samples"),
    "model/density": ("base", "model/data"),
    "model/regression": ("base", "core", "core/annotation", "model/data"),
    "model/compare": (
        "base", "core/annotation", "core/samples", "core/verdict", "model/data",
        "model/regression"
    ),
    "model/mixture": ("base", "core", "model/data", "model/density", "model/regression"),
    "model/split": ("base", "core/samples", "model/data", "model/regression"),
    "model/tree": (
        "base", "core/annotation", "core/figure", "core/samples", "model/data",
        "model/mixture", "model/regression", "model/split"
    ),
    "model": ("base", "core/annotation", "core/figure", "core/samples", "model/data", "model/tree"),
    "model/compose": (
        "base", "core/annotation", "core/samples", "model", "model/data", "model/regression"
    ),
    "model/causal": ("base", "core/causal", "model/data"),
    "report": ("base", "core/annotation", "core/catalogue", "core/causal", "core/figure", "core/verdict"),
    "report/spans": ("base", "core/figure", "report"),
    "shell": ("base", "core", "core/plan"),
    "tui/screen": ("base", "core/figure"),
    "tui": ("core/figure", "tui/screen"),
    "tui/state": ("base", "tui", "tui/screen"),
    "tui/views": ("base", "core/annotation", "tui", "tui/screen", "tui/state"),
    "history": ("base",),
    "cli": (
        "base", "core", "core/annotation", "core/catalogue", "core/verdict", "dwarf", "dwarf/file",
        "dwarf/written", "trace/kernel"
    ),
    "cli/manual": ("cli", "core", "shell", "tui/screen"),
    "results": (
        "base", "cli", "core", "core/annotation", "core/figure", "core/samples",
        "core/verdict", "model", "model/compose", "model/data",
        "profile", "report", "shell"
    ),
    "export": (
        "base", "cli", "core/causal", "core/figure", "core/samples", "model", "model/causal", "profile", "profile/graph", "report", "report/spans", "results"
    ),
    "explore": (
        "base", "cli", "core/annotation", "core/figure", "core/samples", "model", "profile", "profile/csv", "profile/graph",
        "report", "results", "tui", "tui/screen"
    ),
    "inspect": (
        "base", "cli", "core/annotation", "core/catalogue", "core/plan", "core/verdict",
        "dwarf", "report", "results", "trace"
    ),
    "select": (
        "base", "cli", "core/catalogue", "core/samples", "core/verdict", "dwarf/graph", "inspect",
        "profile", "profile/graph", "results", "trace"
    ),
    "advise": (
        "base", "core", "core/catalogue", "core/figure", "core/samples", "model", "model/split",
        "profile"
    ),
    "record": (
        "advise", "base", "cli", "core", "core/catalogue", "core/samples", "dwarf", "explore",
        "inspect", "profile", "select", "trace"
    ),
    "causal": (
        "base", "cli", "core", "core/catalogue", "core/causal", "core/plan", "core/samples", "dwarf",
        "inspect", "model/causal", "model/data", "profile", "results", "trace", "trace/causal"
    ),
    "prompt": (
        "base", "cli", "core", "core/annotation", "core/figure", "core/plan", "core/samples",
        "inspect", "model", "model/data", "record", "report", "results", "shell", "trace"
    ),
    "prompt/habits": ("base", "cli", "core", "dwarf", "inspect", "prompt"),
    "judge": (
        "base", "cli", "core", "core/annotation", "core/samples", "core/verdict", "model/compare",
        "profile", "trace"
    ),
    "watch": (
        "base", "cli", "core", "core/annotation", "core/samples", "judge", "model/compare",
        "results", "trace/kernel"
    ),
    "cmd": (
        "advise", "base", "causal", "cli", "cli/manual", "core", "core/annotation", "core/catalogue",
        "core/figure", "core/samples", "core/verdict", "dwarf", "dwarf/graph", "explore", "export", "history", "inspect", "judge",
        "model", "model/causal", "model/compare", "profile", "profile/csv", "profile/graph", "profile/merge", "prompt", "record", "report", "results", "select", "shell", "trace", "trace/kernel", "watch"
    ),
    "": ("base", "cli", "cmd", "core", "prompt"),
}

# Headers, or folders of headers, that only these rooms or files (and rooms within these) may include.
FENCED = {
    "elfutils/": ("dwarf",),
    "dwarf.h": ("dwarf",),
    "gelf.h": ("dwarf",),
    "libelf.h": ("dwarf",),
    "libiberty/": ("dwarf",),
    "capstone/": ("core/catalogue/insn.c", "core/catalogue/insn_capstone.h"),
    "sys/ptrace.h": ("trace",),
    "sys/user.h": ("trace",),
    "linux/ptrace.h": ("trace",),
    "linux/perf_event.h": ("trace",),
    "sys/wait.h": ("trace", "explore", "history", "base/front.c", "record/run_apart.c", "results", "watch", "cmd/cmd_run_with.c"),
    "sqlite3.h": ("profile",),
    "gsl/": ("model",),
    "ncurses.h": ("tui/screen",),
    "curses.h": ("tui/screen",),
    "term.h": ("tui/screen",),
    "utf8proc.h": ("tui/screen",),
    "jansson.h": ("report",),
    "readline/": ("shell",),
}

# The C library, the kernel, and the hash tables that everybody may use. A library that is in neither table
# is one that nobody has decided to use.
FREE = re.compile(
    r"(assert|byteswap|complex|cpuid|ctype|dirent|dlfcn|elf|endian|errno|error|fcntl|fenv|float|fnmatch|getopt|glob"
    r"|inttypes|langinfo|libgen|limits|link|locale|malloc|math|nss|obstack|poll|pthread|pwd|regex|sched|search"
    r"|semaphore|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn"
    r"|string|strings|syscall|termios|threads|time|unistd|x86intrin|wchar|wctype|argp|argz|uthash|utlist)\.h"
    r"|(sys|asm|linux|netinet|arpa)/[a-z0-9_/-]+\.h"
)

# The kind is empty if the line does not say which file it includes, as with a macro.
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\b[ \t]*(?:([<"])([^">\n]+)[">]|([^\n]*))', re.MULTILINE)

# What the head of a header says that only its own stage, the first part of its room, may include.
PRIVATE = re.compile(r"\bprivate to\b", re.IGNORECASE)

FILES = 30  # that a room may hold, .c and .h together
PAGE_LINES = 15


def room_of(name):
    return name.rpartition("/")[0]


def stage_of(room):
    return room.split("/")[0]


def is_within(name, place):
    return name == place or name.startswith(place + "/")


def fence_of(header):
    for prefix, allowed in FENCED.items():
        if header == prefix or (prefix.endswith("/") and header.startswith(prefix)):
            return allowed
    return None


def system_fault(name, header):
    allowed = fence_of(header)
    if allowed is not None:
        return None if any(is_within(name, place) for place in allowed) else "only " + ", ".join(allowed) + " may"
    return None if FREE.fullmatch(header) else "it is of no known library"


def is_private(path):
    head, _, _ = path.read_text().partition("*/")
    return PRIVATE.search(head) is not None


def project_fault(source, room, header, rooms, used):
    if "/" not in header:
        return None if (source / room / header).is_file() else "there is no such file in its room"
    if not (source / header).is_file():
        return "there is no such file"
    target = room_of(header)
    used.add((room, target))
    if target == room:
        return "a header of its own room goes without the room's name"
    if target not in rooms.get(room, ()):
        return f"{room or 'src'} may include {', '.join(rooms.get(room, ())) or 'nothing'}"
    if stage_of(target) != stage_of(room) and is_private(source / header):
        return "its head says that it is private"
    return None


def include_faults(source, rooms, used):
    for path in sorted(source.rglob("*.[ch]")):
        name = path.relative_to(source).as_posix()
        for kind, header, other in INCLUDE.findall(path.read_text()):
            if not kind:
                fault = "it is neither in quotes nor in angle brackets"
            elif kind == "<":
                fault = system_fault(name, header)
            else:
                fault = project_fault(source, room_of(name), header, rooms, used)
            if fault:
                yield f"{name} includes {header or other}: {fault}"


def table_faults(rooms, used):
    above = set()
    for room, arrows in rooms.items():
        for target in arrows:
            if target not in above:
                yield f"{room or 'src'}: {target} does not stand above it in the table"
            elif (room, target) not in used:
                yield f"{room or 'src'}: no file includes a header of {target}; the arrow goes"
        above.add(room)


def page_faults(source, room, arrows):
    page = source / room / "README.md"
    if not page.is_file():
        yield f"{room}: there is no README.md"
        return
    lines = page.read_text().splitlines()
    if len(lines) > PAGE_LINES:
        yield f"{room}/README.md: {len(lines)} lines, {PAGE_LINES} are allowed"
    said = re.search(r"^May include: (.*?)\.$", page.read_text(), re.MULTILINE | re.DOTALL)
    if not said or said.group(1).replace("`", "").split() != (", ".join(arrows) or "nothing").split():
        yield f"{room}/README.md: it is to say “May include: {', '.join(arrows) or 'nothing'}.”"


def is_stage_of_rooms(source, folder, rooms):
    """Whether a folder, as src/tui, has no code, and each folder in it is a room."""
    within = [path.relative_to(source).as_posix() for path in folder.iterdir() if path.is_dir()]
    return bool(within) and all(room in rooms for room in within) and not any(folder.glob("*.[ch]"))


def room_faults(project, rooms):
    source = project / "src"
    for folder in sorted(path for path in source.rglob("*") if path.is_dir()):
        room = folder.relative_to(source).as_posix()
        if room not in rooms and not is_stage_of_rooms(source, folder, rooms):
            yield f"{room}: the table has no such room"
    for room, arrows in rooms.items():
        if room:
            yield from page_faults(source, room, arrows)
            files = len(list((source / room).glob("*.[ch]")))
            if files > FILES:
                yield f"{room}: {files} files, {FILES} are allowed"
    for path in sorted(source.glob("*.[ch]")):
        if path.name != "main.c":
            yield f"{path.name}: src/ itself has main.c alone"
    for path in sorted((project / "tests/unit").rglob("*.c")):
        room = room_of(path.relative_to(project / "tests/unit").as_posix())
        if room not in rooms:
            yield f"tests/unit/{room}: there is no such room in src/"


def faults(project, rooms):
    used = set()
    yield from include_faults(project / "src", rooms, used)
    yield from table_faults(rooms, used)
    yield from room_faults(project, rooms)


def self_test():
    """A tree with known faults: each must be found, and nothing else."""
    rooms = {
        "base": (),
        "core": ("base",),
        "core/catalogue": ("core", "core/plan"),
        "core/plan": ("core",),
        "model": ("core", "base"),
        "trace": (),
        "trace/state": ("trace",),
        "tui/screen": (),
        "cli": ("model",),
        "": ("cli",),
    }
    files = {
        "src/base/err.h": "#include <stdio.h>\n",
        "src/base/up.c": '#include "core/value.h"\n',
        "src/core/value.h": '#include "base/err.h"\n#include <uthash.h>\n',
        "src/core/catalogue/insn.c": '#include <capstone/capstone.h>\n#include "core/value.h"\n',
        "src/core/catalogue/other.c": '#include <capstone/x86.h>\n#include "core/plan/plan.h"\n',
        "src/core/plan/plan.h": '#include "core/value.h"\n',
        "src/core/stage.c": ' #  include "model/fit.h"\n',
        "src/model/fit.h": '#include "core/value.h"\n#include <gsl/gsl_fit.h>\n',
        "src/model/own.c": '#include "model/fit.h"\n',
        "src/model/near.c": '#include "fit.h"\n',
        "src/model/sibling.c": '#include "trace/stop.h"\n',
        "src/model/lost.c": '#include "model/lost.h"\n#include "lost.h"\n',
        "src/trace/stop.h": "/*\n * What stops share. Private to\n * trace/.\n */\n#include <sys/ptrace.h>\n",
        "src/trace/store.c": "#include <sqlite3.h>\n",
        "src/trace/state/inner.c": '#include "trace/stop.h"\n',
        "src/cli/unknown.c": '#include <glib.h>\n#include "model/fit.h"\n',
        "src/main.c": '#include "cli/x.h"\n',
        "src/cli/x.h": "",
        "src/second.c": "",
        "src/lost/lost.c": "",
        "src/vacant/notes.txt": "",
        "src/cli/macro.c": "#define HEADER <stdio.h>\n#include HEADER\n",
        "tests/unit/model/test_fit.c": "",
        "tests/unit/nowhere/test_fit.c": "",
        **{f"src/{room}/README.md": f"# A room\n\nMay include: {', '.join(arrows) or 'nothing'}.\n"
           for room, arrows in rooms.items() if room not in ("", "trace", "trace/state")},
        "src/trace/README.md": "May include: base.\n",
        "src/trace/state/README.md": "May include: trace.\n" + 15 * "\n",
        **{f"src/base/file{n}.c": "" for n in range(30)},
    }
    wrong = ["base/up.c", "core/catalogue/other.c", "core/stage.c", "model/own.c", "model/sibling.c", "model/lost.c",
             "model/lost.c", "trace/store.c", "cli/unknown.c", "cli/macro.c", "core/catalogue:", "model:", "lost:",
             "vacant:", "base:", "second.c:", "trace/README.md:", "trace/state/README.md:", "tests/unit/nowhere:"]
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        for name, text in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        found = [line.split()[0] for line in faults(project, rooms)]
    if sorted(found) != sorted(wrong):
        sys.exit(f"it finds faults in\n{sorted(found)}, not in\n{sorted(wrong)}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    found = list(faults(pathlib.Path(sys.argv[1]), ROOMS))
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
