#!/bin/bash
# From one line of a function to another: measured as a function of its own, with what can be read where it
# begins; loops pass its end many times, and who leaves its function before has no end.
. "$(dirname "$0")/lib"

cat >program.cc <<'E2'
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
static volatile unsigned sink;
static int scale = 1;
static jmp_buf back;
__attribute__((noinline)) static void spend(int n) { for (int i = 0; i < n * scale * 200; i++) sink = sink + i; }
__attribute__((noinline)) static int risky(int how)
{
	if (how == 2) throw how;
	if (how == 3) longjmp(back, 1);
	return how;
}
__attribute__((noinline)) int work(int n, int how)
{
	int items = n * 3;
	spend(1);
	int twice = items * 2;
	spend(n);                                   // FIRST
	if (how == 1)
		return twice;                       // leaves
	risky(how);
	for (int i = 0; i < 3; i++) {
		spend(1);                           // TURN
		sink = sink + i;                    // LAST
	}
	return items + how;
}
__attribute__((noinline)) int deep(int n)
{
	spend(1);
	int inner = n ? deep(n - 1) : 0;            // DOWN
	spend(2);                                   // UP
	return inner + 1;
}
__attribute__((noinline)) int jumps(int n)
{
	spend(1);
	if (n % 2)
		goto end;
	spend(3);                                   // EVEN
end:
	spend(1);                                   // END
	return n;
}
int main(int argc, char **argv)
{
	int ways[4] = {0};
	const int n = argc > 1 ? atoi(argv[1]) : 200;
	scale = argc > 2 ? atoi(argv[2]) : 1;
	for (volatile int i = 0; i < n; i++) {
		const int how = i % 4;
		ways[how]++;
		if (setjmp(back)) continue;
		try { work(i % 20 + 1, how); } catch (int) { sink = sink + 1; }
	}
	deep(9);
	for (int i = 0; i < 100; i++)
		jumps(i);
	printf("%d %d %d %d\n", ways[0], ways[1], ways[2], ways[3]);
}
E2
line() { grep -n "// $1\$" program.cc | cut -d: -f1; }
work=program.cc:$(line FIRST)..$(line LAST) turn=program.cc:$(line TURN)..$(line LAST) around=program.cc:$(line LAST)..$(line LAST)
deep=program.cc:$(line DOWN)..$(line UP) even=program.cc:$(line EVEN)..$(line END)

# counts PROFILE NAME ENDED LOST
counts() {
	found=$(sqlite3 "$1" "SELECT calls || ' ' || abandoned FROM account JOIN function ON function = function.id WHERE name = '$2'")
	[ "$found" = "$3 $4" ] || fail "$1: $2: ended and lost: $found, not $3 $4"
}
for options in -O0 -O2; do
	c++ -g $options -o program program.cc || fail 'the program cannot be built'
	for probes in auto stops; do
		profile=run$options-$probes.fathom
		run 0 run -q --no-models -f '*' -f "$work" -f "$turn" -f "$around" -f "$deep" -f "$even" --probes $probes --max-overhead none -o $profile -- ./program
		[ "$(cat output)" = '50 50 50 50' ] || fail 'the program does something else'
		counts $profile "$work" 50 150 # a return, an exception, longjmp()
		counts $profile "$turn" 150 0
		counts $profile "$around" 100 50
		counts $profile "$deep" 10 0
		counts $profile "$even" 50 0
		# It is in its function, and what that calls is in it.
		id() { sqlite3 $profile "SELECT id FROM function WHERE name = '$1'"; }
		[ "$(sqlite3 $profile "SELECT count(*) FROM sample_$(id "$even") AS block JOIN sample_$(id 'jumps(int)') AS host ON block.parent = host.id
			JOIN sample_$(id 'spend(int)') AS inner ON inner.parent = block.id")" = 50 ] || fail "$options $probes: $even has other callers or callees"
		[ "$(sqlite3 $profile "SELECT count(*) FROM sample_$(id "$deep") AS block JOIN sample_$(id 'deep(int)') AS inner ON inner.parent = block.id")" = 9 ] ||
			fail "$options $probes: $deep has other callees"
	done
	run 0 run -f "$work" --max-overhead none -o alone$options.fathom -- ./program 400 200
	grep -q "$work: 300 times the function was left" errors || fail 'it is not said how often it has no end'
	says "$work.time {"
	says 'int n = n;'
	says '// the same, with items = 3*n, twice = 6*n'
	run 0 annotate -f "$work" alone$options.fathom
	says "$work.time {"
	run 0 list ./program "$work" --features
	says 'int   items'
	run 0 run -q --no-models -f "$turn" -f "$work" --max-overhead 5 -o governed$options.fathom -- ./program 20000
	[ "$(sqlite3 governed$options.fathom 'SELECT min(calls) > 0 FROM account')" = 1 ] || fail 'the governor leaves none'
	run 0 predict alone$options.fathom "$work" n=10
