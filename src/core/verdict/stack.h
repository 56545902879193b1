/*
 * Stacks: what all threads of a process are doing at one moment. Plain data; everything lives in
 * the stack's arena.
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
	const char *label; /* of a categorical value; NULL: none */
	const char *why;   /* of an absent value: a phrase */
	/*
	 * What a string, container or function is, for people: "\"a\"", "{size 1: 2}", "<f>"; NULL:
	 * not known, or something else. It is of @object: `s` of strlen(s), `f` of f != 0.
	 */
	const char *text, *object;
	bool is_part;     /* such a text has it */
	uint64_t pointer; /* where it points to; 0: nowhere, or it is no test of a pointer */
	uint64_t address; /* of the value; 0: it is not in memory */
};

struct stack_frame {
	uint64_t pc;
	const char *module;        /* path, NULL: in none */
	uint64_t addr;             /* `pc` as link-time address; 0 without a module */
	uint64_t cfa;              /* shared with the calls inlined there; 0: not known */
	const char *function;      /* NULL: not known */
	const char *linkage;       /* as the linker sees it; NULL: not known */
	const char *declared_file; /* NULL: not known */
	unsigned declared_line;    /* 0: not known */
	const char *file;          /* NULL: not known */
	unsigned line;             /* 0: not known */
	bool is_inlined;           /* in the frame that follows */
	bool is_header;            /* its source is a header of a library */
	bool is_signal; /* the kernel's frame, between a signal handler and the interrupted one */
	const struct stack_value *values;
	size_t n_values;
	size_t values_cut; /* left out by the limit */
	/* by its annotation (stack_annotations_apply()); NULL: none */
	const struct forecast *forecast;
};

enum stack_activity {
	STACK_RUNS,    /* running or runnable */
	STACK_WAITS,   /* in a system call */
	STACK_STOPPED, /* by a signal */
	STACK_ASLEEP,  /* in uninterruptible sleep */
	STACK_MISSED,  /* not stopped in time */
};

/* What a thread waits for. */
struct stack_wait {
	const char *call;   /* the system call; NULL: none or unknown */
	const char *what;   /* a phrase: "sleeps for 5 s"; NULL: only the call is known */
	int64_t descriptor; /* -1: none */
	uint64_t address;   /* of the futex; 0: none */
	bool is_lock;       /* the futex is a mutex, which `owner` holds */
	bool is_limited;    /* it gives up after a while */
	bool is_private;    /* only threads of the process can end it */
	const char *object; /* what the program calls it: "table.lock", "to->m"; NULL: not known */
	pid_t owner;        /* the thread it waits for; 0: none or unknown */
};

struct stack_thread {
	pid_t tid;
	const char *name;
	enum stack_activity activity;
	struct stack_wait wait;
	struct stack_frame *frames; /* innermost first */
	size_t n_frames;
	const char *end; /* why there are no more; NULL: complete */
	/*
	 * Bounds of how long each of its calls had been open when the process was stopped, in µs:
	 * at least the time that it was seen to sleep, at most the thread's age. NAN: unknown.
	 */
	double at_least_us, at_most_us;
	/* Since it began: the share of the time in which it could run that it ran. NAN: unknown. */
	double processor_share;
};

struct stack {
	struct arena *arena; /* owns everything below */
	pid_t pid;
	const char *program; /* path, NULL if not known */
	struct stack_thread *threads;
	size_t n_threads;
	const char *const *notes; /* [n_notes] for users */
	size_t n_notes;
	double stopped_ms; /* how long the process was stopped for this */
	double longest_ms; /* the longest of all its stops */
	unsigned holds;
};

/* Is @frame a call of the program's own source, not of a library, with debug information? */
bool stack_is_own(const struct stack *stack, const struct stack_frame *frame);

void stack_destroy(struct stack *stack); /* NULL is fine */

/*
 * Find threads that wait for each other in a circle, from thread index @from on: their ids in
 * @ret[@size], the first one again at the end. Returns how many; 0: none.
 */
size_t stack_circle(const struct stack *stack, size_t from, pid_t *ret, size_t size);

/*
 * Will the calls of thread index @thread never return, since it waits for threads in a circle, for
 * one that does, or for what only such threads could change?
 */
bool stack_is_hopeless(const struct stack *stack, size_t thread);

enum stack_detail {
	STACK_OWN,    /* of libraries only what the program called */
	STACK_FRAMES, /* all frames */
	STACK_WHOLE,  /* absent values and all threads, too */
};

/*
 * Print the text form. Threads with the same frames, wait and verdicts are shown once, with what
 * holds for all.
 */
void stack_print(const struct stack *stack, enum stack_detail detail, FILE *out);

/* Print one frame, which has the number @index. */
void stack_print_frame(const struct stack_frame *frame, size_t index, FILE *out);

/* Print the values of one frame as stack_print() does; nothing if it has none. */
void stack_print_values(const struct stack_frame *frame, FILE *out);
