/*
 * Spans: calls as stretches of time, within the calls that they were made or asked by, in one
 * process or several. A call that nobody asked is a root; with all below it, it is a trace.
 *
 * Plain data in one arena.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/samples/samples.h"

#define SPAN_NONE ((size_t)-1)

/* A feature or metric of a call; with a label it is that. */
struct span_fact {
	const char *name, *label; /* label NULL: none */
	double number;
};

struct span {
	int64_t id;
	int64_t parent_id; /* 0: none */
	size_t parent;     /* index, less than its own; SPAN_NONE: it is a root */
	size_t root;       /* index */
	unsigned depth;    /* 0: a root */
	size_t n_below;    /* spans within it, which follow it */
	const char *name;  /* the function's */
	const char *program;
	int64_t process, thread;
	int64_t start_ns, end_ns; /* since 1970; stops for measuring are in it */
	const struct span_fact *facts;
	size_t n_facts;
};

/* What is needed of the run with that id; `program` is borrowed. */
struct span_run {
	int64_t id;
	int64_t started; /* seconds since 1970 */
	const char *program;
};

struct spans {
	struct arena *arena;
	struct span *list; /* in preorder, by start, once they are arranged */
	size_t n, capacity;
};

void spans_init(struct spans *spans);
void spans_deinit(struct spans *spans);

/* Add the calls of @samples whose time is known and whose run is one of @runs[@n]. */
void spans_add(struct spans *spans, const struct samples *samples, const struct span_run *runs,
	       size_t n);

/* When all are there: who is within whom. */
void spans_arrange(struct spans *spans);

/* Are they of different processes? */
bool spans_are_apart(const struct span *a, const struct span *b);

/* The number of the process of @at among those of @root and below it, in their order. */
unsigned spans_process(const struct spans *spans, size_t root, size_t at);

/* The root that others worked for, if there is one, and of these that took longest; SPAN_NONE. */
size_t spans_longest(const struct spans *spans);
