/*
 * Labels: the names of enumerators and classes, whose numbers are in the samples.
 */
#pragma once

#include "core/samples/samples.h"
#include "db.h"

/* Add the labels that the columns of @samples have; @variables are the columns' ids. */
bool profile_labels_add(struct profile *profile, const struct samples *samples,
			const int64_t *variables, struct err *err);

/* Give the columns of @samples, those of @function, their labels; @variables ascend. */
bool profile_labels_load(struct profile *profile, int64_t function, const int64_t *variables,
			 struct samples *samples, struct err *err);
