#!/bin/sh
# What a program sees of itself is the same, measured or not.
. "$(dirname "$0")/lib"

program=$build/fixtures/self-gcc-O2
"$program" one 'two words' >alone </dev/null || fail 'the fixture'
run 0 run -q -f work -f on_alarm -o self.fathom --no-models -- "$program" one 'two words'
same alone output
run 0 run -q --max-overhead none --samples all -f work -f on_alarm -o all.fathom --no-models -- "$program" one 'two words'
same alone output
[ "$(sqlite3 all.fathom 'SELECT count(*) > 20000 FROM work')" = 1 ] || fail 'it was not measured'
