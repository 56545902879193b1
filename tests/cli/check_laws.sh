#!/bin/sh
# Functions with parts: kinds, switches, sizes beyond a limit, modes. What was modelled from samples conforms to others of the same law, and
# of other laws what changed is named with its case.
# not sanitized: models are made and checked in unit tests, too
. "$(dirname "$0")/lib"

# samples NAME SEED KEY=VALUE...: 800 calls of each of the functions. Noise grows with the cost.
samples() {
	name=$1
	seed=$2
	shift 2
	# shellcheck disable=SC2046
	awk $(for pair; do printf ' -v %s' "$pair"; done) -v seed="$seed" '
	function noise() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
	function call(name, mean, spread, n, kind, quick) {
		print name "," mean * (1 + spread * noise()) "," n "," kind "," quick
	}
	BEGIN {
		srand(seed)
		if (!wide) wide = 0.1
		if (!times) times = 1
		if (!share) share = 0.7
		if (!kinds) kinds = 3
		split("RED,GREEN,BLUE,BLACK", names, ",")
		print "function,time,n,kind,quick"
		for (i = 0; i < 800; i++) {
			n = int(10 * exp(4.6 * rand()))
			kind = names[1 + int(kinds * rand())]
			quick = rand() < 0.4
			call("whole", 20 + 2 * n * times, wide, n, kind, quick)
			call("kinds", kind == "GREEN" ? (50 + 9 * n) * times : 30 + n, wide, n, kind, quick)
			call("switch", quick ? 40 * times : 30 + 3 * n, wide, n, kind, quick)
			call("limit", n > 300 ? 2000 * times + 4 * n : 30 + n, wide, n, kind, quick)
			call("modes", rand() < share ? 100 : 300 * times, 0.03, n, kind, quick)
		}
	}' >"$name.csv"
	rm -f "$name.fathom"
	"$fathom" import -q -o "$name.fathom" "$name.csv" || fail "import of $name.csv"
}

samples old 1
run 0 annotate old.fathom -r old.ann

# The cases are those of the laws.
grep -qF '[kind == GREEN]' old.ann || fail "$(cat old.ann)"
grep -qF '[kind != GREEN]' old.ann || fail "$(cat old.ann)"
grep -qF '[n > 300]' old.ann || fail "$(cat old.ann)"
grep -qF '{0.3' old.ann || fail "$(cat old.ann)"

# Other calls of the same laws conform, also of a kind that was not seen before but costs like the others.
for seed in 2 3 4; do
	samples same "$seed"
	run 0 check old.ann same.fathom
	[ "$(grep -c ': conforms' output)" -eq 5 ] || fail "seed $seed"
done
samples kinds 5 kinds=4
run 0 check old.ann kinds.fathom

# A fifth more: the case, the part of the mixture, and the term.
samples slower 6 times=1.2
run 1 check --run-spread 0 old.ann slower.fathom
says '[kind == GREEN] costs 2'
says '% faster than expected; per n: '
says 'number 2 of the mixture costs '
grep -q 'whole.time: WORSE' output || fail 'all calls are slower'
! grep -qF '[kind != GREEN]' output || fail 'what did not change is told as well'
grep -q '  costs .* more: a typical call .*; per n: 1.9' output || fail 'the term is not told'

# Twice as much noise, and nothing else.
samples wide 7 wide=0.2
run 0 check old.ann wide.fathom
says ': no violation'
run 1 check --strict old.ann wide.fathom
says '[kind == GREEN] spreads '
says '[n > 300] spreads '
! grep -q 'costs\|grows' output || fail 'noise is told as cost'
grep -q 'modes.time: conforms' output || fail 'the mixture did not change'

# Other shares, and nothing else.
samples share 8 share=0.4
run 1 check --run-spread 0 old.ann share.fathom
says '% of the calls are like number 1 of the mixture, 6'
[ "$(grep -c ': conforms' output)" -eq 4 ] || fail 'it is told of others as well'

# Calls outside of all cases.
sed 's/kind != GREEN/kind == RED/' old.ann >red.ann
run 1 check red.ann same.fathom
says '% of the calls are in no case'
[ "$(grep -c ': conforms' output)" -eq 4 ] || fail 'it is told of others as well'
