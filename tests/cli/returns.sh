#!/bin/sh
# What functions return, through every way out: the fixture prints it, and the profile must say the same.
. "$(dirname "$0")/lib"

# What the calls of a function from unmeasured code returned, in their order: returned FUNCTION COLUMN...
returned() {
	function=$1
	shift
	columns=
	for column; do
		columns="$columns, coalesce($column, '-')"
	done
	sqlite3 -separator ' ' gives.fathom "
		SELECT '${function%%(*}' $columns FROM \"$function\" WHERE parent IS NULL
		AND (\"exit\" IS NULL OR \"exit\" NOT IN ('thrown', 'jumped')) ORDER BY start_ns"
}

# What is in the order of functions: everything that `gives` says.
everything() {
	returned 'g_int(int)' '"return"'
	returned 'g_byte(int)' '"return"'
	returned 'g_bool(int)' '"return"'
	returned 'g_enum(int)' '"return"'
	returned 'g_float(int)' "printf('%.2f', \"return\")"
	returned 'g_double(int)' "printf('%.3f', \"return\")"
	returned 'g_pair(int)' '"return.a"' "printf('%.2f', \"return.b\")"
	returned 'g_big(int)' '"return.a"' '"return.b"' '"return.c"'
	returned 'g_node(int)' '"return != 0"' '"return->value"' '"strlen(return->name)"'
	returned 'g_text(int)' '"strlen(return)"'
	returned 'g_shape(int)' '"typeid(*return)"'
	returned 'look(const Shape*)' '"typeid(*shape)"' '"return"'
	returned 'g_reference(int)' '"return.value"'
	returned 'g_tail(int)' '"return"'
	returned 'g_even(int)' '"return"'
	returned 'g_recursive(int)' '"return"'
	returned 'g_caught(int)' '"return"'
	ended gives.fathom | sed -n 's/g_caught(int) [0-9]* /left g_caught /; s/ 0$//; /^left/p'
}

for program in $(built gives); do
	# With and without what throws: its frame is that of its caller when that has left by a jump.
	for more in throws look; do
		rm -f gives.fathom
		run 0 run -f 'g_*' -f look -f '*::area' -f $more -o gives.fathom -r report -- "$program"
		sort output >printed
		everything | sort >measured
		echo "$(basename "$program"), -f $more" >>errors
		same printed measured
		[ "$(sqlite3 gives.fathom 'SELECT count(*) FROM "look(const Shape*)" AS outer, "Square::area() const" AS inner
			WHERE inner.parent = outer.id AND inner."return" = outer."return"')" = 3 ] ||
			fail 'callers and callees do not fit together'
		"$fathom" annotate gives.fathom >again || fail 'the profile is not annotated'
		same report again
	done
done
