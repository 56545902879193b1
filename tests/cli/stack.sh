#!/bin/sh
# What a process that is stuck is doing: every thread's calls with the values that the program was told, what it
# waits for, and that it goes on as if nobody had been there.
# alone: other programs keep the processors from stopping threads in time
. "$(dirname "$0")/lib"

# start PROGRAM: in the background, with a line to wake it by; when it is stuck, its number is in $pid.
start() {
	rm -f wake said
	mkfifo wake
	"$1" <wake >said 2>&1 &
	pid=$!
	exec 9>wake
	for _ in $(seq 1200); do
		! grep -q stuck said 2>/dev/null || return 0
		sleep 0.05
	done
	fail "$1 does not get stuck"
}

# Let it go: it must find all its calls as they should be.
finish() {
	echo go >&9
	exec 9>&-
	wait "$pid" || fail "$1: the program was disturbed: $(cat said)"
	grep -q 'all is right' said || fail "$1: $(cat said)"
}

busy=

# check KIND COMPILER OPTION...
check() {
	kind=$1
	shift
	command -v "$1" >/dev/null || return 0
	"$@" -g -pthread -D_GNU_SOURCE "$top/fixtures/trace/stuck.c" -o stuck 2>errors || {
		echo "not built: $*"
		return 0
	}
	[ "$kind" != stripped ] || strip stuck
	start ./stuck
	rights=0
	for _ in $(seq 20); do
		[ $rights -lt 2 ] || break
		run 0 stack --json "$pid"
		python3 "$top/tests/cli/stack_check.py" output "$kind" >wrong 2>&1
		case $? in
		0) rights=$((rights + 1)) ;;
		3) continue ;;
		*) fail "$*: $(cat wrong)" ;;
		esac
	done
	[ $rights -gt 0 ] || busy=1
	finish "$*"
	echo "$*: held for $(python3 -c 'import json; print(json.load(open("output"))["longest_held_ms"])') ms"
}

compilers='gcc clang'
[ -z "${FATHOM_SANITIZED:-}" ] || compilers=gcc
for compiler in $compilers; do
	values=O2
	[ "$compiler" = gcc ] || values=few
	check O0 "$compiler" -O0
	check "$values" "$compiler" -O2
	[ "$compiler" = clang ] || check "$values" "$compiler" -O2 -static
	check stripped "$compiler" -O2 -fomit-frame-pointer
done

if [ -n "$busy" ]; then
	echo "other programs keep the processors from stopping threads in time"
	exit 77
fi

# In words, once more, and with the account.
gcc -O0 -g -pthread -D_GNU_SOURCE "$top/fixtures/trace/stuck.c" -o stuck || fail 'the program is not built'
start ./stuck
run 0 stack -v "$pid"
says "deadlock: thread "
says "(sleeps): sleeps for 1000 s"
says "<signal handler called>"
says "order->amount = 7"
says "color = GREEN"
grep -q 'the process was held [2-9] times, for [0-9.]* ms at most' errors || fail "-v does not say how long"
run 0 stack "$pid"
says "deadlock: lock_both(one = <first>, other = <second>, number = 11) holds first and waits for second; lock_both("
says "holds second and waits for first: neither will ever return"
says "nap(color = GREEN, seconds = 1000) sleeps for 1000 s"
says "of libraries: -v shows them"
run 0 stack -q "$pid"
says "nap(color = GREEN, seconds = 1000) sleeps for 1000 s"
! grep -q '#0 ' output || fail "-q shows frames"
run 0 stack "$pid" -r report
[ ! -s output ] || fail "-r and standard output"
grep -q '#0 ' report || fail "-r"

# What will never return is not waited for.
run 0 attach --stuck -f lock_both "$pid"
grep -q 'nothing to wait for: the threads wait for each other' errors || fail "a deadlock is waited for"
[ "$(grep -c '^deadlock: .* holds first and waits for second' output)" -eq 1 ] || fail 'attach --stuck does not say the deadlock once'
run 0 attach --stuck --for 1 "$pid"
[ "$(grep -c '^deadlock: .* holds first and waits for second' output)" -eq 1 ] || fail 'the deadlock among others is not said once'
grep -q 'waiting until' errors || fail 'a sleep is not waited for'
! grep -q lock_both errors || fail 'a deadlock is waited for among others'

# A deadlock in the program's words, though it was the library's headers that locked.
cat >accounts.cc <<'ENDSOURCE'
#include <condition_variable>
#include <mutex>
#include <thread>
struct account { long cents; std::mutex m; } ann, bob;
static std::mutex both[2];
__attribute__((noinline)) void transfer(account &from, account &to, std::mutex &mine, std::mutex &other)
{
	std::lock_guard<std::mutex> first(from.m);
	mine.unlock();
	other.lock();
	std::lock_guard<std::mutex> second(to.m);
	from.cents--, to.cents++;
}
static struct { std::mutex m; std::condition_variable filled; } jobs;
__attribute__((noinline)) void work(int number)
{
	std::unique_lock<std::mutex> lock(jobs.m);
	jobs.filled.wait(lock, [&] { return ann.cents > number; });
}
int main()
{
	std::thread worker(work, 7);
	both[0].lock(), both[1].lock();
	std::thread other([] { transfer(ann, bob, both[0], both[1]); });
	transfer(bob, ann, both[1], both[0]);
	other.join();
	worker.join();
}
ENDSOURCE
g++ -O1 -g -pthread accounts.cc -o accounts || fail 'the program is not built'
./accounts &
accounts=$!
for _ in $(seq 100); do
	run 0 stack -q "$accounts"
	! grep -q deadlock output || break
	sleep 0.1
