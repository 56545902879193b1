#!/bin/sh
# Trouble of the tool's own does not end the program that it measures, and loses no samples that can be kept.
. "$(dirname "$0")/lib"

program=$build/fixtures/slow-gcc-O2
all=150

# Wait until a query of a profile has that answer; a minute at most: until_is PROFILE QUERY ANSWER
until_is() {
	for _ in $(seq 600); do
		[ "$(sqlite3 "$1" "$2" 2>/dev/null)" != "$3" ] || return 0
		sleep 0.1
	done
	fail "$2 did not become $3"
}

# Somebody takes the profile while the program runs, until we complain: samples are kept, and stored at the end.
"$fathom" run -q -f work -o locked.fathom -r report -- "$program" 1 >/dev/null || fail 'the first run'
: >errors
(
	until_is locked.fathom 'SELECT count(*) FROM run' 2
	echo 'for _ in $(seq 600); do ! grep -q kept errors || break; sleep 0.1; done' >hold
	sqlite3 locked.fathom 'BEGIN EXCLUSIVE; SELECT count(*) FROM run;' '.shell sh hold' 'COMMIT;'
) >/dev/null 2>&1 &
run 0 run -f work -o locked.fathom -r report -- "$program" $all
wait
says "done $all"
grep -q 'the samples are kept' errors || fail 'nothing was said of the locked profile'
[ "$(sqlite3 locked.fathom "SELECT count(*) FROM work")" = $((all + 1)) ] || fail 'samples are missing'

# The profile cannot grow: the program ends all the same, and its annotation is printed.
"$fathom" run -q -f work -o full.fathom -r report -- "$program" 1 >/dev/null || fail 'the first run'
python3 - "$fathom" run -f work -o full.fathom -- "$program" 1000 1 >output 2>errors <<'END'
import os, resource, sys
size = os.path.getsize("full.fathom")
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
os.execv(sys.argv[1], sys.argv[1:])
END
status=$?
[ $status -eq 2 ] || fail "status $status without room for the profile"
says 'done 1000'
says 'work.time {'
grep -q 'samples were not stored' errors || fail 'nothing was said of the full disk'
! grep -q 'the samples are in' errors || fail 'the samples are said to be where they are not'

# Somebody moves the profile, or removes it: this is the cause that is told, and what was measured is modelled.
for how in 'mv gone.fathom elsewhere.fathom' 'rm gone.fathom'; do
	rm -f report
	"$fathom" run -f work -o gone.fathom -r report -- "$program" 1000 >output 2>errors &
	until_is gone.fathom 'SELECT count(*) > 0 FROM work' 1
	stored=$(sqlite3 gone.fathom 'SELECT count(*) FROM work')
	$how
	kill -TERM $!
	wait $!
	status=$?
	[ $status -eq 2 ] || fail "status $status after $how"
	grep -q 'samples were not stored: gone.fathom was moved or removed while it was written' errors || fail "$how is told as something else"
	! grep -q 'the samples are in' errors || fail "$how: the samples are said to be where they are not"
	grep -q 'work.time {' report || fail "$how: nothing was modelled"
	# The parts of a mixture together; a few may have been left out.
	modelled=$(grep -o '[0-9]* samples' report | awk '{ sum += $1 } END { print sum + 0 }')
	[ $((modelled * 10)) -ge $((stored * 9)) ] || fail "$how: $modelled of $stored and more were modelled"
done

# SIGTERM is for the program; what was measured is modelled.
"$fathom" run -f work -o term.fathom -r report -- "$program" 1000 >output 2>errors &
until_is term.fathom 'SELECT count(*) > 0 FROM work' 1
kill -TERM $!
wait $! || fail "status $? after SIGTERM"
grep -q 'killed by signal 15' errors || fail 'the program did not get SIGTERM'
[ "$(sqlite3 term.fathom 'SELECT count(*) > 0 FROM work')" = 1 ] || fail 'nothing was stored'
grep -q 'work.time {' report || fail 'nothing was modelled'

# Killed, it takes the program along and leaves a profile that opens.
"$fathom" run -q -f work -o kill.fathom -r report -- "$program" 1000 >output 2>errors &
until_is kill.fathom 'SELECT count(*) > 0 FROM work' 1
kill -KILL $!
wait $!
for _ in $(seq 600); do
	grep -lsaq -- "$program" /proc/[0-9]*/cmdline || break
	sleep 0.1
done
! grep -lsa -- "$program" /proc/[0-9]*/cmdline || fail 'the program lives on'
[ "$(sqlite3 kill.fathom 'SELECT count(*) > 0 FROM work')" = 1 ] || fail 'earlier samples are lost'

# Standard streams that are closed are closed for the program too.
"$build/fixtures/self-gcc-O2" files <&- 2>&- >alone
"$fathom" run -q -f work -r report -- "$build/fixtures/self-gcc-O2" files <&- 2>&- >measured
grep '^files' alone >alone.files
grep '^files' measured >measured.files
[ -s alone.files ] && same alone.files measured.files
