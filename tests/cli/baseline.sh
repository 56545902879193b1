#!/bin/sh
# A baseline is made of several runs, checked against, and made anew with its budgets; wrong uses are refused.
# not sanitized: run, annotate and check are
. "$(dirname "$0")/lib"
TMPDIR=$scratch
export TMPDIR
old=$build/fixtures/elements-old

run 0 baseline update perf -f work -m mem,time --runs 2 -- "$old" 100 10 1000
[ ! -s output ] || fail "the program's output is shown"
grep -qF 'perf/elements-old.ann is of 2 runs' errors || fail 'it is not told what was made'
grep -qF 'Of 2 runs' perf/elements-old.ann || fail 'the annotations do not say their runs'

run 0 baseline update default -f work --runs 1 -- "$old" 100 10 1000
grep -q '^work.time {' default/elements-old.ann && grep -q '^work.cpu {' default/elements-old.ann || fail 'not both times are measured'

# Memory does not depend on the machine.
sed -n '/^work.mem/,/^}/p' perf/elements-old.ann >mem.ann
cp mem.ann perf/elements-old.ann
run 0 check --baseline perf --runs 2 -- "$old" 100 10 1000
says 'work.mem: conforms (200 samples'
run 0 check --baseline perf -o kept.fathom -- "$old" 100 10 1000
run 0 check --baseline perf kept.fathom
says 'work.mem: conforms (100 samples'
printf 'budget work.mem <= 1 B;\n' >>perf/elements-old.ann
run 1 check --baseline perf kept.fathom
says 'work.mem: WORSE: '

# Anew, of a profile and by runs: of the same functions and metrics, and what people wrote stays.
run 0 baseline update perf kept.fathom
[ "$(grep -c '^budget work.mem <= 1 B;$' perf/elements-old.ann)" = 1 ] || fail 'the budget is gone, or there twice'
cp mem.ann perf/elements-old.ann
run 0 baseline update perf --runs 1 -- "$old" 100 10 1000
[ "$(grep -c '{$' perf/elements-old.ann)" = 1 ] || fail 'other metrics were measured'

# Another program of that name does not replace it; a function that is left out is told.
mkdir other
cp "$build/fixtures/depth-gcc-O2" other/elements-old
cp perf/elements-old.ann before.ann
run 2 baseline update -q perf -f even --runs 1 -- other/elements-old
complains 'perf/elements-old.ann is of other functions (work), another program'
cmp -s perf/elements-old.ann before.ann || fail 'the baseline of another program was replaced'
sed 's/^work\.mem/gone.mem/' before.ann >>perf/elements-old.ann
run 0 baseline update perf -f work --runs 1 -- "$old" 100 10 1000
grep -qF 'perf/elements-old.ann: gone is no longer in it' errors || fail 'a lost function is not told'
cp before.ann perf/elements-old.ann

run 2 baseline update perf --runs 1 -- "$build/fixtures/elements-steeper" 100 10 1000
complains 'give -f NAME'
run 2 baseline update perf -f nothing -- "$old" 100 10 1000
complains 'no function "nothing"'
run 2 baseline update perf -o more.fathom kept.fathom
complains '-o keeps the samples of runs: they are in kept.fathom already'
run 2 check --baseline perf -o more.fathom kept.fathom
complains '-o keeps the samples of a run'
run 2 baseline update perf -r report.ann kept.fathom # it prints nothing that could go there
complains "there is no option '-r'"
run 2 baseline make perf -- "$old"
complains 'only one action, update'
run 2 baseline update perf
complains 'of which samples?'
run 2 baseline update kept.fathom kept.fathom
complains 'kept.fathom/elements-old.ann: Not a directory'
echo 'not annotations' >perf/elements-old.ann
run 2 baseline update perf kept.fathom
complains 'perf/elements-old.ann'
run 2 check --baseline none -- "$old"
complains 'there is no none/elements-old.ann: fathom baseline update none -f NAME --'
run 2 check --baseline perf
complains 'by ANNOTATIONS or --baseline'
run 2 check perf/elements-old.ann kept.fathom --baseline perf
run 2 check --runs 0 mem.ann -- "$old" 100 10 1000
complains '--runs is at least 1'
ls -d fathom-runs-* >/dev/null 2>&1 && fail 'profiles are left behind'
exit 0
