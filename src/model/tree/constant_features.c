/* Chooses the constant features to name, and writes the sentence. */
#include "constant_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/data/equivalents.h"

enum { NAMED_MAX = 3 };

/* Larger numbers are addresses, times or hashes. */
#define OPAQUE_MIN 0x1p40

struct named {
	const struct column *column;
	double value;
	int rank; /* low ranks are named first */
};

/* Null pointers depend on how the program is built. */
static bool is_null_test(const struct column *column)
{
	const size_t n = strlen(column->name);

	return column->type == FEATURE_BOOL && n > 5 && !strcmp(column->name + n - 5, " != 0");
}

/* Sets *@ret to its value if all calls have it. */
static bool has_value(const struct dataset *data, const struct column *column, double *ret)
{
	double ignored;

	return data->n_rows && dataset_column_range(column, data->order, data->n_rows, ret,
						    &ignored) == data->n_rows;
}

static bool constant_is_told(const struct dataset *data, const struct column *column, double *ret)
{
	switch (column->provenance) {
	case FROM_GLOBAL: /* nobody knows how to vary a flag, or what lies behind one */
		if (column->depth > 0 || (data->n_rows && column->numbers[data->order[0]] == 0))
			return false;
		break;
	case FROM_PARAMETER:
	case FROM_IMPORT:
		break;
	case FROM_RETURN: /* users cannot vary it */
	case FROM_SYSTEM:
	case PROVENANCE_COUNT:
		return false;
	}
	return !is_null_test(column) && !column->is_derived && has_value(data, column, ret) &&
	       fabs(*ret) < OPAQUE_MIN;
}

/* Numbers before truth values, parameters before globals, sizes before others, counts first. */
static int constant_rank_of(const struct named *named)
{
	const struct column *column = named->column;

	return (column->type == FEATURE_BOOL) << 3 | (column->provenance == FROM_GLOBAL) << 2 |
	       (named->value == 0) << 1 | !equivalents_names_a_count(column->name);
}

static int constant_compare(const void *a, const void *b)
{
	const struct named *left = a;
	const struct named *right = b;

	if (left->rank != right->rank)
		return left->rank - right->rank;
	if (left->column->depth != right->column->depth)
		return left->column->depth < right->column->depth ? -1 : 1;
	return strcmp(left->column->name, right->column->name);
}

static const char *value_text(struct arena *arena, const struct named *named)
{
	if (named->column->type == FEATURE_BOOL)
		return named->value != 0 ? "true" : "false";
	return arena_printf(arena, "%.6g", named->value);
}

/* "a was always 4, b always 7 and c always 1: vary them to see their effect." */
static const char *constant_tell(struct arena *arena, const struct named *named, size_t n)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < n; i++)
		text = arena_printf(arena, "%s%s%s%s always %s", text,
				    !i           ? ""
				    : i + 1 == n ? " and "
						 : ", ",
				    named[i].column->name, i ? "" : " was",
				    value_text(arena, &named[i]));
	return arena_printf(arena, "%s: vary %s to see %s effect.", text, n > 1 ? "them" : "it",
			    n > 1 ? "their" : "its");
}

const char *constant_features_note(struct arena *arena, const struct dataset *data)
{
	struct named *named = arena_array(arena, struct named, data->n_constant + 1);
	const char *text;
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_constant; i++)
		if (constant_is_told(data, data->constant[i], &named[n].value)) {
			named[n].column = data->constant[i];
			named[n].rank = constant_rank_of(&named[n]);
			n++;
		}
	if (!n)
		return NULL;
	qsort(named, n, sizeof(*named), constant_compare);
	n = n < NAMED_MAX ? n : NAMED_MAX;
	text = constant_tell(arena, named, n);
	if (data->n_constant > n)
		text = arena_printf(arena, "%s %zu more never varied.", text, data->n_constant - n);
	return text;
}
