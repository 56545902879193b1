/* What annotations mean for a program as a whole, in sentences, the most important first. */
#pragma once

#include "core/annotation/annotation.h"
#include "cli/options.h"
#include "profile/profile.h"

/*
 * Print them as notes: what grows faster than linearly and in what, what most of the time depends
 * on, what could not be told and what to vary, and the next command to type. Of the first metric
 * of each function. @is_cut: some were not modelled any more.
 */
void conclusions_say(struct annotation *const *annotations, size_t n, bool is_cut,
		     struct profile *profile, const struct options *options);
