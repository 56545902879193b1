#!/bin/sh
# The manual page says what the commands take, and troff has nothing to say about it.
. "$(dirname "$0")/lib"

run 0 document --man
cp output fathom.1
[ ! -s errors ] || fail 'there is something to complain about'

for command in $("$fathom" help | sed -n 's/^  fathom \([a-z]*\) .*/\1/p' | grep -v -x help); do
	grep -q "^\\\\fBfathom $command\\\\fR" fathom.1 || fail "the command $command is not in the manual"
	"$fathom" help "$command" >help
	for option in $(sed -n 's/^ .* --\([a-z0-9-]*\).*/\1/p' help); do
		grep -qF -- "\\fB\\-\\-$(echo "$option" | sed 's/-/\\-/g')\\fR" fathom.1 ||
			fail "the option --$option of $command is not in the manual"
	done
done
! grep -q 'fathom document' fathom.1 || fail 'a hidden command is in the manual'
! "$fathom" help | grep -q document || fail 'a hidden command is in the help'

run 2 document
complains '--man'
run 2 document --man --bogus
complains bogus
"$fathom" document --man >/dev/full 2>errors </dev/null
[ $? -eq 2 ] || fail 'a full disk is not noticed'
complains 'cannot write'

# No byte that some terminal or some troff could take for something else.
! LC_ALL=C grep -q '[^[:print:]]' fathom.1 || fail 'there is more than ASCII in it'

if ! command -v groff >/dev/null; then
	echo 'groff is not installed: how the page looks was not tested'
	exit 77
fi
groff -man -Tutf8 -ww -z fathom.1 >complaints 2>&1 || fail 'groff fails'
[ ! -s complaints ] || fail "groff complains: $(head -n 3 complaints)"
GROFF_NO_SGR=1 groff -man -Tutf8 -P-cbou fathom.1 >page
for words in '-f, --function=NAME|PATTERN' 'R² on (0.75)' "fathom run -f 'std::list<int>::sort'" 'EXPLORER' 'EXIT STATUS'; do
	grep -qF -- "$words" page || fail "the page does not say: $words"
done
