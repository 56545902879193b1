/*
 * Models invent nothing: tables in which no feature has anything to do with the cost. Seeds are fixed. The argument is a pattern of the
 * names of the tests to run.
 */
#include "model_noise.h"

#ifdef __SANITIZE_ADDRESS__
/* Several times slower: they are to find faults in the code. Of 30 tables more than 2 come by accident in 0.3 % of the cases. */
enum { TABLES = 30, MOST = 2, WIDE_TABLES = 3, WIDE_MOST = 1 };
#else
/*
 * What is promised is at most 1 % of the tables, and that is all that is allowed of 400. Of 60 tables, which is what there is time for with
 * a thousand features, more than 3 come by accident in 0.3 % of the cases when the promise holds (binomial). model_truth takes a
 * thousand of each.
 */
enum { TABLES = 400, MOST = 4, WIDE_TABLES = 60, WIDE_MOST = 3 };
#endif

static void fifty_features_of_noise_are_in_no_model(void **state)
{
	const struct noise_shape shape = {.rows = 150, .features = 50};
	struct inventions found;

	(void)state;
	count_inventions(&shape, TABLES, 1, NULL, &found);
	print_message("a feature in %u of %u models, modes in %u\n", found.features, found.tables,
		      found.modes);
	assert_in_range(found.features, 0, MOST);
	assert_in_range(found.modes, 0, MOST / METRIC_NOISES);
}

static void a_thousand_features_of_noise_are_in_no_model(void **state)
{
	const struct noise_shape shape = {.rows = 150, .features = 1000};
	struct inventions found;

	(void)state;
	count_inventions(&shape, WIDE_TABLES, 1, NULL, &found);
	print_message("a feature in %u of %u models, modes in %u\n", found.features, found.tables,
		      found.modes);
	assert_in_range(found.features, 0, WIDE_MOST);
	assert_in_range(found.modes, 0, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifty_features_of_noise_are_in_no_model),
		cmocka_unit_test(a_thousand_features_of_noise_are_in_no_model),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
