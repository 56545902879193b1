/*
 * Models of tables as they come: equivalent, absent and extreme values, too few rows, any order;
 * and their notes and names.
 */
#include "model_table.h"

#include "model/data/short_name.h"

static void the_order_of_rows_and_columns_does_not_matter(void **state)
{
	const struct law law = {nlogn_law, 1000, 200000, NOISE_PREEMPTED, 0.1};
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 9);
	fill_law(&table, &law, 150);
	for (i = 0; i < 150; i += 7)
		table.samples->columns[1].absence[i] = ABSENT_NULL;
	assert_same_in_any_order(&table, 5);
	table_deinit(&table);
	table_init(&table, 9);
	fill_two(&table, true);
	assert_same_in_any_order(&table, 5);
	table_deinit(&table);
}

static void equivalent_features_are_named_as_a_programmer_would(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "v->finish", FEATURE_INT, 1);
	add_feature(&table, "v->d->size", FEATURE_INT, 2);
	add_feature(&table, "v->item_count", FEATURE_INT, 1);
	add_feature(&table, "nearly", FEATURE_INT, 1);
	for (i = 0; i < 100; i++) {
		double n = floor(uniform(&table, 1, 5000));

		set(&table, 0, (50 + 3 * n) * (1 + 0.02 * normal(&table)));
		set(&table, 1, 4096 + 8 * n);
		set(&table, 2, n);
		set(&table, 3, n);
		set(&table, 4, n + (i % 2));
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "v->item_count", NULL);
	assert_string_equal(annotation->features[0].name, "item_count");
	assert_int_equal(annotation->features[0].n_aliases, 1);
	assert_string_equal(annotation->features[0].aliases[0], "v->d->size");
	assert_int_equal(annotation->features[0].n_affine, 1);
	assert_string_equal(annotation->features[0].affine[0].expression, "v->finish");
	assert_true(annotation->features[0].affine[0].scale == 8);
	assert_true(annotation->features[0].affine[0].offset == 4096);
	assert_int_equal(annotation->features[0].n_kin, 1);
	assert_string_equal(annotation->features[0].kin[0], "nearly");
	annotation_destroy(annotation);
	table_deinit(&table);
}

/*
 * Cost 10 + 2 b. What is 100 b gives b's value, as does what falls as b rises; what is 100 b but for
 * some calls does not, however strongly it is correlated, nor does a flag that b alone decides.
 */
static void only_what_is_affine_in_all_calls_gives_a_value(void **state)
{
	const struct annotation_feature *feature;
	struct annotation_affine map;
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "b", FEATURE_INT, 0);
	add_feature(&table, "s->hundreds", FEATURE_INT, 1);
	add_feature(&table, "s->left", FEATURE_FLOAT, 1);
	add_feature(&table, "s->slips", FEATURE_INT, 1);
	add_feature(&table, "s->large", FEATURE_INT, 1);
	for (i = 0; i < 400; i++) {
		double b = floor(uniform(&table, 1, 100));

		set(&table, 0, 10 + 2 * b + 0.5 * normal(&table));
		set(&table, 1, b);
		set(&table, 2, 100 * b);
		set(&table, 3, 7.5 - 0.1 * b);
		set(&table, 4, 100 * b + (i == 77));
		set(&table, 5, b > 50 ? 9 : 4);
		add_row(&table);
	}
	annotation = model_build(table.samples, METRIC_TIME,
				 &(struct model_options){.min_r2 = 0.75, .correlation = 0.8});
	assert_features(annotation, 1, "b", NULL);
	feature = &annotation->features[0];
	assert_true(annotation_feature_find(feature, "s->hundreds", &map));
	assert_true(annotation_affine_back(&map, 5000) == 50);
	assert_true(annotation_feature_find(feature, "s->left", &map));
	assert_float_equal(annotation_affine_back(&map, 2.5), 50, 1e-9);
	assert_false(annotation_feature_find(feature, "s->slips", &map));
	assert_true(annotation_feature_has_kin(feature, "s->slips"));
	assert_false(annotation_feature_find(feature, "s->large", &map));
	assert_true(annotation_feature_has_kin(feature, "s->large"));
	assert_int_equal(feature->n_aliases, 0);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* The input is absent in some calls, the returned value, which is equal, in none. */
