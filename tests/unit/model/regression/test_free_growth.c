/*
 * Powers that are no class, and exponentials, are found with the interval of their number, and
 * hardly ever invented. Seeds are fixed.
 */
#include "drawn.h"
#include "model_judge.h"

enum { TABLES = 120, FIXED_TABLES = 600, ROWS = 250 };

struct free_law {
	double power, base; /* one of them is 0 */
	double decades;
};

static double law_cost(const struct free_law *law, double n)
{
	return law->base > 0 ? 3 + 0.002 * pow(law->base, n) : 20 + 0.05 * pow(n, law->power);
}

/* Costs with 5 % of noise. */
static struct annotation *build_free(const struct free_law *law, long seed)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	table_init(&table, seed);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "m", FEATURE_INT, 0);
	for (i = 0; i < ROWS; i++) {
		const double n = law->base > 0
					 ? floor(uniform(&table, 5, 22))
					 : floor(5 * pow(10, uniform(&table, 0, law->decades)));

		set(&table, 0, law_cost(law, n) * (1 + 0.05 * normal(&table)));
		set(&table, 1, n);
		set(&table, 2, floor(uniform(&table, 0, 1000)));
		add_row(&table);
	}
	annotation = build(&table);
	assert_reads_back(annotation);
	table_deinit(&table);
	return annotation;
}

static bool is_right(const struct annotation *annotation, const struct free_law *law,
		     bool *ret_covered)
{
	const struct model *model = &annotation->cases[0].models[0];
	const double truth = fmax(law->power, law->base);

	*ret_covered = model->free_low <= truth && truth <= model->free_high;
	return annotation->n_cases == 1 && annotation->cases[0].n_models == 1 &&
	       annotation->n_features == 1 &&
	       model->growth == (law->base > 0 ? GROWTH_EXPONENTIAL : GROWTH_POWER);
}

static void assert_found(const struct free_law *law)
{
	const unsigned tables = drawn(TABLES);
	unsigned right = 0, covered = 0;
	unsigned i;

	for (i = 0; i < tables; i++) {
		struct annotation *annotation = build_free(law, 100 + i);
		bool is_covered;

		right += is_right(annotation, law, &is_covered);
		covered += is_covered;
		annotation_destroy(annotation);
	}
	print_message("power %g, base %g: %u of %u, %u with the truth in the interval\n",
		      law->power, law->base, right, tables, covered);
	assert_in_range(right, least_by_chance(tables, 0.9, 0.003), tables);
	assert_in_range(covered, least_by_chance(tables, 0.97, 0.003), tables);
}

static void powers_that_are_no_class_are_found(void **state)
{
	static const struct free_law laws[] = {{.power = 1.585, .decades = 2.5},
					       {.power = 2.5, .decades = 2},
					       {.power = 2.807, .decades = 2},
					       {.power = 1.3, .decades = 3.5}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(laws) / sizeof(*laws); i++)
		assert_found(&laws[i]);
}

static void exponentials_are_found(void **state)
{
	static const struct free_law laws[] = {{.base = 2}, {.base = 1.618}, {.base = 4}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(laws) / sizeof(*laws); i++)
		assert_found(&laws[i]);
}

static void two_to_the_power_of_n_is_told_as_that(void **state)
{
	struct annotation *annotation = build_free(&(struct free_law){.base = 2}, 1);
	char *text = text_of(annotation);

	(void)state;
	assert_non_null(strstr(text, "*2^n, "));
	assert_non_null(strstr(text, "// exponential: "));
	free(text);
	annotation_destroy(annotation);
}

/* Placing queens on a board of n by n: as many steps for each, next to no noise. No base meets all. */
static void growth_that_is_nearly_exponential_is_told_as_such(void **state)
{
	static const double steps[] = {1, 2.6, 10.2, 41, 175, 800};

	(void)state;
	for (long seed = 1; seed <= 5; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		add_feature(&table, "n", FEATURE_INT, 0);
		for (unsigned i = 0; i < 600; i++) {
			const unsigned more =
				(unsigned)uniform(&table, 0, sizeof(steps) / sizeof(*steps));

			set(&table, 0, steps[more] * (1 + 0.001 * normal(&table)) / 2);
			set(&table, 1, 4 + more);
			add_row(&table);
		}
		annotation = build(&table);
		assert_int_equal(annotation->n_cases, 1);
		assert_int_equal(annotation->cases[0].models[0].growth, GROWTH_EXPONENTIAL);
		assert_true(annotation->cases[0].models[0].r2 > 0.99);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void fixed_classes_are_hardly_ever_told_as_powers(void **state)
{
	const unsigned tables = drawn(FIXED_TABLES);
	const unsigned found = law_count_free(tables, 1, NULL);

	(void)state;
	print_message("%u of %u\n", found, tables);
	assert_in_range(found, 0, most_by_chance(tables, 0.01, 0.003));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powers_that_are_no_class_are_found),
		cmocka_unit_test(exponentials_are_found),
		cmocka_unit_test(two_to_the_power_of_n_is_told_as_that),
		cmocka_unit_test(growth_that_is_nearly_exponential_is_told_as_such),
		cmocka_unit_test(fixed_classes_are_hardly_ever_told_as_powers),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
