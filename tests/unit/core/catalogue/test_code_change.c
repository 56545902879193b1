/* Which functions are another's, by name, code and surroundings; code that is the same in colour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/catalogue/code_change.h"
#include "core/catalogue/code_colour.h"

/* Functions "a1": name and code; calls "ab". */
static struct code_graph *graph_of(const char *const *functions, const char *const *calls)
{
	struct code_graph *graph = code_graph_create();

	for (size_t i = 0; functions[i]; i++) {
		const char *name = arena_printf(graph->arena, "%c", functions[i][0]);

		code_graph_add(graph, &(struct code_node){.name = name,
							  .linkage = name,
							  .addr = 16 * (i + 1),
							  .size = 16,
							  .hash = (uint64_t)functions[i][1]});
	}
	for (size_t i = 0; calls[i]; i++) {
		size_t ends[2];

		for (size_t k = 0; k < 2; k++)
			for (ends[k] = 0; functions[ends[k]][0] != calls[i][k];)
				ends[k]++;
		code_graph_link(graph, ends[0], ends[1], CODE_CALL);
	}
	code_graph_finish(graph);
	return graph;
}

static void a_function_with_another_name_and_code_is_known_by_its_callers_and_callees(void **state)
{
	struct code_graph *old = graph_of((const char *[]){"m1", "a2", "b3", "c4", "d5", NULL},
					  (const char *[]){"ma", "ab", "bc", "md", NULL});
	/* b is x with other code, and c is y; d is one of two with the same surroundings. */
	struct code_graph *new =
		graph_of((const char *[]){"m1", "a2", "x6", "y7", "d5", "e8", NULL},
			 (const char *[]){"ma", "ax", "xy", "md", "me", NULL});
	struct arena *arena = arena_create();
	struct code_changes changes;
	struct err err;

	(void)state;
	assert_true(code_change_find(old, new, arena, &changes, &err));
	assert_int_equal(changes.of[2], CODE_CHANGED);
	assert_int_equal(changes.old[2], 2);
	assert_int_equal(changes.old[3], 3);
	assert_int_equal(changes.of[5], CODE_NEW);
	assert_int_equal(changes.n_changed, 2);
	assert_int_equal(changes.n_gone, 0);
	arena_destroy(arena);
	code_graph_destroy(old);
	code_graph_destroy(new);
}

static void functions_with_the_same_surroundings_are_new_and_gone(void **state)
{
	struct code_graph *old = graph_of((const char *[]){"m1", "a2", "b3", NULL},
					  (const char *[]){"ma", "mb", NULL});
	struct code_graph *new = graph_of((const char *[]){"m1", "x4", "y5", NULL},
					  (const char *[]){"mx", "my", NULL});
	struct arena *arena = arena_create();
	struct code_changes changes;
	struct err err;

	(void)state;
	assert_true(code_change_find(old, new, arena, &changes, &err));
	assert_int_equal(changes.n_new, 2);
	assert_int_equal(changes.n_gone, 2);
	arena_destroy(arena);
	code_graph_destroy(old);
	code_graph_destroy(new);
}

/* Each: what it does, its block, two registers. */
static uint64_t colour_of(const char *const *words)
{
	struct colour_item items[8];
	size_t n = 0;

	for (; words[n]; n++)
		items[n] =
			(struct colour_item){.hash = (uint64_t)words[n][0],
					     .block = (size_t)words[n][1],
					     .uses = {(uint16_t)words[n][2], (uint16_t)words[n][3]},
					     .n_uses = 2};
	return code_colour_hash(items, n);
}

static void registers_and_the_order_in_a_block_make_no_other_colour(void **state)
{
	const uint64_t code = colour_of((const char *[]){"m0ab", "+0bc", "*1ca", NULL});

	(void)state;
	assert_true(code == colour_of((const char *[]){"m0xy", "+0yz", "*1zx", NULL}));
	assert_true(code == colour_of((const char *[]){"+0bc", "m0ab", "*1ca", NULL}));
	/* One register stands for two, an operand is another, it is in another block, another code. */
	assert_false(code == colour_of((const char *[]){"m0ab", "+0ba", "*1aa", NULL}));
	assert_false(code == colour_of((const char *[]){"m0ab", "+0cb", "*1ca", NULL}));
	assert_false(code == colour_of((const char *[]){"m0ab", "+1bc", "*1ca", NULL}));
	assert_false(code == colour_of((const char *[]){"m0ab", "-0bc", "*1ca", NULL}));
	assert_false(code == colour_of((const char *[]){"m0ab", "+0bc", NULL}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_function_with_another_name_and_code_is_known_by_its_callers_and_callees),
		cmocka_unit_test(functions_with_the_same_surroundings_are_new_and_gone),
		cmocka_unit_test(registers_and_the_order_in_a_block_make_no_other_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
