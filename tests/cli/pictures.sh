#!/bin/sh
# Pictures of models: SVG, and scripts for gnuplot with their data; PNG and PDF where gnuplot is installed. Whatever names hold, nothing is
# executed, and nothing that is not ours is overwritten.
. "$(dirname "$0")/lib"

awk 'BEGIN { print "function,time,mem,n,\"kind, `touch hacked`\""
	for (i = 1; i <= 400; i++) {
		odd = i % 2
		printf "f<int>(x),%g,%d,%d,%s\n", odd ? 3 + 0.5 * i : 900 + i % 7, 64 * i, i, odd ? "odd" : "\"<i>&`touch hacked`\""
	}
	for (i = 1; i <= 100; i++)
		printf "\"\047; `touch hacked` $(touch hacked) system(\"\"touch hacked\"\") @x %%s \033[2J /../x\",%d,,%d,\n", 3 * i + 5, i
}' </dev/null >some.csv
run 0 import -q -o some.fathom some.csv
run 0 export some.fathom --plots plots
complains '9 pictures in plots'

for name in f_int_x.time f_int_x.mem touch_hacked_touch_hacked_system_touch_hacked_x_s_2J_x.time; do
	for what in scatter residuals histogram; do
		for suffix in svg gp dat; do
			[ -s "plots/$name.$what.$suffix" ] || fail "there is no $name.$what.$suffix"
		done
	done
done
[ "$(find plots -name '.*' -type f | wc -l)" -eq 0 ] || fail 'temporary files are left'

python3 - plots/*.svg <<'END_PYTHON' || fail 'an SVG is not as it should be'
import sys
import xml.etree.ElementTree as tree
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    root = tree.fromstring(text.encode())
    assert root.tag == "{http://www.w3.org/2000/svg}svg", name
    assert "<script" not in text and "href" not in text, name
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        assert "nan" not in path.get("d") and "inf" not in path.get("d"), name
END_PYTHON
grep -qF 'f&lt;int&gt;(x).time' plots/f_int_x.time.scatter.svg || fail 'the name is not in the picture'
# Each case has its own shape and colour.
grep -q 'class="p p0"' plots/f_int_x.time.scatter.svg || fail 'the first case has no points'
grep -q 'class="p p1"' plots/f_int_x.time.scatter.svg || fail 'the second case has no points'

# Again: ours are replaced. -m and -f choose.
run 0 export some.fathom --plots plots -m mem -f 'f<int>'
complains '3 pictures in plots'

# What is not ours stays.
mkdir other
echo 'my drawing' >other/f_int_x.mem.scatter.svg
run 2 export some.fathom --plots other -m mem -f 'f<int>'
complains 'was not made by fathom'
[ "$(cat other/f_int_x.mem.scatter.svg)" = 'my drawing' ] || fail 'a file of somebody else is gone'
[ "$(find other -type f | wc -l)" -eq 1 ] || fail 'files were left'
rm other/f_int_x.mem.scatter.svg
echo 'my picture' >other/f_int_x.mem.scatter.png
run 2 export some.fathom --plots other -m mem -f 'f<int>'
complains 'f_int_x.mem.scatter.png is there and was not made by fathom'
rm other/f_int_x.mem.scatter.png
ln -s ../some.csv other/f_int_x.mem.scatter.dat
run 2 export some.fathom --plots other -m mem -f 'f<int>'
complains 'was not made by fathom'

run 2 export some.fathom --plots some.csv
complains 'some.csv is no folder'
run 2 export some.fathom --plots none/there
complains 'cannot make the folder none/there'
run 2 export some.fathom --plots new -f nothing
complains 'no samples of such a function'
run 2 export some.fathom --plots new -o file
complains '-o has nothing to name'
run 2 export some.fathom --plots=-
complains 'give --plots a folder'
[ ! -e ./- ] || fail 'there is a folder called -'
run 2 export some.fathom --csv --html=-
complains 'two results cannot go to standard output'

# Without gnuplot a note says so, once, and the rest is there.
mkdir bin
PATH=$PWD/bin "$fathom" export some.fathom --plots plain >output 2>errors </dev/null || fail 'without gnuplot there are no pictures'
[ "$(grep -c 'gnuplot is not installed' errors)" -eq 1 ] || fail 'there is not one note on gnuplot'
[ -s plain/f_int_x.time.scatter.svg ] || fail 'there is no picture without gnuplot'
[ -z "$(find plain -name '*.png' -o -name '*.pdf')" ] || fail 'there are PNG and PDF without gnuplot'
[ -z "$(find . -name hacked)" ] || fail 'a name was executed'
# One that fails leaves no half picture.
printf '#!/bin/sh\necho "it is broken" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH "$fathom" export some.fathom --plots broken -m mem >output 2>errors </dev/null ||
	fail 'with a broken gnuplot there are no pictures'
grep -q '3 pictures have no PNG and PDF: gnuplot failed: it is broken' errors || fail 'gnuplot failed silently'
[ -z "$(find broken -name '*.png' -o -name '*.pdf' -o -name '.*' -type f)" ] || fail 'there are PNG and PDF of a failure'
# A signal leaves nothing of what was not complete.
printf '#!/bin/sh\ntouch .fathom-$PPID.png && touch begun\nexec sleep 60\n' >bin/gnuplot
for signal in INT TERM HUP; do
	rm -rf ended
	# A shell has its children in the background ignore SIGINT.
	PATH=$PWD/bin:$PATH python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$fathom" export some.fathom --plots ended --html ended.html -m mem \
		>output 2>errors </dev/null &
	export=$!
	for _ in $(seq 600); do
		[ ! -e ended/begun ] || break
		sleep 0.1
	done
	[ -n "$(find . -maxdepth 1 -name '.fathom-*')" ] || fail 'no page is begun'
	kill -s "$signal" "$export"
	! wait "$export" || fail "SIG$signal does not end it"
	[ -z "$(find . -name '.fathom-*')" ] || fail "SIG$signal leaves files"
	[ ! -e ended.html ] || fail "SIG$signal leaves a page"
done

if ! command -v gnuplot >/dev/null; then
	echo 'gnuplot is not installed: PNG and PDF were not looked at'
	exit 77
fi
for name in f_int_x.time f_int_x.mem touch_hacked_touch_hacked_system_touch_hacked_x_s_2J_x.time; do
	for what in scatter residuals histogram; do
		[ "$(head -c 8 "plots/$name.$what.png" | tail -c 7 | head -c 3)" = PNG ] || fail "$name.$what.png is no PNG"
		[ "$(head -c 5 "plots/$name.$what.pdf")" = %PDF- ] || fail "$name.$what.pdf is no PDF"
	done
done
if command -v pdftotext >/dev/null; then
	pdftotext plots/touch_hacked_touch_hacked_system_touch_hacked_x_s_2J_x.time.scatter.pdf text
	grep -qF "'; \`touch hacked\` \$(touch hacked) system(\"touch hacked\") @x %s ?[2J /../x.time" text ||
		fail 'the title of a picture is not the name'
	pdftotext plots/f_int_x.time.histogram.pdf text
	grep -qF 'f<int>(x).time' text || fail 'the title of a picture is not the name'
fi
[ -z "$(find . -name hacked)" ] || fail 'a name was executed'
