/*
 * Conditions about a call, as given at the prompt: "n > 1000", "time > 3 * predicted",
 * "elapsed > 2 s && tree->size == 0".
 *
 *	or         = and { "||" and } ;
 *	and        = not { "&&" not } ;
 *	not        = "!" not | comparison ;
 *	comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ] ;
 *	sum        = product { ( "+" | "-" ) product } ;
 *	product    = factor { ( "*" | "/" ) factor } ;
 *	factor     = "-" factor | number [ unit ] | name | "defined" "(" name ")" | "(" or ")" ;
 *
 * Names are features by their native expressions, metrics, `predicted` (the mean that an annotation
 * expects of the metric on the other side), `elapsed` (how long an open call has run) and
 * `surprising` (its time is far from what is predicted). A feature stands in backquotes if it has
 * blanks or operators of this grammar, or is called like another of these. Behind == or != a lone
 * name or a string in double quotes is an enumerator or class; in parentheses or backquotes it is a
 * feature. A pointer compared with 0, or alone, tests for null. A lone value holds if it is not 0;
 * defined() if the call has the value. Numbers may have a unit (ns, us, µs, ms, s, min; B, KB, MB,
 * GB, KiB, MiB, GiB) and are converted to the metric's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/arena.h"
#include "core/metric.h"
#include "core/value.h"

enum condition_name_kind {
	CONDITION_FEATURE,
	CONDITION_METRIC,
	CONDITION_PREDICTED,
	CONDITION_ELAPSED,
	CONDITION_SURPRISING /* 1: the call's time is far from what is predicted, else 0 */
};

struct condition_name {
	enum condition_name_kind kind;
	const char *expression; /* CONDITION_FEATURE */
	bool is_amount;         /* used beyond whether it is 0 */
	enum metric metric;     /* CONDITION_METRIC; else the metric that is predicted */
	/* the name (enumerator, class) that a feature is compared with; NULL: a number */
	const char *symbol;
};

struct call_condition; /* parsed; lives in the arena given */

/* Features by what they are called: expressions with operators in them, short names. */
struct condition_known {
	const struct condition_feature {
		const char *name, *expression;
	} * list;
	size_t n;
};

/*
 * Parse @text into @arena; of @known (NULL: none) the longest name that fits is taken. ERR_FORMAT:
 * where, and what was expected; or nested too deeply, or too long.
 */
bool condition_parse(const char *text, const struct condition_known *known, struct arena *arena,
		     const struct call_condition **ret, struct err *err);

/* The distinct names that it uses, in *@ret; returns how many. */
size_t condition_names(const struct call_condition *condition, const struct condition_name **ret);

/*
 * Is it decidable before the call ends? It has no metric then; predictions are known by then unless
 * they depend on what is returned.
 */
bool condition_is_early(const struct call_condition *condition);
/* Does it use `elapsed`? */
bool condition_is_elapsed(const struct call_condition *condition);

enum condition_answer {
	CONDITION_NO,
	CONDITION_YES,
	CONDITION_UNKNOWN /* a value it depends on is missing */
};

/*
 * Decide it. @values is indexed like condition_names(); a name with a symbol is 1 if it equals the
 * symbol, else 0. Metrics are in their units, elapsed in µs.
 */
enum condition_answer condition_holds(const struct call_condition *condition,
				      const struct value *values);
