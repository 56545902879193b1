#!/bin/sh
# A profile that version 0.1.0 wrote (format 4) stays what it was for every command that reads one. Beside it in tests/golden/format4 are the program
# that was measured, and what that version said of the profile; FATHOM_GOLDEN=1 writes this anew, for people to look at before it is kept.
# not sanitized: unit tests cover its arithmetic
. "$(dirname "$0")/lib"
golden=$top/tests/golden/format4
TZ=UTC
HOME=$scratch
export TZ HOME

cp "$golden/samples.fathom" samples.fathom
sum=$(md5sum samples.fathom)

# kept NAME: the file `output` is as it was.
kept() {
	if [ -n "${FATHOM_GOLDEN:-}" ]; then
		cp output "$golden/$1"
	else
		same "$golden/$1" output
	fi
}

run 0 annotate samples.fathom -r samples.ann
cp samples.ann output
kept annotate.txt
run 0 annotate samples.fathom --json
kept annotate.json
run 0 annotate samples.fathom -f paint -m mem
kept annotate_paint.txt
run 0 check samples.ann samples.fathom
kept check.txt
run 0 check samples.ann samples.fathom --json
kept check.json
run 0 predict samples.ann grow n=1000
kept predict.txt
run 0 export samples.fathom --csv -f paint
kept export.csv
run 0 export samples.fathom --json
same "$golden/annotate.json" output
run 0 export samples.fathom --html page
sed -n 's/<main>/END/; s/<[^>]*>/ /g; s/ *$//; /How it was measured/,/END/p; / samples of /p; / samples, mean /p' page |
	grep -v '^END' | grep . >output
kept page.txt
grep -q 'class, parameter</td><td class="number">Square, Strip<' page || fail 'the page does not name classes'
run 0 export samples.fathom --plots plots -f paint -m mem
ls plots/*.svg >output
kept plots.txt
run 0 -batch -ex 'info samples' -ex annotate samples.fathom
kept session.txt

# Against the same calls, which cost more, both ways.
cp samples.fathom other.fathom
time=v$(sqlite3 other.fathom "SELECT id FROM variable WHERE function = 2 AND name = 'time'")
sqlite3 other.fathom "UPDATE sample_2 SET $time = 3 * $time + 5"
run 1 diff samples.fathom other.fathom
kept diff.txt
run 1 diff samples.fathom other.fathom --json -f paint
kept diff.json
run 0 diff other.fathom samples.fathom
kept diff_back.txt

# Nobody who only reads has changed it.
[ "$(md5sum samples.fathom)" = "$sum" ] || fail 'reading changed the profile'

# When something is added, it gets the layout of today, and what it had stays.
printf 'function,time\nelse,1\nelse,2\n' >other.csv
cp samples.fathom added.fathom
run 0 import -q -o added.fathom other.csv
run 0 annotate added.fathom -f grow -f paint -f scan
same "$golden/annotate.txt" output
run 0 export added.fathom --csv -f paint
same "$golden/export.csv" output

# Where the time of all calls is known, shares are made of it.
cp added.fathom known.fathom
sqlite3 known.fathom "UPDATE account SET time_ns = (SELECT (duration_ns - stopped_ns) / 2 FROM run WHERE id = run)
	WHERE function = 2"

# The list of the explorer, with each function's share of the time, and a study.
. "$top/tests/cli/tmux_lib"
terminal 100 24 "$fathom explore samples.fathom"
screen 'paint.* time .* 2 1 of 3'
screen 'scan.* mem .* 4\.3 %'
screen 'grow.* mem .*16\*n'
shown
kept explorer.txt
keys Enter
screen 'paint.*\.time|grow.*\.time'
keys q
[ "$(md5sum samples.fathom)" = "$sum" ] || fail 'exploring changed the profile'
terminal 100 24 "$fathom explore known.fathom"
screen 'paint.* time  *50\.0 % .* 2 1 of 3'
screen 'scan.* time  *4\.3 % '
