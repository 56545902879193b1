/*
 * A condition about values at a call's entry as a read plan, which decides without anybody looking
 * at the call: it gives 0 only if the condition does not hold. Where it gives something else, or
 * nothing (a value is absent), the condition itself has to be asked.
 */
#pragma once

#include "condition.h"
#include "core/plan/read_plan.h"

/* How a name's value is read. */
struct condition_reading {
	const struct read_plan *plan; /* NULL: by no plan */
	double symbol;                /* the number that the name's symbol stands for, if it has one */
};

/*
 * @readings is indexed like condition_names(). Of what cannot be part of a plan (sums, floats,
 * numbers that are not whole) it is not known whether it holds. False: nothing is left then, or too
 * much; *@ret lives in @arena.
 */
bool condition_filter(const struct call_condition *condition,
		      const struct condition_reading *readings, struct arena *arena,
		      struct read_plan *ret);
