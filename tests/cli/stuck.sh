#!/bin/sh
# Calls that are open are judged by their annotations, and followed until they return. The program says when it is inside them
# and waits for a line: nothing here depends on how long anything takes.
# sanitized by --full: unit tests look at open calls, and each step of this waits for stops
. "$(dirname "$0")/lib"

deadline=240 # quarters of a second
pid=
finish() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	[ -z "$follower" ] || kill -KILL "$follower" 2>/dev/null
	rm -rf "$scratch"
}
follower=
trap finish EXIT

# await COMMAND...: until it succeeds.
await() {
	for _ in $(seq $deadline); do
		! "$@" || return 0
		sleep 0.25
	done
	fail "nothing came of: $*"
}

# start PROGRAM KIND...: in the background, until each kind of call is open.
start() {
	rm -f wake said
	mkfifo wake
	: >said
	"$@" <wake >said 2>&1 &
	pid=$!
	exec 9>wake
	await grep -q inside said
}

# Let them go: the program must end as if nobody had been there.
let_go() {
	echo go >&9
	exec 9>&-
	wait "$pid" || fail "the program was disturbed: $(cat said)"
	pid=
	grep -q 'all is right' said || fail "the program did not come to its end: $(cat said)"
}

# follow ARGUMENT...: fathom attach --stuck in the background, until it waits for the calls.
follow() {
	: >errors
	timeout 120 "$fathom" attach --stuck "$@" "$pid" >output 2>errors </dev/null &
	follower=$!
	await grep -q 'waiting until' errors
}
followed() {
	wait "$follower" || fail "fathom attach --stuck: status $?"
	follower=
}

cat >annotations <<'END'
waits.time {
	features:
		int n = job->n;
		int weight = job->crate->outer.middle.inner.weight;
	annotations:
		Norm(10 * n + weight, 5);
}
spins.time { features: int n = job->n; annotations: Norm(1e15 * n, 5); }
holds.time { features: int n = job->n; annotations: Norm(10 * n, 5); }
wants.time { features: int n = job->next->n; annotations: [n == 5] Norm(@holds[n := 2 * n], 5); [n != 5] Norm(1, 1); }
descends.time { features: int depth = depth; annotations: Norm(1e15 * (depth + 1), 5); }
is_inlined.time { features: int n = job->n; int much = much; annotations: Norm(n * much, 5); }
forgets.time { features: int n = n; annotations: Norm(n, 5); }
drops.time { features: int n = n; annotations: Norm(n, 5); }
counts_globals.time {
	features: int pallets = pallets; // 1 .. 20
	annotations: Norm(10 * pallets, 5);
}
quits.time { features: int n = job->n; annotations: Norm(10 * n, 5); }
jumps.time { features: int n = job->n; annotations: Norm(10 * n, 5); }
waits.mem { features: int n = job->n; annotations: Norm(n, 1); }
END
kinds='waits spins holds wants wants descends has_inlined forgets drops counts_globals'

# check KIND COMPILER OPTION...: of that build everything is told as it is.
check() {
	kind=$1
	shift
	command -v "$1" >/dev/null || return 0
	if ! "$@" -g -pthread -D_GNU_SOURCE "$top/fixtures/trace/parked.c" -o parked 2>why; then
		[ "$2" != -O0 ] || fail "$*: $(cat why)"
		echo "not built: $*"
		return 0
	fi
	start ./parked $kinds
	run 0 stack --json --annotations annotations "$pid"
	python3 "$top/tests/cli/stuck_check.py" stack "$kind" output said || fail "$*: fathom stack"
	follow --json --annotations annotations
	let_go
	followed
	python3 "$top/tests/cli/stuck_check.py" followed "$kind" output said || fail "$*: fathom attach --stuck"
	echo "$*: right"
}
check O0 gcc -O0
check O2 gcc -O2
check O0 clang -O0
check O2 clang -O2
check O2 gcc -O2 -static
gcc -O0 -g -pthread -D_GNU_SOURCE "$top/fixtures/trace/parked.c" -o parked || fail 'the program is not built'

# In words; and without annotations nothing is judged.
start ./parked waits holds wants descends
# shows WORDS...: `fathom stack --annotations` says all of them. A thread that others keep from being stopped in time says nothing:
# then it is looked at again.
shows() {
	run 0 stack --annotations annotations "$pid"
	[ ! -s errors ] || fail "complaints"
	for words in "$@"; do
		grep -q "$words" output || return 1
	done
}
await shows 'job->crate->outer.middle.inner.weight = 70' 'blocked: reads from descriptor' \
	'expected 210 µs, 95 % of such calls between 200 µs and 220 µs' \
	'blocked: waits for mutex lock, which thread [0-9]* (holds) holds; thread [0-9]* reads from'
