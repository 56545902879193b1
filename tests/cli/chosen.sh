#!/bin/sh
# Without -f: what the program spends its time in is chosen by samples and measured, the profile is kept, and the end says in sentences what was found.
# not sanitized: choosing takes samples by the clock, with which a slow build does not keep up
. "$(dirname "$0")/lib"

toil=$build/fixtures/toil

# The time is that of the processor, of which samples are taken: 1.5 s are 1500 of them, and all choices.
run 0 run -- "$toil" 1500
says 'toil.time {'
grep -q 'measuring toil ([0-9]* %), by [0-9]* samples' errors || fail 'nothing was chosen'
grep -q '^main.time' output && fail 'main() was chosen'
[ "$(tail -n 1 errors)" = 'fathom: the samples are in fathom.fathom; next: fathom explore fathom.fathom' ] ||
	fail 'the next command is not the last line'
[ "$(sqlite3 fathom.fathom "SELECT count(*) > 0 AND min(samples) > 0 FROM line_sample WHERE file LIKE '%toil.c' AND line > 0")" -eq 1 ] || fail 'lines are not kept'
[ "$(sqlite3 fathom.fathom "SELECT (SELECT sum(samples) FROM line_sample WHERE line) <= samples FROM line_sample WHERE NOT line")" -eq 1 ] || fail 'more at lines than in all'
cp fathom.fathom before
run 0 run --adapt -- "$toil" 1500
cmp -s before fathom.old.fathom || fail 'the profile before was not put aside'
run 0 annotate -q fathom.fathom
says 'toil.time {'

# What is named is measured from the beginning, what is hot beside it.
run 0 run -f spent_ms -f @hot -- "$toil" 1000
says 'spent_ms.time {'
says 'toil.time {'

# Too short: nothing is made up, and the command that measures is told if it was seen at work.
run 2 run -- "$toil" 0
grep -q 'it ended before it was seen at work long enough' errors || fail 'no reason'
strip -o stripped "$toil"
run 2 run -- ./stripped 0
grep -q 'stripped: has no debug information: build it with -g' errors || fail 'stripped: no reason'

# On a terminal that it shares with the program, a line tells what takes the time, until it is interrupted.
python3 - "$fathom" "$toil" <<'END' || fail 'no line while it runs'
import os, pty, sys
pid, terminal = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], 'run', '-o', 'shown.fathom', '-f', 'toil', '--', sys.argv[2], '1000000'])
said = b''
while b' s, ' not in said or b'most time in toil: ' not in said or b's a call' not in said:
    said += os.read(terminal, 4096)
os.write(terminal, b'\x03')
try:
    while os.read(terminal, 4096):
        pass
except OSError:
    pass
os.waitpid(pid, 0)
END
# The profile with samples is still the one before.
run 2 run -- "$toil" 0
run 0 annotate -q fathom.old.fathom
says 'spent_ms.time {'
# A program that ends so soon is measured where the machine is slow; else what to do is told.
"$fathom" run -- "$toil" 40 >output 2>errors || [ $? -eq 2 ] || fail 'a program of 40 ms'
if grep -q 'try: ' errors; then
	eval "\"$fathom\" $(sed -n 's/.*try: fathom //p' errors)" >output 2>errors || fail 'the command that was told fails'
	says 'toil.time {'
fi

# What was inlined into main() is named, with what makes it measurable; so is the way to what works in other processes.
cat >inlined.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
#ifdef FORKS
__attribute__((noinline))
#else
static inline __attribute__((always_inline))
#endif
void turn(long n) { for (volatile long i = 0; i < n; i++); }
int main(void)
{
	int forks = 0;
#ifdef FORKS
	forks = 1;
#endif
	if (!forks || !fork())
		for (int i = 0; i < 1200; i++)
			turn(i * 1000);
	return forks && wait(0) < 0 && 0;
}
END
cc -g -O1 inlined.c -o inlined && cc -g -O1 -DFORKS inlined.c -o forks
run 2 run -q -- ./inlined
complains 'its time is in turn ('
complains 'noinline'
run 2 run -q -- ./forks
complains 'of the 1 process that it started functions are measured with --follow-fork'
run 0 run --follow-fork -- ./forks
says 'turn.time {'

