/*
 * Watches: conditions about a call, as they are given in the session: "n > 1000", "time > 3 * predicted", "elapsed > 2 s && tree->size == 0".
 *
 *	or         = and { "||" and } ;
 *	and        = not { "&&" not } ;
 *	not        = "!" not | comparison ;
 *	comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ] ;
 *	sum        = product { ( "+" | "-" ) product } ;
 *	product    = factor { ( "*" | "/" ) factor } ;
 *	factor     = "-" factor | number [ unit ] | name | "(" or ")" ;
 *
 * Names are features by their native expressions (in backquotes where they have blanks or operators that a condition has too, or are called like
 * what follows), metrics, and two more: `predicted`, the mean that an annotation expects of the metric on the other side, and `elapsed`, how long an
 * open call has run. A name alone behind == or != is that of an enumerator or class, as is a string in double quotes; in parentheses or backquotes it
 * is a feature. A pointer's name stands for whether it is null where it is compared with 0, or alone. What is alone holds if it is not 0. Numbers may have a unit (ns, us, µs, ms, s, min; B, KB, MB, GB, KiB, MiB, GiB) and are then in the
 * metric's own.
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
	CONDITION_ELAPSED
};

struct condition_name {
	enum condition_name_kind kind;
	const char *expression; /* WATCH_FEATURE */
	bool is_amount;         /* it matters beyond whether it is 0 */
	enum metric metric;     /* WATCH_METRIC; of WATCH_PREDICTED: of which it is predicted */
	const char *
		/*
		 * of a feature that is compared with a name (enumerator, class) this one; NULL:
		 * with a number
		 */
		symbol;
};

struct call_condition; /* parsed; plain data in the arena that it was parsed into */

/* ERR_FORMAT: where, and what was expected. Nesting and length are bounded. */
bool condition_parse(const char *text, struct arena *arena, const struct call_condition **ret,
		     struct err *err);

/* The names that it needs, each once. */
size_t condition_names(const struct call_condition *watch, const struct condition_name **ret);

/*
 * It can be decided before the call ends: it has no metric. What is predicted is known by then,
 * unless that depends on what is returned.
 */
bool condition_is_early(const struct call_condition *watch);
/* It is about how long a call has run so far. */
bool condition_is_elapsed(const struct call_condition *watch);

enum condition_answer {
	CONDITION_NO,
	CONDITION_YES,
	CONDITION_UNKNOWN /* some name has no value */
};

/*
 * @values: indexed like condition_names(); of a name with a symbol: present, 1 if it has that
 * value, 0 if it has another. Metrics in their units, elapsed in µs.
 */
enum condition_answer condition_holds(const struct call_condition *watch,
				      const struct value *values);