static void check_returned(size_t absent_each, size_t n_features)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	table_init(&table, 5);
	add_feature(&table, "list->n", FEATURE_INT, 1);
	samples_add_column(table.samples, &(struct column){.name = "return",
							   .role = COLUMN_FEATURE,
							   .type = FEATURE_INT,
							   .provenance = FROM_RETURN});
	for (i = 0; i < 300; i++) {
		double n = floor(uniform(&table, 1, 1000));

		set(&table, 0, 10 + 2 * n + normal(&table));
		set(&table, 1, n);
		set(&table, 2, n);
		if (i % absent_each == 3)
			set_absent(&table, 1);
		add_row(&table);
	}
	annotation = build(&table);
	/* What is returned explains calls that have no n, and only these. */
	assert_features(annotation, n_features, "list->n", "return");
	assert_int_equal(annotation->n_cases, 2);
	assert_true(annotation_case_uses(&annotation->cases[0], 0));
	assert_false(annotation_case_uses(&annotation->cases[0], 1));
	assert_false(annotation_case_uses(&annotation->cases[1], 0));
	assert_int_equal(annotation->features[0].n_aliases, 1);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_returned_value_takes_no_inputs_place(void **state)
{
	(void)state;
	check_returned(15, 1);
	check_returned(6, 2);
}

/*
 * As in a parser: the cost follows the text's length; a member nearly follows it, and others are
 * not always there.
 */