run 0 stack "$pid"
! grep -q 'blocked:\|it has run\|weight' output || fail "judged without annotations"
run 0 stack --json "$pid"
! grep -q outlook output || fail "judged without annotations"

# Files that say nothing of these calls.
echo 'elsewhere(int*).time { features: annotations: Norm(1, 1); }' >other
run 0 stack --annotations other "$pid"
grep -q 'no open call has an annotation of time in other, which has some of elsewhere(int\*)' errors ||
	fail "it is not told that the file is another program's"
run 2 attach --stuck --annotations other "$pid"
complains 'no open call that could be followed has an annotation in other, which has some of elsewhere(int*)'
echo 'waits.mem { features: annotations: Norm(1, 1); }' >other
run 0 stack -q --annotations other "$pid"
[ ! -s errors ] || fail "-q says more than results"
run 2 attach --stuck --annotations other "$pid"
complains 'other has no annotation of time'
: >other
run 2 stack --annotations other "$pid"
complains 'other holds no annotation'
run 2 attach --stuck --annotations nowhere "$pid"
complains 'cannot read nowhere'
echo 'waits.time { features' >other
run 2 attach --stuck --annotations other "$pid"
complains 'other: line'

# Options that mean nothing here.
run 2 attach --annotations annotations "$pid"
complains '--annotations goes with --stuck'
run 2 attach --stuck --samples 7 "$pid"
complains '--samples does not go with --stuck'
run 2 attach -o profile.fathom --stuck "$pid"
complains '--output does not go with --stuck'
run 2 attach --stuck -f no_such_function "$pid"
complains 'no function "no_such_function"'
run 0 attach --help
goes=$(tr -s '\n ' '  ' <output)
goes=${goes##*With --stuck go}
for option in $(sed -n 's/^ *\(-., \)*--\([a-z0-9-]*\).*/\2/p' output); do
	case $option in
	help | version | stuck | verbose | quiet | function) continue ;;
	esac
	for value in =5 =0.5 =none =auto =time =strict =a=5% ''; do # one of these is as its value has to be
		timeout 60 "$fathom" attach --stuck "--$option$value" 4194399 2>&1 </dev/null
	done >answer
	case $goes in
	*"--$option"*) ! grep -q 'does not go' answer || fail "--help says that --$option goes with --stuck" ;;
	*) grep -q 'does not go' answer || fail "--help does not say that --$option goes with --stuck" ;;
	esac
done

# What is known but not open: found out when all is halted already, and the process must go on.
run 2 attach --stuck -f spins "$pid"
complains 'no call of what -f names is open that could be followed'

# By name, into a file, and the innermost of the calls of one function: it alone ends.
follow -f descends -r report
let_go
followed
[ ! -s output ] || fail "-r and standard output"
[ "$(grep -c 'has returned' report)" -eq 1 ] || fail "not one call: $(cat report)"
grep -q '^descends in thread [0-9]* (descends) has returned' report || fail "not descends: $(cat report)"
grep -q '^        depth = 0$' report || fail "not the innermost: $(cat report)"
grep -q '^        it took at least ' report || fail "not how long: $(cat report)"

# Without names: the innermost calls of the program itself.
start ./parked has_inlined
follow
let_go
followed
says 'wait_at_gate in thread'
says 'it took at least'

# Calls that do not return are not told to have done so; the others are waited for.
start ./parked quits jumps waits
follow --annotations annotations
let_go
followed
grep -q '^waits in thread [0-9]* (waits) has returned' output || fail "waits has not returned"
for kind in quits jumps; do
	grep -q "^$kind in thread [0-9]* ($kind) \(is gone\|has not returned\)" output || fail "$kind is not gone"
done

# Ctrl-C, and a time that is over, let the process go on.
start ./parked waits
follow --annotations annotations
kill -INT "$follower"
followed
says 'waits in thread'
says 'is still open'
says 'blocked: reads from descriptor'
run 0 attach --stuck --for 0.1 --annotations annotations "$pid"
says 'is still open'
let_go

# A tracer that is killed leaves it alone, too.
start ./parked waits
follow --annotations annotations
kill -KILL "$follower"
wait "$follower" 2>/dev/null
follower=
let_go

# A process that is stopped by a signal stays so, until somebody lets it go.
start ./parked waits
kill -STOP "$pid"
await shows 'blocked: stopped by a signal'
follow --annotations annotations
grep -q 'blocked: stopped by a signal' errors || fail "it is not told that it is stopped: $(cat errors)"
kill -CONT "$pid"
let_go
followed
says 'has returned'

# One that dies meanwhile.
start ./parked waits
follow --annotations annotations
kill -KILL "$pid"
wait "$pid" 2>/dev/null
pid=
exec 9>&-
followed
says 'has not returned: the process has ended'

run 2 attach --stuck 4194399
complains 'there is no process 4194399'
