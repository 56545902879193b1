/*
 * The same samples give the same text, whatever the order of rows and columns: for laws of all families.
 */
#include "model_judge.h"

#ifdef __SANITIZE_ADDRESS__
enum { LAWS = 1 };
#else
enum { LAWS = 2 };
#endif

static void the_order_of_rows_and_columns_does_not_matter_for_any_law(void **state)
{
	size_t i;
	long seed;

	(void)state;
	for (i = 0; i < n_law_families; i++)
		for (seed = 1; seed <= LAWS; seed++) {
			struct law_table law;

			law_table_init(&law, &law_families[i], 300 + seed);
			assert_same_in_any_order(&law.table);
			law_table_deinit(&law);
		}
}

/* With scopes, mixtures and deviations of every kind. */
static void every_annotation_reads_back_as_it_was_printed(void **state)
{
	size_t i;
	long seed;

	(void)state;
	for (i = 0; i < n_law_families; i++)
		for (seed = 1; seed <= LAWS; seed++) {
			struct annotation *annotation;
			struct law_table law;

			law_table_init(&law, &law_families[i], 700 + seed);
			annotation = build(&law.table);
			assert_reads_back(annotation);
			annotation_destroy(annotation);
			law_table_deinit(&law);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_rows_and_columns_does_not_matter_for_any_law),
		cmocka_unit_test(every_annotation_reads_back_as_it_was_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
