/* A measurement in a process of its own, for those who make many. */
#pragma once

#include "cli/options.h"
#include "base/err.h"
#include "base/random.h"

struct run_place {
	const char *layout; /* a variable of its environment, "NAME=VALUE", which moves the stack */
	const char *folder; /* that it runs in; NULL: ours */
};

/*
 * Launch @options' arguments and measure them, as `run` does, into the profile of its `output`
 * (NULL: nothing is kept). Their input is empty, and their output is not shown.
 *
 * ERR_TARGET, ERR_IO: it failed; without a text if it has said why.
 */
bool run_apart(const struct options *options, const struct run_place *place, struct err *err);

/* Such a variable, in @arena: the stack begins up to a page lower, in steps of 16 bytes. */
const char *run_apart_layout(struct random_state *random, struct arena *arena);
