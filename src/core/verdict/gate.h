/*
 * Gates: assertions that people make of costs, and whether new samples keep them. Plain data;
 * model/compare judges.
 */
#pragma once

#include "check.h"
#include "core/annotation/budget.h"

struct gate {
	const char *text; /* of the budget, "growth" */
	const char *function;
	enum metric metric;
	enum check_verdict verdict;     /* untested: `reason` */
	const char *reason;             /* a phrase; NULL: none */
	bool is_growth;                 /* else these are numbers: */
	double limit, value, low, high; /* what it costs now, with its 95 % interval */
	bool is_outside;                /* of what was observed */
	const char *before, *now;       /* phrases of growth: "linear in n" */
};

/* One line: "parse.time <= 5 ms @ n=1e5: WORSE: 7.2 ms (95 %: 6.9 to 7.5)". */
void gate_print(const struct gate *gate, FILE *out);
