/*
 * Models are true as often as is promised: features, scopes and classes of growth of generated
 * laws.
 *
 * The figures are those of law_families. Each is tested on 200 tables (see drawn.h), shared by its
 * families; what is promised of all is required of them, and a single family may fall below it as
 * far as it would by accident in 1 % of the cases. Seeds are fixed. model_truth (bench/truth.c)
 * takes hundreds of each family. The argument is a pattern of the names of the tests to run.
 */
#include "drawn.h"
#include "model_judge.h"

enum { TABLES = 200, SEED = 5000 };

static void print_row(const char *name, const struct tally *tally)
{
	print_message("%-26s of %u: features %u, scopes %u, classes %u, all %u, oracle %u\n", name,
		      tally->tables, tally->features, tally->scopes, tally->classes, tally->right,
		      tally->oracle);
}

static bool is_of(const struct law_family *family, unsigned least,
		  bool (*belongs)(const struct law_family *family))
{
	return family->least == least && belongs(family);
}

static unsigned tables_of_each(unsigned least, bool (*belongs)(const struct law_family *family))
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < n_law_families; i++)
		n += is_of(&law_families[i], least, belongs);
	assert_true(n > 0);
	return (drawn(TABLES) + n - 1) / n;
}

/* All families of which @belongs says so have the figure @least together, and nearly so each. */
static void assert_figure(unsigned least, bool (*belongs)(const struct law_family *family))
{
	const unsigned each = tables_of_each(least, belongs);
	unsigned tables = 0, right = 0, low = 0;
	size_t i;

	for (i = 0; i < n_law_families; i++) {
		struct tally tally;

		if (!is_of(&law_families[i], least, belongs))
			continue;
		law_tally(&law_families[i], each, SEED, NULL, &tally);
		print_row(law_families[i].name, &tally);
		low += tally.right < least_by_chance(each, least / 100.0, 0.01);
		tables += each;
		right += tally.right;
	}
	print_message("%u of %u are right, %u %% are promised; %u families are far below\n", right,
		      tables, least, low);
	assert_in_range(right, least_promised(tables, least / 100.0), tables);
	assert_int_equal(low, 0);
}

static bool is_whole(const struct law_family *family)
{
	return family->choice == LAW_WHOLE;
}

static bool is_by_value(const struct law_family *family)
{
	return family->choice == LAW_BY_ENUM || family->choice == LAW_BY_BOOL ||
	       family->choice == LAW_BY_CLASS;
}

static bool is_by_threshold(const struct law_family *family)
{
	return family->choice == LAW_BY_SIZE || family->choice == LAW_BY_LIMIT;
}

static bool is_by_null(const struct law_family *family)
{
	return family->choice == LAW_BY_NULL;
}

static void classes_are_found_at_5_percent_noise(void **state)
{
	(void)state;
	assert_figure(95, is_whole);
}

static void classes_are_found_at_20_percent_noise(void **state)
{
	(void)state;
	assert_figure(85, is_whole);
}

static void products_of_two_features_are_found(void **state)
{
	(void)state;
	assert_figure(90, is_whole);
}

static void splits_on_values_are_found(void **state)
{
	(void)state;
	assert_figure(90, is_by_value);
}

static void splits_at_thresholds_are_found(void **state)
{
	(void)state;
	assert_figure(90, is_by_threshold);
}

static void laws_behind_null_pointers_are_found(void **state)
{
	(void)state;
	assert_figure(90, is_by_null);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_found_at_5_percent_noise),
		cmocka_unit_test(classes_are_found_at_20_percent_noise),
		cmocka_unit_test(products_of_two_features_are_found),
		cmocka_unit_test(splits_on_values_are_found),
		cmocka_unit_test(splits_at_thresholds_are_found),
		cmocka_unit_test(laws_behind_null_pointers_are_found),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
