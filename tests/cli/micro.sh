#!/bin/sh
# The laws of fixtures/micro are found: see tests/micro.py. FATHOM_FULL=1: those of all builds, three times in a row, with more calls.
. "$(dirname "$0")/lib"

laws="$top/fixtures/micro/laws.json"

# find_laws BUILD CALLS
find_laws() {
	python3 "$top/tests/micro.py" "$fathom" "$build/fixtures" "$laws" "$1" "$2" || exit 1
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
