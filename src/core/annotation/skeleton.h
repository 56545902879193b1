/*
 * Skeletons: what the cost of a function that was never observed is made of, as its code says: its
 * own, and its callees' as often as the loops around the calls turn. All of these numbers are
 * features, which predict is given. Source: Rogora, Freud (2021), section 4.3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct skeleton_loop {
	const char *file; /* NULL: not known */
	unsigned line;
	uint64_t offset; /* of its first instruction from the function's, in bytes */
};

struct skeleton_call {
	const char *function;
	const unsigned *loops; /* [n_loops] that it is in */
	size_t n_loops;
};

struct skeleton {
	const char *function;
	const struct skeleton_loop *loops;
	size_t n_loops;
	const struct skeleton_call *calls;
	size_t n_calls;
	bool calls_unknown; /* also through pointers, or functions of libraries */
	bool is_recursive;
};

/* Print it as an annotation of the time, marked as not observed. */
void skeleton_print(const struct skeleton *skeleton, FILE *out);
