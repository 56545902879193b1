/*
 * Calls that a busy machine slows down are neighbours of each other: their costs are one model with
 * its spread. The same costs without order are modes.
 */
#include "model_table.h"

enum { ROWS = 300, SPELL = 20 /* calls on average */, TABLES = 20 };

#define SLOW 0.3 /* part of the calls */

struct course {
	double times; /* what slow calls cost, of others */
	double per_n; /* beside 100; 0: constant */
	bool in_order;
	double waited; /* part of the slow calls that waited for a processor; a tenth of others */
};

static void add_waited(struct table *table, bool waited)
{
	const struct sample_key key = {.id = table->samples->n_rows + 1,
				       .run = table->run,
				       .waited_ns = waited ? 1000000 : 0};

	samples_append(table->samples, &key, table->cells);
}

/* Fill @table by the course, whose slow calls come in spells or by chance. */
static void fill(struct table *table, const struct course *course, long seed)
{
	bool slow = false;

	table_init(table, seed);
	add_feature(table, "n", FEATURE_INT, 0);
	for (size_t i = 0; i < ROWS; i++) {
		const double n = floor(uniform(table, 0, 1000));
		const double usual = (100 + course->per_n * n) * (1 + 0.03 * normal(table));

		if (!course->in_order || uniform(table, 0, 1) < 1.0 / SPELL)
			slow = uniform(table, 0, 1) < SLOW;
		set(table, 0, slow ? usual * course->times : usual);
		set(table, 1, n);
		add_waited(table, uniform(table, 0, 1) < (slow ? course->waited : 0.1));
	}
}

/* One model, or a main trend and what stands beside it. */
static bool is_single(const struct annotation *annotation)
{
	const struct annotation_case *only = &annotation->cases[0];

	return annotation->n_cases == 1 &&
	       (only->n_models == 1 || only->models[0].heuristic == HEURISTIC_TREND);
}

/* Of how many tables the annotation tells no modes; @ret_told: how often it says spells. */
static unsigned count_single(const struct course *course, unsigned *ret_told)
{
	unsigned single = 0;

	*ret_told = 0;
	for (long seed = 1; seed <= TABLES; seed++) {
		struct annotation *annotation;
		struct table table;

		fill(&table, course, seed);
		annotation = build(&table);
		single += is_single(annotation);
		*ret_told += has_note(annotation, "Neighbouring calls cost alike");
		annotation_destroy(annotation);
		table_deinit(&table);
	}
	return single;
}

static void spells_of_a_constant_are_its_spread(void **state)
{
	const struct course course = {.times = 1.4, .in_order = true};
	unsigned told;

	(void)state;
	assert_in_range(count_single(&course, &told), TABLES - 1, TABLES);
	assert_in_range(told, TABLES - 2, TABLES); /* some tables have next to no slow calls */
}

static void spells_of_a_formula_are_its_spread(void **state)
{
	const struct course course = {.times = 1.4, .per_n = 1, .in_order = true};
	unsigned told;

	(void)state;
	assert_in_range(count_single(&course, &told), TABLES - 2, TABLES);
	assert_in_range(told, TABLES / 2, TABLES);
}

static void modes_without_order_stay(void **state)
{
	const struct course constant = {.times = 1.4}, line = {.times = 1.4, .per_n = 1};
	unsigned told;

	(void)state;
	assert_int_equal(count_single(&constant, &told), 0);
	assert_int_equal(told, 0);
	assert_int_equal(count_single(&line, &told), 0);
	assert_int_equal(told, 0);
}

static void what_no_neighbour_can_do_stays(void **state)
{
	const struct course course = {.times = 3, .in_order = true};
	unsigned told;

	(void)state;
	assert_in_range(count_single(&course, &told), 0, 2); /* those without slow calls */
	assert_int_equal(told, 0);
}

/* Who waited has lost more than that; but what takes twice as long waits more often, too. */
static void those_that_waited_are_no_mode(void **state)
{
	const struct course all = {.times = 1.4, .waited = 1}, half = {.times = 1.4, .waited = 0.5};
	unsigned told;

	(void)state;
	assert_in_range(count_single(&all, &told), TABLES - 1, TABLES);
	assert_int_equal(told, 0);
	assert_int_equal(count_single(&half, &told), 0);
}

/* Calls whose times come by chance, a part of them as a shoulder of the others. */
static void a_shoulder_is_no_mode(void **state)
{
	(void)state;
	for (long seed = 1; seed <= TABLES; seed++) {
		struct annotation *annotation;
		struct table table;

		table_init(&table, seed);
		add_feature(&table, "n", FEATURE_INT, 0);
		for (size_t i = 0; i < ROWS; i++) {
			const bool beside = uniform(&table, 0, 1) < SLOW;

			set(&table, 0,
			    beside ? 103 + 2 * normal(&table) : 100 + 0.3 * normal(&table));
			set(&table, 1, floor(uniform(&table, 0, 1000)));
			add_row(&table);
		}
		annotation = build(&table);
		assert_true(is_single(annotation));
		annotation_destroy(annotation);
		table_deinit(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spells_of_a_constant_are_its_spread),
		cmocka_unit_test(spells_of_a_formula_are_its_spread),
		cmocka_unit_test(modes_without_order_stay),
		cmocka_unit_test(what_no_neighbour_can_do_stays),
		cmocka_unit_test(those_that_waited_are_no_mode),
		cmocka_unit_test(a_shoulder_is_no_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
