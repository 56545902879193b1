/*
 * What a reader wants of features: pinned ones are in the model if they explain anything, excluded
 * ones as if never there.
 */
#include "study_check.h"

enum { ROWS = 200 };

/* The annotation with at most one feature pinned, and one excluded. */
static struct annotation *build_with(const struct table *table, const char *pinned,
				     const char *excluded)
{
	const struct model_options options = {.min_r2 = 0.75,
					      .pinned = &pinned,
					      .n_pinned = pinned != NULL,
					      .excluded = &excluded,
					      .n_excluded = excluded != NULL};

	return model_build(table->samples, METRIC_TIME, &options);
}

static bool has_feature(const struct annotation *annotation, const char *expression)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (!strcmp(annotation->features[i].expression, expression))
			return true;
	return false;
}

static void assert_same_text(const struct annotation *one, const struct annotation *other)
{
	char *left = text_of(one);
	char *right = text_of(other);

	assert_string_equal(left, right);
	free(left);
	free(right);
}

enum { N = 1, SAME, PROXY, WEAK, CHANCE, FLAG, KIND, COLUMNS };

static const char *const names[COLUMNS] = {NULL,   "n",      "p->same", "proxy",
					   "weak", "chance", "flag",    "kind"};

/*
 * A line of n; p->same is n, proxy is within 10 % of it; weak and flag explain a ninth and a fifth
 * of what is left, which is too little to be named by itself, but five and six of their standard
 * errors. Columns whose bits are in @without are not there.
 */
static void fill(struct table *table, unsigned without)
{
	static const enum feature_type types[COLUMNS] = {
		0,           FEATURE_INT, FEATURE_INT,  FEATURE_INT,
		FEATURE_INT, FEATURE_INT, FEATURE_BOOL, FEATURE_ENUM};
	size_t i, j, at;

	table_init(table, 1);
	for (j = 1; j < COLUMNS; j++)
		if (!(without & 1u << j))
			add_feature(table, names[j], types[j], j == SAME);
	for (i = 0; i < ROWS; i++) {
		double x[COLUMNS];

		x[N] = floor(uniform(table, 10, 1000));
		x[SAME] = x[N];
		x[PROXY] = floor(x[N] * uniform(table, 0.9, 1.1));
		x[WEAK] = floor(uniform(table, 0, 100));
		x[CHANCE] = floor(uniform(table, 0, 100));
		x[FLAG] = uniform(table, 0, 1) < 0.5;
		x[KIND] = floor(uniform(table, 0, 3));
		x[0] = 500 + x[N] + 0.27 * x[WEAK] + 22 * x[FLAG] + 20 * normal(table);
		for (j = at = 0; j < COLUMNS; j++)
			if (!(without & 1u << j))
				set(table, at++, x[j]);
		add_row(table);
	}
}

static void without_wishes_or_with_idle_ones_nothing_changes(void **state)
{
	static const char *const idle[] = {"no such feature", "chance"};
	struct annotation *plain, *other;
	struct table table;
	size_t i;

	(void)state;
	fill(&table, 0);
	plain = build(&table);
	for (i = 0; i < 2; i++) {
		other = build_with(&table, idle[i], NULL);
		assert_same_text(plain, other);
		annotation_destroy(other);
	}
	other = build_with(&table, NULL, "no such feature");
	assert_same_text(plain, other);
	annotation_destroy(other);
	annotation_destroy(plain);
	table_deinit(&table);
}

/* Whichever of them is named. */
static void an_excluded_feature_and_its_equivalents_are_as_if_not_there(void **state)
{
	static const struct {
		const char *excluded;
		unsigned columns;
	} cases[] = {{"n", 1u << N | 1u << SAME},
		     {"p->same", 1u << N | 1u << SAME},
		     {"weak", 1u << WEAK},
		     {"flag", 1u << FLAG},
		     {"kind", 1u << KIND}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct annotation *excluded, *without;
		struct table table, less;

		fill(&table, 0);
		fill(&less, cases[i].columns);
		excluded = build_with(&table, NULL, cases[i].excluded);
		without = build(&less);
		assert_same_text(excluded, without);
		annotation_destroy(excluded);
		annotation_destroy(without);
		table_deinit(&table);
		table_deinit(&less);
	}
}

