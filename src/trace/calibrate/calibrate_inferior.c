/* The functions to calibrate with, and what the copies of this process call. */
#include "calibrate_inferior.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"

enum { FAR_ROUNDS = 20, NEST_EVERY = 8 /* rounds; each makes a hundred calls */ };

/*
 * Like most functions, they save a register first. `callee` is called ten times; `work` is
 * instructions of which each waits for the one before it, even if that was in another call, and
 * `between` are such behind each call: so few that a pad costs something between what it costs a
 * caller without work of its own and one with much, behind whose work it hides. The nop
 * make room for jumps to pads, at the beginning and at the return.
 */
__asm__(".pushsection .text\n"
	".macro calibrate_function name, callee, work=0, end, other, between=0\n"
	".type \\name, @function\n"
	".local \\name\n"
	".balign 16\n"
	"\\name:\n"
	"	push %rbp\n"
	"	.byte 0x0f, 0x1f, 0x40, 0\n"
	"\\name\\()_body:\n"
	".ifnb \\other\n"
	".rept 5\n"
	"	call \\callee\n"
	"	call \\other\n"
	".endr\n"
	".else\n"
	".ifnb \\callee\n"
	".rept 10\n"
	"	call \\callee\n"
	".rept \\between\n"
	"	imul %rax, %rax\n"
	".endr\n"
	".endr\n"
	".endif\n"
	".endif\n"
	".rept \\work\n"
	"	imul %rax, %rax\n"
	".endr\n"
	"	\\end\n"
	"\\name\\()_tail:\n"
	"	.byte 0x0f, 0x1f, 0\n"
	"	pop %rbp\n"
	"\\name\\()_exit:\n"
	"	ret\n"
	"\\name\\()_end:\n"
	".size \\name, . - \\name\n"
	".endm\n"
	"calibrate_function calibrate_empty\n"
	"calibrate_function calibrate_twin\n"
	"calibrate_function calibrate_outer, calibrate_empty\n"
	"calibrate_function calibrate_bare, calibrate_twin\n"
	"calibrate_function calibrate_work, , 50\n"
	"calibrate_function calibrate_work_twin, , 50\n"
	"calibrate_function calibrate_rich, , 50\n"
	"calibrate_function calibrate_ended, , 50\n"
	"calibrate_function calibrate_begun, , 50\n"
	"calibrate_function calibrate_work_bare, calibrate_work_twin\n"
	"calibrate_function calibrate_apart_outer, calibrate_work, , , , 7\n"
	"calibrate_function calibrate_apart_bare, calibrate_work_twin, , , , 7\n"
	"calibrate_function calibrate_rich_outer, calibrate_rich, , , , 7\n"
	"calibrate_function calibrate_take, , 10\n"
	"calibrate_function calibrate_take_twin, , 10\n"
	"calibrate_function calibrate_nest, calibrate_take\n"
	"calibrate_function calibrate_nest_twin, calibrate_take_twin\n"
	"calibrate_function calibrate_take_outer, calibrate_take\n"
	"calibrate_function calibrate_take_bare, calibrate_take_twin\n"
	"calibrate_function calibrate_nest_outer, calibrate_nest\n"
	"calibrate_function calibrate_nest_bare, calibrate_nest_twin\n"
	"calibrate_function calibrate_lock, , 10, \"and $0, %eax\"\n"
	"calibrate_function calibrate_lock_twin, , 10, \"and $0, %eax\"\n"
	"calibrate_function calibrate_unlock, , 10, \"and $0, %eax\"\n"
	"calibrate_function calibrate_unlock_twin, , 10, \"and $0, %eax\"\n"
	"calibrate_function calibrate_lock_outer, calibrate_lock, , , calibrate_unlock\n"
	"calibrate_function calibrate_lock_bare, calibrate_lock_twin, , , calibrate_unlock_twin\n"
	".purgem calibrate_function\n"
	".popsection\n");

_Static_assert(CALIBRATE_INNER == 10, "the calls in the assembly");

#define DECLARE(name) \
	void name(void), name##_body(void), name##_tail(void), name##_exit(void), name##_end(void)
