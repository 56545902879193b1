/* A measurement in a process of its own, for those who make many. */
#pragma once

#include "cli/options.h"
#include "base/err.h"
#include "base/random.h"

struct run_place {
	struct run_layout layout;
	const char *folder; /* that it runs in; NULL: ours */
};

/*
 * Launch @options' arguments and measure them, as `run` does, into the profile of its `output`
 * (NULL: nothing is kept). Their input is empty, and their output is not shown.
 *
 * True also if it was interrupted. ERR_TARGET, ERR_IO: it failed; without a text if it has said
 * why.
 */
bool run_apart(const struct options *options, const struct run_place *place, struct err *err);

/*
 * Layouts of @n runs whose @parts (bits 1 << enum layout_part) are drawn: stack and heap up to a
 * page further on, in steps of 16 bytes, as much more environment, by the variable FATHOM_LAYOUT.
 * Each part is spread evenly over the runs, in random order, so that sides of a few runs each meet
 * much the same. The others are where they are in every launch.
 */
void run_apart_layouts(struct random_state *random, unsigned parts, size_t n,
		       struct run_layout *ret);
