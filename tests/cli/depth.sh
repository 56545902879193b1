#!/bin/sh
# Calls thousands deep, coroutines, also from thread to thread, and calls that are left: none is charged to another.
# not sanitized: unit tests cover what it adds, and it is long
. "$(dirname "$0")/lib"
. "$top/tests/cli/tally_lib"

functions='deep even first_call generated last_call moved odd plunge step turned wide'
levels='O0 O2'
for compiler in $(tally_compilers); do # the second has one level: what it does to frames is the question
	for level in $levels; do
		measured "$build/fixtures/depth-$compiler-$level"
	done
	[ -n "${FATHOM_FULL:-}" ] || levels=O2
done

# How long a call took that ended in another thread is not known.
sqlite3 tally.fathom "SELECT reason FROM absence JOIN variable ON variable.id = absence.variable
	AND variable.function = absence.function JOIN function ON function.id = absence.function
	WHERE function.name = 'moved' AND variable.name = 'time'" >reasons
grep -qx other-thread reasons || fail 'a call that moved between threads has a time'
