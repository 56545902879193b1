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

# Of blocks and of points of causal, which are called FILE:LINE as they were typed, the file's name is left.
cat >"$scratch/block.c" <<'END'
__attribute__((noinline)) static int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i * n;
	return sum;
}
int main(int n, char **words)
{
	(void)words;
	return work(n) > 100;
}
END
cc -g -O0 "$scratch/block.c" -o block || fail 'it is not built'
run 0 run -q --no-models -f "$scratch/block.c:4..5" -f work -o block.fathom -- ./block
sqlite3 block.fathom "CREATE TABLE causal (id INTEGER PRIMARY KEY, setting TEXT UNIQUE);
	INSERT INTO causal VALUES (1, '$scratch/block.c:4; lines');
	CREATE TABLE causal_progress (causal INTEGER, number INTEGER, name TEXT, latency INTEGER, PRIMARY KEY (causal, number)) WITHOUT ROWID;
	INSERT INTO causal_progress VALUES (1, 0, '$scratch/block.c:4', 0), (1, 1, 'operator/(Long, int)', 0)"
run 0 scrub block.fathom
! grep -qaF -- "$scratch" block.fathom || fail 'a path is left in the name of a block or a point'
[ "$(sqlite3 block.fathom 'SELECT group_concat(name) FROM (SELECT name FROM function ORDER BY id)')" = 'block.c:4..5,work' ] || fail 'it has other functions'
[ "$(sqlite3 block.fathom 'SELECT count(*) > 0 FROM "#1 block.c:4..5"')" = 1 ] || fail 'the view of a block is gone'
[ "$(sqlite3 block.fathom 'SELECT name FROM causal_progress' | tr '\n' ' ')" = 'block.c:4 operator/(Long, int) ' ] || fail 'it has other points'
run 0 export --csv block.fathom -f work

# Its baseline is called after the program, whose command line is gone.
run 0 baseline update -q perf block.fathom
[ -e perf/block.ann ] || fail "the baseline of a scrubbed profile is $(ls -A perf)"

run 2 scrub missing.fathom
complains 'there is no missing.fathom'
echo text >text.fathom
run 2 scrub text.fathom
run 0 scrub --help
says 'Usage: fathom scrub'
exit 0
