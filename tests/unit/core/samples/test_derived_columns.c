/* Derived columns: null-ness from absence, and empty cells of imported tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/samples/derived_columns.h"
#include "core/samples/pointer_chain.h"

/* "p, p->next": the pointers that @expression is read through; "?" if it is not understood. */
static void assert_chain(const char *expression, const char *expected)
{
	struct pointer_chain chain;
	char text[512] = "?";
	size_t length = 0;
	size_t i;

	if (pointer_chain_find(expression, &chain)) {
		text[0] = '\0';
		for (i = 0; i < chain.n; i++)
			length += snprintf(text + length, sizeof(text) - length, "%s%.*s",
					   i ? ", " : "", (int)chain.pointers[i].length,
					   chain.pointers[i].text);
		if (chain.self.length)
			length += snprintf(text + length, sizeof(text) - length, "; %.*s",
					   (int)chain.self.length, chain.self.text);
		if (!chain.complete)
			snprintf(text + length, sizeof(text) - length, "; and more");
	}
	assert_string_equal(text, expected);
}

static void an_expression_tells_the_pointers_on_its_way(void **state)
{
	(void)state;
	assert_chain("n", "");
	assert_chain("v.x[3][1].y", "");
	assert_chain("$rdi", "");
	assert_chain("system.call", "");
	assert_chain("*t", "t");
	assert_chain("**t", "t, *t");
	assert_chain("p->len", "p");
	assert_chain("p->a.b->c[2]", "p, p->a.b");
	assert_chain("(*p)->n", "p, *p");
	assert_chain("(*p).n", "p");
	assert_chain("(*rows)[3]", "rows");
	assert_chain("strlen(s)", "s");
	assert_chain("strlen(*p->names)", "p, p->names, *p->names");
	assert_chain("sum(p->v)", "p");
	assert_chain("$_creal(p->z)", "p");
	assert_chain("p->v[0] + p->v[1]", "p");
	assert_chain("p->end - p->begin", "p");
	assert_chain("p->next != 0", "p; p->next");
	assert_chain("'a->b.c'::list->n", "'a->b.c'::list");
	assert_chain("(anonymous namespace)::g->n", "(anonymous namespace)::g");
	assert_chain("ns::box<a::b<int> >::top->n", "ns::box<a::b<int> >::top");
	assert_chain("<parameter 2>->n", "<parameter 2>");
	assert_chain("n#2->x", "n#2");
	assert_chain("typeid(*shape)", "shape; and more");
	assert_chain("dynamic_cast<const Circle *>(shape)->radius",
		     "dynamic_cast<const Circle *>(shape); and more");
	assert_chain("", "?");
	assert_chain("p->", "?");
	assert_chain("p->a[", "?");
	assert_chain("a b", "?");
	assert_chain("max(p->a)", "?");
	assert_chain("'no end", "?");
	assert_chain("f<(", "?");
}

