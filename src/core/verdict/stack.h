/*
 * Stacks: what all threads of a process are doing at one moment.
 *
 * Plain data: everything lives in the stack's arena.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/arena.h"
#include "core/feature.h"
#include "core/value.h"

struct forecast;

/* The value of a feature in one frame. */
struct stack_value {
	const char *expression;
	enum feature_type type;
	enum provenance provenance;
	struct value value;
	const char *label; /* of a categorical one; NULL: it has none */
	const char *why;   /* of an absent one: a phrase */
};

struct stack_frame {
	uint64_t pc;
	const char *module; /* path, NULL: in none */
	uint64_t addr;      /* of `pc`, link-time; 0 without a module */
	uint64_t cfa; /* of its frame, which it shares with what is inlined there; 0: not known */
	const char *function;      /* NULL: not known */
	const char *linkage;       /* as the linker sees it; NULL: not known */
	const char *declared_file; /* NULL: not known */
	unsigned declared_line;    /* 0: not known */
	const char *file;          /* NULL: not known */
	unsigned line;             /* 0: not known */
	bool is_inlined;           /* in the frame that follows */
	bool is_signal; /* the kernel's, between a signal handler and what was interrupted */
	const struct stack_value *values;
	size_t n_values;
	size_t values_cut; /* left out because of the limit */
	const struct forecast *
		/*
		 * what its annotation says of it (stack_annotations_apply.h); NULL: there is none
		 */
		outlook;
};

enum stack_activity {
	STACK_RUNS,    /* on a processor, or wants one */
	STACK_WAITS,   /* in a system call */
	STACK_STOPPED, /* by a signal */
	STACK_ASLEEP,  /* in the kernel, where it cannot be interrupted */
	STACK_MISSED,  /* not stopped in time */
};

/* What a thread waits for. */
struct stack_wait {
	const char *call;   /* the system call, NULL: none, or not known */
	const char *what;   /* a phrase: "sleeps for 5 s"; NULL: nothing is known but the call */
	int64_t descriptor; /* -1: none */
	uint64_t address;   /* of the futex; 0: none */
	pid_t owner;        /* the thread that it waits for; 0: none, or not known */
};

struct stack_thread {
	pid_t tid;
	const char *name;
	enum stack_activity activity;
	struct stack_wait wait;
	struct stack_frame *frames; /* innermost first */
	size_t n_frames;
	const char *end; /* why there are no more; NULL: that is all */
	/*
	 * How long each of its calls has been open when the thread was held, in µs: it was seen to
	 * sleep all that time; and it has been there no longer. NAN: not known.
	 */
	double at_least_us, at_most_us;
};

struct stack {
	struct arena *arena; /* owns everything below */
	pid_t pid;
	const char *program; /* path, NULL if not known */
	struct stack_thread *threads;
	size_t n_threads;
	const char *const *notes; /* what users should know */
	size_t n_notes;
	double held_ms;    /* how long the process was held for this */
	double longest_ms; /* the longest of all times that it was held */
	unsigned holds;
};

void stack_destroy(struct stack *stack); /* NULL is fine */

/*
 * Threads that wait for each other in a circle, the first one again at the end, in @ret[@size].
 * Returns how many there are, 0: none. @from: the index of the thread to begin with.
 */
size_t stack_circle(const struct stack *stack, size_t from, pid_t *ret, size_t size);

/*
 * The text form. Threads with the same frames, wait and verdicts are shown once, with what is true
 * of all. @whole: absent values too, and all threads.
 */
void stack_print(const struct stack *stack, bool whole, FILE *out);

/* The values of one frame alone, as they stand below it there; nothing if it has none. */
void stack_print_values(const struct stack_frame *frame, FILE *out);
