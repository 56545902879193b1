/* Do new samples keep what people assert of costs? */
#pragma once

#include "check_samples.h"
#include "core/verdict/gate.h"

/*
 * @now: the model of @samples. A budget is kept if the cost that @now predicts for its values is at
 * most @limit; it is not, if that is beyond chance and beyond what runs differ by. Texts are
 * borrowed, or in @arena. @before: the annotation made earlier, whose names count, too.
 */
void gates_budget(const struct annotation *before, const struct annotation *now,
		  const struct samples *samples, const struct budget *budget, double limit,
		  const struct check_options *options, struct arena *arena, struct gate *ret);
