/*
 * The adopted calls of a stuck process: times, forecasts and how each ends. A call that returns is
 * printed at once, except as JSON.
 */
#pragma once

#include "core/verdict/followed.h"
#include "cli/options.h"
#include "cli/output.h"
#include "trace/session.h"

struct followed {
	struct followed_call call;
	int64_t id;                             /* in the session */
	double before_least_us, before_most_us; /* its time so far when adopted, bounds */
	const char *wait;                       /* what its thread waits for; NULL: nothing */
	bool is_hopeless;                       /* it will never return */
};

struct followed_calls {
	const struct options *options;
	struct arena *arena;
	struct session *session;
	struct output *output;
	struct followed *calls;
	size_t n;
};

/* Add the call @id in frame @frame of @thread of @stack, which must outlive it. */
void followed_calls_add(struct followed_calls *following, const struct stack *stack,
			const struct stack_thread *thread, size_t frame, int64_t id);

/* Update what the threads wait for from @stack. */
void followed_calls_look(struct followed_calls *following, const struct stack *stack);

/* Print the state of the open calls on standard error. */
void followed_calls_say(const struct followed_calls *following);

/* A call of the session, perhaps one of these, has returned. */
void followed_calls_take(struct followed_calls *following, const struct call_record *record);

/*
 * Update the times at a pause of the session. A call that it no longer has, but did not report, was
 * left without a return.
 */
void followed_calls_tend(struct followed_calls *following);

/* The process has ended, and the open calls with it. */
void followed_calls_end(struct followed_calls *following);

/* How many are open that may return? */
size_t followed_calls_open(const struct followed_calls *following);

/* Print the open calls; as JSON, all. ERR_IO. */
bool followed_calls_finish(struct followed_calls *following, const struct stack *stack,
			   struct err *err);
