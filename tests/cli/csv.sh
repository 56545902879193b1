#!/bin/sh
# Samples that were measured elsewhere come in as CSV, and everything goes out as CSV and comes back the same.
. "$(dirname "$0")/lib"

cat >some.csv <<'END'
function,time,mem,n,kind,(time),id,parent,thread,run
f(int),10,100,1,red,5,1,,7,first
f(int),20,200,2,"blue, ""dark""",6.5,2,1,7,first

f(int),30.5,300,3,red,,1,,7,second
g,5,,,,,3,2,7,first
END
run 0 import -o some.fathom some.csv
complains '4 samples from some.csv'
cat >expected.csv <<'END'
function,id,parent,thread,run,time,mem,n,kind,(time)
f(int),1000000000001,,7,1,10,100,1,red,5
f(int),1000000000002,1000000000001,7,1,20,200,2,"blue, ""dark""",6.5
f(int),2000000000001,,7,2,30.5,300,3,red,
g,1000000000003,1000000000002,7,1,5,,,,
END
run 0 export some.fathom --csv
same expected.csv output
# Through standard input, and with the line ends and the mark that other systems write.
"$fathom" import -q -o again.fathom - <output || fail 'standard input was not imported'
run 0 export again.fathom --csv -o again.csv
same expected.csv again.csv
{ printf '\357\273\277' && sed 's/$/\r/' expected.csv; } >dos.csv
run 0 import -q -o dos.fathom dos.csv
run 0 export dos.fathom --csv
same expected.csv output
run 0 export some.fathom --csv -f g
says 'g,1000000000003'
[ "$(grep -c '' output)" -eq 2 ] || fail 'there are others than g'

# A line of 1,000 samples with a constant: the model must find it, and the kinds' names.
awk 'BEGIN { print "function,time,n,kind"; for (i = 1; i <= 1000; i++) print "work," 3 + 0.5 * i ",", i ",", (i % 2 ? "odd" : "even") }' |
	tr -d ' ' >line.csv
run 0 import -q -o line.fathom line.csv
run 0 annotate line.fathom
says 'Norm(3 + 0.5*n, '
# The same again is another run in the same profile.
run 0 import -q -o line.fathom line.csv line.csv
run 0 export line.fathom --csv
[ "$(grep -c '^work,' output)" -eq 3000 ] || fail 'not 3,000 rows'

# Whatever the names are, what is annotated can be checked against the same samples, and asked what a call costs.
awk 'BEGIN { print "function,time,\"a;b \"\"= c\",kind"
	for (i = 1; i <= 400; i++)
		print "\"GET /x.time { \033[2J\"," (i % 2 ? 3 + 0.5 * i : 900) "," i ",\"" (i % 2 ? "odd && 1" : "7]") "\"" }' >names.csv
run 0 import -q -o names.fathom names.csv
run 0 annotate names.fathom -r names.ann
run 0 check names.ann names.fathom
says '"GET /x.time { \x1b[2J".time: conforms'
run 0 predict names.ann '"GET /x.time { \x1b[2J"' '"a;b \"= c"=100' 'kind="odd && 1"'
says '"GET /x.time { \x1b[2J".time: 53 '

# What was measured goes out and comes back with the same model, but for the resolution, which is a part of its spread: CSV has none.
"$fathom" run -q -f work -o real.fathom -r real.ann -- "$build/fixtures/elements-old" 500 10 1000 >/dev/null 2>&1
run 0 export real.fathom --csv -o real.csv
run 0 import -q -o copy.fathom real.csv
sqlite3 real.fathom 'UPDATE calibration SET resolution = 0; UPDATE pad_calibration SET resolution = 0'
"$fathom" annotate real.fathom | grep Norm >real.model
"$fathom" annotate copy.fathom | grep Norm >copy.model
[ -s real.model ] || fail 'it has no model'
same real.model copy.model

refused() {
	printf "$1" >wrong.csv
	rm -f wrong.fathom
	run 2 import -o wrong.fathom wrong.csv
	complains "$2"
}
refused '' 'wrong.csv is empty'
refused 'time,n\n1,2\n' 'no column is called function'
refused 'function,n\nf,2\n' 'like a metric'
refused 'function,time,n,n\nf,1,2,3\n' 'two columns are called n'
refused 'function,time,\nf,1,2\n' 'column 3 has no name'
refused 'function,time,n\nf,1\n' 'line 2 has 2 fields, and the first line names 3'
refused 'function,time,n\nf,1,2\nf,x,2\n' "line 3, column 2 (time): a metric must be a number: 'x'"
refused 'function,time,n\nf,1,"2\n' 'line 2: a quote begins here and does not end'
refused 'function,time,id\nf,1,0\n' 'above 0'
refused 'function,time,id\nf,1,1.5\n' 'whole number'
refused 'function,time\n,1\n' 'a function must have a name'
refused 'function,time\nf,1\000\n' 'it is not text'
refused 'function,time\n' 'holds no samples'
run 2 import some.csv
complains 'give -o'
run 2 import -o x.fathom none.csv
complains 'No such file'
run 2 import -o some.csv some.csv
complains 'not a fathom profile'
run 2 export some.fathom
complains 'give --csv'
run 2 export some.fathom --csv -f nothing
complains 'no samples of such a function'
run 2 export real.fathom --csv -f wrok
complains 'no samples of such a function; the nearest name is work'
run 2 export some.fathom --csv -o some.fathom
complains 'some.fathom'
run 0 export some.fathom --csv
same expected.csv output

