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
#ifndef FATHOM_CORE_WATCH_H
#define FATHOM_CORE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "core/metric.h"
#include "core/value.h"

enum watch_name_kind { WATCH_FEATURE, WATCH_METRIC, WATCH_PREDICTED, WATCH_ELAPSED };

struct watch_name {
	enum watch_name_kind kind;
	const char *expression; /* WATCH_FEATURE */
	bool is_amount;         /* it matters beyond whether it is 0 */
	enum metric metric;     /* WATCH_METRIC; of WATCH_PREDICTED: of which it is predicted */
	const char *
		symbol; /* of a feature that is compared with a name (enumerator, class) this one; NULL: with a number */
};

struct watch; /* parsed; plain data in the arena that it was parsed into */

/* ERR_FORMAT: where, and what was expected. Nesting and length are bounded. */
bool watch_parse(const char *text, struct arena *arena, const struct watch **ret, struct err *err);

/* The names that it needs, each once. */
size_t watch_names(const struct watch *watch, const struct watch_name **ret);

/* It can be decided before the call ends: it has no metric. What is predicted is known by then, unless that depends on what is returned. */
bool watch_is_early(const struct watch *watch);
/* It is about how long a call has run so far. */
bool watch_is_elapsed(const struct watch *watch);

enum watch_answer { WATCH_NO, WATCH_YES, WATCH_UNKNOWN /* some name has no value */ };

/* @values: indexed like watch_names(); of a name with a symbol: present, 1 if it has that value, 0 if it has another. Metrics in their units, elapsed in µs. */
enum watch_answer watch_holds(const struct watch *watch, const struct value *values);

#endif
