/* Two views of a table in which some features were read in a part of the calls. */
#include "asked_rows.h"

static bool was_always_asked(const struct samples *samples, const struct column *column)
{
	for (size_t row = 0; row < samples->n_rows; row++)
		if (column->absence[row] == ABSENT_NOT_ASKED)
			return false;
	return true;
}

bool asked_rows_differ(const struct samples *samples)
{
	for (size_t i = 0; i < samples->n_columns; i++)
		if (!was_always_asked(samples, &samples->columns[i]))
			return true;
	return false;
}

const struct samples *asked_rows_rest(const struct samples *samples, struct arena *arena)
{
	struct samples *ret = arena_copy(arena, samples, sizeof(*samples));

	ret->columns = arena_array(arena, struct column, samples->n_columns + 1);
	ret->n_columns = 0;
	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_BRANCH ||
		    was_always_asked(samples, &samples->columns[i]))
			ret->columns[ret->n_columns++] = samples->columns[i];
	return ret;
}

/* Runs that always read everything are in it with all of their calls. */
static size_t list_tenth(const struct samples *samples, size_t *ret)
{
	const size_t key = samples_find_column(samples, COLUMN_KEY, ASKED_ROWS_KEY);
	size_t n = 0;

	for (size_t row = 0; key < samples->n_columns && row < samples->n_rows; row++) {
		const struct column *tenth = &samples->columns[key];

		if (tenth->absence[row] != PRESENT || tenth->numbers[row] > 0)
			ret[n++] = row;
	}
	return n;
}

static void pick_cells(struct column *column, const size_t *rows, size_t n, struct arena *arena)
{
	double *numbers = arena_array(arena, double, n + 1);
	uint8_t *absence = arena_array(arena, uint8_t, n + 1);

	for (size_t i = 0; i < n; i++) {
		numbers[i] = column->numbers[rows[i]];
		absence[i] = column->absence[rows[i]];
	}
	column->numbers = numbers;
	column->absence = absence;
}

const struct samples *asked_rows_tenth(const struct samples *samples, struct arena *arena)
{
	struct samples *ret = arena_copy(arena, samples, sizeof(*samples));
	size_t *rows = arena_array(arena, size_t, samples->n_rows + 1);

	ret->n_rows = list_tenth(samples, rows);
	ret->keys = arena_array(arena, struct sample_key, ret->n_rows + 1);
	ret->callers = samples->callers ? arena_array(arena, const char *, ret->n_rows + 1) : NULL;
	ret->columns = arena_array(arena, struct column, samples->n_columns + 1);
	for (size_t i = 0; i < ret->n_rows; i++) {
		ret->keys[i] = samples->keys[rows[i]];
		if (ret->callers)
			ret->callers[i] = samples->callers[rows[i]];
	}
	for (size_t i = 0; i < samples->n_columns; i++) {
		ret->columns[i] = samples->columns[i];
		pick_cells(&ret->columns[i], rows, ret->n_rows, arena);
	}
	return ret;
}
