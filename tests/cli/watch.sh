#!/bin/sh
# A server is watched over restarts of itself and of the watch: what it costs changes with its build, which is told once.
# not sanitized: periods are a second long; the state machine has unit tests
. "$(dirname "$0")/lib"

cat >served.c <<'C'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *volatile held;

__attribute__((noinline)) void answer(int n)
{
	held = malloc(n * BYTES);
	free(held);
}

int main(void)
{
	const time_t end = time(NULL) + 300;

	for (int n = 1; time(NULL) < end; n = n % 50 + 1) {
		answer(n);
		usleep(2000);
	}
}
C
mkdir old new
gcc -g -O1 -DBYTES=1000 served.c -o old/served && gcc -g -O1 -DBYTES=1500 served.c -o new/served || fail 'it does not compile'
echo 'answer.mem { features: int n = n; annotations: Norm(1000*n, 0); }' >law.ann

watch=
served=
trap '[ -z "$served" ] || kill -9 "$served" 2>/dev/null; [ -z "$watch" ] || kill -9 "$watch" 2>/dev/null; rm -rf "$scratch"' EXIT
begin() {
	TMPDIR=$scratch "$fathom" watch --annotations law.ann --every 1 --state known "$@" >told 2>errors </dev/null &
	watch=$!
}
serve() {
	"$1/served" &
	served=$!
}
until_said() {
	for _ in $(seq 1200); do
		! grep -q "$1" "$2" 2>/dev/null || return 0
		sleep 0.05
	done
	fail "'$1' was not said in $2: $(cat told errors)"
}

serve new
begin --name served --json --metrics-file collected --on-change 'cat >>changes; echo "$FATHOM_STATE $FATHOM_FUNCTION $FATHOM_PIDS" >>variables'
until_said '"violated", "reason": "check", "ratio": 1.5' told
until_said 'violated answer' variables
[ "$(cat variables)" = "violated answer $served" ] || fail "the command was told $(cat variables)"
same told changes
until_said '^fathom_violated{function="answer",metric="mem"} 1' collected
until_said '^fathom_cost_ratio{function="answer",metric="mem"} 1.5$' collected
[ "$(tail -n 1 collected)" = '# EOF' ] || fail 'the text for collectors has no end'

# The program is started again, as it was before.
kill "$served"
wait "$served" 2>/dev/null
serve old
until_said '"state": "conforms"' told
[ "$(wc -l <told)" -eq 2 ] || fail "not each change is told once: $(cat told)"
python3 -c 'import json; [json.loads(line) for line in open("told")]' || fail 'that is no JSON'

# Killed, the watch leaves nothing behind in the process; the next one knows what it knew.
kill -9 "$watch"
wait "$watch" 2>/dev/null
for _ in $(seq 600); do
	grep -q '^TracerPid:	0' "/proc/$served/status" && break
	sleep 0.1
done
grep -q '^TracerPid:	0' "/proc/$served/status" || fail 'the process is still traced'
grep -q '^subject 1 ' known || fail "the state is not kept: $(cat known)"
rm -rf fathom-watch-*
begin "$served"
periods=$(sed -n 's/^periods \([0-9]*\) .*/\1/p' known)
until_said "^periods $((periods + 2)) " known
kill "$watch"
wait "$watch" || fail "the watch ended with status $?"
watch=
[ ! -s told ] || fail "what was known is told again: $(cat told)"
kill -0 "$served" || fail 'the process was harmed'
! ls -d fathom-watch-* 2>/dev/null || fail 'a folder stays'

# What cannot be watched.
run 2 watch "$served"
complains '--annotations FILE'
run 2 watch --annotations law.ann
complains 'by --name NAME'
run 2 watch --annotations law.ann --name served "$served"
complains 'by --name NAME'
run 2 watch --annotations law.ann --every 0.1 "$served"
complains '--every is from a second'
run 2 watch --annotations law.ann 4194304999
complains 'is not the number of a process'
run 2 watch --annotations law.ann 4194304
complains 'no process 4194304'
run 2 watch --annotations served.c "$served"
complains served.c
echo 'fathom watch 1' >broken
echo 'x' >>broken
run 2 watch --annotations law.ann --state broken "$served"
complains 'line 2'
run 2 watch --annotations law.ann --state /no/where "$served"
complains /no/where
echo 'nothing.time { features: annotations: Norm(1, 0); }' >other.ann
run 2 watch --annotations other.ann "$served"
complains 'no function "nothing"'
echo ok
