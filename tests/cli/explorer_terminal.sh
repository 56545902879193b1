#!/bin/sh
# Whatever way the explorer ends (keys, signals, crashes, a stop, the end of the terminal), the terminal is as before. Terminals of all
# kinds are fine; where there is none, a line says so.
. "$(dirname "$0")/lib"

type python3 >/dev/null || {
	echo 'python3 has the terminal'
	exit 77
}
ulimit -c 0
"$top/tests/cli/explorer_samples" >samples.csv
run 0 import samples.csv -o samples.fathom

timeout 300 python3 "$top/tests/cli/explorer_terminal.py" "$fathom" samples.fathom >output 2>errors </dev/null ||
	fail 'the terminal is not as before'

# Without a terminal, or with one that nobody can draw on, or with names that name nothing: one line, and nothing else is written.
run 2 explore samples.fathom
complains 'needs a terminal'

# refused WORDS TERM ARGUMENT...: at a terminal
refused() {
	words=$1 term=$2
	shift 2
	timeout 120 python3 - "$top/tests/cli" "$term" "$fathom" "$@" >output 2>errors <<'END' || fail "fathom $* is not refused"
import sys
sys.path.insert(0, sys.argv[1])
import terminal_shell
terminal = terminal_shell.Terminal(sys.argv[3:], sys.argv[2] or None)
report = terminal.report("ended")
terminal.drain()
terminal.close()
sys.stdout.write(terminal.shown.decode())
sys.exit(0 if report == "2 same" and terminal.shown.count(b"\n") == 1 and b"\x1b" not in terminal.shown else 1)
END
	says "$words"
}
refused 'TERM is not set' '' explore samples.fathom
refused 'cannot' dumb explore samples.fathom
refused 'no-such-terminal' no-such-terminal explore samples.fathom
refused 'no samples of such a function' xterm explore -f no_such_function samples.fathom
refused 'no samples of such a metric' xterm explore -m wait samples.fathom
refused 'no-such-file' xterm explore no-such-file
refused 'not a fathom profile' xterm explore samples.csv
refused '--color is' xterm explore --color=blue samples.fathom
refused 'cannot put characters' dumb run --explore -f work -- "$build/fixtures/paced-gcc-O2" 0
