/*
 * Calls that were open when somebody came, and were followed to their ends.
 */
#pragma once

#include "forecast.h"
#include "stack.h"

enum followed_state {
	FOLLOWED_OPEN, /* nobody waited any longer */
	FOLLOWED_RETURNED,
	/*
	 * it is gone without having returned: an exception, longjmp, the thread's end, another
	 * program
	 */
	FOLLOWED_LEFT,
	FOLLOWED_ENDED, /* with its process */
};

struct followed_call {
	pid_t thread;
	const char *thread_name;
	const struct stack_frame *frame; /* as it was when it was found */
	enum followed_state state;
	double at_least_us, at_most_us; /* how long it has run by now, or took; NAN: not known */
	struct forecast outlook;        /* if `frame` has one: what follows from that */
};

/* "returned", "open", "left", "ended". */
const char *followed_state_name(enum followed_state state);

/* A few lines: what it is, its values, and how long it took. */
void followed_print(const struct followed_call *call, FILE *out);