DECLARE(calibrate_empty);
DECLARE(calibrate_outer);
DECLARE(calibrate_bare);
DECLARE(calibrate_work);
DECLARE(calibrate_work_bare);
DECLARE(calibrate_apart_outer);
DECLARE(calibrate_apart_bare);
DECLARE(calibrate_rich);
DECLARE(calibrate_rich_outer);
DECLARE(calibrate_ended);
DECLARE(calibrate_begun);
DECLARE(calibrate_take);
DECLARE(calibrate_take_outer);
DECLARE(calibrate_take_bare);
DECLARE(calibrate_nest);
DECLARE(calibrate_nest_outer);
DECLARE(calibrate_nest_bare);
DECLARE(calibrate_lock);
DECLARE(calibrate_unlock);
DECLARE(calibrate_lock_outer);
DECLARE(calibrate_lock_bare);

#define ROLE(name)                                                             \
	{                                                                      \
#name, name, name##_body, name##_tail, name##_exit, name##_end \
	}
const struct calibrate_role calibrate_roles[ROLE_COUNT] = {
	[ROLE_EMPTY] = ROLE(calibrate_empty),
	[ROLE_OUTER] = ROLE(calibrate_outer),
	[ROLE_BARE] = ROLE(calibrate_bare),
	[ROLE_WORK] = ROLE(calibrate_work),
	[ROLE_WORK_BARE] = ROLE(calibrate_work_bare),
	[ROLE_APART_OUTER] = ROLE(calibrate_apart_outer),
	[ROLE_APART_BARE] = ROLE(calibrate_apart_bare),
	[ROLE_RICH] = ROLE(calibrate_rich),
	[ROLE_RICH_OUTER] = ROLE(calibrate_rich_outer),
	[ROLE_TAKE_OUTER] = ROLE(calibrate_take_outer),
	[ROLE_TAKE_BARE] = ROLE(calibrate_take_bare),
	[ROLE_NEST_OUTER] = ROLE(calibrate_nest_outer),
	[ROLE_NEST_BARE] = ROLE(calibrate_nest_bare),
	[ROLE_LOCK_OUTER] = ROLE(calibrate_lock_outer),
	[ROLE_LOCK_BARE] = ROLE(calibrate_lock_bare),
	[ROLE_ENDED] = ROLE(calibrate_ended),
	[ROLE_BEGUN] = ROLE(calibrate_begun),
	[ROLE_TAKE] = ROLE(calibrate_take),
	[ROLE_NEST] = ROLE(calibrate_nest),
	[ROLE_LOCK] = ROLE(calibrate_lock),
	[ROLE_UNLOCK] = ROLE(calibrate_unlock),
};

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* The first processor is the tracer's. */
static int move_away(void)
{
	cpu_set_t set, last;
	pthread_t other;
	int i;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return -1;
	for (i = CPU_SETSIZE - 1; i > 0 && !CPU_ISSET(i, &set); i--)
		;
	CPU_ZERO(&last);
	CPU_SET(i, &last);
	if (sched_setaffinity(0, sizeof(last), &last) != 0)
		return -1;
	return pthread_create(&other, NULL, wait_for_ever, NULL);
}

void calibrate_inferior_pads(void)
{
	int i;

	for (i = 0; i < CALIBRATE_PAD_ROUNDS; i++) {
		calibrate_work_bare();
		calibrate_apart_outer();
		calibrate_apart_bare();
		calibrate_rich_outer();
		calibrate_take_outer();
		calibrate_take_bare();
		calibrate_lock_outer();
		calibrate_lock_bare();
		if (i % NEST_EVERY == 0) {
			calibrate_nest_outer();
			calibrate_nest_bare();
		}
	}
}

/* Meanwhile the tracer's processor falls asleep. */
static void pause_awake(void)
{
	const uint64_t until_ns = clock_now_ns() + CALIBRATE_PAUSE_US * UINT64_C(1000);

	while (clock_now_ns() < until_ns)
		continue;
}

void calibrate_inferior_mixed(void)
{
	for (int i = 0; i < CALIBRATE_MIXED_ROUNDS; i++) {
		calibrate_work();
		pause_awake();
		calibrate_ended();
		calibrate_ended();
		calibrate_begun();
	}
}

static void calibrate_call_stops(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		calibrate_outer();
		calibrate_bare();
	}
}

void calibrate_inferior_stops(void)
{
	calibrate_call_stops(CALIBRATE_ROUNDS);
}

void calibrate_inferior_far(void)
{
	if (move_away() == 0)
		calibrate_call_stops(FAR_ROUNDS);
}
