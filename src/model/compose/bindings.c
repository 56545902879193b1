/* Tries each feature of the caller: equal ones before straight lines through two points. */
#include "bindings.h"

#include <math.h>
#include <stdlib.h>

#define ALL_BUT     0.999 /* so many pairs must be on the line */
#define LINE_EXACT  1e-9
#define LINE_VALUES 4 /* through fewer values of x any law is a line */
enum { PAIRS_LEAST = 30 };

/* A series with a value for each row of the caller; NAN: none. */
struct wanted {
	const double *y;
	size_t n;
};

static bool is_one_value(const struct wanted *wanted, double *ret)
{
	double value = NAN;

	for (size_t i = 0; i < wanted->n; i++) {
		if (isnan(value))
			value = wanted->y[i];
		if (!isnan(wanted->y[i]) && wanted->y[i] != value)
			return false;
	}
	*ret = value;
	return !isnan(value);
}

/* Do (nearly) all pairs lie on the line? */
static bool is_on_line(const struct wanted *wanted, const struct affine *line)
{
	size_t n = 0, n_on = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		const double x = line->of->numbers[i];
		const double of = line->offset + line->scale * x;

		if (isnan(wanted->y[i]))
			continue;
		n++;
		n_on += line->of->absence[i] == PRESENT &&
			fabs(of - wanted->y[i]) <=
				LINE_EXACT * fmax(fabs(of), fabs(line->scale * x));
	}
	return n >= PAIRS_LEAST && n_on >= ALL_BUT * n;
}

/* Through the first pair and the first with another x; false: x has too few values. */
static bool line_through(const struct wanted *wanted, const struct column *x, struct affine *ret)
{
	double values[LINE_VALUES], first = 0;
	size_t n = 0;

	for (size_t i = 0; i < wanted->n && n < LINE_VALUES; i++) {
		size_t j = 0;

		if (isnan(wanted->y[i]) || x->absence[i] != PRESENT)
			continue;
		while (j < n && values[j] != x->numbers[i])
			j++;
		if (j < n)
			continue;
		if (n == 0)
			first = wanted->y[i];
		if (n == 1) {
			ret->scale = (wanted->y[i] - first) / (x->numbers[i] - values[0]);
			ret->offset = first - ret->scale * values[0];
			/* what is whole is meant to be */
			if (fabs(ret->offset - rint(ret->offset)) <= LINE_EXACT * fabs(first))
				ret->offset = rint(ret->offset);
		}
		values[n++] = x->numbers[i];
	}
	ret->of = x;
	return n == LINE_VALUES && ret->scale != 0;
}

static bool is_bindable(const struct column *column)
{
	return column->role == COLUMN_FEATURE && column->type <= FEATURE_FLOAT &&
	       !column->is_derived && column->provenance != FROM_SYSTEM &&
	       column->provenance != FROM_RETURN;
}

static bool is_preferred(const struct annotation *preferred, const struct column *column)
{
	struct annotation_affine ignored;

	for (size_t i = 0; i < preferred->n_features; i++)
		if (annotation_feature_find(&preferred->features[i], column->name, &ignored) &&
		    ignored.scale == 1 && ignored.offset == 0)
			return true;
	return false;
}

/* Lower is tried first. */
static unsigned steps_to(const struct annotation *preferred, const struct column *column)
{
	return is_preferred(preferred, column) ? 0 : 1 + column->depth;
}

static bool bind(const struct samples *caller, const struct wanted *wanted,
		 const struct annotation *preferred, struct affine *ret)
{
	unsigned best = ~0u;

	*ret = (struct affine){0};
	if (is_one_value(wanted, &ret->offset))
		return true;
	for (unsigned lines = 0; lines < 2 && best == ~0u; lines++)
		for (size_t i = 0; i < caller->n_columns; i++) {
			const struct column *x = &caller->columns[i];
			struct affine line = {x, 1, 0};

			if (!is_bindable(x) || steps_to(preferred, x) >= best ||
			    (lines && !line_through(wanted, x, &line)) ||
			    !is_on_line(wanted, &line))
				continue;
			best = steps_to(preferred, x);
			*ret = line;
		}
	return best != ~0u;
}

