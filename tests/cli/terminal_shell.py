"""A terminal with a little shell in it, as people have: it runs one command with job control, and tells what became of it.

The test has the other end of the terminal: it types, and reads what is shown. The shell reports by a pipe, a line each, whenever the
command has stopped or ended, and whether the terminal's modes are then as they were before.
"""

import os
import pty
import select
import signal
import sys
import termios
import time

DEADLINE = 60


class Failure(Exception):
    pass


def shell(command, environment, reports, orders):
    """Runs in the terminal, as the leader of its session."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    before = termios.tcgetattr(0)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        for number in (signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(command[0], command, environment)
    os.write(reports, b"pid %d\n" % pid)
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpid())
        same = b"same" if termios.tcgetattr(0) == before else b"other"
        if not os.WIFSTOPPED(status):
            number = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            os.write(reports, b"ended %d %s\n" % (number, same))
            break
        os.write(reports, b"stopped %s\n" % same)
        if not os.read(orders, 1):
            break
        os.tcsetpgrp(0, pid)
        os.killpg(pid, signal.SIGCONT)
    os.read(orders, 1)  # the terminal stays until the test has seen all
    os._exit(0)


class Terminal:
    def __init__(self, command, term="xterm-256color", **environment):
        reports, their_reports = os.pipe()
        their_orders, orders = os.pipe()
        values = {**os.environ, "TERM": term, "LC_ALL": "C.UTF-8", **environment}
        self.shown = b""
        self.unread = b""
        self.shell, self.master = pty.fork()
        if self.shell == 0:
            os.close(reports)
            os.close(orders)
            shell(command, {name: value for name, value in values.items() if value is not None}, their_reports,
                  their_orders)
        os.close(their_reports)
        os.close(their_orders)
        self.reports, self.orders = reports, orders
        self.pid = int(self.report("pid"))

    def read(self, seconds):
        """What is shown, for a moment. False: nobody shows anything any more."""
        if select.select([self.master], [], [], seconds)[0]:
            try:
                more = os.read(self.master, 65536)
            except OSError:
                return False
            self.shown += more
            return bool(more)
        return True

    def until(self, what, condition):
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                raise Failure("not %s within a minute; shown last: %r" % (what, self.shown[-1500:]))
            if not self.read(0.02):
                time.sleep(0.02)

    def shows(self, words, at=0):
        """Waits until the words are shown behind the place; returns the place behind them."""
        self.until("showing %r" % words, lambda: words.encode() in self.shown[at:])
        return self.shown.index(words.encode(), at) + len(words.encode())

    def line(self):
        if select.select([self.reports], [], [], 0)[0]:
            self.unread += os.read(self.reports, 4096)
        return b"\n" in self.unread

    def report(self, what):
        """The rest of the next report, which must be one of what is expected."""
        self.until(what, self.line)
        line, _, self.unread = self.unread.partition(b"\n")
        word, _, rest = line.decode().partition(" ")
        if word != what:
            raise Failure("%s %s instead of %s" % (word, rest, what))
        return rest

    def type(self, text):
        os.write(self.master, text.encode())

    def proceed(self):
        os.write(self.orders, b"x")

    def drain(self):
        """All that was shown before now."""
        while select.select([self.master], [], [], 0.2)[0] and self.read(0):
            pass

    def hang_up(self):
        os.close(self.master)
        self.master = -1

    def session(self):
        """The processes of the terminal's session that run: (pid, name)."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/stat" % name, encoding="latin-1") as file:
                    text = file.read()
            except OSError:
                continue
            rest = text[text.rindex(")") + 2 :].split()
            if int(rest[3]) == self.shell and rest[0] != "Z" and int(name) != self.shell:
                found.append((int(name), text[text.index("(") + 1 : text.rindex(")")]))
        return found

    def close(self):
        for pid, _ in self.session():
            os.kill(pid, signal.SIGKILL)
        os.kill(self.shell, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        for fd in (self.master, self.reports, self.orders):
            if fd >= 0:
                os.close(fd)


# What is switched on, and what switches it off.
SWITCHES = [
    (b"\x1b[?1049h", b"\x1b[?1049l", "the alternate screen"),
    (b"\x1b[?25l", b"\x1b[?25h", "the hidden cursor"),
    (b"\x1b[?1h", b"\x1b[?1l", "the keypad"),
]
MOUSE = [(b"\x1b[?1000h", b"\x1b[?1000l"), (b"1000h", b"1000l")]


def check_left(terminal):
    """The terminal is as before, by what was written to it."""
    for on, off, name in SWITCHES:
        if on not in terminal.shown:
            raise Failure("%s was never switched on: %r" % (name, terminal.shown[-500:]))
        if terminal.shown.rfind(off) < terminal.shown.rfind(on):
            raise Failure("%s stays: %r" % (name, terminal.shown[-500:]))
    if terminal.shown.rfind(b"1000l") < terminal.shown.rfind(b"1000h"):
        raise Failure("the mouse stays: %r" % terminal.shown[-500:])


def run(cases):
    """Runs functions, each with its arguments; says which failed."""
    for case, *arguments in cases:
        try:
            case(*arguments)
        except Failure as failure:
            print("%s%r: %s" % (case.__name__, tuple(arguments), failure))
            sys.exit(1)
