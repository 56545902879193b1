/* The table of containers: what a text says, which rows a type has, and what is wrong where. */
#include "dwarf/written/container_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NO_ROW "none of WORD = EXPRESSION, check EXPRESSION, text EXPRESSION"

static const struct container_kind *must_find(const struct container_table *table, const char *name)
{
	const struct container_kind *kind = container_table_find(table, name, NULL);

	if (!kind)
		fail_msg("%s has no rows", name);
	return kind;
}

static void types_are_found_by_their_patterns(void **state)
{
	struct container_table *table = container_table_create();

	(void)state;
	assert_string_equal(must_find(table, "std::vector<int>")->rows[1].word, "size()");
	assert_int_not_equal(must_find(table, "std::vector<bool>"),
			     must_find(table, "std::vector<int>"));
	assert_non_null(must_find(table, "absl::lts_20230802::flat_hash_map<int, int>"));
	assert_null(container_table_find(table, "my::std::vector<int>", NULL));
	assert_null(container_table_find(table, "std::vector", NULL));
	container_table_destroy(table);
}

static void rows_of_users_come_first(void **state)
{
	struct container_table *table = container_table_create();
	const struct container_kind *kind;
	struct err err;

	(void)state;
	assert_true(container_table_add(table,
					"# mine\nA<*>\nstd::vector<*>\n"
					"  check a <= b\n  size() = b - a # of it\n"
					"\tfront() : *a if a != b\n\n  len : n\n",
					"mine", &err));
	kind = must_find(table, "std::vector<A>");
	assert_int_equal(kind, must_find(table, "A<int>"));
	assert_int_equal(kind->n_rows, 4);
	assert_null(kind->rows[0].word);
	assert_true(kind->rows[1].role == CONTAINER_COUNT && !kind->rows[1].guard);
	assert_string_equal(kind->rows[1].text, "b - a");
	assert_true(kind->rows[2].role == CONTAINER_VALUE && kind->rows[2].guard);
	assert_string_equal(kind->rows[3].word, "len");
	assert_non_null(container_table_find(table, "std::vector<A>", kind));
	container_table_destroy(table);
}

static void what_is_wrong_has_its_line_and_changes_nothing(void **state)
{
	static const char *const texts[][2] = {
		{"\tsize() = n", "x, line 1: the name of a type is missing before this row"},
		{"vec\n\tsize() = n\nlist\n",
		 "x: the last type in it, list, has no rows: see fathom(1)"},
		{"A\n\tsize() = n +", "x, line 2: an operand is missing"},
		{"A\n\n\tsize()", "x, line 3: " NO_ROW},
		{"A\n\t= n", "x, line 2: " NO_ROW},
		{"A\n\tn = a if", "x, line 2: an operator is missing at 'if'"},
		{"A\n\t[$] : a{->n", "x, line 2: a { is not closed, or it is too long"},
		{"A\n\t[$] : a + ", "x, line 2: an operand is missing"},
		{"A\n\tcheck", "x, line 2: " NO_ROW},
	};
	struct container_table *table = container_table_create();
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_false(container_table_add(table, texts[i][0], "x", &err));
		assert_string_equal(err.text, texts[i][1]);
	}
	assert_null(container_table_find(table, "A", NULL));
	container_table_destroy(table);
}

static void rows_of_elements_are_written_for_each(void **state)
{
	struct container_table *table = container_table_create();
	const struct container_kind *kind;
	struct arena *arena = arena_create();
	struct container_row row;
	struct err err;

	(void)state;
	assert_true(container_table_add(
		table,
		"L<*>\n\ttext at\n\tn() = n\n"
		"\t[$] : *(<0> *)(head{->next} + 1) if $ < n()\n\t[-1] : *last\n",
		"mine", &err));
	kind = must_find(table, "L<A>");
	assert_int_equal(kind->rows[0].role, CONTAINER_TEXT);
	assert_null(kind->rows[0].word);
	assert_int_equal(kind->rows[2].role, CONTAINER_ELEMENT);
	assert_string_equal(kind->rows[3].word, "[-1]");
	assert_true(container_table_element(&kind->rows[2], 2, arena, &row));
	assert_string_equal(row.word, "[2]");
	assert_string_equal(row.text, "*(<0> *)(head->next->next + 1)");
	assert_non_null(row.guard);
	assert_false(container_table_element(&kind->rows[2], 1000000, arena, &row));
	arena_destroy(arena);
	container_table_destroy(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_found_by_their_patterns),
		cmocka_unit_test(rows_of_users_come_first),
		cmocka_unit_test(rows_of_elements_are_written_for_each),
		cmocka_unit_test(what_is_wrong_has_its_line_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
