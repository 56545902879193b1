#!/bin/sh
# A recipe of fixtures/real works: SQLite's shell is built from the distribution's source, runs, and has debug information. sqlite3.sh
# measures it, when nothing else runs.
# not sanitized: nothing of ours runs
. "$(dirname "$0")/lib"

"$top/fixtures/real/build" sqlite3 >built 2>&1
status=$?
if [ $status -eq 75 ]; then
	cat built
	echo "the source of sqlite3 could not be fetched"
	exit 77
fi
[ $status -eq 0 ] || fail "$(cat built)"
shell=$(tail -n 1 built)
[ "$("$shell" -batch :memory: 'SELECT 6 * 7')" = 42 ] || fail 'the shell does not answer'
run 0 list "$shell" sqlite3RunParser
says 'sqlite3RunParser'