static void a_pinned_feature_stands_for_its_equivalents(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, 0);
	annotation = build_with(&table, "p->same", NULL);
	assert_true(has_feature(annotation, "p->same"));
	assert_false(has_feature(annotation, "n"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_pinned_feature_is_in_the_model_if_it_explains_anything(void **state)
{
	static const char *const pinned[] = {"proxy", "weak", "flag"};
	struct annotation *annotation = NULL;
	struct table table;
	size_t i;

	(void)state;
	fill(&table, 0);
	annotation = build(&table);
	for (i = 0; i < 3; i++)
		assert_false(has_feature(annotation, pinned[i]));
	annotation_destroy(annotation);
	for (i = 0; i < 3; i++) {
		annotation = build_with(&table, pinned[i], NULL);
		assert_finite(annotation);
		if (!has_feature(annotation, pinned[i]))
			fail_msg("%s is not in\n%s", pinned[i], text_of(annotation));
		annotation_destroy(annotation);
	}
	table_deinit(&table);
}

/* A model that the reader's feature would make worse than none is made without it. */
static void a_pinned_feature_does_not_keep_others_out(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, 0);
	annotation = build_with(&table, "weak", NULL);
	assert_true(has_feature(annotation, "n"));
	annotation_destroy(annotation);
	annotation = build_with(&table, "weak", "n");
	assert_true(has_feature(annotation, "proxy"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_feature_that_is_pinned_and_excluded_is_excluded(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, 0);
	annotation = build_with(&table, "n", "n");
	assert_false(has_feature(annotation, "n"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void wishes_do_not_depend_on_the_order_of_rows_and_columns(void **state)
{
	struct table table, shuffled;
	struct annotation *one, *other;

	(void)state;
	fill(&table, 0);
	shuffle(&table, &shuffled, 3);
	one = build_with(&table, "proxy", "weak");
	other = build_with(&shuffled, "proxy", "weak");
	assert_same_text(one, other);
	annotation_destroy(one);
	annotation_destroy(other);
	table_deinit(&table);
	table_deinit(&shuffled);
}

/* More than models have features, all of them, and ones twice. */
static void many_wishes_are_survived(void **state)
{
	const char *const all[] = {"chance", "weak", "proxy", "n", "p->same",
				   "flag",   "kind", "n",     "",  "weak"};
	const struct model_options pinned = {.min_r2 = 0.75, .pinned = all, .n_pinned = 10};
	const struct model_options excluded = {.min_r2 = 0.75, .excluded = all, .n_excluded = 10};
	struct annotation *annotation;
	struct table table;

	(void)state;
	fill(&table, 0);
	annotation = model_build(table.samples, METRIC_TIME, &pinned);
	assert_finite(annotation);
	annotation_destroy(annotation);
	annotation = model_build(table.samples, METRIC_TIME, &excluded);
	assert_finite(annotation);
	assert_int_equal(annotation->n_features, 0);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* All that is excluded is still shown, with what it would explain. */
static void studies_tell_what_the_reader_wants(void **state)
{
	const char *pinned = "proxy";
	const char *excluded = "p->same";
	const struct model_options options = {.min_r2 = 0.75,
					      .pinned = &pinned,
					      .n_pinned = 1,
					      .excluded = &excluded,
					      .n_excluded = 1};
	struct study *study;
	struct table table;
	const struct study_feature *n;

	(void)state;
	fill(&table, 0);
	study = study_build(table.samples, METRIC_TIME, &options, NULL);
	assert_study_sound(study);
	n = &study->features[feature_called(study, "n")];
	assert_int_equal(n->wish, STUDY_EXCLUDED);
	assert_true(n->in_annotation == STUDY_NONE);
	assert_true(n->explains > 0.9);
	assert_int_equal(study->features[feature_called(study, "proxy")].wish, STUDY_PINNED);
	assert_int_equal(study->features[feature_called(study, "chance")].wish, STUDY_FREE);
	study_destroy(study);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_wishes_or_with_idle_ones_nothing_changes),
		cmocka_unit_test(an_excluded_feature_and_its_equivalents_are_as_if_not_there),
		cmocka_unit_test(a_pinned_feature_stands_for_its_equivalents),
		cmocka_unit_test(a_pinned_feature_is_in_the_model_if_it_explains_anything),
		cmocka_unit_test(a_pinned_feature_does_not_keep_others_out),
		cmocka_unit_test(a_feature_that_is_pinned_and_excluded_is_excluded),
		cmocka_unit_test(wishes_do_not_depend_on_the_order_of_rows_and_columns),
		cmocka_unit_test(many_wishes_are_survived),
		cmocka_unit_test(studies_tell_what_the_reader_wants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