static void a_parameter_near_length_wins_over_accidents(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 2);
	add_feature(&table, "pParse->db->aDb->pSchema->cookie", FEATURE_INT, 3);
	add_feature(&table, "strlen(zSql)", FEATURE_INT, 1);
	add_feature(&table, "pParse->nTab", FEATURE_INT, 1);
	add_feature(&table, "pParse->pOuter->nTab", FEATURE_INT, 2);
	for (i = 0; i < 300; i++) {
		double n = floor(uniform(&table, 40, 60000));

		set(&table, 0, (8 + 0.02 * n) * (1 + 0.05 * normal(&table)));
		set(&table, 1, n * (1 + 0.03 * normal(&table)));
		set(&table, 2, n);
		set(&table, 3, i % 3);
		if (i % 4)
			set(&table, 4, n);
		else
			set_absent(&table, 4);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_features(annotation, 1, "strlen(zSql)", NULL);
	assert_string_equal(annotation->features[0].name, "len_zSql");
	assert_int_equal(only_model(annotation)->n_samples, 300);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void rows_without_the_feature_are_left_out_and_counted(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 1, i);
		set(&table, 0, 10 + 5.0 * i + normal(&table));
		if (i % 20 == 3)
			set_absent(&table, 1);
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(annotation->n_samples, 95);
	assert_true(has_note(annotation, "5 of 100 samples were left out: n could not be "
					 "read there (a pointer on the way is null)."));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void far_rows_are_left_out_and_counted(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 1, i);
		set(&table, 0, 10 + 5.0 * i + normal(&table) + (i % 40 == 7 ? 9000 : 0));
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(annotation->n_samples, 97);
	assert_true(has_note(annotation, "3 of 100 samples, far away"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* 199 calls of 10 us; the 200th takes a second, which is nearly all that all of them take. */
static void a_constant_tells_of_the_call_that_costs_most(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 5);
	for (i = 0; i < 200; i++) {
		set(&table, 0, i == 66 ? 1e6 : 10 + 0.3 * normal(&table));
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_int_equal(annotation->n_samples, 199);
	assert_true(has_note(annotation, "1 of 200 samples, far away from all others, was left "
					 "out. It is 99.8 % of the whole cost."));
	assert_true(has_note(annotation, "took 1e+06 "));
	assert_int_equal(annotation->left_out.n_far, 1);
	assert_float_equal(annotation->left_out.cost, 1e6, 1);
	assert_float_equal(annotation->left_out.share, 0.998, 0.0005);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_constant_of_a_cost_that_varies_is_unexplained(void **state)
{
	const struct model *model;
	struct annotation *annotation;
	struct table table;
	unsigned spread;
	size_t i;

	(void)state;
	for (spread = 0; spread < 2; spread++) {
		table_init(&table, 5);
		add_feature(&table, "n", FEATURE_INT, 2);
		add_feature(&table, "q", FEATURE_INT, 0);
		for (i = 0; i < 300; i++) {
			set(&table, 0, spread ? uniform(&table, 10, 100) : 50 + normal(&table));
			set(&table, 1, floor(uniform(&table, 1, 100)));
			set_absent(&table, 2);
			add_row(&table);
		}
		annotation = build(&table);
		assert_growth(annotation, GROWTH_CONSTANT);
		model = only_model(annotation);
		assert_int_equal(model->is_unexplained, spread);
		assert_int_equal(has_note(annotation,
					  "Nothing explains how the cost varies; looked at: 1 "
					  "feature that varied (up to 2 pointers deep)."),
				 spread);
		assert_int_equal(has_note(annotation,
					  "Could not be looked at: q (a pointer on the way is "
					  "null); what is deeper than --max-depth, or hidden "
					  "by void * and casts (--feature 'EXPRESSION' reads it)."),
				 spread);
		if (spread) { /* 5 % of 90 on either side, give or take three errors */
			assert_float_equal(model->low, 14.5, 3.5);
			assert_float_equal(model->high, 95.5, 3.5);
		}
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void many_far_rows_of_a_large_table_do_not_hide_the_law(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 0; i < 20000; i++) {
		set(&table, 1, i % 1000);
		set(&table, 0, 10 + 5.0 * (i % 1000) + normal(&table));
		if (i % 100 == 7)
			table.cells[0].number += 90000;
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(annotation->n_samples, 19800);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_rarely_present_feature_is_noted_not_used(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	add_feature(&table, "p->n", FEATURE_INT, 0);
	for (i = 0; i < 100; i++) {
		set(&table, 0, 10 + 5.0 * i);
		set(&table, 1, i);
		if (i % 12)
			set_absent(&table, 1);
		add_row(&table);
	}
	annotation = build(&table);
	assert_features(annotation, 0, NULL, NULL);
	assert_true(has_note(annotation,
			     "p->n goes with the cost, but could be read in only 9 of 100"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void features_that_never_varied_are_named_up_to_three(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 6);
	for (i = 0; i < 5; i++)
		add_feature(&table, (const char *[]){"e", "d", "c", "b", "a"}[i], FEATURE_INT, 0);
	for (i = 0; i < 5; i++)
		set(&table, i + 1, i);
	for (i = 0; i < 20; i++) {
		set(&table, 0, i);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_true(has_note(annotation, "a was always 4, b always 3 and c always 2: vary them to "
					 "see their effect. 2 more never varied."));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void a_narrow_range_is_said_to_hide_the_growth(void **state)
{
	const struct law law = {nlogn_law, 1000, 3000, NOISE_GROWING, 0.05};
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 8);
	fill_law(&table, &law, 150);
	annotation = build(&table);
	assert_features(annotation, 1, "p->n_items", NULL);
	assert_true(has_note(annotation, "too narrow to tell n from n log n"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void no_samples_give_no_cases_and_a_note(void **state)
{
	struct annotation *annotation;
	struct table table;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "n", FEATURE_INT, 0);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 0);
	assert_true(has_note(annotation, "no samples"));
	annotation_destroy(annotation);
	set_absent(&table, 0);
	set(&table, 1, 3);
	add_row(&table);
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 0);
	assert_true(has_note(annotation, "has this metric"));
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void few_samples_give_a_constant_and_a_note(void **state)
{
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "n", FEATURE_INT, 0);
	for (i = 1; i <= 7; i++) {
		struct annotation *annotation;

		set(&table, 0, 10.0 * i);
		set(&table, 1, i);
		add_row(&table);
		annotation = build(&table);
		assert_growth(annotation, GROWTH_CONSTANT);
		assert_float_equal(only_model(annotation)->mean.terms[0].coefficient, 5.0 * (i + 1),
				   1e-9);
		assert_true(has_note(annotation, "too few"));
		assert_finite(annotation);
		annotation_destroy(annotation);
	}
	table_deinit(&table);
}

static void an_unchanging_metric_is_constant_without_deviation(void **state)
{
	const double levels[] = {0, 42, 1e-300, 1e300};
	size_t i, k;

	(void)state;
	for (k = 0; k < sizeof(levels) / sizeof(*levels); k++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, 1);
		add_feature(&table, "n", FEATURE_INT, 0);
		for (i = 0; i < 50; i++) {
			set(&table, 0, levels[k]);
			set(&table, 1, i);
			add_row(&table);
		}
		annotation = build(&table);
		assert_growth(annotation, GROWTH_CONSTANT);
		assert_true(only_model(annotation)->deviation.terms[0].coefficient == 0);
		assert_finite(annotation);
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

/* Any scale of metric and feature gives the law, as far as its coefficients are numbers. */
static void extreme_values_do_no_harm(void **state)
{
	const double scales[] = {1e-300, 1e-150, 1e-9, 1e9, 1e150, 1e300};
	size_t i, j, k;

	(void)state;
	for (j = 0; j < 6; j++)
		for (k = 0; k < 6; k++) {
			struct annotation *annotation;
			struct table table;

			table_init(&table, 1);
			add_feature(&table, "n", FEATURE_FLOAT, 0);
			add_feature(&table, "m", FEATURE_FLOAT, 0);
			for (i = 0; i < 60; i++) {
				set(&table, 0, scales[j] * (1 + i + 0.1 * normal(&table)));
				set(&table, 1, scales[k] * (1 + i));
				set(&table, 2, i % 2 ? -1e300 : 1e300);
				add_row(&table);
			}
			annotation = build(&table);
			assert_finite(annotation);
			if (j > 0 && j < 5 && k > 0 && k < 5 && !(j == 1 && k == 4))
				assert_int_equal(annotation->n_features, 1);
			annotation_destroy(annotation);
			table_deinit(&table);
		}
}

static void more_columns_than_rows_and_empty_columns_are_survived(void **state)
{
	struct annotation *annotation;
	struct table table;
	char names[60][8];
	size_t i, j;

	(void)state;
	table_init(&table, 12);
	for (j = 0; j < 60; j++) {
		snprintf(names[j], sizeof(names[j]), "f%zu", j);
		add_feature(&table, names[j], j % 5 ? FEATURE_INT : FEATURE_STRING, 0);
	}
	for (i = 0; i < 10; i++) {
		set(&table, 0, uniform(&table, 1, 2));
		for (j = 0; j < 60; j++)
			if (j % 3)
				set(&table, j + 1, floor(uniform(&table, 0, 9)));
			else
				set_absent(&table, j + 1);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_CONSTANT);
	assert_finite(annotation);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/* A pointer is null in some of the calls, and in most of those in which another one is null. */
static void what_is_rare_in_a_part_may_tell_the_cost_of_a_part_of_that(void **state)
{
	long seed;
	size_t i;

	(void)state;
	for (seed = 1; seed <= 5; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		add_feature(&table, "p->n", FEATURE_INT, 1);
		add_feature(&table, "q->n", FEATURE_INT, 1);
		add_feature(&table, "p != 0", FEATURE_BOOL, 0);
		add_feature(&table, "q != 0", FEATURE_BOOL, 0);
		for (i = 0; i < 600; i++) {
			const double p = floor(uniform(&table, 10, 1000));
			const double q = floor(uniform(&table, 10, 1000));
			const bool has_q = uniform(&table, 0, 1) < 0.5;
			const bool has_p = uniform(&table, 0, 1) < (has_q ? 0.8 : 0.4);
			const double cost = 5 + has_p * 0.5 * p + has_q * 2 * q;

			set(&table, 0, cost * (1 + 0.05 * normal(&table)));
			set(&table, 1, p);
			set(&table, 2, q);
			set(&table, 3, has_p);
			set(&table, 4, has_q);
			if (!has_p)
				set_absent(&table, 1);
			if (!has_q)
				set_absent(&table, 2);
			add_row(&table);
		}
		annotation = build(&table);
		assert_int_equal(annotation->n_cases, 4);
		for (i = 0; i < 4; i++) {
			const struct annotation_case *one = &annotation->cases[i];
			const size_t present = (one->scope[0].comparison == IS_TRUE) +
					       (one->scope[1].comparison == IS_TRUE);
			const struct formula *mean = &one->models[0].mean;
			size_t growing = 0;
			size_t k;

			for (k = 0; k < mean->n_terms; k++)
				growing += mean->terms[k].n_factors > 0;
			assert_int_equal(one->n_models, 1);
			assert_int_equal(growing, present);
		}
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

static void an_exact_law_is_found_exactly(void **state)
{
	struct annotation *annotation;
	struct table table;
	size_t i;

	(void)state;
	table_init(&table, 1);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "twice", FEATURE_INT, 0);
	for (i = 0; i < 64; i++) {
		set(&table, 0, 16 + 24.0 * i);
		set(&table, 1, i);
		set(&table, 2, 2 * i);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	assert_features(annotation, 1, "n", NULL);
	assert_int_equal(only_model(annotation)->mean.n_terms, 2);
	assert_float_equal(only_model(annotation)->mean.terms[0].coefficient, 16, 1e-6);
	assert_float_equal(only_model(annotation)->mean.terms[1].coefficient, 24, 1e-8);
	annotation_destroy(annotation);
	table_deinit(&table);
}

/*
 * Offsets in a large file: what is subtracted is a million times a cost, and is printed with as
 * many more digits.
 */
static void a_formula_of_numbers_far_from_0_holds_as_it_is_printed(void **state)
{
	const struct model *model;
	struct annotation *annotation;
	struct table table;
	double at_middle;
	size_t i;

	(void)state;
	table_init(&table, 5);
	add_feature(&table, "offset", FEATURE_INT, 0);
	for (i = 0; i < 300; i++) {
		const double n = floor(uniform(&table, 1, 4000));

		set(&table, 0, (5 + 3 * n) * (1 + 0.03 * normal(&table)));
		set(&table, 1, 4e9 + n);
		add_row(&table);
	}
	annotation = build(&table);
	assert_growth(annotation, GROWTH_LINEAR);
	model = only_model(annotation);
	assert_int_equal(model->mean.n_terms, 2);
	at_middle =
		model->mean.terms[0].coefficient + model->mean.terms[1].coefficient * (4e9 + 2000);
	assert_float_equal(at_middle, 6005, 100);
	annotation_destroy(annotation);
	table_deinit(&table);
}

static void short_names_are_identifiers_and_unique(void **state)
{
	static const struct {
		const char *expression, *name;
	} cases[] = {
		{"this->_M_impl._M_node._M_size", "size"},
		{"strlen(zSql)", "len_zSql"},
		{"thd->m_query_string.len", "len"},
		{"*t", "t"},
		{"a->log", "a_log"},
		{"b->size", "b_size"},
		{"b.size", "size_2"},
		{"system.load", "load"},
		{"x[3]", "x"},
		{"return", "return_2"},
		{"int", "int_2"},
		{"\xc3\xa9", "x_2"},
		{"_1", "_1"},
		{"___", "x_3"},
		{"p->next != 0", "next"},
		{"defined(next)", "has_next"},
		{"items.size()", "items_size"},
		{"this->old.items.size()", "old_items_size"},
		{"items.front().title.length()", "title_length"},
		{"owner.get() != 0", "owner"},
		{"return.size()", "return_size"},
		{"this->length()", "length"},
		{"strlen(name.get())", "len_name"},
		{"v->_M_impl._M_finish - v->_M_impl._M_start", "finish_start"},
		{"rows * (columns - 1)", "rows_columns"},
		{"a[1] - a[0]", "a"},
		{"n - 1", "n"},
	};
	const char *taken[sizeof(cases) / sizeof(*cases)];
	struct arena *arena = arena_create();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		taken[i] = short_name(arena, cases[i].expression, taken, i);
		assert_string_equal(taken[i], cases[i].name);
	}
	arena_destroy(arena);
}

/* More values than conditions of other kinds may follow one another. */
static void each_of_seven_values_has_its_case(void **state)
{
	struct annotation *annotation;
	struct table table;
	int i;

	(void)state;
	table_init(&table, 11);
	add_feature(&table, "n", FEATURE_INT, 0);
	add_feature(&table, "kind", FEATURE_ENUM, 0);
	for (i = 0; i < 500; i++) {
		const double n = floor(uniform(&table, 10, 1000));
		const int kind = i % 7;

		set(&table, 1, n);
		set(&table, 2, kind);
		set(&table, 0, (10 + pow(1.6, kind) * n) * (1 + 0.04 * normal(&table)));
		add_row(&table);
	}
	annotation = build(&table);
	assert_int_equal(annotation->n_cases, 7);
	assert_reads_back(annotation);
	annotation_destroy(annotation);
	table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_rows_and_columns_does_not_matter),
		cmocka_unit_test(equivalent_features_are_named_as_a_programmer_would),
		cmocka_unit_test(only_what_is_affine_in_all_calls_gives_a_value),
		cmocka_unit_test(a_returned_value_takes_no_inputs_place),
		cmocka_unit_test(a_parameter_near_length_wins_over_accidents),
		cmocka_unit_test(rows_without_the_feature_are_left_out_and_counted),
		cmocka_unit_test(far_rows_are_left_out_and_counted),
		cmocka_unit_test(a_constant_tells_of_the_call_that_costs_most),
		cmocka_unit_test(a_constant_of_a_cost_that_varies_is_unexplained),
		cmocka_unit_test(many_far_rows_of_a_large_table_do_not_hide_the_law),
		cmocka_unit_test(a_rarely_present_feature_is_noted_not_used),
		cmocka_unit_test(features_that_never_varied_are_named_up_to_three),
		cmocka_unit_test(a_narrow_range_is_said_to_hide_the_growth),
		cmocka_unit_test(no_samples_give_no_cases_and_a_note),
		cmocka_unit_test(few_samples_give_a_constant_and_a_note),
		cmocka_unit_test(an_unchanging_metric_is_constant_without_deviation),
		cmocka_unit_test(extreme_values_do_no_harm),
		cmocka_unit_test(more_columns_than_rows_and_empty_columns_are_survived),
		cmocka_unit_test(what_is_rare_in_a_part_may_tell_the_cost_of_a_part_of_that),
		cmocka_unit_test(an_exact_law_is_found_exactly),
		cmocka_unit_test(a_formula_of_numbers_far_from_0_holds_as_it_is_printed),
		cmocka_unit_test(short_names_are_identifiers_and_unique),
		cmocka_unit_test(each_of_seven_values_has_its_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
