#!/bin/sh
# A scrubbed profile tells nobody where it was measured, and of which texts; what it says of costs stays.
. "$(dirname "$0")/lib"

program=$build/fixtures/texts
cp "$program" "$scratch/secret-program"
run 0 run -q -f '*' --strings --no-models -o kept.fathom -- "$scratch/secret-program" secret-argument
cp kept.fathom shown.fathom
sqlite3 kept.fathom "SELECT label.name FROM label JOIN variable ON variable.id = variable WHERE type = 'string'" >texts
[ -s texts ] || fail 'there are no texts to take out'
run 0 scrub shown.fathom
run 0 annotate shown.fathom && mv output after

for secret in secret-argument "$scratch" $(grep -E '.{6}' texts); do
	! grep -qaF -- "$secret" shown.fathom || fail "$secret is in it"
done
[ "$(sqlite3 shown.fathom 'SELECT executable, host FROM run')" = 'secret-program|host 1' ] || fail 'nothing is left of its names'
grep -q '^[a-z]' after || fail 'it has no annotations'
rows() {
	sqlite3 "$1" "SELECT count(*) FROM label JOIN variable ON variable.id = variable WHERE type = 'string';
		SELECT calls, kept, time_ns FROM account ORDER BY function"
}
[ "$(rows kept.fathom)" = "$(rows shown.fathom)" ] || fail 'more than names was changed'
# As many calls have each of the texts, whatever their numbers are.
sqlite3 kept.fathom "SELECT 'SELECT count(*) FROM sample_' || function || ' GROUP BY v' || id || ' ORDER BY v' || id || ';'
	FROM variable WHERE type = 'string' ORDER BY id" >counts
[ "$(sqlite3 kept.fathom <counts)" = "$(sqlite3 shown.fathom <counts)" ] || fail 'calls have other texts'

run 2 scrub missing.fathom
complains 'there is no missing.fathom'
echo text >text.fathom
run 2 scrub text.fathom
run 0 scrub --help
says 'Usage: fathom scrub'
exit 0
