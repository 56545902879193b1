#!/bin/sh
# The page of a profile: whole or not at all, without any other file, and safe whatever names hold. A browser shows it, where one is installed.
# sanitized by --full: unit tests cover what pages are made of
. "$(dirname "$0")/lib"

awk 'BEGIN { print "function,time,mem,n,kind"
	for (i = 1; i <= 400; i++)
		printf "f<int>(x),%g,%d,%d,%s\n", i % 2 ? 3 + 0.5 * i : 900 + i % 7, 64 * i, i, i % 2 ? "odd" : "<i>&even"
	for (i = 1; i <= 100; i++)
		printf "<img src=x onerror=alert(1)></title></style></script><script>document.title=\047bad\047</script>\033\377 \"\"a\"\",%d,,%d,\n", 3 * i + 5, i
}' | sed 's/^\(<img.*a""\),/"\1",/' >some.csv
run 0 import -q -o some.fathom some.csv
run 0 export some.fathom --html some.html
[ ! -s errors ] || fail 'there is something to say'
run 0 export some.fathom --html -o placed.html
cmp -s some.html placed.html || fail '-o is another place than the argument'
run 0 export --html some.fathom -o first.html
cmp -s some.html first.html || fail '--html takes the profile for its place'
run 2 export --html some.html
complains 'of which profile?'
run 0 export some.fathom -o placed --plots
[ -d placed ] || fail '-o is no folder of pictures'
run 2 export some.fathom --html
complains 'where to? give -o'
run 2 export some.fathom --csv --html -o both
complains '-o is the place of one result'

# Well-formed, and the policy has the hashes of just what is in it; nothing else would be fetched or run.
cat >look.py <<'END_PYTHON'
import base64
import hashlib
import re
import sys
import xml.etree.ElementTree as tree

text = open(sys.argv[1], encoding="utf-8").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
assert "unsafe" not in policy and "default-src 'none'" in policy
for element in ("style", "script"):
    found = re.findall(f"<{element}>(.*?)</{element}>", text, re.S)
    assert len(found) == 1, element
    digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
    assert f"{element}-src 'sha256-{digest}'" in policy, element
document = text[text.index("<html"):]
document = re.sub("<script>.*?</script>", "", document, flags=re.S)
root = tree.fromstring(document.encode())
ids = [one.get("id") for one in root.iter() if one.get("id")]
assert len(ids) == len(set(ids))
titles = [one.text for one in root.iter() if one.get("class") == "title" and not one.text.endswith("…")]
assert len(titles) > 3 and len(titles) == len(set(titles)), titles
levels = [int(one.tag[1]) for one in root.iter() if re.fullmatch("h[1-6]", one.tag)]
assert levels[0] == 1 and levels.count(1) == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:]))
for one in root.iter():
    for name, value in one.attrib.items():
        assert name not in ("style", "src", "srcset") and not name.startswith("on"), name
        assert name != "href" or (value.startswith("#") and value[1:] in ids), value
    assert one.tag not in ("img", "link", "iframe", "object", "base", "form"), one.tag
assert "url(" not in text and "@import" not in text
END_PYTHON
python3 look.py some.html || fail 'the page is not as it should be'
says_page() {
	grep -qF -- "$1" some.html || fail "the page does not say '$1'"
}
says_page '<h2 id="measured">How it was measured</h2>'
says_page 'imported from some.csv'
says_page '64*n'
says_page '&lt;i&gt;&amp;even'
says_page '<h3>Cases</h3>'
says_page '<h3>Features</h3>'
says_page '&lt;img src=x onerror=alert(1)&gt;'
[ "$(grep -c '<svg class="figure"' some.html)" -eq 13 ] || fail 'there are not three figures a model, those on logarithmic axes, and one over the kind'
[ "$(grep -c '<details class="more"' some.html)" -eq 3 ] || fail 'nothing is said of other axes'
says_page 'n, logarithmic'

# -m and -f choose; standard output is a file, too.
run 0 export some.fathom --html - -m mem -f 'f<int>'
python3 look.py output || fail 'the page of one metric is not as it should be'
[ "$(grep -c '<section class="study"' output)" -eq 1 ] || fail 'there is not one model of mem'