# A folder that cannot be written is a note; a profile that is being written by another measurement, too.
(cd /proc && exec timeout 60 "$fathom" run -f toil -- "$toil" 100) >output 2>errors || fail 'no folder, no measurement'
grep -q 'the samples are in' errors && fail 'it is said that a profile was kept'
grep -q 'no profile is kept' errors || fail 'it is not said that no profile is kept'
says 'toil.time {'
: >fathom.fathom
flock fathom.fathom "$fathom" run -f toil -- "$toil" 100 >output 2>errors || fail 'another measurement'
grep -q 'another measurement is writing fathom.fathom' errors || fail 'it is not said that another one has the file'
[ -s fathom.fathom ] && fail "another measurement's profile was touched"
rm -f fathom.fathom fathom.old.fathom
run 0 run -o named.fathom -f toil -- "$toil" 100
[ ! -e fathom.fathom ] || fail 'the default profile was begun beside a named one'

# attach chooses likewise.
"$toil" 3000 >/dev/null &
run 0 attach --for 1.5 $!
wait
grep -q 'measuring toil' errors || fail 'attach did not choose'

# What was modelled before a Ctrl-C is kept.
python3 -c 'print("function,n,time")
for f in range(600):
    for n in range(200):
        print(f"f{f},{n},{n * 3 + (n * 7919 % 13) / 10}")' >many.csv
run 0 import -q many.csv -o many.fathom
"$fathom" annotate many.fathom >output 2>errors </dev/null &
annotating=$!
until [ "$(sqlite3 many.fathom 'SELECT count(*) FROM model' 2>/dev/null || echo 0)" -gt 0 ]; do sleep 0.02; done
kill -INT $annotating
if ! wait $annotating; then # else all were made by then
	grep -q 'all samples are safe in many.fathom: fathom annotate many.fathom goes on' errors || fail 'it is not said that they are safe'
	[ -s output ] || fail 'what was made is not printed'
fi

# With -q it is said all the same that models take longer than a moment.
run 0 import -q many.csv -o slow.fathom
"$fathom" annotate -q slow.fathom >output 2>errors </dev/null &
annotating=$!
until [ "$(sqlite3 slow.fathom 'SELECT count(*) FROM model' 2>/dev/null || echo 0)" -gt 0 ]; do sleep 0.02; done
kill -STOP $annotating
sleep 2.5
kill -CONT $annotating
wait $annotating || fail "annotate, stopped for a while: status $?"
grep -q 'the models take a while' errors || fail 'models take long, and nothing is said'

# The program'"'"'s own functions are listed first, and what cannot be measured is counted.
run 0 list "$toil"
[ "$(sed -n '1s/ .*//p' output)" = main ] || fail 'the first function is not its own first'
run 0 list --sort size "$toil"
[ "$(sed -n '1s/ .*//p' output)" = main ] || fail 'the first function is not the largest'

# The sentences, from samples whose law is known.
awk 'BEGIN { print "function,n,time"; for (n = 10; n < 400; n++) print "square," n "," n * n / 10 }' >law.csv
run 0 import law.csv -o law.fathom
run 0 annotate law.fathom
grep -q 'square grows faster than linearly: quadratic in n (10 to 399); at 3990, ten times the most seen, a call would cost about 1.59 s' errors ||
	fail 'a square is not told'
awk 'BEGIN { print "function,n,time"; for (n = 10; n < 400; n++) print "line," n "," n * 3 }' >law.csv
run 0 import law.csv -o line.fathom
run 0 annotate line.fathom
grep -q 'nothing that was measured grows faster than linearly' errors || fail 'a line is not told'
