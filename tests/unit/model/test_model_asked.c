/*
 * Features that, after the first calls, were read in a tenth of them only: one that begins to
 * matter late is found as in a table that has it everywhere, and one that never does costs no row.
 */
#include "core/catalogue/rare.h"
#include "core/samples/asked_rows.h"
#include "model_table.h"

enum { TIME, N, Z, JUNK, TENTH };
enum { FIRST = 1000, LATE = 10000, ROWS = 11000 };

static void leave_unasked(struct table *table, size_t column)
{
	table->cells[column] = (struct value){.absence = ABSENT_NOT_ASKED};
}

/* Of ROWS calls; "z" is 0 in those before @from. From call FIRST on, it is asked for in a tenth. */
static void init_calls(struct table *table, size_t from)
{
	const struct column tenth = {.name = ASKED_ROWS_KEY, .role = COLUMN_KEY};

	table_init(table, 11);
	add_feature(table, "n", FEATURE_INT, 0);
	add_feature(table, "z", FEATURE_INT, 1);
	add_feature(table, "junk", FEATURE_INT, 1);
	samples_add_column(table->samples, &tenth);
	for (size_t i = 0; i < ROWS; i++) {
		const double n = floor(uniform(table, 1, 1000));
		const double z = i < from ? 0 : floor(uniform(table, 1, 1000));
		const bool chosen = rare_is_read((uint32_t)uniform(table, 0, 0x1p32));

		set(table, TIME, 3 * n + 5 * z + 20 * fmax(normal(table), -4) + 100);
		set(table, N, n);
		set(table, Z, z);
		set(table, JUNK, floor(uniform(table, 0, 50)));
		set(table, TENTH, chosen);
		if (i >= FIRST && !chosen) {
			leave_unasked(table, Z);
			leave_unasked(table, JUNK);
		}
		add_row(table);
	}
}

static void a_feature_that_begins_to_matter_late_is_found(void **state)
{
	const double early[] = {500, 0}, late[] = {500, 700};
	struct annotation *annotation;
	struct table table;

	(void)state;
	init_calls(&table, LATE);
	annotation = build(&table);
	if (annotation->n_cases != 1 || annotation->cases[0].n_models != 1 ||
	    annotation->n_features != 2)
		fail_msg("%s", text_of(annotation));
	assert_string_equal(annotation->features[0].expression, "n");
	assert_string_equal(annotation->features[1].expression, "z");
	assert_float_equal(annotation_value(&annotation->cases[0].models[0].mean, early), 1600, 20);
	assert_float_equal(annotation_value(&annotation->cases[0].models[0].mean, late), 5100, 60);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void of_features_that_never_matter_all_calls_are_used(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	init_calls(&table, ROWS);
	annotation = build(&table);
	assert_int_equal(annotation->n_samples, ROWS);
	assert_int_equal(annotation->n_features, 1);
	assert_string_equal(annotation->features[0].expression, "n");
	annotation_destroy(annotation);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_feature_that_begins_to_matter_late_is_found),
		cmocka_unit_test(of_features_that_never_matter_all_calls_are_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
