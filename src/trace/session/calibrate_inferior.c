/* The functions to calibrate with, and the copy of this program that calls them. */
#include "calibrate_inferior.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "trace/calibrate.h"

enum { FAR_ROUNDS = 20 };

/*
 * Like most functions, they save a register first. `name`, its exit and its end; `callee` is called
 * ten times.
 */
__asm__(".pushsection .text\n"
	".macro calibrate_function name, callee\n"
	".type \\name, @function\n"
	".local \\name\n"
	".balign 16\n"
	"\\name:\n"
	"	push %rbp\n"
	".ifnb \\callee\n"
	".rept 10\n"
	"	call \\callee\n"
	".endr\n"
	".endif\n"
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
	".purgem calibrate_function\n"
	".popsection\n");

_Static_assert(CALIBRATE_INNER == 10, "the calls in the assembly");

void calibrate_empty(void), calibrate_empty_exit(void), calibrate_empty_end(void);
void calibrate_outer(void), calibrate_outer_exit(void), calibrate_outer_end(void);
void calibrate_bare(void), calibrate_bare_exit(void), calibrate_bare_end(void);

const struct calibrate_role calibrate_roles[ROLE_COUNT] = {
	{"calibrate_empty", calibrate_empty, calibrate_empty_exit, calibrate_empty_end},
	{"calibrate_outer", calibrate_outer, calibrate_outer_exit, calibrate_outer_end},
	{"calibrate_bare", calibrate_bare, calibrate_bare_exit, calibrate_bare_end},
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

int calibrate_inferior(bool far)
{
	const int rounds = far ? FAR_ROUNDS : CALIBRATE_ROUNDS;
	int i;

	if (far && move_away() != 0)
		return 1;
	for (i = 0; i < rounds; i++) {
		calibrate_outer();
		calibrate_bare();
	}
	return 0;
}