static void expressions_without_end_are_refused(void **state)
{
	char text[4096];

	(void)state;
	memset(text, '*', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_chain(text, "?");
	memset(text, '(', sizeof(text) - 1);
	assert_chain(text, "?");
}

static struct samples *table(void)
{
	return samples_create("f", "f", NULL, 0);
}

static void add_feature(struct samples *samples, const char *name, enum provenance provenance)
{
	const struct column column = {.name = name,
				      .role = COLUMN_FEATURE,
				      .type = FEATURE_INT,
				      .provenance = provenance,
				      .depth = 1};

	samples_add_column(samples, &column);
}

/*
 * Append a row: a letter a cell, '.' is absent for null, '-' not measured, '?' unreadable, else the
 * number.
 */
static void add_row(struct samples *samples, int64_t run, const char *cells)
{
	const struct sample_key key = {.id = samples->n_rows + 1, .run = run};
	struct value values[16];
	size_t i;

	for (i = 0; cells[i]; i++) {
		values[i] = (struct value){cells[i] - '0', PRESENT};
		if (cells[i] == '.')
			values[i] = (struct value){0, ABSENT_NULL};
		if (cells[i] == '-')
			values[i] = (struct value){0, ABSENT_NOT_MEASURED};
		if (cells[i] == '?')
			values[i] = (struct value){0, ABSENT_UNREADABLE};
	}
	assert_int_equal(i, samples->n_columns);
	samples_append(samples, &key, values);
}

/* The cells of the derived column @name from the first row on: '1', '0', or '-' for absent. */
static void assert_column(const struct samples *samples, const char *name, const char *expected)
{
	const size_t at = samples_find_column(samples, COLUMN_FEATURE, name);
	const struct column *column = &samples->columns[at];
	char text[64] = "";
	size_t row;

	assert_true(at < samples->n_columns);
	assert_int_equal(column->type, FEATURE_BOOL);
	assert_true(column->is_derived);
	for (row = 0; row < samples->n_rows; row++) {
		assert_true(column->absence[row] == PRESENT || column->numbers[row] == 0);
		text[row] = column->absence[row] == PRESENT ? '0' + (int)column->numbers[row] : '-';
	}
	assert_string_equal(text, expected);
}

static void assert_no_column(const struct samples *samples, const char *name)
{
	assert_int_equal(samples_find_column(samples, COLUMN_FEATURE, name), samples->n_columns);
}

static void what_could_not_be_read_for_null_tells_that_its_pointer_was_null(void **state)
{
	struct samples *samples = table();
	size_t at;

	(void)state;
	add_feature(samples, "p->len", FROM_PARAMETER);
	add_feature(samples, "*t", FROM_PARAMETER);
	add_feature(samples, "strlen(s)", FROM_PARAMETER);
	add_row(samples, 1, "112");
	add_row(samples, 1, ".12");
	add_row(samples, 1, "?1.");
	derived_columns_add(samples);
	assert_column(samples, "p != 0", "10-");
	assert_column(samples, "s != 0", "110");
	assert_no_column(samples, "t != 0");
	at = samples_find_column(samples, COLUMN_FEATURE, "p != 0");
	assert_int_equal(samples->columns[at].depth, 0);
	assert_int_equal(samples->columns[at].provenance, FROM_PARAMETER);
	assert_int_equal(samples->columns[at].absence[2], ABSENT_UNREADABLE);
	samples_destroy(samples);
}

static void the_shortest_pointer_that_says_it_is_the_only_one(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "p->next->len", FROM_PARAMETER);
	add_feature(samples, "p->len", FROM_PARAMETER);
	add_row(samples, 1, "11");
	add_row(samples, 1, "..");
	add_row(samples, 1, "11");
	derived_columns_add(samples);
	assert_column(samples, "p != 0", "101");
	assert_no_column(samples, "p->next != 0");
	samples_destroy(samples);
}

static void a_pointer_behind_another_is_known_where_that_was_not_null(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "p->next->len", FROM_PARAMETER);
	add_feature(samples, "p->len", FROM_PARAMETER);
	add_row(samples, 1, "11");
	add_row(samples, 1, "..");
	add_row(samples, 1, ".1");
	add_row(samples, 1, ".?");
	derived_columns_add(samples);
	assert_column(samples, "p != 0", "101-");
	assert_column(samples, "p->next != 0", "1-0-");
	samples_destroy(samples);
}

static void nothing_is_said_of_two_pointers_one_of_which_was_null(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "p->next->len", FROM_PARAMETER);
	add_row(samples, 1, "1");
	add_row(samples, 1, ".");
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 1);
	samples_destroy(samples);
}

static void what_the_table_says_itself_is_not_derived_and_helps(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "p != 0", FROM_PARAMETER);
	add_feature(samples, "p->next->len", FROM_PARAMETER);
	add_row(samples, 1, "11");
	add_row(samples, 1, "0.");
	add_row(samples, 1, "1.");
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 3);
	assert_column(samples, "p->next != 0", "1-0");
	samples_destroy(samples);
}

static void memory_of_a_thread_that_has_none_is_no_null_pointer(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "mine->len", FROM_GLOBAL);
	add_feature(samples, "mine->next->len", FROM_GLOBAL);
	add_row(samples, 1, "11");
	add_row(samples, 1, "..");
	add_row(samples, 1, "1.");
	derived_columns_add(samples);
	assert_no_column(samples, "mine != 0");
	assert_column(samples, "mine->next != 0", "1-0");
	samples_destroy(samples);
}

