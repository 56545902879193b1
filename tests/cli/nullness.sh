#!/bin/sh
# Whether something could be read is a feature of its own: read, concluded from what is absent, or of an imported table.
# sanitized by --full: unit tests cover what is concluded, and inputs.sh reads, too
. "$(dirname "$0")/lib"

# The features and the cases, without comments.
law() {
	sed 's|//.*||; s/ *$//; /^$/d' "$1"
}

for program in "$build"/fixtures/maybe-*; do
	rm -f full.fathom cut.fathom
	run 0 run -q -f copy -m mem -o full.fathom -r full -- "$program" 60
	says 'null 20'
	says 'last 20'
	grep -qF 'list->next != 0' full || fail "$(basename "$program"): the cost depends on the next one, $(cat full)"
	# The same without the columns that say it.
	cp full.fathom cut.fathom
	sqlite3 cut.fathom "DELETE FROM variable WHERE name LIKE '% != 0'"
	run 0 annotate -m mem -r cut cut.fathom
	law full >law-full
	law cut >law-cut
	same law-full law-cut
	run 0 check full cut.fathom
	says 'copy.mem: conforms'
	run 0 export --csv cut.fathom
	! grep -q '!= 0' output || fail 'a derived column was exported'
done

# An imported table does not say why a cell is empty, but that it is.
table() {
	awk -v every="$1" 'BEGIN {
		print "function,time,rows,index"
		for (i = 0; i < 200; i++) {
			empty = every && i % every == 0
			print "find," (empty ? 900 : 100) + i % 7 "," i * 37 % 101 "," (empty ? "" : i * 53 % 97)
		}
	}' >"$2.csv"
	run 0 import -q -o "$2.fathom" "$2.csv"
}
table 3 some
table 0 all
run 0 annotate some.fathom -r some.ann
grep -qF 'bool has_index = defined(index);' some.ann || fail 'the cost depends on the index being there'
for way in has_index=1 'defined(index)=1' has_index=true; do
	run 0 predict some.ann find "$way"
	grep -qE '^find.time: 10[0-9.]+ µs' output || fail 'about 103 µs'
done
run 0 predict some.ann find has_index=0
grep -qE '^find.time: 90[0-9.]+ µs' output || fail 'about 903 µs'
run 0 check some.ann some.fathom
says 'find.time: conforms'
run 0 check some.ann all.fathom
says 'find.time: conforms (200 samples'

# A law behind a pointer that is null in a tenth of the calls; these cost anything.
awk 'BEGIN {
	print "function,time,list->n"
	for (i = 0; i < 300; i++) {
		n = 1 + i * 7919 % 1009
		print i % 10 ? "walk," 10 + 2 * n + i % 5 "," n : "walk," 30 + i * i * 31 % 1999 ","
	}
}' >walk.csv
run 0 import -q -o walk.fathom walk.csv
run 0 annotate walk.fathom -r walk.ann
grep -qE '\[has_n\] Norm\(1[0-9.]+ \+ [12][.0-9]*\*n,' walk.ann || fail "the law, where there is a list: $(cat walk.ann)"
grep -qF '[!has_n] Norm(' walk.ann || fail 'the others are a case'
run 0 predict walk.ann walk n=500
grep -qE '^walk.time: 10[0-9.]+ µs' output || fail 'about 1012 µs'
run 0 check walk.ann walk.fathom
says 'walk.time: conforms (300 samples'
run 0 export --csv walk.fathom -o again.csv
run 0 import -q -o again.fathom again.csv
run 0 annotate again.fathom -r again.ann
law walk.ann >law-once
law again.ann >law-twice
same law-once law-twice
