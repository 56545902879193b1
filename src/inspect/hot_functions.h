/*
 * Hot functions: in which functions of the program's own sources a process spends its time, from
 * samples of its stacks (trace/sampler.h, or a snapshot).
 *
 * A function's own sources are those of modules outside of the system's folders, and not in its
 * headers. A *stretch* is a row of samples of one thread that all have the function: how much these
 * lengths vary tells short calls from long ones.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/plan/unwind.h"

struct hot_function {
	const char *name;    /* canonical */
	const char *linkage; /* NULL: not known */
	const char *file;    /* NULL: not known */
	unsigned line;
	size_t samples;   /* in whose stack it is */
	size_t self;      /* in which it is innermost, among those of all modules */
	size_t outermost; /* in which no other own function called it, as of a thread's first */
	double variation; /* of its stretches: standard deviation over mean */
};

struct hot_functions;

/* @debuginfo_path: as in struct catalogue_request. */
struct hot_functions *hot_functions_create(pid_t pid, const char *debuginfo_path);
void hot_functions_destroy(struct hot_functions *hot); /* NULL is fine */

struct sampler;
struct stack_sample;
struct snapshot;
void hot_functions_sample(struct hot_functions *hot, const struct stack_sample *sample);
/* The samples that have come; threads that began since are sampled, too. */
void hot_functions_take(struct hot_functions *hot, struct sampler *sampler);
/* Each thread that is held and in no system call, where it spends no time of its own. */
void hot_functions_look(struct hot_functions *hot, const struct snapshot *snapshot);

/* A line of the innermost function of the program's own sources, in so many samples. */
struct hot_line {
	const char *function, *file;
	unsigned line;
	const char *host; /* the function that it is inlined into; NULL: none */
	size_t samples;
};

/*
 * Those seen, in most samples first; valid until the next is added. Returns how many. The first
 * time that an address is seen takes milliseconds.
 */
size_t hot_functions_lines(struct hot_functions *hot, const struct hot_line **ret);

/* Forget all samples, but not what is known of the files. */
void hot_functions_restart(struct hot_functions *hot);

/* How many were added. */
size_t hot_functions_samples(const struct hot_functions *hot);

/* Those seen, in most samples first; valid until the next is added. Returns how many. */
size_t hot_functions_list(struct hot_functions *hot, const struct hot_function **ret);

/*
 * Those worth measuring, at most @most: by the part of the time that they are open and by how much
 * their stretches vary, without main() and the first functions of threads, unless there are no
 * others. The caller frees *@ret, whose strings live as long as @hot.
 */
size_t hot_functions_choose(struct hot_functions *hot, size_t most, struct hot_function **ret);

/* As in -f, in @arena; of a name that other files may have as well, with the file. */
const char *hot_functions_pattern(const struct hot_function *function, struct arena *arena);