# An id that comes twice is the file's mistake, not a damaged profile.
printf 'function,id,time\nf,1,3\nf,1,4\n' >twice.csv
run 2 import -o twice.fathom twice.csv
complains 'two samples of a function have the same id'

# A profile of hundreds of functions, each with hundreds of features, is exported with a column for every name.
awk 'BEGIN {
	printf "function,time"
	for (i = 0; i < 20000; i++)
		printf ",x%d", i
	printf "\nf,1"
	for (i = 0; i < 20000; i++)
		printf ",%s", i < 100 ? i : ""
	print ""
}' >wide.csv
run 0 import -o wide.fathom wide.csv

# For spreadsheets, texts that they would run are guarded; numbers and other texts, and the plain table, stay as they are.
cat >evil.csv <<'END'
function,time,n,kind
f,1,-5,=1+2
f,2,+6,"@SUM(A1,B1)"
f,3,7,-x
f,4,8,a=b
END
run 0 import -q -o evil.fathom evil.csv
run 0 export evil.fathom --csv
for text in ',=1+2$' ',"@SUM(A1,B1)"$' ',-x$' ',a=b$' ',-5,'; do
	grep -q -- "$text" output || fail "the plain table lacks $text"
done
run 0 export evil.fathom --csv=spreadsheet
for text in ",'=1+2\$" ",\"'@SUM(A1,B1)\"\$" ",'-x\$" ',a=b$' ',-5,'; do
	grep -q -- "$text" output || fail "the table for spreadsheets lacks $text"
done
run 2 export evil.fathom --csv=html

# A terminal obeys control characters, also those beyond ASCII (U+009B): it gets none, files get those of the table.
controls=$(printf 'f\033[2J\302\233\177')
printf 'function,time,n\n%s,1,2\n' "$controls" >controls.csv
run 0 import -q -o controls.fathom controls.csv
for format in csv csv=spreadsheet json; do
	python3 "$top/tests/cli/terminal.py" '' "$fathom" export -q --$format controls.fathom >output </dev/null || fail "--$format on a terminal"
	says '[2J'
	! LC_ALL=C grep -aq "$(printf '[\033\177]\|\302\233')" output || fail "--$format sends control characters to a terminal"
done
run 0 export -q --csv controls.fathom
says "$controls"
run 0 export -q --json controls.fathom
python3 -c 'import json, sys; print(json.load(sys.stdin)["annotations"][0]["function"])' <output >name
[ "$(cat name)" = "$controls" ] || fail 'JSON has another name'

# Rows that mix functions and runs are stored together: a transaction each waits for the disk, for minutes with some thousand rows.
awk 'BEGIN {
	print "function,run,time"
	for (i = 0; i < 600; i++)
		printf "f%d,%d,%d\n", i % 3, i % 20, i
}' >mixed.csv
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" strace -f -o calls -e trace=fsync,fdatasync "$fathom" import -q -o mixed.fathom mixed.csv || fail 'import in strace'
waits=$(grep -c sync calls)
[ "$waits" -ge 1 ] && [ "$waits" -le 40 ] || fail "600 rows wait for the disk $waits times"
run 0 export mixed.fathom --csv
[ "$(grep -c '^f[012],' output)" -eq 600 ] || fail 'rows of mixed runs are lost'

# Runs keep their numbers, in whatever order a table has them: what is exported again is the same.
printf 'function,run,time,n\nf,a,1,1\ng,b,2,2\nf,c,3,3\nf,b,4,4\n' >runs.csv
run 0 import -q -o runs.fathom runs.csv
sqlite3 runs.fathom 'DELETE FROM run WHERE id = 1; DELETE FROM sample_1 WHERE run = 1'
run 0 export runs.fathom --csv
cp output first.csv
run 0 import -q -o kept.fathom first.csv
run 0 export kept.fathom --csv
cmp -s first.csv output || fail 'a table that was exported is another one when it is imported and exported'
# A profile that has runs gets further ones.
run 0 import -q -o kept.fathom first.csv
[ "$(sqlite3 kept.fathom 'SELECT group_concat(id) FROM run')" = 2,3,4,5 ] || fail 'runs of a second table'
