/* Judges constants, and counts the columns that explain nothing. */
#include "unexplained.h"

#include <math.h>

/*
 * A cost varies if eight of ten calls differ by this part of the median. Constant costs differ
 * less: few calls wait for a processor. Or if the deviation exceeds the mean, by whatever calls.
 */
#define VARIES 0.5

enum { NAMED_MAX = 3 };

static bool leaf_varies(const struct tree_leaf *leaf)
{
	const struct dataset *data = leaf->data;
	const struct fit *fit = &leaf->models[0].fit;
	const double range = dataset_cost_quantile(data, 0.9) - dataset_cost_quantile(data, 0.1);

	return (range > VARIES * fabs(dataset_cost_quantile(data, 0.5)) &&
		range > data->resolution) ||
	       (fit->deviation > fabs(fit->coefficients[0]) && fit->deviation > data->resolution);
}

void unexplained_set(const struct tree_leaf *leaf, struct model *ret)
{
	const struct dataset *data = leaf->data;
	const struct fit *fit = &leaf->models[0].fit;

	if (leaf->n_models != 1 || fit->candidate.basis.n_features || data->n_rows < ROWS_MIN ||
	    dataset_is_flat(data) || dataset_is_nothing(data) || !leaf_varies(leaf))
		return;
	ret->is_unexplained = true;
	ret->low = dataset_cost_quantile(data, 0.05);
	ret->high = dataset_cost_quantile(data, 0.95);
}

/* "3 branches" */
static const char *count_text(struct arena *arena, size_t n, const char *one, const char *more)
{
	return arena_printf(arena, "%zu %s", n, n == 1 ? one : more);
}

static bool column_varies(const struct dataset *data, const struct column *column)
{
	double low, high;

	return dataset_column_range(column, data->order, data->n_rows, &low, &high) && low < high;
}

const char *unexplained_looked_at(struct arena *arena, const struct dataset *data)
{
	const struct samples *samples = data->samples;
	size_t features = 0, branches = 0, system = 0;
	unsigned depth = 0;
	const char *text;
	size_t i;

	for (i = 0; i < samples->n_columns; i++) {
		const struct column *column = &samples->columns[i];

		if (column->role == COLUMN_METRIC || column->role == COLUMN_KEY ||
		    !column_varies(data, column))
			continue;
		if (column->role == COLUMN_BRANCH) {
			branches++;
		} else if (column->provenance == FROM_SYSTEM) {
			system++;
		} else {
			features++;
			depth = column->depth > depth ? column->depth : depth;
		}
	}
	text = count_text(arena, features, "feature that varied", "features that varied");
	if (depth)
		text = arena_printf(arena, "%s (up to %s deep)", text,
				    count_text(arena, depth, "pointer", "pointers"));
	if (branches)
		text = arena_printf(arena, "%s, %s", text,
				    count_text(arena, branches, "branch", "branches"));
	if (system)
		text = arena_printf(arena, "%s, %s of the system", text,
				    count_text(arena, system, "value", "values"));
	return arena_printf(arena, "Nothing explains how the cost varies; looked at: %s.", text);
}

static bool is_imported(const struct samples *samples)
{
	size_t i;

	for (i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_FEATURE &&
		    samples->columns[i].provenance != FROM_IMPORT &&
		    samples->columns[i].provenance != FROM_SYSTEM)
			return false;
	return true;
}

/* A feature that no call has, for this reason. */
static bool is_unread(const struct dataset *data, const struct column *column, enum absence reason)
{
	return column->role == COLUMN_FEATURE && data->n_rows &&
	       column->absence[data->order[0]] == reason && !dataset_count_present(data, column);
}

/* "p->n, q->n and 4 more (a pointer on the way is null)"; NULL: none */
static const char *name_unread(struct arena *arena, const struct dataset *data, enum absence reason)
{
	const struct samples *samples = data->samples;
	const char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < samples->n_columns; i++)
		if (is_unread(data, &samples->columns[i], reason) && n++ < NAMED_MAX)
			text = arena_printf(arena, "%s%s%s", text ? text : "", text ? ", " : "",
					    samples->columns[i].name);
	if (n > NAMED_MAX)
		text = arena_printf(arena, "%s and %zu more", text, n - NAMED_MAX);
	return n ? arena_printf(arena, "%s (%s)", text, value_absence_meaning(reason)) : NULL;
}

/* What users can change comes first. */
static const char *name_all_unread(struct arena *arena, const struct dataset *data)
{
	static const int ranks[ABSENCE_COUNT] = {[ABSENT_CUT] = 4,
						 [ABSENT_INCOMPLETE] = 3,
						 [ABSENT_TOO_DEEP] = 2,
						 [ABSENT_OPTIMIZED_OUT] = 1};
	const char *text = NULL;

	for (int rank = 4; rank >= 0; rank--)
		for (enum absence reason = PRESENT + 1; reason < ABSENCE_COUNT; reason++) {
			const char *names =
				ranks[reason] == rank ? name_unread(arena, data, reason) : NULL;

			if (names)
				text = arena_printf(arena, "%s%s%s", text ? text : "",
						    text ? ", " : "", names);
		}
	return text;
}

const char *unexplained_not_read(struct arena *arena, const struct dataset *data, bool only_named)
{
	const char *names = name_all_unread(arena, data);
	const char *beyond =
		is_imported(data->samples) || only_named
			? ""
			: "what void * and casts hide (--feature 'EXPRESSION' reads it)";

	if (!names && !*beyond)
		return NULL;
	return arena_printf(arena, "Could not be looked at: %s%s%s.", names ? names : "",
			    names && *beyond ? "; " : "", beyond);
}
