"""Whatever way the explorer ends, the terminal is as it was before. Usage: explorer_terminal.py FATHOM PROFILE"""

import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import terminal_shell

FATHOM, PROFILE = sys.argv[1:3]


# The sanitizer, if there is one, makes a status of its own of a crash.
with open(FATHOM, "rb") as file:
    CRASHED = 1 if b"libasan.so" in file.read() else -signal.SIGSEGV


def started(term="xterm-256color"):
    # There ncurses asks libgpm for the mouse, which does not free what it allocates.
    others = {"ASAN_OPTIONS": "detect_leaks=0"} if term == "linux" else {}
    terminal = terminal_shell.Terminal([FATHOM, "explore", PROFILE], term, **others)
    terminal.shows("sort_all")
    return terminal


def ends(terminal, status, term="xterm-256color"):
    report = terminal.report("ended")
    terminal.drain()
    if report != "%d same" % status:
        last = ascii(terminal.shown[-600:].decode(errors="replace"))
        raise terminal_shell.Failure("ended %s, not with status %d and the same modes; last: %s" % (report, status, last))
    if term == "xterm-256color":
        terminal_shell.check_left(terminal)
    terminal.close()


def typed(keys, status):
    terminal = started()
    terminal.type(keys)
    ends(terminal, status)


def signalled(number, status):
    terminal = started()
    os.kill(terminal.pid, number)
    ends(terminal, status)


def stopped():
    """Ctrl-Z gives the terminal back, fg takes it again."""
    terminal = started()
    for way in ("typed", "sent", "typed"):
        if way == "typed":
            terminal.type("\x1a")
        else:
            os.kill(terminal.pid, signal.SIGTSTP)
        if terminal.report("stopped") != "same":
            raise terminal_shell.Failure("stopped, the modes are others")
        terminal.drain()
        terminal_shell.check_left(terminal)
        at = len(terminal.shown)
        terminal.proceed()
        terminal.shows("sort_all", at)
    terminal.type("q")
    ends(terminal, 0)


def stopped_unasked():
    """Who sends SIGSTOP asks nobody; afterwards all is shown again."""
    terminal = started()
    os.kill(terminal.pid, signal.SIGSTOP)
    terminal.report("stopped")
    at = len(terminal.shown)
    terminal.proceed()
    terminal.shows("sort_all", at)
    terminal.type("q")
    ends(terminal, 0)


def hung_up():
    """Without a terminal there is nothing to do."""
    terminal = started()
    pid = terminal.pid
    terminal.hang_up()
    for _ in range(terminal_shell.DEADLINE * 50):
        if pid not in [other for other, _ in terminal.session()]:
            terminal.close()
            return
        terminal_shell.time.sleep(0.02)
    terminal.close()
    raise terminal_shell.Failure("it lives on without a terminal")


def on(term):
    terminal = started(term)
    terminal.type("q")
    ends(terminal, 0, term)


terminal_shell.run(
    # Models are being made as it ends: of what only the explorer has they may use nothing.
    [(typed, "q", 0)] * 8
    + [
        (typed, "\x03", -signal.SIGINT),
        (typed, "\x1c", -signal.SIGQUIT),
        (typed, "\rq\x03", -signal.SIGINT),
    ]
    + [
        (signalled, number, -number)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT)
    ]
    # 16 is SIGSTKFLT, which Python has no name for.
    + [
        (signalled, number, -number)
        for number in map(int, (
            signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU,
            signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR, 16, signal.SIGRTMAX,
        ))
    ]
    + [(signalled, signal.SIGSEGV, CRASHED)]
    # Files are read through maps, and may become shorter meanwhile: a line says so.
    + [(signalled, signal.SIGBUS, 2)]
    + [(stopped,), (stopped_unasked,), (hung_up,)]
    + [(on, term) for term in ("xterm", "vt100", "linux", "screen-256color", "xterm-mono")]
)
