/* What the causal experiments that a profile keeps say. */
#pragma once

#include "base/err.h"
#include "core/causal/causal_gains.h"
#include "profile/profile.h"

/* @gains has been tried at least once; borrowed. */
typedef bool (*kept_gains_visitor)(void *self, const struct causal_gains *gains, struct err *err);

/*
 * Each point of progress of each setting, until @visit fails; none is no error. *@ret_n: how many
 * it has visited. ERR_FORMAT, ERR_IO.
 */
bool kept_gains_visit(struct profile *profile, kept_gains_visitor visit, void *self, size_t *ret_n,
		      struct err *err);