# What fails leaves nothing, or what was there.
run 2 export some.fathom --html none.html -f nothing
complains 'no samples of such a function'
[ ! -e none.html ] || fail 'a page is left of a failure'
echo old >old.html
run 2 export some.fathom --html old.html -f nothing
[ "$(cat old.html)" = old ] || fail 'a failure changed what was there'
run 2 export some.fathom --html some.fathom
complains 'some.fathom'
run 2 export some.fathom --html none/there.html
complains 'cannot write none/there.html'
run 2 export some.fathom --html .
run 2 export some.fathom --html /dev/full
complains 'No space left on device'
[ -z "$(find . -name '.fathom-*')" ] || fail 'temporary files are left'

# On a terminal a line tells how far it is, and goes; elsewhere, and with -q, there is none.
cat >terminal.py <<'END_PYTHON'
import os
import pty
import sys

def seen(*command):
    pid, terminal = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm"
        os.execv(command[0], command)
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError: # Linux's way to say that nobody has the other end
            piece = b""
        if not piece:
            break
        text += piece
    assert os.waitpid(pid, 0)[1] == 0, text
    return text

text = seen(*sys.argv[1:])
assert b"2 of 2 functions: f<int>(x)" in text or b"1 of 2 functions: f<int>(x)" in text, text
assert text.endswith(b"\r\x1b[K"), text
assert b"\x1b" not in text.replace(b"\x1b[K", b""), text
assert seen(*sys.argv[1:], "-q") == b""
END_PYTHON
timeout 120 python3 terminal.py "$fathom" export some.fathom --html terminal.html </dev/null ||
	fail 'progress on a terminal is not as it should be'

# JSON is that of annotate, and goes where -o says.
run 0 export some.fathom --json
mv output exported.json
run 0 annotate some.fathom --json
same exported.json output
run 0 export some.fathom --json -o file.json
same exported.json file.json
run 2 export some.fathom --json -o none.json -f nothing
[ ! -e none.json ] || fail 'a file is left of a failure'
run 2 export some.fathom --json --csv
complains 'one of --csv, --json and --otlp'
run 2 export some.fathom
complains '--html FILE'

# Many samples are thinned.
awk 'BEGIN { print "function,time,n"
	for (i = 0; i < 100000; i++) printf "big,%g,%d\n", 100 + 0.7 * (i * 7919 % 5000) + i * 104729 % 97, i * 7919 % 5000 }' >big.csv
run 0 import -q -o big.fathom big.csv
run 0 export big.fathom --html big.html
[ "$(wc -c <big.html)" -lt 450000 ] || fail 'the page of 100,000 samples is too large'

# How it was measured, of a program that was.
for probes in auto stops; do
	rm -f run.fathom
	"$fathom" run -q --probes $probes -f work -o run.fathom -r run.ann -- "$build/fixtures/elements-old" >output 2>errors </dev/null ||
		fail 'nothing was measured'
	run 0 export run.fathom --html run.html
	python3 look.py run.html || fail 'the page of a run is not as it should be'
	for fact in Command Program Kernel Date Duration Ended Probes; do
		grep -qF "<dt>$fact</dt>" run.html || fail "the page does not tell: $fact"
	done
done
grep -qF '<dt>Stops</dt>' run.html || fail 'the page does not tell of stops'
grep -q '<svg class="icicle"' run.html || fail 'there is no picture of the whole'

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo 'chromium is not installed: no browser looked at the page'
	exit 77
}
# browse PAGE OPTION...: in a browser without a screen, which may be slow to start; what it finds wrong is in the file browser.
tries=4
browse() {
	page=$1
	shift
	while [ "$tries" -gt 0 ]; do
		HOME=$scratch timeout -k 5 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
			--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
			--enable-logging=stderr --user-data-dir="$scratch/browser-$page-$tries" "$@" "file://$scratch/$page" \
			>shown 2>browser </dev/null && return
		tries=$((tries - 1))
	done
	tail -n 1 browser
	echo 'chromium does not start: no browser looked at the page'
	exit 77
}
browse some.html --dump-dom
! grep -q 'Content Security Policy\|CONSOLE' browser || fail "the browser complains: $(grep 'Policy\|CONSOLE' browser | head -n 3)"
# The script has run, and shows the search; that of the name has not.
grep -q '<div class="search" id="searching">' shown || fail 'the script did not run'
grep -q '<title>some.fathom</title>' shown || fail 'the script of a name did run'
browse some.html --print-to-pdf="$scratch/some.pdf"
[ "$(head -c 5 some.pdf)" = %PDF- ] || fail 'the page does not print'
if command -v pdftotext >/dev/null; then
	pdftotext some.pdf text
	grep -qF 'How it was measured' text || fail 'the printed page does not tell how it was measured'
	grep -qF 'f<int>(x)' text || fail 'the printed page does not name the function'
	! grep -qF 'Search names' text || fail 'the search is printed'