done

run 0 list ./program "$work" --json
run 0 list ./program "program.cc:$(line LAST)..$(line FIRST)"
says 'its end is never reached from its beginning'
run 2 run -f "program.cc:$(line FIRST)..$(line UP)" -- ./program
complains 'both must be of one function'
run 2 run -f program.cc:1..2 -- ./program
complains 'line 1 of program.cc has no code; the next that has some is 7'
run 2 run -f nowhere.cc:1..2 -- ./program
complains 'no line table names that file'
run 2 run -f program.cc:9999..9999 -- ./program
complains 'no code of line 9999'
for wrong in program.cc:7.. program.cc:..7 program.cc:0..7 program.cc:7..x program.cc:7...8 usdt:base usdt:base:..end; do
	run 2 run -f "$wrong" -- ./program
	complains "$wrong is no block"
done
run 0 run --no-models -f "$work" -f "$even" -f "program.cc:$(line EVEN)..$(line EVEN)" -o twice.fathom -- ./program
grep -q "is not measured: it begins where .* does, which is measured" errors || fail 'it is not said that two begin in one place'

# At the prompt a block begins and ends.
printf '%s\n' "break $work if n == 5" run 'print items' finish kill >commands
timeout 120 "$fathom" -batch -x commands ./program >output 2>errors </dev/null
says "$work begins in thread" 'items = 15' "Until $work ends." "$work ended in thread"

# From one USDT probe to another, with the arguments of the first: the notes are as <sys/sdt.h> writes them.
cat >probes.c <<'E2'
#define NOTE(name, semaphore, arguments)                                                                             \
	"990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n.4byte 992f-991f,994f-993f,3\n"                   \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"     \
	".asciz \"base\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n994: .balign 4\n.popsection\n"                \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"              \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.popsection\n.endif\n"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
