#!/bin/bash
# What cannot be written is an error, also to a closed or full standard output; a report appears whole or not at all.
. "$(dirname "$0")/lib"

{
	echo 'function,time,n'
	for n in $(seq 40); do echo "f,$((3 * n + 1)),$n"; done
} >f.csv
run 0 import -q -o f.fathom f.csv
"$fathom" annotate -q f.fathom >good.txt || fail 'no annotation'
ends() {
	[ "$1" -eq "$2" ] || fail "$3: status $1, not $2"
}

# Nobody reads it, or it is full.
for words in 'annotate -q f.fathom' 'export --csv f.fathom' 'export --json f.fathom' "list $build/fixtures/guarded-gcc-O2" '--help' '--version' 'help run' 'run --help'; do
	"$fathom" $words >&- 2>errors
	ends $? 2 "$words, closed"
	grep -q 'cannot write' errors || fail "$words loses its results without a word"
	if [ -w /dev/full ]; then
		"$fathom" $words >/dev/full 2>errors
		ends $? 2 "$words, full"
	fi
done

# The old report stays until the new one is there; a link keeps leading to it, and it keeps its mode.
echo before >old.txt
chmod 640 old.txt
ln -s old.txt link.txt
run 2 annotate -q -f nothing -r old.txt f.fathom
grep -qx before old.txt || fail 'a report without results emptied the old one'
(
	ulimit -f 0
	"$fathom" annotate -q -r old.txt f.fathom 2>&1
) | cat >errors
[ "$(cat old.txt)" = before ] || fail 'what could not be written took the place of the old report'
grep -q 'cannot write old.txt: File too large' errors || fail 'a full limit of file sizes (SIGXFSZ) is not told'
(
	ulimit -f 0
	"$fathom" diff -q --html page.html f.fathom f.fathom 2>&1
) | cat >errors
grep -q 'cannot write the page: File too large' errors || fail 'a page that is too large has another cause'
run 0 annotate -q -r link.txt f.fathom
same good.txt old.txt
[ -L link.txt ] || fail 'a report took the place of a link'
[ "$(stat -c %a old.txt)" = 640 ] || fail 'the report does not keep its mode'
run 0 annotate -q -r new.txt f.fathom
same good.txt new.txt
run 2 annotate -q -r nowhere/new.txt f.fathom
complains 'cannot write nowhere/new.txt'
[ -z "$(find . -name '*.fathom-*')" ] || fail 'something is left beside'

# What could not be kept is not measured.
cat >marks.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("");
	return n + 1;
}
int main(void)
{
	fclose(fopen("ran", "w"));
	return work(-1);
}
END
gcc -g -O1 marks.c -o marks || fail 'marks.c is not built'
never() {
	run 2 "$@" ./marks
	complains "$expected_words"
	[ ! -e ran ] || fail "fathom $* ran the program"
}
expected_words='the name of a file is empty'
never run -f work -r '' --
never run -f work -o '' --
never top -r ''
never compare -f work -o '' -- ./marks --
expected_words='nowhere/new'
never run -f work -r nowhere/new --
never run -f work -o nowhere/new --
never top -r nowhere/new
never causal -p work -o nowhere/new --
never compare -f work -o nowhere/new -- ./marks --
never compare -f work --html nowhere/new -- ./marks --
: >marks.ann
never check --html nowhere/new marks.ann --

# Why results are lost is said, however long ago the write failed.
if [ -w /dev/full ]; then
	"$fathom" annotate -q f.fathom >/dev/full 2>errors && fail 'a full device is no error'
	complains 'cannot write the results: No space left'
fi

# On a terminal annotations are coloured, unless NO_COLOR is set; elsewhere they never are.
coloured() {
	env "$@" python3 "$top/tests/cli/terminal.py" '' "$fathom" annotate -q f.fathom </dev/null | grep -q "$(printf '\033')"
}
coloured TERM=xterm || fail 'no colour on a terminal'
coloured TERM=xterm NO_COLOR=1 && fail 'NO_COLOR is of no avail'
coloured TERM=dumb && fail 'colour on a dumb terminal'
TERM=xterm "$fathom" annotate -q f.fathom | grep -q "$(printf '\033')" && fail 'colour in a pipe'
exit 0
