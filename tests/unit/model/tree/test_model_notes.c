/* What models say to people beside their formulas. */
#include "model_table.h"

#include "model/tree/model_notes.h"

static void assert_note(const struct annotation *annotation, const char *part)
{
	if (!has_note(annotation, part)) {
		char *text = text_of(annotation);

		fail_msg("there is no note '%s' in:\n%s", part, text);
	}
}

static void assert_notes(const struct table *table, const char *part)
{
	struct annotation *annotation = build(table);

	assert_note(annotation, part);
	annotation_destroy(annotation);
}

static void add_column(struct table *table, const char *name, enum feature_type type,
		       enum provenance provenance, unsigned depth)
{
	samples_add_column(table->samples, &(struct column){.name = name,
							    .role = COLUMN_FEATURE,
							    .type = type,
							    .provenance = provenance,
							    .depth = depth});
}

static void a_feature_that_never_varied_is_told_with_its_value(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "threads", FEATURE_INT, 0);
	set(&table, 1, 4);
	for (i = 0; i < 30; i++) {
		set(&table, 0, uniform(&table, 90, 110));
		add_row(&table);
	}
	assert_notes(&table, "threads was always 4: vary it to see its effect.");
	table_deinit(&table);
}

static void of_what_never_varied_the_most_telling_are_named(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 2);
	add_column(&table, "debug", FEATURE_BOOL, FROM_GLOBAL, 0);
	add_column(&table, "verbose", FEATURE_BOOL, FROM_PARAMETER, 0);
	add_column(&table, "p != 0", FEATURE_BOOL, FROM_PARAMETER, 0);
	add_column(&table, "limit", FEATURE_INT, FROM_GLOBAL, 0);
	add_column(&table, "return", FEATURE_INT, FROM_RETURN, 0);
	add_column(&table, "p->depth", FEATURE_INT, FROM_PARAMETER, 1);
	add_column(&table, "p->n_rows", FEATURE_INT, FROM_PARAMETER, 1);
	add_column(&table, "$rdi", FEATURE_INT, FROM_PARAMETER, 0);
	for (i = 1; i <= 8; i++)
		set(&table, i, i % 2);
	set(&table, 7, 12.5);
	set(&table, 8, 0x1p45);
	for (i = 0; i < 30; i++) {
		set(&table, 0, uniform(&table, 90, 110));
		add_row(&table);
	}
	assert_notes(&table, "p->n_rows was always 12.5, p->depth always 0 and verbose always "
			     "false: vary them to see their effect. 5 more never varied.");
	table_deinit(&table);
}

static void what_nobody_could_vary_is_listed_only(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 3);
	add_column(&table, "p != 0", FEATURE_BOOL, FROM_PARAMETER, 0);
	add_column(&table, "return", FEATURE_INT, FROM_RETURN, 0);
	set(&table, 1, 1);
	set(&table, 2, 1);
	for (i = 0; i < 30; i++) {
		set(&table, 0, uniform(&table, 90, 110));
		add_row(&table);
	}
	assert_notes(&table, "p != 0 and return never varied.");
	table_deinit(&table);
}

static void the_farthest_call_is_named_with_its_thread(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 4);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		const struct sample_key key = {.id = 700 + i, .thread = 4711};
		double y = 10 + 5.0 * i + normal(&table);

		set(&table, 1, i);
		set(&table, 0, i == 40 ? 20130 : i == 60 ? 9000 : y);
		samples_append(table.samples, &key, table.cells);
	}
	/* 20130 of 10 + 5 * 40 = 210. */
	assert_notes(&table, "The farthest, call 740 in thread 4711, took 20130 µs, 96 times what "
			     "the formula says.");
	table_deinit(&table);
}

static double sqrt_law(double n)
{
	return 5 + 3 * sqrt(n);
}

static double log_law(double n)
{
	return 5 + 40 * log(n);
}

static double square_law(double n)
{
	return 5 + 0.01 * n * n;
}

static void fill(struct table *table, double (*law)(double), double low, double high, double noise)
{
	size_t i;

	add_feature(table, "n", FEATURE_INT, 0);
	for (i = 0; i < 150; i++) {
		double n = floor(low * pow(high / low, uniform(table, 0, 1)));

		set(table, 1, n);
		set(table, 0, law(n) * (1 + noise * normal(table)));
		add_row(table);
	}
}

static void of_any_class_a_narrow_range_is_said_to_hide_the_others(void **state)
{
	static double (*const laws[])(double) = {log_law, sqrt_law, linear_law, nlogn_law,
						 square_law};
	static const double noise[] = {0.01, 0.01, 0.01, 0.01, 0.07};
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct table table;

		table_init(&table, 10 + i);
		fill(&table, laws[i], 1000, 1700, noise[i]);
		assert_notes(&table, "The range of n is too narrow to tell ");
		table_deinit(&table);
	}
}

