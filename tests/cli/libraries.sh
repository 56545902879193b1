#!/bin/sh
# Functions of libraries, by name and by path: of one that the program needs, of one that it loads, unloads and loads
# elsewhere, in threads too, and of the C library. fixtures/trace/host.c says what is called with what.
. "$(dirname "$0")/lib"

rounds=12

# What host.c calls with what, and what that returns.
expected_plugin() {
	for round in $(seq $rounds); do
		echo "$((100 * round + 1)) $((5 + 100 * round + 1)) 5"
		echo "$((100 * round + 2)) $((5 + 200 * round + 3)) $((5 + 100 * round + 1))"
	done
}
expected_needed() {
	echo "0 0 $((20 + rounds / 2))"
	for round in $(seq $rounds); do
		echo "$round $((3 * round)) 1"
	done
}
ask() {
	sqlite3 -separator ' ' libraries.fathom "$1"
}

# measure [thread]: with ./host and ./plugin.so as they are; the counts must be right at least
measure() {
	rm -f libraries.fathom
	run 0 run -f needed_work -f "$PWD/plugin.so:plugin_work" -f libc.so.6:pthread_create \
		-o libraries.fathom -r report -- ./host "$PWD/plugin.so" $rounds "$@"
	grep -q 'host exited with status 0' errors || fail 'the program was harmed'
	[ "$(ask 'SELECT sum(abandoned) FROM account')" = 0 ] || fail 'calls were lost'
	created=1
	[ $# -eq 0 ] || created=$((1 + rounds / 2))
	[ "$(ask 'SELECT calls FROM account JOIN function ON function.id = function WHERE name LIKE "pthread_create%"')" = $created ] ||
		fail "pthread_create was not measured $created times"
	grep -q '^plugin_work.time {' report || fail 'there is no annotation of plugin_work'
	grep -q '^needed_work.time {' report || fail 'there is no annotation of needed_work'
	"$fathom" annotate libraries.fathom >again || fail 'the profile is not annotated'
	same report again
}

for compiler in gcc clang; do
	[ -f "$build/fixtures/host-$compiler" ] || continue
	library=libneeded-$compiler.so
	cp "$build/fixtures/host-$compiler" host
	cp "$build/fixtures/$library" .
	cp "$build/fixtures/plugin-$compiler.so" plugin.so
	expected_plugin >wanted_plugin
	expected_needed >wanted_needed
	# A program without any symbols has libraries as well.
	for more in '' thread stripped; do
		[ "$more" != stripped ] || strip host
		measure $(echo "$more" | grep thread)
		ask 'SELECT n, "return", plugin_total FROM plugin_work ORDER BY start_ns' >got
		same wanted_plugin got
		ask 'SELECT n, "return", count(*) FROM needed_work GROUP BY n, "return" ORDER BY n' >got
		same wanted_needed got
	done
	# Of libraries with nothing but symbols there are registers.
	strip -g plugin.so
	measure
	cut -d ' ' -f 1 wanted_plugin >wanted
	ask 'SELECT "$rdi" FROM plugin_work ORDER BY start_ns' >got
	same wanted got
done

run 2 run -f nothing_like_it -- ./host
complains 'has no debug information'
run 2 run -f "$library:nothing_like_it" -- ./host
complains 'no function "nothing_like_it"'
run 2 list ./host
complains 'has no debug information'
