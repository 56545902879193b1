/* Labels: the names of enumerators and classes, which samples have as numbers. */
#pragma once

#include "core/samples/samples.h"
#include "db.h"

/* Store the labels of the columns of @samples; @variables are the columns' ids. */
bool profile_labels_add(struct profile *profile, const struct samples *samples,
			const int64_t *variables, struct err *err);

/* Load the labels of @samples' columns, which are of @function; @variables ascend. */
bool profile_labels_load(struct profile *profile, int64_t function, const int64_t *variables,
			 struct samples *samples, struct err *err);
