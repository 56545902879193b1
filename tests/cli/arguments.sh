#!/bin/sh
# The fixture prints its arguments; what was read from outside must be the same, value for value. It does not print
# which pointers are null: what they point to is missing then.
. "$(dirname "$0")/lib"

# What the profile says of FUNCTION, in the fixture's form; NULL is an empty field: values FUNCTION
values() {
	columns=$(sqlite3 values.fathom "
		SELECT group_concat(
			'iif(v' || id || ' IS NULL, '''', printf(''' || iif(type = 'float', '%.17g', '%d') ||
			''', v' || id || '))', ' || '' '' || ')
		FROM (SELECT variable.id, type FROM variable JOIN function ON function.id = function
			WHERE function.name = '$1' AND role = 'feature' AND provenance = 'parameter'
				AND variable.name NOT LIKE '% != 0'
			ORDER BY variable.id)")
	table=$(sqlite3 values.fathom "SELECT 'sample_' || id FROM function WHERE name = '$1'")
	sqlite3 values.fathom "SELECT '$1 ' || $columns FROM $table ORDER BY id"
}

for program in "$build"/fixtures/args-*; do
	rm -f values.fathom
	run 0 run -q -f integers -f floats -f many -f structure -f string -f changes -o values.fathom --no-models \
		-- "$program"
	for function in integers floats many structure string; do
		grep "^$function " output >printed
		values $function >measured
		[ -s printed ] || fail "$program printed nothing of $function"
		same printed measured
	done
	# What is changed at once may be absent, but not wrong.
	grep '^changes ' output >printed
	values changes | paste -d ' ' printed - | awk '$4 != "" && $4 != $2 { print; bad = 1 } END { exit bad }' ||
		fail "$(basename "$program"): a changed argument was taken for the argument"
done