unsigned short asked, ended; /* semaphores, as <sys/sdt.h> has them */
__attribute__((noinline)) static void spend(int n) { for (int i = 0; i < n * 20000; i++) sink = sink + i; }
static void tell(int signal) { char text[] = {'0' + (char)asked, '0' + (char)ended, '\n'}; (void)!write(signal ? 1 : 2, text, 3); }
__attribute__((noinline)) int query(int rows, unsigned char *kinds, int early)
{
	__asm__ volatile(NOTE("begin", "0", "-4@%0 -8@$-7 1@3(%1) 4@%%xmm0") : : "nor"(rows), "r"(kinds));
	spend(rows);
	if (early)
		return 1;
	__asm__ volatile(NOTE("end", "0", ""));
	return 0;
}
__attribute__((noinline)) void other(void)
{
	if (*(volatile unsigned short *)&asked)
		__asm__ volatile(NOTE("watched", "asked", ""));
	spend(1);
	if (*(volatile unsigned short *)&ended)
		__asm__ volatile(NOTE("seen", "ended", ""));
}
__attribute__((noinline)) void turns(int n)
{
	for (int i = 0; i < n; i++) {
		__asm__ volatile(NOTE("turn", "0", "-4@%0") : : "nor"(i));
		spend(1);
	}
}
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) { /* is watched from without; says what the semaphores are when it was asked to */
		asked = 7;
		signal(SIGUSR1, tell);
		for (;;) other(), usleep(1000);
	}
	if (!fork()) { /* a copy of the memory, which nobody watches */
		printf("child: %d %d\n", asked, ended);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	printf("%d %d\n", asked, ended);
	unsigned char kinds[] = {1, 2, 3, 200};
	for (volatile int i = 0; i < 100; i++)
		query(i % 20 + 1, kinds, i % 5 == 0);
	other();
	turns(5);
}
E2
for options in '-O0 -no-pie -fno-pie' '-O2 -no-pie -fno-pie' '-O2'; do
	cc -g $options -o probes probes.c 2>warnings || fail "the program cannot be built: $(head -n 5 warnings)"
	profile=probes${options// /}.fathom
	run 0 run -f 'usdt:base:begin..end' -f query --max-overhead none -o "$profile" -- ./probes
	says 'usdt:base:begin..end.time {'
	counts "$profile" usdt:base:begin..end 80 20
	found=$(sqlite3 "$profile" "SELECT min(\"\$arg1\") || ' ' || max(\"\$arg1\") || ' ' || max(\"\$arg2\") || ' ' || min(\"\$arg3\") FROM \"usdt:base:begin..end\"")
	[ "$found" = '2 20 -7 200' ] || fail "$options: other arguments: $found"
	run 0 list ./probes usdt:base:begin..end --features
	says '$arg4'
	says 'its operand is of another form'
	# A probe alone lasts until it is passed again, or its function is left.
	run 0 run -q --no-models -f usdt:base:begin -f usdt:base:turn --max-overhead none -o "lone$profile" -- ./probes
	counts "lone$profile" usdt:base:begin 100 0
	counts "lone$profile" usdt:base:turn 5 0
	[ "$(sqlite3 "lone$profile" 'SELECT group_concat("$arg1") FROM "usdt:base:turn"')" = 0,1,2,3,4 ] || fail "$options: other turns"
	# Semaphores are raised while the probes are measured, and only there.
	run 0 run -q --no-models -f 'usdt:base:watched..seen' --max-overhead none -o "raised$profile" -- ./probes
	[ "$(sort output | tr '\n' ' ')" = '1 1 child: 0 0 ' ] || fail "$options: semaphores: $(cat output)"
	counts "raised$profile" usdt:base:watched..seen 1 0
done
# Attached to, left, and left dead: the semaphores are as before.
./probes watched >>told &
watched=$!
trap 'kill -KILL $watched 2>/dev/null' EXIT
for _ in $(seq 1000); do # until it is the program, and no longer the shell
	[ "$(readlink "/proc/$watched/exe")" != "$(readlink -f probes)" ] || break
	sleep 0.02
done
asked() { # as both become, soon
	for _ in $(seq 100); do
		: >told
		kill -USR1 $watched
		sleep 0.1
		[ "$(cat told)" != "$1" ] || return
	done
	fail "the semaphores are $(cat told), not $1: $2"
}
for seconds in 1 10; do # whoever gets no processor makes no calls
	run 0 attach -q --no-models --for $seconds -f 'usdt:base:watched..seen' --max-overhead none -o attached.fathom $watched
	asked 70 'after attach'
	[ "$(sqlite3 attached.fathom 'SELECT sum(calls) > 10 FROM account')" != 1 ] || break
done
[ "$(sqlite3 attached.fathom 'SELECT sum(calls) > 10 FROM account')" = 1 ] || fail 'nothing was measured by attach'
for signal in KILL SEGV; do
	"$fathom" attach -q --no-models -f 'usdt:base:watched..seen' --max-overhead none -o killed.fathom $watched 2>>killed &
	tracer=$!
	asked 81 'while attached'
	kill -$signal $tracer
	wait $tracer 2>>killed
	asked 70 "after SIG$signal of the tracer"
done
run 2 list ./probes usdt:base:begin..never
complains 'usdt:base has no probe never, but '
run 2 list ./probes usdt:base:begin..seen
complains 'it begins in query, and does not end there'
run 2 list ./probes usdt:nobody:begin..end
complains 'there are no probes of that provider'