static void a_class_that_was_looked_up_may_be_what_was_null(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "typeid(*shape)", FROM_PARAMETER);
	add_row(samples, 1, "1");
	add_row(samples, 1, ".");
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 1);
	samples_destroy(samples);
}

static void cells_of_an_imported_table_are_defined_or_not(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "rows", FROM_IMPORT);
	add_feature(samples, "index", FROM_IMPORT);
	add_feature(samples, "index size", FROM_IMPORT);
	add_row(samples, 1, "111");
	add_row(samples, 1, "1--");
	add_row(samples, 2, "1--");
	add_row(samples, 2, "1--");
	derived_columns_add(samples);
	assert_column(samples, "defined(index)", "10--");
	assert_no_column(samples, "defined(index size)");
	assert_no_column(samples, "defined(rows)");
	samples_destroy(samples);
}

static void what_another_run_did_not_read_is_no_null(void **state)
{
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "p->len", FROM_PARAMETER);
	add_row(samples, 1, "1");
	add_row(samples, 2, "-");
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 1);
	samples_destroy(samples);
}

static void a_column_that_an_annotation_needs_may_be_the_same_in_all_rows(void **state)
{
	static const struct annotation_feature features[] = {{.expression = "p != 0"},
							     {.expression = "q != 0"},
							     {.expression = "size"},
							     {.expression = "defined(size)"},
							     {.expression = "defined(other)"}};
	const struct annotation annotation = {.features = features, .n_features = 5};
	struct samples *samples = table();

	(void)state;
	add_feature(samples, "p->len", FROM_PARAMETER);
	add_feature(samples, "size", FROM_IMPORT);
	add_row(samples, 1, "11");
	add_row(samples, 1, "?1");
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 2);
	derived_columns_add_for(samples, &annotation);
	assert_int_equal(samples->n_columns, 4);
	assert_column(samples, "p != 0", "1-");
	assert_column(samples, "defined(size)", "11");
	samples_destroy(samples);
}

static void deriving_again_adds_nothing_however_many_there_would_be(void **state)
{
	struct samples *samples = table();
	const struct sample_key key = {.id = 1};
	struct value values[200] = {{0, PRESENT}};
	char name[32];
	size_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), i < 100 ? "p%zu->n" : "n%zu", i);
		add_feature(samples, name, i < 100 ? FROM_PARAMETER : FROM_IMPORT);
	}
	samples_append(samples, &key, values);
	for (i = 0; i < 200; i++)
		values[i].absence = i < 100 ? ABSENT_NULL : ABSENT_NOT_MEASURED;
	samples_append(samples, &key, values);
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 200 + DERIVED_MAX);
	derived_columns_add(samples);
	assert_int_equal(samples->n_columns, 200 + DERIVED_MAX);
	samples_destroy(samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_expression_tells_the_pointers_on_its_way),
		cmocka_unit_test(expressions_without_end_are_refused),
		cmocka_unit_test(what_could_not_be_read_for_null_tells_that_its_pointer_was_null),
		cmocka_unit_test(the_shortest_pointer_that_says_it_is_the_only_one),
		cmocka_unit_test(a_pointer_behind_another_is_known_where_that_was_not_null),
		cmocka_unit_test(nothing_is_said_of_two_pointers_one_of_which_was_null),
		cmocka_unit_test(what_the_table_says_itself_is_not_derived_and_helps),
		cmocka_unit_test(memory_of_a_thread_that_has_none_is_no_null_pointer),
		cmocka_unit_test(a_class_that_was_looked_up_may_be_what_was_null),
		cmocka_unit_test(cells_of_an_imported_table_are_defined_or_not),
		cmocka_unit_test(what_another_run_did_not_read_is_no_null),
		cmocka_unit_test(a_column_that_an_annotation_needs_may_be_the_same_in_all_rows),
		cmocka_unit_test(deriving_again_adds_nothing_however_many_there_would_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
