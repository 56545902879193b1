/* A measurement in a process of its own, for those who make many. */
#pragma once

#include "cli/options.h"
#include "base/err.h"
#include "base/random.h"

/*
 * Launch @options' arguments and measure them, as `run` does, into the profile of its `output`
 * (NULL: nothing is kept). Their input is empty, and their output is not shown. @layout is a
 * variable of their environment, "NAME=VALUE", which moves the stack.
 *
 * ERR_TARGET, ERR_IO: it failed; without a text if it has said why.
 */
bool run_apart(const struct options *options, const char *layout, struct err *err);

/* Such a variable, in @arena: the stack begins up to a page lower, in steps of 16 bytes. */
const char *run_apart_layout(struct random_state *random, struct arena *arena);
