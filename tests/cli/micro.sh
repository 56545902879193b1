#!/bin/sh
# The laws of fixtures/micro are found: see tests/micro.py. FATHOM_FULL=1: those of all builds, three times in a row, with more calls.
# alone: it models times
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

# find_laws BUILD CALLS
find_laws() {
	attempt() {
		python3 "$top/tests/micro.py" "$fathom" "$build/fixtures" "$top/fixtures/micro/laws.json" "$which" "$calls"
	}
	which=$1 calls=$2
	five_attempts "the laws of $1 are found"
}

if [ -z "${FATHOM_FULL:-}" ]; then
	find_laws spinning-gcc-O2 150
	find_laws sleeping-gcc-O2 150
	exit 0
fi
ninja -C "$build" micro >ninja.log 2>&1 || fail "$(tail -n 20 ninja.log)"
for turn in 1 2 3; do
	for program in "$build"/fixtures/plain-*ing-*; do
		find_laws "${program##*/plain-}" 300
	done
done
