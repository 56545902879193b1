/* Levels and trees of call graphs, as data: whatever the order of the edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/catalogue/code_seen.h"

/* Functions of one letter each, the first the entry: "ab" is a call of b by a, "a&b" a reference. */
static struct code_graph *graph_of(const char *names, const char *const *edges, bool backwards)
{
	struct code_graph *graph = code_graph_create();
	size_t n = 0;

	for (size_t i = 0; names[i]; i++) {
		const char *name = i ? arena_printf(graph->arena, "%c", names[i]) : "main";
		const struct code_node node = {.name = name,
					       .linkage = name,
					       .addr = 16 * (i + 1),
					       .size = 16,
					       .is_entry = i == 0};

		code_graph_add(graph, &node);
	}
	while (edges[n])
		n++;
	for (size_t i = 0; i < n; i++) {
		const char *edge = edges[backwards ? n - 1 - i : i];

		code_graph_link(graph, (size_t)(strchr(names, edge[0]) - names),
				(size_t)(strchr(names, edge[strlen(edge) - 1]) - names),
				edge[1] == '&' ? CODE_REFERENCE : CODE_CALL);
	}
	code_graph_finish(graph);
	return graph;
}

/* @levels: a digit each, '-' for none. */
static void assert_levels(const char *names, const char *const *edges, const char *levels)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		struct code_graph *graph = graph_of(names, edges, backwards);
		char found[16] = "";

		for (size_t i = 0; i < graph->n; i++)
			found[i] = graph->nodes[i].level == CODE_NO_LEVEL
					   ? '-'
					   : (char)('0' + graph->nodes[i].level);
		assert_string_equal(found, levels);
		code_graph_destroy(graph);
	}
}

static void levels_are_the_longest_ways(void **state)
{
	(void)state;
	assert_levels("mabc", (const char *[]){"ma", "mb", "ac", "bc", NULL}, "0112");
	assert_levels("mabc", (const char *[]){"ma", "mc", "ab", "bc", NULL}, "0123");
	assert_levels("mab", (const char *[]){"ma", NULL}, "01-");
	assert_levels("mab", (const char *[]){"m&a", "ab", NULL}, "012");
}

static void circles_are_entered_where_they_are_nearest(void **state)
{
	(void)state;
	assert_levels("mabc", (const char *[]){"ma", "ab", "bc", "ca", NULL}, "0123");
	assert_levels("ma", (const char *[]){"ma", "aa", "mm", NULL}, "01");
	/* Two in a row. */
	assert_levels("mabcd", (const char *[]){"ma", "ab", "ba", "bc", "cd", "dc", NULL}, "01234");
}

static void trees_follow_each_function_once_and_end(void **state)
{
	static const char *const edges[] = {"ma", "mb", "ac", "bc", "cm", NULL};
	struct code_graph *graph = graph_of("mabc", edges, false);
	struct arena *arena = arena_create();
	struct code_step *steps;
	size_t n = code_graph_tree(graph, 0, CODE_CALLEES, 9, arena, &steps);

	(void)state;
	/* main, a, c, main again, b, c again */
	assert_int_equal(n, 6);
	assert_true(steps[3].is_repeated && steps[3].node == 0 && steps[3].depth == 3);
	assert_true(steps[5].is_repeated && steps[5].node == 3);
	n = code_graph_tree(graph, 3, CODE_CALLERS, 1, arena, &steps);
	assert_int_equal(n, 3);
	assert_int_equal(steps[1].n_cut, 1);
	assert_int_equal(code_graph_at(graph, 32), 1);
	assert_int_equal(code_graph_at(graph, 33), CODE_NONE);
	arena_destroy(arena);
	code_graph_destroy(graph);
}

/* m calls a, which calls b by a pointer; b calls x, which was not measured, and x calls c. */
static void what_was_seen_is_an_edge_where_the_code_has_no_way(void **state)
{
	struct code_graph *graph =
		graph_of("mabcx", (const char *[]){"ma", "bx", "xc", NULL}, false);
	struct code_seen *seen = code_seen_begin(graph);
	size_t n = 0;

	(void)state;
	assert_int_equal(graph->nodes[2].level, CODE_NO_LEVEL);
	assert_int_equal(code_seen_find(seen, "c"), 3);
	assert_int_equal(code_seen_find(seen, "z"), CODE_NONE);
	for (size_t i = 1; i < 4; i++)
		code_seen_take(seen, i, graph->nodes[i].name, 10 * i, 0.5);
	code_seen_call(seen, "a", 2);
	code_seen_call(seen, "a", 2);
	code_seen_call(seen, "b", 3);
	code_seen_call(seen, "z", 3);
	code_seen_end(seen);
	for (size_t i = 0; i < graph->n_edges; i++)
		n += graph->callees[i].kind == CODE_SEEN;
	assert_int_equal(n, 1);
	assert_int_equal(graph->n_edges, 4);
	assert_int_equal(graph->callees[graph->first_callee[1]].kind, CODE_SEEN);
	assert_int_equal(graph->nodes[2].level, 2);
	assert_int_equal(graph->nodes[3].level, 4);
	assert_int_equal(graph->nodes[3].calls, 30);
	code_graph_destroy(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_the_longest_ways),
		cmocka_unit_test(circles_are_entered_where_they_are_nearest),
		cmocka_unit_test(what_was_seen_is_an_edge_where_the_code_has_no_way),
		cmocka_unit_test(trees_follow_each_function_once_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
