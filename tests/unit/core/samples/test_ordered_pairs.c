/* Numbers of which one is never above the other, and the differences that are derived of them. */
#include "check.h"

#include <string.h>

#include "core/samples/derived_columns.h"
#include "core/samples/ordered_pairs.h"

enum { ROWS = 60, COLUMNS = 3 };

static const struct column whole = {.role = COLUMN_FEATURE, .type = FEATURE_INT};

/* Columns a, b and c. */
static struct samples *begin(void)
{
	struct samples *samples = samples_create("f", NULL, NULL, 0);

	for (unsigned i = 0; i < COLUMNS; i++) {
		struct column like = whole;

		like.name = i ? i > 1 ? "c" : "b" : "a";
		samples_add_column(samples, &like);
	}
	return samples;
}

static void add(struct samples *samples, double a, double b, double c)
{
	const struct sample_key key = {.id = (int64_t)samples->n_rows + 1, .run = 1};
	const struct value cells[] = {{a, PRESENT}, {b, PRESENT}, {c, PRESENT}};

	samples_append(samples, &key, cells);
}

/* a is somewhere in 0 … 59, b from 1 to 7 above it; c has nothing to do with both. */
static struct samples *ranges(unsigned rows)
{
	struct samples *samples = begin();

	for (unsigned i = 0; i < rows; i++)
		add(samples, i * 37 % 60, i * 37 % 60 + 1 + i % 7, i * 23 % 61);
	return samples;
}

static void assert_pairs(const struct samples *samples, const char *expected)
{
	struct ordered_pair pairs[ORDERED_PAIRS_MAX];
	const size_t n = ordered_pairs_find(samples, pairs);
	char text[256] = "";

	for (size_t i = 0; i < n; i++) {
		strcat(text, samples->columns[pairs[i].low].name);
		strcat(text, samples->columns[pairs[i].high].name);
		strcat(text, " ");
	}
	assert_string_equal(text, expected);
}

static void ends_of_ranges_are_found(void **state)
{
	struct samples *samples = ranges(ROWS);

	(void)state;
	assert_pairs(samples, "ab ");
	add(samples, 30, 29, 0);
	assert_pairs(samples, "");
	samples_destroy(samples);
	samples = ranges(29);
	assert_pairs(samples, "");
	samples_destroy(samples);
}

/* All of a is below all of b, or nearly, or they differ by the same. */
static void what_any_two_numbers_might_be_is_no_range(void **state)
{
	struct samples *samples = begin();
	unsigned i;

	(void)state;
	for (i = 0; i < ROWS; i++)
		add(samples, i % 10, 10 + i * 7 % 30, i % 10 + 5);
	assert_pairs(samples, "");
	samples_destroy(samples);
	samples = ranges(ROWS);
	assert_pairs(samples, "ab ");
	samples->columns[0].type = FEATURE_FLOAT;
	assert_pairs(samples, "");
	samples->columns[0].type = FEATURE_INT;
	samples->columns[0].provenance = FROM_RETURN;
	assert_pairs(samples, "");
	samples->columns[0].provenance = FROM_SYSTEM;
	assert_pairs(samples, "");
	samples_destroy(samples);
}

/* Absent where one of them is, for its reason. */
static void differences_are_derived(void **state)
{
	static const struct annotation_feature features[] = {
		{.expression = "c - a"}, {.expression = "b - a"}, {.expression = "d - a"}};
	const struct annotation annotation = {.features = features, .n_features = 3};
	struct samples *samples = ranges(ROWS);
	const struct sample_key key = {.id = ROWS + 1, .run = 1};
	const struct value cells[] = {{3, PRESENT}, {0, ABSENT_NULL}, {5, PRESENT}};
	size_t at;

	(void)state;
	samples_append(samples, &key, cells);
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, COLUMNS + 1);
	at = samples_find_column(samples, COLUMN_FEATURE, "b - a");
	assert_int_equal(at, COLUMNS);
	assert_true(samples->columns[at].is_derived && samples->columns[at].type == FEATURE_INT);
	for (size_t i = 0; i < ROWS; i++)
		assert_true(samples->columns[at].numbers[i] == (double)(1 + i % 7));
	assert_int_equal(samples->columns[at].absence[ROWS], ABSENT_NULL);
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, COLUMNS + 1);
	/* What annotations ask for need be no range. */
	derived_columns_add_for(samples, &annotation);
	assert_int_equal(samples->n_columns, COLUMNS + 2);
	at = samples_find_column(samples, COLUMN_FEATURE, "c - a");
	assert_true(samples->columns[at].numbers[ROWS] == 2);
	assert_true(samples->columns[at].numbers[1] == 23 - 37);
	samples_destroy(samples);
}

static void a_difference_has_parts(void **state)
{
	(void)state;
	assert_true(derived_columns_is_part("p->hi", "p->hi - p->lo"));
	assert_true(derived_columns_is_part("p->lo", "p->hi - p->lo"));
	assert_false(derived_columns_is_part("p", "p->hi - p->lo"));
	assert_false(derived_columns_is_part("p->h", "p->hi - p->lo"));
	assert_false(derived_columns_is_part("lo", "p->hi - p->lo"));
	assert_false(derived_columns_is_part("n", "n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_ranges_are_found),
		cmocka_unit_test(what_any_two_numbers_might_be_is_no_range),
		cmocka_unit_test(differences_are_derived),
		cmocka_unit_test(a_difference_has_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
