"""The session in a terminal of its own: what is typed there, and what it shows.

Usage: session_terminal.py FATHOM PARLEY. Each test has a terminal and a folder of its own. Nothing is judged by time: what is
waited for has a minute.
"""

import os
import pty
import re
import select
import shutil
import signal
import stat
import sys
import tempfile
import termios
import time

PROMPT = "(fathom) "
fathom, parley = (os.path.abspath(path) for path in sys.argv[1:3])


class Terminal:
    """A command in a terminal. expect() goes on where it ended before."""

    def __init__(self, folder, *command, term="dumb"):
        self.folder = folder
        self.shown = ""
        self.at = 0
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {**os.environ, "HOME": folder, "TERM": term}
            environment.pop("INPUTRC", None)
            os.execvpe(command[0], command, environment)

    def read(self, seconds):
        """Returns whether there may be more."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            more = os.read(self.master, 65536)
        except OSError:  # nobody has the other end any more
            return False
        self.shown += more.decode(errors="replace").replace("\r", "")
        return bool(more)

    def expect(self, words):
        end = time.monotonic() + 60
        while words not in self.shown[self.at :]:
            if time.monotonic() > end or not self.read(0.1):
                if words in self.shown[self.at :]:
                    break
                raise AssertionError(f"'{words}' was not shown, but:\n{self.shown}")
        begin = self.shown.index(words, self.at)
        before = self.shown[self.at : begin]
        self.at = begin + len(words)
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def line(self, text):
        """Type a line at the prompt; returns what was shown before it."""
        before = self.expect(PROMPT)
        self.type(text + "\r")
        self.expect(text + "\n")
        return before

    def echoes(self):
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def ended(self):
        """Wait for the end; returns the exit status."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"it did not end:\n{self.shown}")

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)


def in_session(test):
    """A test of a session about parley, which is quit in the end."""

    def run(folder):
        terminal = Terminal(folder, fathom, parley)
        try:
            test(terminal)
            terminal.expect(PROMPT)
            terminal.type("\x04")  # Ctrl-D
            assert terminal.ended() == 0, terminal.shown
        finally:
            terminal.close()

    run.__name__ = test.__name__
    return run


@in_session
def ctrl_c_at_the_prompt_gives_up_the_line(terminal):
    terminal.expect(PROMPT)
    terminal.type("nonsense")
    terminal.expect("nonsense")
    terminal.type("\x03")
    terminal.expect("^C")
    terminal.line("help kill")
    terminal.expect("Kill the process")


@in_session
def the_program_reads_the_terminal_while_it_runs(terminal):
    terminal.line("run ready read")
    terminal.expect("word ready")
    terminal.type("hello\r")
    terminal.expect("read hello")
    terminal.expect("exited with status 0")


@in_session
def ctrl_c_interrupts_the_program_and_gives_the_prompt(terminal):
    terminal.line("run ready wait")
    terminal.expect("word ready")
    terminal.type("\x03")
    terminal.expect("Interrupted by Ctrl-C")
    terminal.line("backtrace")
    terminal.expect("main")
    terminal.line("info probes")
    terminal.expect("no probes")
    terminal.line("shell touch go")
    terminal.line("continue")
    terminal.expect("done")
    terminal.expect("exited with status 0")


@in_session
def ctrl_z_gives_the_prompt_too(terminal):
    terminal.line("run ready wait")
    terminal.expect("word ready")
    terminal.type("\x1a")
    terminal.expect("Interrupted by Ctrl-Z")
    terminal.line("shell touch go")
    terminal.line("c")
    terminal.expect("exited with status 0")


@in_session
def each_side_has_its_own_settings_of_the_terminal(terminal):
    terminal.line("run raw ready wait echo")
    terminal.expect("word ready")
    assert not terminal.echoes(), "the program's settings are not those of the terminal"
    terminal.type("\x03")
    terminal.expect("Interrupted")
    terminal.line("shell touch go")
    terminal.line("shell stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e -echo")
    terminal.expect("echo\n")
    terminal.line("continue")
    terminal.expect("echo is off")
    terminal.expect("exited with status 0")
    terminal.line("shell stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e -echo")
    shown = terminal.expect("echo\n")
    assert "-" not in shown, shown


@in_session
def commands_functions_words_and_features_are_completed(terminal):
    terminal.expect(PROMPT)
    terminal.type("prob\t")
    terminal.expect("probe ")
    terminal.type("hol\t")
    terminal.expect("hold ")
    terminal.type("sto\t")
    terminal.expect("stop ")
    terminal.type("if elap\t")
    terminal.expect("elapsed ")
    terminal.type("> 2 s\r")
    terminal.expect("Probe 1: hold")
    terminal.expect(PROMPT)
    terminal.type("probe work if box->c\t")
    terminal.expect("box->colour ")
    terminal.type("== RED\r")
    terminal.expect("Probe 2: work")
    terminal.expect(PROMPT)
    terminal.type("info pro\t\r")
    terminal.expect("1   enabled  hold stop if elapsed > 2 s")
    terminal.expect("2   enabled  work if box->colour == RED")