done
says "transfer(from = bob, to = ann"
says "holds bob.m and waits for ann.m"
says "work(number = 7) waits for jobs.filled to change"
says "holds ann.m and waits for bob.m: neither will ever return"
run 0 attach --stuck "$accounts"
grep -q 'nothing to wait for' errors || fail 'what only deadlocked threads could change is waited for'
says "work(number = 7) waits for jobs.filled to change"
kill -KILL "$accounts"

# A process that is stopped stays so; one that is traced says by whom.
kill -STOP "$pid"
run 0 stack "$pid"
says "stopped by a signal"
says "order->amount = 7"
for task in /proc/"$pid"/task/*; do
	grep -q '^State:.*T (stopped)' "$task/status" || fail "$task is $(grep State "$task/status")"
done
if command -v gdb >/dev/null; then # a debugger is the oracle
	run 0 stack --json "$pid"
	timeout 60 gdb -batch -nx -ex 'set debuginfod enabled off' -ex 'thread apply all bt -frame-arguments none' \
		-p "$pid" </dev/null 2>noise | python3 "$top/tests/cli/stack_gdb.py" output || fail "gdb sees other frames"
fi
exec 9>&- # calls that such a stop interrupts fail also without us
kill -KILL "$pid"
wait "$pid"

if command -v strace >/dev/null; then
	strace -o /dev/null sleep 300 &
	strace=$!
	for _ in $(seq 1200); do
		traced=$(pgrep -P "$strace" sleep) && grep -q 'TracerPid:.*[1-9]' "/proc/$traced/status" && break
		sleep 0.05
	done
	run 3 stack "$traced"
	complains "is traced already, by process $strace (strace)"
	kill "$traced"
	wait "$strace"
fi

# What can never be looked at.
run 2 stack 4194399
complains "there is no process 4194399"
run 2 stack nonsense
complains "'nonsense' is not the number of a process"
run 2 stack 0
complains "is not the number of a process"
run 2 stack
complains "missing: fathom stack"
sh -c 'sleep 0.01 & echo $!; exec sleep 300' >child &
parent=$!
for _ in $(seq 1200); do
	zombie=$(cat child)
	[ -z "$zombie" ] || ! grep -q 'State:.*Z' "/proc/$zombie/status" || break
	sleep 0.05
done
run 3 stack "$zombie"
complains "is a zombie"
kill "$parent"
if grep -q kthreadd /proc/2/status 2>/dev/null; then
	run 3 stack 2
	complains "a thread of the kernel"
fi
printf 'void _start(void) { for (;;) __asm__ volatile("int $0x80" : : "a"(29)); }\n' >small.c
# A kernel without such programs' system calls refuses to start one.
if gcc -m32 -nostdlib -static small.c -o small 2>/dev/null && { timeout 0.1 ./small 2>/dev/null; [ $? -eq 124 ]; }; then
	./small &
	small=$!
	run 3 stack "$small"
	complains "runs a 32-bit program"
	kill "$small"
fi

gcc -O2 -pthread -D_GNU_SOURCE -static -s "$top/fixtures/trace/stuck.c" -o slow || fail 'the program is not built'
if nobody_can_run slow; then
	# Another user's process: nobody may not look at ours.
	sleep 300 &
	sleep=$!
	for command in 'stack' 'attach -f f'; do
		# shellcheck disable=SC2086 # words
		timeout 60 $as_nobody "$nobodys/fathom" $command "$sleep" >output 2>errors
		status=$?
		[ "$status" -eq 3 ] || fail "$command: status $status, not 3, of a process of root's"
		complains "belongs to user root: run fathom as that user, or with sudo"
	done
	kill "$sleep"

	# Who gets no processor, and has no right to hurry, holds longer than it should, but lets go in order: no call fails.
	if taskset -c 0 true; then
		printf '%s\n' '#!/bin/sh' "exec $as_nobody $nobodys/slow" >slow.sh
		chmod 755 slow.sh
		start ./slow.sh
		spinners=
		for _ in 1 2 3; do
			timeout 30 taskset -c 0 sh -c 'while :; do :; done' &
			spinners="$spinners $!"
		done
		timeout 60 $as_nobody nice -n "${FATHOM_FULL:+1}9" taskset -c 0 "$nobodys/fathom" stack "$pid" >output 2>errors ||
			fail 'without a processor'
		kill $spinners
		finish ./slow
	fi
fi

# A thread that sleeps where nothing can interrupt it: it waits for the child of its vfork.
printf '%s\n' '#include <unistd.h>' 'int main(void) { if (!vfork()) { sleep(300); _exit(0); } return 0; }' >v.c
gcc -g v.c -o v || fail 'the program is not built'
./v &
vfork=$!
until grep -q '^State:.*D' "/proc/$vfork/status"; do sleep 0.05; done
run 0 stack "$vfork"
says "in uninterruptible sleep"
says "vfork"
run 0 stack --json "$vfork"
kill "$(pgrep -P "$vfork")"
wait "$vfork"
