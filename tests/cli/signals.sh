#!/bin/sh
# Signals, timers and system calls are as they would be without a measurement, and every call within and beside
# handlers is counted, with its own argument.
. "$(dirname "$0")/lib"
. "$top/tests/cli/tally_lib"

levels='O2 O0'
for compiler in $(tally_compilers); do # one level each
	functions='interrupted work'
	measured "$build/fixtures/handlers-$compiler-${levels%% *}"
	functions='calmed work'
	measured "$build/fixtures/syscalls-$compiler-${levels%% *}"
	levels=${levels#* }
done

program=$build/fixtures/traps-gcc-O2
functions=work
measured "$program" masks
measured "$program" own
(
	trap '' TRAP
	measured "$program" ignored
) || exit 1

# What its breakpoints stand on: one that is emulated, one that repeats itself, one that needs its own address, …
program=$build/fixtures/exotic-gcc-O2
"$program" >alone || fail "the fixture's status is $?"
run 0 run --max-overhead none -f 'in_*' -o exotic.fathom --no-models -- "$program"
same alone output
[ "$(sqlite3 exotic.fathom 'SELECT count(*), sum("$rdi" >= 0 AND "$rcx" = 1 << 20) FROM in_rep')" = '200|200' ] ||
	fail 'arguments were read in the middle of an instruction'
sqlite3 -separator ' ' exotic.fathom "SELECT name, calls, abandoned FROM account
	JOIN function ON function.id = function WHERE name NOT IN ('in_popf', 'in_rep') ORDER BY name" >counted
for name in call cmp enter; do echo "in_$name 3 0"; done >expected
echo 'in_jrcxz 4 0' >>expected
echo 'in_lea 3 0' >>expected
echo 'in_loop 4 0' >>expected
for name in popf_caller push_rip push_sp pushf rdtsc; do echo "in_$name 3 0"; done >>expected
same expected counted
