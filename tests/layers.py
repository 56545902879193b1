"""Checks that every file of src/ includes only what its folder may: see ARCHITECTURE.md.

Usage: layers.py SRC, or layers.py --self-test. Prints one line for each #include that is wrong.
"""

import pathlib
import re
import sys
import tempfile

STAGES = ("dwarf", "trace", "profile", "model", "tui", "shell", "report")
BELOW = {"base": (), "core": ("base",), **{stage: ("base", "core") for stage in STAGES}}

# Headers, or folders of headers, that only these folders or files may include.
FENCED = {
    "elfutils/": ("dwarf",),
    "dwarf.h": ("dwarf",),
    "gelf.h": ("dwarf",),
    "libelf.h": ("dwarf",),
    "libiberty/": ("dwarf",),
    "capstone/": ("core/insn.c",),
    "sys/ptrace.h": ("trace",),
    "sys/user.h": ("trace",),
    "linux/ptrace.h": ("trace",),
    "linux/perf_event.h": ("trace",),
    "sys/wait.h": ("trace", "live.c", "gnuplot_run.c", "leftovers.c"),
    "sqlite3.h": ("profile",),
    "gsl/": ("model",),
    "ncurses.h": ("tui",),
    "curses.h": ("tui",),
    "term.h": ("tui",),
    "jansson.h": ("report",),
    "readline/": ("shell",),
    "utf8proc.h": ("tui/screen_width.c",),
}

# The C library, the kernel, and the hash tables that everybody may use. A library that is in neither table
# is one that nobody has decided to use.
FREE = re.compile(
    r"(assert|byteswap|complex|ctype|dirent|dlfcn|elf|endian|errno|error|fcntl|fenv|float|fnmatch|getopt|glob"
    r"|inttypes|langinfo|libgen|limits|link|locale|malloc|math|obstack|poll|pthread|pwd|regex|sched|search"
    r"|semaphore|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn"
    r"|string|strings|syscall|termios|threads|time|unistd|wchar|wctype|argp|argz|uthash|utlist)\.h"
    r"|(sys|asm|linux|netinet|arpa)/[a-z0-9_/-]+\.h"
)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)

# What the head of a header says that nobody outside of its folder may include.
PRIVATE = re.compile(r"\bprivate to\b", re.IGNORECASE)


def fence_of(header):
    for prefix, allowed in FENCED.items():
        if header == prefix or (prefix.endswith("/") and header.startswith(prefix)):
            return allowed
    return None


def system_fault(name, folder, header):
    allowed = fence_of(header)
    if allowed is not None:
        if folder in allowed or name in allowed:
            return None
        return "only " + ", ".join(allowed) + " may"
    return None if FREE.fullmatch(header) else "it is of no known library"


def is_private(path):
    head, _, _ = path.read_text().partition("*/")
    return PRIVATE.search(head) is not None


def project_fault(source, folder, header):
    target = header.split("/")[0] if "/" in header else ""
    if not (source / header).is_file():
        return "there is no such file"
    if folder in BELOW and target != folder and target not in BELOW[folder]:
        return "a part may include itself and what lies below it"
    if target != folder and is_private(source / header):
        return "its head says that it is private"
    return None


def faults(source):
    for path in sorted(source.rglob("*.[ch]")):
        name = path.relative_to(source).as_posix()
        folder = name.split("/")[0] if "/" in name else ""
        for kind, header in INCLUDE.findall(path.read_text()):
            if kind == "<":
                fault = system_fault(name, folder, header)
            else:
                fault = project_fault(source, folder, header)
            if fault:
                yield f"{name} includes {header}: {fault}"


def self_test():
    """A tree with known faults: each must be found, and nothing else."""
    files = {
        "base/err.h": "#include <stdio.h>\n",
        "base/up.c": '#include "core/value.h"\n',
        "core/value.h": '#include "base/err.h"\n#include <uthash.h>\n',
        "core/insn.c": "#include <capstone/capstone.h>\n",
        "core/other.c": "#include <capstone/x86.h>\n",
        "core/stage.c": ' #  include "model/fit.h"\n',
        "model/fit.h": '#include "core/value.h"\n#include "model/fit.h"\n#include <gsl/gsl_fit.h>\n',
        "model/sibling.c": '#include "trace/stop.h"\n',
        "model/command.c": '#include "cmd.h"\n',
        "model/lost.c": '#include "model/lost.h"\n',
        "trace/stop.h": "#include <sys/ptrace.h>\n#include <linux/perf_event.h>\n",
        "trace/store.c": "#include <sqlite3.h>\n",
        "trace/inner.h": "/*\n * What stops share. Private to\n * trace/.\n */\n",
        "trace/inner.c": '#include "trace/inner.h"\n',
        "shell/line.c": '#include "core/value.h"\n#include <readline/readline.h>\n',
        "shell/stage.c": '#include "model/fit.h"\n',
        "shell/command.c": '#include "cmd.h"\n',
        "cmd.h": '#include "trace/stop.h"\n#include "model/fit.h"\n',
        "cmd.c": '#include "cmd.h"\n#include <jansson.h>\n',
        "cmd_inner.c": '#include "trace/inner.h"\n',
        "report/unknown.c": "#include <glib.h>\n",
    }
    wrong = {"base/up.c", "core/other.c", "core/stage.c", "model/sibling.c", "model/command.c", "model/lost.c",
             "trace/store.c", "shell/stage.c", "shell/command.c", "cmd.c", "cmd_inner.c", "report/unknown.c"}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder)
        for name, text in files.items():
            (source / name).parent.mkdir(exist_ok=True)
            (source / name).write_text(text)
        found = [line.split()[0] for line in faults(source)]
    if sorted(found) != sorted(wrong):
        sys.exit(f"found faults in {sorted(found)}, not in {sorted(wrong)}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
