/*
 * What holds of every annotation, for laws of all families: the same samples give the same text,
 * whatever the order of rows and columns; it reads back; and its cases part the calls.
 */
#include "drawn.h"
#include "model_judge.h"

/* One of so many families is looked at. */
static size_t step(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 12; /* several times slower: to find faults in the code */
#else
	return draws_few() ? 20 : 4;
#endif
}

/*
 * Every call whose features are all there is in one case, and in no other: of such a law nothing is
 * absent, but for the one that is parted by that.
 */
static void assert_cases_part_the_calls(const struct annotation *annotation,
					const struct law_table *law)
{
	size_t i, row;

	for (row = 0; row < LAW_ROWS; row++) {
		struct argument x[MODEL_FEATURES_MAX];
		unsigned n = 0;

		assert_true(annotation->n_features <= MODEL_FEATURES_MAX);
		annotation_arguments(annotation, law->table.samples, row, x);
		for (i = 0; i < annotation->n_cases; i++)
			n += expectation_case_holds(&annotation->cases[i], x);
		if (n != 1)
			fail_msg("%s: call %zu is in %u cases of\n%s", law->family->name, row, n,
				 text_of(annotation));
	}
}

/* With scopes, mixtures and deviations of every kind. */
static void annotations_of_laws_of_every_family_are_sound(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < n_law_families; i += step() / 2) {
		struct annotation *annotation;
		struct law_table law;

		law_table_init(&law, &law_families[i], 300);
		annotation = build(&law.table);
		assert_finite(annotation);
		if (law_families[i].choice != LAW_BY_NULL)
			assert_cases_part_the_calls(annotation, &law);
		annotation_destroy(annotation);
		law_table_deinit(&law);
	}
}

static void the_order_of_rows_and_columns_does_not_matter_for_any_law(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < n_law_families; i += step()) {
		struct law_table law;

		law_table_init(&law, &law_families[i], 300);
		assert_same_in_any_order(&law.table, 1);
		law_table_deinit(&law);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(annotations_of_laws_of_every_family_are_sound),
		cmocka_unit_test(the_order_of_rows_and_columns_does_not_matter_for_any_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
