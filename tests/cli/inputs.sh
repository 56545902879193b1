#!/bin/sh
# What is in memory when a call begins, and is its input: rows of matrices.
. "$(dirname "$0")/lib"

source=$top/fixtures/dwarf/inputs.c

# has TEXT: a line of the list.
has() {
	grep -q -F -- "$1" output || fail "$program: no line with: $1"
}

for compiler in gcc clang; do
	command -v "$compiler" >/dev/null || continue
	for level in O0 O2; do
		program=inputs-$compiler-$level
		"$compiler" -g -$level -o "$program" "$source"
		run 0 list --features "$program" rows
		has 'sum(*whole)  the sum of 20'
		has '(*whole)[3][0] + (*whole)[3][1] + (*whole)[3][2] + (*whole)[3][3] + (*whole)[3][4]'
		has 'sum(grid)'
		grep -q 'one.*[[]4[]]  .*of the first if it points to several' output || fail 'not told that it is one row'
	done
done