fi
# Somebody types: what does not match goes, and its line of the contents. (The policy would not allow this script to be there.)
sed -e '/Content-Security-Policy/d' \
	-e 's|</body>|<script>var box = document.getElementById("search"); box.value = "MEM 64"; box.dispatchEvent(new Event("input"));</script></body>|' \
	some.html >typed.html
browse typed.html --dump-dom
grep -q '>1 of 3</p>' shown || fail 'the search does not tell how many it found'
[ "$(grep -c '<section class="study"[^>]* hidden=' shown)" -eq 2 ] || fail 'the search does not hide what does not match'
[ "$(grep -c '<tr hidden=' shown)" -eq 2 ] || fail 'the search does not hide lines of the contents'

# Somebody clicks: a heading sorts, a point tells its call, a slider predicts, also beyond what was seen, and what that is for a caller.
awk 'BEGIN { print "function,time,n,kind"
	for (i = 1; i <= 200; i++) printf "slow,%g,%d,\n", 0.5 * i * i, i
	for (i = 1; i <= 50; i++) printf "brief,%g,,%s\n", i % 2 ? 10 : 40, i % 2 ? "Circle" : "Square" }' >clicked.csv
run 0 import -q -o clicked.fathom clicked.csv
run 0 export clicked.fathom --html clicked.html
cat >clicks.js <<'END'
var says = [], heads = document.querySelectorAll("table.contents th button");
function names() { return Array.from(document.querySelectorAll("table.contents tbody a")).map(function (a) { return a.textContent; }); }
heads[0].click();
says.push("by name: " + names());
heads[3].click();
says.push("by calls: " + names());
heads[3].click();
says.push("turned: " + names());
var slow = Array.from(document.querySelectorAll("section.study")).find(function (s) { return s.querySelector("h2").textContent.startsWith("slow"); });
var brief = Array.from(document.querySelectorAll("section.study")).find(function (s) { return s !== slow; });
[slow, brief].forEach(function (section) {
	var asked = section.querySelector(".asked"), svg = asked.ownerSVGElement, frame = svg.getBoundingClientRect();
	var point = asked.dataset.points.split(" ")[0].split(","), scale = frame.width / svg.viewBox.baseVal.width;
	svg.dispatchEvent(new MouseEvent("mousemove", { clientX: frame.left + point[0] * scale, clientY: frame.top + point[1] * scale }));
	says.push("hover: " + svg.querySelector(".said").textContent);
});
var range = slow.querySelector(".what-if input"), said = slow.querySelector(".predicted");
range.value = 100;
range.dispatchEvent(new Event("input"));
says.push("within: " + said.textContent + "|" + said.classList.contains("beyond"));
range.value = 1000;
range.dispatchEvent(new Event("input"));
says.push("beyond: " + said.textContent + "|" + said.classList.contains("beyond"));
document.title = says.join("; ");
END
{
	sed -e '/Content-Security-Policy/d' -e 's|</body>.*||' clicked.html
	echo '<script>'
	cat clicks.js
	echo '</script></body></html>'
} >clicks.html
browse clicks.html --dump-dom
sed -n 's|.*<title>\(by name.*\)</title>.*|\1|p' shown >clicked
for words in 'by name: brief,slow; by calls: slow,brief; turned: brief,slow; hover: call [0-9]*: n = 1, time µs = 0.5; hover: call [0-9]*: kind = Square, time µs = 40;' \
	'within: a call costs 5 ms|false; beyond: a call costs 500 ms, extrapolated|true$'; do
	grep -q -- "$words" clicked || fail "the page does not say '$words' but '$(cat clicked)'"
done
