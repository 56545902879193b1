#!/bin/sh
# Containers of Boost, Qt, LLVM and Abseil, where they are installed, are what the program says. In the long run only.
. "$(dirname "$0")/lib"
[ -n "${FATHOM_FULL:-}" ] || {
	echo 'in the long run only (FATHOM_FULL=1)'
	exit 77
}

# compares LIBRARY FLAG...: builds the fixture, and reads its expressions as features and as text.
compares() {
	library=$1
	shift
	if ! "${CXX:-g++}" -std=c++17 -fPIC -g -O0 -o other "$top/fixtures/containers/$library.cc" "$@" 2>errors; then
		echo "not tested: $library: $(grep -m 1 error errors)"
		return
	fi
	./other >truth
	set -- -f work
	while IFS="$(printf '\t')" read -r name _; do
		set -- "$@" --feature "$name"
	done <truth
	rm -f a.fathom
	run 0 run -q -m mem --samples all "$@" -o a.fathom -- ./other
	run 0 export --csv -f work -o a.csv a.fathom
	python3 - <<'PYTHON' || fail "$library: values differ"
import csv
row, = csv.DictReader(open("a.csv"))
for name, value in (line.rstrip("\n").split("\t") for line in open("truth")):
    assert float({"true": 1, "false": 0}.get(row[name], row[name])) == float(value), (name, value, row[name])
PYTHON
}

compares boost
compares qt -I/usr/include/x86_64-linux-gnu/qt5 -I/usr/include/x86_64-linux-gnu/qt5/QtCore -lQt5Core
compares qt -I/usr/include/x86_64-linux-gnu/qt6 -I/usr/include/x86_64-linux-gnu/qt6/QtCore -lQt6Core
# shellcheck disable=SC2046
compares llvm $(llvm-config-14 --cxxflags --ldflags --libs 2>&1)
# shellcheck disable=SC2046
compares absl $(pkg-config --cflags --libs absl_flat_hash_map absl_btree absl_inlined_vector 2>&1)
