#!/bin/sh
# A recipe of fixtures/real works: SQLite's shell is built from the distribution's source, runs, and has debug information. sqlite3.sh
# measures it, when nothing else runs.
# not sanitized: nothing of ours runs
. "$(dirname "$0")/lib"

build_real sqlite3
shell=$real
[ "$("$shell" -batch :memory: 'SELECT 6 * 7')" = 42 ] || fail 'the shell does not answer'
run 0 list "$shell" sqlite3RunParser
says 'sqlite3RunParser'
