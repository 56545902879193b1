/*
 * Detectors of Perun (github.com/Perfexionists/perun, perun/check), by the values of a feature
 * instead of by positions. Their thresholds are Perun's; none of them knows chance.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "core/verdict/diff.h"

/*
 * Judge a function by @method, whose models are taken; METHOD_OUTLIERS waits for methods_decide().
 */
void methods_add(struct diff *diff, enum method method, const struct samples *old,
		 const struct samples *new, struct annotation *old_model,
		 struct annotation *new_model);

/* For METHOD_OUTLIERS: what all calls of a run cost; one side may lack the function, as NULL. */
void methods_add_total(struct diff *diff, const struct samples *old, const struct samples *new,
		       enum metric metric);

/* After all functions. Returns how many are worse. */
size_t methods_decide(struct diff *diff, enum method method);
