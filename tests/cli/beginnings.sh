#!/bin/sh
# What is dearer at a run's beginning alone is not told as a kind of calls that the count of calls, or a value that drifts with it, tells
# apart; what a value of the program tells apart is, also then.
. "$(dirname "$0")/lib"

# table NAME COLUMN: 5,000 calls of 10 µs, the first 1,109 of them 1.4 µs dearer; COLUMN counts them.
table() {
	awk -v column="$2" 'BEGIN { srand(1); print "function,time," column
		for (i = 0; i < 5000; i++)
			printf "work,%.4f,%d\n", 10 + (i < 1109) * 1.4 + 0.1 * (rand() + rand() - 1), i }' >"$1.csv"
	run 0 import -q -o "$1.fathom" "$1.csv"
	run 0 annotate "$1.fathom"
}
table call system.call
! grep -q '\[call' output || fail 'the count of calls is a scope'
table memory system.free_memory
! grep -q '\[free_memory' output || fail 'the free memory is a scope'
table size 'list->length'
says '[length <= 110'

# A real run, of calls that always cost the same.
run 0 run -q -f tight -o real.fathom -- "$build/fixtures/tight" 1 20000
! grep -q '\[call\|\[free_memory\|\[cpu_clock' output || fail 'a value of the system is a scope'
