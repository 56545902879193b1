#!/bin/sh
# What people read of checks and diffs: comments, annotations, pages; names of functions are anybody's.
. "$(dirname "$0")/lib"

name='f<a|b>::*_x`@me\n::error::y%,:'
samples() {
	awk -v name="$name" "BEGIN {
		srand(3)
		print \"function,time,n\"
		for (i = 0; i < 400; i++) {
			n = 10 + int(990 * rand())
			print \"\\\"\" name \"\\\",\" ($2) * (1 + 0.05 * rand()) \",\" n
			print \"same,\" 5 + rand() \",\" n
		}
	}" >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}
samples old '100 + 2 * n'
samples new '100 + 6 * n'
run 0 annotate old.fathom -r old.ann

for command in 'check old.ann' 'diff old.fathom'; do
	run 1 $command new.fathom --github
	[ "$(grep -c '^::error title=' output)" -eq 1 ] || fail 'there is not one error'
	[ "$(grep -c '^::' output)" -eq 1 ] || fail 'something else is a command'
	grep '^::error' output | grep -qF '%25%2C%3A.time::' || fail 'the title is not escaped'
	grep -q '^fathom: same.time: ' output || fail 'what did not change is not told'

	run 1 $command new.fathom --markdown --pictures https://pictures/ -r comment.md --html page.html
	grep '^| ' comment.md | awk -F'|' 'NF != 6 { exit 1 }' || fail 'a name breaks the table'
	! grep '^|' comment.md | grep -q '[@`]' || fail 'a name is Markdown'
	grep -qF '<code>101.' comment.md || grep -qF '<code>10' comment.md || fail 'the old formula is missing'
	grep -qF 'src="https://pictures/comment.md.' comment.md || fail 'the picture is not linked'
	python3 - <<'END' || fail 'the pictures or the page are not as promised'
import glob, xml.etree.ElementTree as tree
[picture] = glob.glob("comment.md.*.svg")
text = " ".join(tree.parse(picture).getroot().itertext())
assert "before" in text and "now" in text
page = open("page.html").read()
assert page.count('<section class="study"') == 2 and page.count("<svg xmlns") + page.count('<svg class="figure"') >= 1
END
	rm comment.md.*.svg
done

# A file that is not ours stays.
echo mine >comment.md.1.svg
run 2 diff old.fathom new.fathom --markdown -r comment.md
complains 'was not made by fathom'
[ "$(cat comment.md.1.svg)" = mine ] || fail 'a file is overwritten'

# Only gates decide, in reports as in the status.
run 0 check --gate growth old.ann new.fathom --junit
says 'failures="0"'
(head -n 1 old.csv && echo '"only|new",7,8' && sed 1d old.csv) >more.csv
run 0 import -q -o more.fathom more.csv
run 0 diff old.fathom more.fathom --markdown
grep '^| untested' output | grep -qF 'only in the new profile' || fail 'it is not told why something is not compared'
run 0 diff old.fathom old.fathom --markdown
says '| unchanged |'
says '### fathom diff: 2 unchanged'
