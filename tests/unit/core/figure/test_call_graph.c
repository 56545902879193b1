/* Who calls whom: parts of time by caller, self times, trees that end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/figure/call_graph.h"
#include "numbers.h"

/* A function with a call for each of @callers (NULL: none; "?": one that is not kept). */
static void add(struct call_graph_maker *maker, const char *name, double total_us, double share,
		const char *const *callers, const double *times, size_t n)
{
	const struct column time = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};
	struct samples *samples = samples_create(name, NULL, NULL, 0);
	const char *known[8] = {0};

	samples_add_column(samples, &time);
	for (size_t i = 0; i < n; i++) {
		const struct sample_key key = {.id = (int64_t)i + 1, .parent = callers[i] ? 9 : 0};

		samples_append(samples, &key, &(struct value){times[i], PRESENT});
		known[i] = callers[i] && *callers[i] != '?' ? callers[i] : NULL;
	}
	samples->n_calls = n;
	samples->callers = known;
	call_graph_add(maker, samples, total_us, share);
	samples->callers = NULL;
	samples_destroy(samples);
}

static void time_goes_to_callees_by_their_callers(void **state)
{
	struct call_graph_maker *maker = call_graph_begin();
	struct arena *arena = arena_create();
	struct call_graph *graph;
	struct call_step *steps;

	(void)state;
	add(maker, "top", 100, 0.5, (const char *const[]){NULL}, (double[]){100}, 1);
	/* A quarter by top, three by itself alone; the unknown one says nothing. */
	add(maker, "leaf", 80, 0.4, (const char *const[]){"top", NULL, "?"},
	    (double[]){10, 30, 1000}, 3);
	graph = call_graph_end(maker);
	assert_near(graph->nodes[0].self_us, 80, 1e-9);
	assert_near(graph->nodes[1].self_us, 80, 1e-9);
	assert_int_equal(
		call_graph_tree(graph, CALL_GRAPH_NONE, CALL_GRAPH_CALLEES, 10, arena, &steps), 3);
	assert_int_equal(steps[0].node, 0);
	assert_near(steps[0].share, 0.5, 1e-9);
	assert_int_equal(steps[1].depth, 1);
	assert_near(steps[1].share, 0.1, 1e-9);
	assert_int_equal(steps[2].depth, 0);
	assert_near(steps[2].share, 0.3, 1e-9);
	assert_int_equal(call_graph_tree(graph, 1, CALL_GRAPH_CALLERS, 10, arena, &steps), 2);
	assert_int_equal(steps[1].node, 0);
	assert_near(steps[1].part, 0.25, 1e-9);
	arena_destroy(arena);
	call_graph_destroy(graph);
}

static void circles_end(void **state)
{
	struct call_graph_maker *maker = call_graph_begin();
	struct arena *arena = arena_create();
	struct call_graph *graph;
	struct call_step *steps;
	size_t n;

	(void)state;
	add(maker, "a", 100, 1, (const char *const[]){NULL, "b", "a"}, (double[]){50, 40, 10}, 3);
	/* More than all of a: what a does itself cannot be told. */
	add(maker, "b", 101, 0.9, (const char *const[]){"a"}, (double[]){90}, 1);
	graph = call_graph_end(maker);
	n = call_graph_tree(graph, 0, CALL_GRAPH_CALLEES, 100, arena, &steps);
	assert_true(isnan(graph->nodes[0].self_us));
	assert_true(n >= 3 && n < 100);
	assert_true(steps[n - 1].is_repeated);
	assert_int_equal(call_graph_tree(graph, 0, CALL_GRAPH_CALLEES, 2, arena, &steps), 2);
	assert_int_equal(call_graph_find(graph, "c"), CALL_GRAPH_NONE);
	arena_destroy(arena);
	call_graph_destroy(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_goes_to_callees_by_their_callers),
		cmocka_unit_test(circles_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
