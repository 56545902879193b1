"""Types lines into a shell in a terminal of its own, has it complete them, and prints what became of them.

Usage: completion.py bash|zsh COMPLETION <LINES. A line may have | where the cursor is; else it is at the end. All completions that there are
are inserted, as M-* does; in a line with "tab: " before it the only one is, with its quotes. Printed is each line as the shell would execute it.
Nothing is waited for but what the shell writes.
"""

import os
import pty
import select
import sys
import time

END = b"\x07"  # writes the line to a file, and empties it
ALL = b"\x18\x01"  # inserts all completions
SECONDS = 60

BASH = """set +o history
PS1='ready> '
source {completion}
bind '"\\C-x\\C-a": insert-completions'
bind 'set enable-bracketed-paste off'
_save() {{ printf '%s\\n' "$READLINE_LINE" >{line}.new; mv {line}.new {line}; READLINE_LINE=; READLINE_POINT=0; }}
bind -x '"\\C-g": _save'
"""

ZSH = """PS1='ready> '
unset zle_bracketed_paste
unsetopt beep
autoload -U compinit
compinit -D -u -d {line}.dump
fpath=({folder} $fpath)
autoload -U _fathom
compdef _fathom fathom
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
bindkey '^X^A' all-matches
_save() {{ print -r -- "$BUFFER" >{line}.new; mv {line}.new {line}; BUFFER= }}
zle -N _save
bindkey '^G' _save
"""


class Shell:
    def __init__(self, shell, completion):
        self.line = os.path.join(os.getcwd(), "completed")
        rc = (BASH if shell == "bash" else ZSH).format(
            completion=completion, line=self.line, folder=os.path.dirname(completion))
        os.makedirs("home", exist_ok=True)
        with open("home/rc" if shell == "bash" else "home/.zshrc", "w") as file:
            file.write(rc)
        command = ["bash", "--noprofile", "--rcfile", "home/rc", "-i"] if shell == "bash" else ["zsh", "-d", "-i"]
        self.shown = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(HOME=os.path.abspath("home"), ZDOTDIR=os.path.abspath("home"), TERM="dumb", COLUMNS="500")
            os.execvp(command[0], command)

    def wait(self, what):
        """Until what() is true; reads what the shell shows meanwhile, or it would stop."""
        end = time.monotonic() + SECONDS
        while not what():
            if time.monotonic() > end:
                sys.exit("the shell does not answer: %r" % self.shown[-2000:])
            if select.select([self.terminal], [], [], 0.02)[0]:
                try:
                    self.shown += os.read(self.terminal, 4096)
                except OSError:
                    sys.exit("the shell has ended: %r" % self.shown[-2000:])

    def complete(self, typed):
        self.wait(lambda: b"ready> " in self.shown)
        key = b"\t" if typed.startswith("tab: ") else ALL
        before, _, after = typed.removeprefix("tab: ").partition("|")
        os.write(self.terminal, before.encode() + after.encode() + b"\x02" * len(after) + key + END)
        self.wait(lambda: os.path.exists(self.line))
        with open(self.line) as file:
            line = file.read().rstrip("\n")
        os.unlink(self.line)
        return line

    def end(self):
        os.close(self.terminal)  # it gets a SIGHUP
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


shell = Shell(sys.argv[1], os.path.abspath(sys.argv[2]))
try:
    for line in sys.stdin:
        print(shell.complete(line.rstrip("\n")))
finally:
    shell.end()
