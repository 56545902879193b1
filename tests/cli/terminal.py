"""Runs a command in a terminal of its own, types Ctrl-C there, and shows what the terminal showed.

Usage: terminal.py WORDS[:WORDS...] COMMAND...; Ctrl-C is typed a moment after each of the WORDS was shown. With
"kill=" in front of the WORDS SIGINT goes to the command alone. The exit status is the command's, or 128 and the signal
that killed it; 99: it took more than five minutes, in which a busy machine comes to it.
"""

import os
import pty
import select
import signal
import sys
import time

shown = b""


def read(terminal, seconds):
    """Returns whether there may be more."""
    global shown
    ready, _, _ = select.select([terminal], [], [], seconds)
    if not ready:
        return True
    try:
        more = os.read(terminal, 4096)
    except OSError:  # nobody has the other end any more
        return False
    shown += more
    return bool(more)


def interrupt(pid, terminal, alone):
    time.sleep(0.2)
    if alone:
        os.kill(pid, signal.SIGINT)
    else:
        os.write(terminal, b"\x03")


def main():
    wanted = sys.argv[1].split(":") if sys.argv[1] else []
    end = time.monotonic() + 300
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    at = 0
    ended = 0
    while not ended and time.monotonic() < end:
        if not read(terminal, 0.05):
            time.sleep(0.05)
        words = wanted[0].removeprefix("kill=").encode() if wanted else b""
        found = shown.find(words, at) if wanted else -1
        if found >= 0:
            at = found + len(words)
            interrupt(pid, terminal, wanted.pop(0).startswith("kill="))
        ended, status = os.waitpid(pid, os.WNOHANG)
    while ended and read(terminal, 0.2) and select.select([terminal], [], [], 0)[0]:
        pass
    sys.stdout.write(shown.decode(errors="replace").replace("\r", ""))
    if not ended:
        os.kill(pid, signal.SIGKILL)
        return 99
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


sys.exit(main())
