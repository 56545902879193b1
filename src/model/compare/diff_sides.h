/* What runs say besides: of three sides or more, by analysis of variance, and of their layouts. */
#pragma once

#include "core/samples/samples.h"
#include "core/verdict/diff.h"

/* Set the runs of @subject, if all of them cost something. */
void diff_sides_runs(struct diff *diff, struct diff_subject *subject, const struct samples *old,
		     const struct samples *new);

/* Set @diff's analyses, of each function and metric of which two comparisons know the runs. */
void diff_sides_find(struct diff *diff);

/* Add to @diff on which parts of the layout the cost of a function depends. */
void diff_sides_places(struct diff *diff, const struct samples *old, const struct samples *new,
		       enum metric metric);