@in_session
def a_crash_is_told_with_its_place_and_quitting_asks(terminal):
    terminal.line("run crash")
    terminal.expect("SIGSEGV")
    terminal.expect("crash at ")
    terminal.expect("*where = 1;")
    terminal.expect(PROMPT)
    terminal.type("quit\r")
    terminal.expect("quit? (y or n) ")
    terminal.type("n\r")
    terminal.line("continue")
    terminal.expect("killed by signal 11")


@in_session
def an_empty_line_repeats_the_last_command(terminal):
    terminal.line("list parley.c:10")
    first = terminal.expect(PROMPT)
    terminal.type("\r")
    second = terminal.expect(PROMPT)
    numbers = [int(number) for number in re.findall(r"^ +(\d+) ", first + second, re.MULTILINE)]
    assert numbers == list(range(5, 25)), (first, second)
    terminal.type("info probes\r")
    terminal.expect("no probes")
    terminal.expect(PROMPT)
    terminal.type("\r")
    terminal.expect("no probes")


def a_plot_takes_the_place_of_the_line_of_progress(folder):
    terminal = Terminal(folder, fathom, parley, term="xterm")
    try:
        terminal.line("probe work")
        terminal.line("run work 30")
        terminal.line("plot work n")
        before = terminal.expect("work.time\n")
        assert "functions: work" in before and before.endswith("\x1b[K"), repr(before)
    finally:
        terminal.close()


@in_session
def a_stopped_program_is_told_and_goes_on(terminal):
    terminal.line("run stop")
    terminal.expect("was stopped by SIGSTOP")
    terminal.line("continue")
    terminal.expect("exited with status 0")


def the_history_is_private_and_comes_back(folder):
    path = os.path.join(folder, ".fathom_history")
    for key in (None, "\x10"):
        terminal = Terminal(folder, fathom, parley)
        try:
            if key:
                terminal.expect(PROMPT)
                terminal.type(key + "\r")
            else:
                terminal.line("help ignore")
            terminal.expect("ignore PROBE N")
            terminal.expect(PROMPT)
            terminal.type("\x04")
            assert terminal.ended() == 0
        finally:
            terminal.close()
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert open(path).read() == "help ignore\n", open(path).read()


def the_shell_has_the_terminal_back_in_the_end(folder):
    script = '"$0" "$1"; echo "status $?"; read -r line; echo "got $line"'
    terminal = Terminal(folder, "sh", "-c", script, fathom, parley)
    try:
        terminal.line("run raw ready wait")
        terminal.expect("word ready")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        terminal.type("q\r")
        terminal.expect("(y or n) ")
        terminal.type("y\r")
        terminal.expect("status 0")
        assert terminal.echoes(), "the terminal is not as it was"
        terminal.type("words\r")
        terminal.expect("got words")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def the_terminal_is_as_before_when_the_session_is_killed(folder):
    script = '"$0" "$1"; echo "status $?"; read -r line; echo "got $line"'
    terminal = Terminal(folder, "sh", "-c", script, fathom, parley)
    try:
        terminal.line("run raw ready wait")
        terminal.expect("word ready")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        with open(f"/proc/{terminal.pid}/task/{terminal.pid}/children") as children:
            os.kill(int(children.read().split()[0]), signal.SIGTERM)
        terminal.expect("status 143")
        assert terminal.echoes(), "the terminal is not as it was"
        terminal.type("words\r")
        terminal.expect("got words")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def a_process_that_was_attached_to_is_interrupted_and_goes_on(folder):
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        os.dup2(os.open("target", os.O_WRONLY | os.O_CREAT, 0o600), 1)
        os.execv(parley, [parley, "wait"])
    terminal = Terminal(folder, fathom, str(pid))
    try:
        terminal.expect("is stopped; continue lets it go on")
        terminal.line("probe hold stop")
        terminal.line("continue")
        terminal.type("\x03")
        terminal.expect("Stopped.")
        terminal.line("backtrace")
        terminal.expect("hold")
        terminal.line("quit")
        assert terminal.ended() == 0
        assert os.waitpid(pid, os.WNOHANG) == (0, 0), "the process is gone"
        open(os.path.join(folder, "go"), "w").close()
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        pid = 0
    finally:
        terminal.close()
        if pid:
            os.kill(pid, signal.SIGKILL)


TESTS = [
    ctrl_c_at_the_prompt_gives_up_the_line,
    the_program_reads_the_terminal_while_it_runs,
    ctrl_c_interrupts_the_program_and_gives_the_prompt,
    ctrl_z_gives_the_prompt_too,
    each_side_has_its_own_settings_of_the_terminal,
    commands_functions_words_and_features_are_completed,
    a_crash_is_told_with_its_place_and_quitting_asks,
    an_empty_line_repeats_the_last_command,
    a_plot_takes_the_place_of_the_line_of_progress,
    a_stopped_program_is_told_and_goes_on,
    the_history_is_private_and_comes_back,
    the_shell_has_the_terminal_back_in_the_end,
    the_terminal_is_as_before_when_the_session_is_killed,
    a_process_that_was_attached_to_is_interrupted_and_goes_on,
]


def main():
    failed = 0
    for test in TESTS:
        folder = tempfile.mkdtemp()
        try:
            test(folder)
        except (AssertionError, OSError, ValueError) as error:
            print(f"FAILED: {test.__name__}: {error}")
            failed += 1
        finally:
            shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


main()
