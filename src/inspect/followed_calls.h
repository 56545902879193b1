/*
 * Following: the calls of a stuck process that a session was given, and what becomes of them. A
 * call that returns is printed at once, except as JSON.
 */
#pragma once

#include "core/verdict/followed.h"
#include "cli/options.h"
#include "cli/output.h"
#include "trace/session.h"

/* A call that is followed, by its number in the session. */
struct followed {
	struct followed_call call;
	int64_t id;
	double before_least_us, before_most_us; /* when it was taken over */
	const char *wait;                       /* what its thread waits for; NULL: nothing */
};

struct followed_calls {
	const struct options *options;
	struct arena *arena;
	struct session *session;
	struct output *output;
	struct followed *calls;
	size_t n;
};

/* Follow the call in frame @frame of @thread, which runs or waits as in @stack; both live on. */
void followed_calls_add(struct followed_calls *following, const struct stack *stack,
			const struct stack_thread *thread, size_t frame, int64_t id);

/* What the threads wait for is as in @stack now. */
void followed_calls_look(struct followed_calls *following, const struct stack *stack);

/* Print the state of the open calls on standard error. */
void followed_calls_say(const struct followed_calls *following);

/* A call of the session has ended; perhaps it is one of them. */
void followed_calls_take(struct followed_calls *following, const struct call_record *record);

/*
 * Nothing has happened in the session: bring all up to date. What it has no more, and did not tell
 * of, did not return.
 */
void followed_calls_tend(struct followed_calls *following);

/* The process has ended, and those that are open with it. */
void followed_calls_end(struct followed_calls *following);

size_t followed_calls_open(const struct followed_calls *following); /* how many */

/* Print the rest: the open calls; as JSON, all. */
bool followed_calls_finish(struct followed_calls *following, const struct stack *stack,
			   struct err *err);