/*
 * The value of @y in the call number @at of each of the caller's; SIZE_MAX: that of all of its
 * calls, false if they differ in more than a few.
 */
static bool series_of(const struct inner_calls *calls, const struct column *y, size_t n_rows,
		      size_t at, double *ret)
{
	size_t n = 0, n_alike = 0;

	for (size_t row = 0; row < n_rows; row++) {
		const size_t first = calls->first[row], end = calls->first[row + 1];
		const size_t one = at == SIZE_MAX ? first : first + at;
		bool alike = true;

		ret[row] = NAN;
		if (one >= end || isnan(calls->costs[row]) || !inner_calls_whole(calls, row))
			continue;
		for (size_t i = first; i < end && at == SIZE_MAX; i++)
			alike &= y->numbers[calls->rows[i]] == y->numbers[calls->rows[first]];
		if (alike && y->absence[calls->rows[one]] == PRESENT)
			ret[row] = y->numbers[calls->rows[one]];
		n++;
		n_alike += !isnan(ret[row]);
	}
	return n && n_alike >= ALL_BUT * n;
}

/* The features of one reference; NULL, or the one that cannot be bound. */
static const char *bind_features(const struct samples *caller, const struct inner_calls *calls,
				 const struct annotation *callee,
				 const struct annotation *preferred, size_t at, double *series,
				 struct affine *ret)
{
	for (size_t i = 0; i < callee->n_features; i++) {
		const char *name = callee->features[i].expression;
		const size_t found = samples_find_column(calls->callee, COLUMN_FEATURE, name);
		const struct wanted wanted = {series, caller->n_rows};

		if (found == calls->callee->n_columns ||
		    !is_bindable(&calls->callee->columns[found]) ||
		    !series_of(calls, &calls->callee->columns[found], caller->n_rows, at, series) ||
		    !bind(caller, &wanted, preferred, &ret[i]))
			return name;
	}
	return NULL;
}

static bool bind_count(const struct samples *caller, const struct inner_calls *calls,
		       const struct annotation *preferred, double *series, struct affine *ret)
{
	const struct wanted wanted = {series, caller->n_rows};

	for (size_t row = 0; row < caller->n_rows; row++)
		series[row] = isnan(calls->costs[row]) ? NAN : calls->counts[row];
	return bind(caller, &wanted, preferred, ret);
}

const char *bindings_find(const struct samples *caller, const struct inner_calls *calls,
			  const struct annotation *callee, const struct annotation *preferred,
			  struct arena *arena, struct bindings *ret)
{
	double *series = arena_array(arena, double, caller->n_rows + 1);
	const char *unbound;

	*ret = (struct bindings){.n_features = callee->n_features};
	if (callee->n_features > BOUND_MOST)
		return "its cost depends on too many features";
	if (!bind_count(caller, calls, preferred, series, &ret->count))
		return "how often it is called is no feature of the caller";
	unbound =
		bind_features(caller, calls, callee, preferred, SIZE_MAX, series, ret->features[0]);
	ret->n = 1;
	if (!unbound)
		return NULL;
	if (calls->least != calls->most || calls->most < 2 || calls->most > REFERENCES_MOST)
		return arena_printf(arena, "its %s is no feature of the caller", unbound);
	ret->count = (struct affine){.offset = 1};
	for (ret->n = 0; ret->n < calls->most; ret->n++) {
		unbound = bind_features(caller, calls, callee, preferred, ret->n, series,
					ret->features[ret->n]);
		if (unbound)
			return arena_printf(arena, "its %s is no feature of the caller", unbound);
	}
	return NULL;
}