/* Each scope has a range of its own; the one that is wide is not told. */
static void a_narrow_range_within_a_scope_is_told_with_it(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 31);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "is_sorted", FEATURE_BOOL, 0);
	for (i = 0; i < 400; i++) {
		const bool sorted = i % 2;
		const double n = floor(sorted ? uniform(&table, 1000, 1700)
					      : 100 * pow(100, uniform(&table, 0, 1)));

		set(&table, 1, n);
		set(&table, 2, sorted);
		set(&table, 0, (sorted ? 5 + 0.01 * n : 200 + n) * (1 + 0.01 * normal(&table)));
		add_row(&table);
	}
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 2);
	assert_note(annotation, "[is_sorted] the range of n is too narrow to tell ");
	assert_false(has_note(annotation, "[!is_sorted] the range"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_wide_or_a_quiet_range_is_not_said_to_be_narrow(void **state)
{
	static double (*const laws[])(double) = {linear_law, square_law};
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, 20 + i);
		if (i < 2)
			fill(&table, laws[i], 100, 100000, 0.2);
		else
			fill(&table, laws[i - 2], 1000, 3000, 0.003);
		annotation = build(&table);
		assert_int_equal(annotation->n_features, 1);
		assert_false(has_note(annotation, "narrow"));
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void a_dozen_samples_are_said_to_be_few(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 12; i++) {
		set(&table, 0, uniform(&table, 90, 110));
		set(&table, 1, uniform(&table, 0, 10));
		add_row(&table);
	}
	assert_notes(&table, "In 12 samples no dependence but a strong one can be seen.");
	table_deinit(&table);
}

/* An annotation of two cases, by hand: a formula of `n`, and a mixture of two. */
static struct annotation *two_cases(void)
{
	static const struct condition small[] = {{0, LESS, 50, NULL}};
	static const struct condition large[] = {{0, GREATER_EQUAL, 50, NULL}};
	static const struct term linear[] = {
		{.coefficient = 5, .n_factors = 1, .factors = {{.power = 1}}}};
	static const struct term ten[] = {{.coefficient = 10}};
	static const struct term one[] = {{.coefficient = 1}};
	static const struct model line[] = {
		{.probability = 1, .mean = {linear, 1}, .deviation = {one, 1}}};
	static const struct model mixture[] = {
		{.probability = 0.5, .mean = {ten, 1}, .deviation = {one, 1}},
		{.probability = 0.5, .mean = {one, 1}, .deviation = {one, 1}}};
	static const struct annotation_case cases[] = {{small, 1, line, 1}, {large, 1, mixture, 2}};
	static const struct annotation_feature features[] = {
		{.name = "n", .type = FEATURE_INT, .expression = "n"}};
	struct annotation *annotation = annotation_create();

	annotation->function = annotation->linkage = "f";
	annotation->cases = cases;
	annotation->n_cases = 2;
	annotation->features = features;
	annotation->n_features = 1;
	return annotation;
}

static void notes_are_about_all_cases_of_a_tree(void **state)
{
	struct annotation *annotation = two_cases();
	const struct fit first = {.n_far = 1, .n_absent = 1}, second = {.n_far = 2, .n_absent = 2};
	const struct fit *const fits[] = {&first, &second};
	struct table table;
	struct dataset *data;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "q", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set_absent(&table, 2);
		set(&table, 1, i);
		set(&table, 0, i == 20 ? 700 : i < 50 ? 5 * i : 10);
		if (i >= 97)
			set_absent(&table, 1);
		add_row(&table);
	}
	data = dataset_create(table.samples, METRIC_TIME);
	model_notes_write(annotation, data, fits, 2, NULL);
	assert_note(annotation, "3 of 100 samples, far away from all others, were left out.");
	assert_note(annotation,
		    "The farthest, call 21, took 700 µs, 7 times what the formula says.");
	assert_note(annotation, "3 of 100 samples were left out: n could not be read there");
	assert_note(annotation,
		    "Of 2 kinds of calls nothing was found that tells which one a call is.");
	assert_note(annotation, "Could not be looked at: q (");
	dataset_destroy(data);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void notes_are_few(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i, j;

	(void)state;
	table_init(&table, 7);
	table.samples->resolution[METRIC_TIME] = 9000; /* more than most, less than the range */
	for (j = 1; j <= 60; j++) {
		char name[8];

		snprintf(name, sizeof(name), "x%zu", j);
		add_feature(&table, name, FEATURE_INT, 0);
	}
	for (i = 0; i < 15; i++) {
		set(&table, 0, 1000 + 1000 * i);
		if (i % 5 == 0)
			set_absent(&table, 0);
		for (j = 1; j <= 60; j++)
			set(&table, j, j % 4 ? j : j % 8 ? 0x1p50 + i : i);
		if (i % 3)
			set_absent(&table, 8);
		add_row(&table);
	}
	annotation = build(&table);
	assert_in_range(annotation->n_notes, 3, NOTES_MAX);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static struct annotation *build_turns(struct table *table, const char *name, double most)
{
	table_init(table, 21);
	add_feature(table, name, FEATURE_INT, 0);
	for (size_t i = 0; i < 100; i++) {
		set(table, 1, floor((double)i * most / 99));
		set(table, 0, 100 + 3 * (double)i + normal(table));
		add_row(table);
	}
	return build(table);
}

static void that_turns_were_counted_is_told_where_they_are_many(void **state)
{
	static const struct {
		const char *name;
		double most;
		bool told;
	} all[] = {{"loop(a.c:4)", 1000, true}, {"loop(a.c:4)", 64, false}, {"loops", 1000, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct table table;
		struct annotation *annotation = build_turns(&table, all[i].name, all[i].most);

		assert_int_equal(has_note(annotation, "Counting the turns of loops"), all[i].told);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_feature_that_never_varied_is_told_with_its_value),
		cmocka_unit_test(of_what_never_varied_the_most_telling_are_named),
		cmocka_unit_test(what_nobody_could_vary_is_listed_only),
		cmocka_unit_test(the_farthest_call_is_named_with_its_thread),
		cmocka_unit_test(of_any_class_a_narrow_range_is_said_to_hide_the_others),
		cmocka_unit_test(a_narrow_range_within_a_scope_is_told_with_it),
		cmocka_unit_test(a_wide_or_a_quiet_range_is_not_said_to_be_narrow),
		cmocka_unit_test(a_dozen_samples_are_said_to_be_few),
		cmocka_unit_test(notes_are_about_all_cases_of_a_tree),
		cmocka_unit_test(notes_are_few),
		cmocka_unit_test(that_turns_were_counted_is_told_where_they_are_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
