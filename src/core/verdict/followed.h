/* Calls that were open at attach and were followed to their ends. */
#pragma once

#include "forecast.h"
#include "stack.h"

enum followed_state {
	FOLLOWED_OPEN, /* fathom stopped waiting */
	FOLLOWED_RETURNED,
	/* gone without returning: an exception, longjmp, the thread's end, exec */
	FOLLOWED_LEFT,
	FOLLOWED_ENDED, /* with its process */
};

struct followed_call {
	pid_t thread;
	const char *thread_name;
	const struct stack_frame *frame; /* as found at attach */
	enum followed_state state;
	double at_least_us, at_most_us; /* time it has run so far, or took; NAN: unknown */
	struct forecast forecast;       /* if `frame` has one: updated */
};

/* "returned", "open", "left", "ended". */
const char *followed_state_name(enum followed_state state);

/* Print a few lines: the call, its values, and how long it took. */
void followed_print(const struct followed_call *call, FILE *out);
