#!/bin/sh
# What is in memory when a call begins, and is its input: rows of matrices; not what the function writes first; what
# pointers without a type point to.
. "$(dirname "$0")/lib"

source=$top/fixtures/dwarf/inputs.c

# has FUNCTION TEXT, lacks FUNCTION TEXT: a line of its list.
has() {
	run 0 list --features "$program" "$1"
	grep -q -F -- "$2" output || fail "$program: $1 has no line with: $2"
}
lacks() {
	run 0 list --features "$program" "$1"
	! grep -q -F -- "$2" output || fail "$program: $1 has a line with: $2"
}

for compiler in gcc clang; do
	command -v "$compiler" >/dev/null || continue
	for level in O0 O2; do
		program=inputs-$compiler-$level
		"$compiler" -g -$level -o "$program" "$source"
		has rows 'sum(*whole)  the sum of 20'
		has rows '(*whole)[3][0] + (*whole)[3][1] + (*whole)[3][2] + (*whole)[3][3] + (*whole)[3][4]'
		has rows 'of the first if it points to several'
		has rows 'sum(grid)'

		has fills '*out  [written] the function writes it before it reads it'
		lacks fills '*in  [written]'
		lacks adds '[written]'
		has sometimes 'result->code  [written]'
		lacks sometimes 'result->total  [written]'
		lacks calls '[written]'
		# Who asks for it gets it.
		run 0 list --features --feature '*out' "$program" fills
		! grep -q -F '[written]' output || fail "$program: a required feature is left out"
	done
	# Without optimisation every variable has a place of its own.
	has compares 'left != 0  in rdi; a takes it for a struct item *'
	has compares '((struct item *)left)->weight'
	has compares '((struct item *)right)->key'
	has round_one '((struct circle *)shape)->radius'
	has either 'shape->kind'
	lacks either '((struct'
	# It is C that can be written, too.
	run 0 list --features --feature '((struct square *)shape)->turn' "$program" either
	grep -q 'turn  at ' output || fail "$program: a cast that somebody writes"
done
