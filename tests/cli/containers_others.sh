#!/bin/sh
# Classes derived from containers, and containers of GLib, Rust, Boost, Qt, LLVM and Abseil, where these are installed, are what the program says.
. "$(dirname "$0")/lib"

# compares LIBRARY FLAG...: builds the fixture in C++, and reads its expressions as features and as text.
compares() {
	library=$1
	shift
	if ! "${CXX:-g++}" -std=c++17 -fPIC -g -O0 -o other "$top/fixtures/containers/$library.cc" "$@" 2>errors; then
		echo "not tested: $library: $(grep -m 1 error errors)"
		return
	fi
	reads_same
}

# ./other, of $library.
reads_same() {
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

compares derived
# A base's words are in the list of features, its internals are not; what an annotation names of these is read.
run 0 list --features other work
says 'bag.size()'
says 'bag.extra'
! grep -q '_M_impl.* at ' output || fail 'internals of a base are listed'
run 0 -batch -ex 'break work' -ex run -ex 'info args' -ex 'print *table' -ex kill ./other
says 'bag = {extra = 3, {size 2: 7, 8}}'
says '*table = {size 3: [1] = "one", [2] = "two", [3] = "three"}'
printf 'work(const Bag&, const Table*).mem {\nfeatures:\n  int n = bag._M_impl._M_finish - bag._M_impl._M_start;\nannotations:\n  Norm(0*n, 1);\n}\n' >old.ann
run 2 check old.ann -o old.fathom -q --samples all --max-overhead none -- ./other
run 0 export --csv -f work -o old.csv old.fathom
grep -q 'bag._M_impl._M_finish - bag._M_impl._M_start' old.csv || fail 'what an annotation names is not read'
library=glib
# shellcheck disable=SC2046
if cc -g -O0 -o other "$top/fixtures/containers/glib.c" $(pkg-config --cflags --libs glib-2.0 2>&1) 2>errors; then
	reads_same
fi
library=rust
if command -v rustc >/dev/null && rustc -g -o other "$top/fixtures/containers/rust.rs" 2>errors; then
	reads_same
fi
[ -n "${FATHOM_FULL:-}" ] || exit 0

# reads_text: UTF-16 is shown as text.
reads_text() {
	run 0 -batch -ex 'break work' -ex run -ex 'print all.s' -ex kill ./other
	says 'all.s = "abc"'
}

compares boost
compares qt -I/usr/include/x86_64-linux-gnu/qt5 -I/usr/include/x86_64-linux-gnu/qt5/QtCore -lQt5Core
reads_text
compares qt -I/usr/include/x86_64-linux-gnu/qt6 -I/usr/include/x86_64-linux-gnu/qt6/QtCore -lQt6Core
reads_text
# shellcheck disable=SC2046
compares llvm $(llvm-config-14 --cxxflags --ldflags --libs 2>&1)
# shellcheck disable=SC2046
compares absl $(pkg-config --cflags --libs absl_flat_hash_map absl_btree absl_inlined_vector 2>&1)
