#!/bin/sh
# The program does not wait until its samples are stored, even if somebody else has the profile for a while.
# alone: it looks at how long the program stands still
# not sanitized: it looks at how long the program stands still
. "$(dirname "$0")/lib"

program=$build/fixtures/paced-gcc-O2
attempt() {
	rm -f locked.fathom ready
	"$fathom" run -f work --samples all --period 50 --max-overhead none -o locked.fathom --no-models -- "$program" 1.5 \
		>output 2>errors </dev/null &
	for _ in $(seq 6000); do
		! grep -q ready output || break
		sleep 0.01
	done
	sleep 0.2
	sqlite3 locked.fathom '.timeout 5000' 'BEGIN EXCLUSIVE;' '.shell sleep 1' 'COMMIT;'
	wait $! || fail "status $?"
	[ "$(sqlite3 locked.fathom 'SELECT count(*) FROM work')" = "$(sed -n 's/^calls //p' output)" ] || fail 'samples are missing'
	grep -q 'the samples are kept' errors || fail 'nothing was said of the locked profile'
	longest=$(sed -n 's/^longest //p' output)
	[ "$longest" -lt 500 ] || fail "the program stood still for $longest ms"
}
five_attempts 'the program waited for the profile'

