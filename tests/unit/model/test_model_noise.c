/*
 * Models invent nothing: tables in which no feature has anything to do with the cost. Seeds are
 * fixed. The argument is a pattern of the names of the tests to run.
 */
#include "drawn.h"
#include "model_noise.h"

/*
 * What is promised is that at most 1 % of the tables have one. More than are allowed come by
 * accident in 0.3 % of the cases when the promise holds. model_truth takes a thousand of each.
 */
enum { TABLES = 400, WIDE_TABLES = 60 };

static void assert_hardly_any(const struct inventions *found)
{
	print_message("a feature in %u of %u models, modes in %u\n", found->features, found->tables,
		      found->modes);
	assert_in_range(found->features, 0, most_by_chance(found->tables, 0.01, 0.003));
	assert_in_range(found->modes, 0,
			most_by_chance(found->tables / METRIC_NOISES, 0.01, 0.003));
}

static void fifty_features_of_noise_are_in_no_model(void **state)
{
	const struct noise_shape shape = {.rows = 150, .features = 50};
	struct inventions found;

	(void)state;
	count_inventions(&shape, drawn(TABLES), 1, NULL, &found);
	assert_hardly_any(&found);
}

static void a_thousand_features_of_noise_are_in_no_model(void **state)
{
	const struct noise_shape shape = {.rows = 150, .features = 1000};
	struct inventions found;

	(void)state;
	count_inventions(&shape, drawn(WIDE_TABLES), 1, NULL, &found);
	assert_hardly_any(&found);
}

static void fifty_features_that_are_often_absent_are_in_no_model(void **state)
{
	const struct noise_shape shape = {.rows = 300, .features = 50, .absent = true};
	struct inventions found;

	(void)state;
	count_inventions(&shape, drawn(TABLES), 1, NULL, &found);
	assert_hardly_any(&found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifty_features_of_noise_are_in_no_model),
		cmocka_unit_test(a_thousand_features_of_noise_are_in_no_model),
		cmocka_unit_test(fifty_features_that_are_often_absent_are_in_no_model),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
