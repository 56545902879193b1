#!/bin/sh
# The session in a terminal: typing, completion, Ctrl-C and Ctrl-Z, whose the terminal is.
. "$(dirname "$0")/lib"

timeout 300 python3 "$top/tests/cli/session_terminal.py" "$fathom" "$build/fixtures/parley" >output 2>&1 </dev/null ||
	fail 'the session in a terminal'
