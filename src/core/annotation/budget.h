/*
 * Budgets: what people assert of a cost, `parse.time <= 5 ms @ n = 1e5`. Without values of features
 * it is about the mean of all calls.
 */
#pragma once

#include "annotation.h"
#include "base/err.h"

struct budget_value {
	const char *name; /* of a feature: short, or its expression */
	double number;
};

struct budget {
	const char *text;
	const char *function; /* NULL: of every annotation; then `metric` is METRIC_COUNT */
	enum metric metric;
	double limit; /* in the metric's unit; without a function: times what is expected */
	struct budget_value *values;
	size_t n_values;
};

/* In @arena. ERR_USAGE: where @text is wrong, and what would be right. */
bool budget_parse(const char *text, struct arena *arena, struct budget *ret, struct err *err);

/* "cost=10%@n=1e5": at most so much dearer than expected. */
bool budget_parse_gate(const char *text, struct arena *arena, struct budget *ret, struct err *err);
