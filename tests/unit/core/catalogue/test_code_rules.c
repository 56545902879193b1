/* Which functions rules leave out, and which differ between two builds, as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/catalogue/code_learn.h"
#include "core/catalogue/code_rules.h"

/*
 * Functions of one letter, with these hashes; edges such as "ab"; 'L' loops, 'I' calls a library, 'P'
 * calls by a pointer.
 */
static struct code_graph *graph_of(const char *names, const char *hashes, const char *const *edges)
{
	struct code_graph *graph = code_graph_create();
	size_t import;

	for (size_t i = 0; names[i]; i++) {
		const char *name = arena_printf(graph->arena, "%c", names[i]);
		const struct code_node node = {.name = name,
					       .linkage = name,
					       .addr = 16 * (i + 1),
					       .size = 16,
					       .hash = (uint64_t)hashes[i],
					       .is_entry = i == 0,
					       .loops = names[i] == 'L',
					       .calls_unknown = names[i] == 'P'};

		code_graph_add(graph, &node);
	}
	import = code_graph_add(
		graph,
		&(struct code_node){.kind = CODE_IMPORT, .name = "memcpy", .linkage = "memcpy"});
	for (; *edges; edges++)
		code_graph_link(graph, (size_t)(strchr(names, (*edges)[0]) - names),
				(size_t)(strchr(names, (*edges)[1]) - names), CODE_CALL);
	if (strchr(names, 'I'))
		code_graph_link(graph, (size_t)(strchr(names, 'I') - names), import, CODE_CALL);
	code_graph_finish(graph);
	return graph;
}

/* The names that @rules leave out. */
static void assert_left_out(const struct code_graph *graph, const char *text,
			    const struct code_changes *changes, const char *names)
{
	const char *reasons[16] = {0};
	struct code_rules rules;
	char found[16] = "";
	struct err err;

	assert_true(code_rules_parse(text, graph->arena, &rules, &err));
	code_rules_apply(&rules, graph, changes, graph->arena, reasons);
	for (size_t i = 0, n = 0; i < graph->n_functions; i++)
		if (reasons[i])
			found[n++] = *graph->nodes[i].name;
	assert_string_equal(found, names);
}

static void rules_leave_out_what_they_say(void **state)
{
	static const char *const edges[] = {"ma", "ab", "bc", "cd", "aL", "aI",
					    "rr", "ar", "La", "aP", NULL};
	struct code_graph *graph = graph_of("mabcdLIrPx", "123456789A", edges);

	(void)state;
	assert_left_out(graph, "all", NULL, "");
	assert_left_out(graph, "reachable", NULL, "x");
	assert_left_out(graph, "trim=2", NULL, "bcdLIrPx");
	/* d, c and b have no loop; L has, who calls a library or by a pointer may; r is recursive */
	assert_left_out(graph, "constant", NULL, "bcdx");
	/* Of the chain's end, two functions; main and level 1 stay, and what is in a circle. */
	assert_left_out(graph, "prune=2", NULL, "cdIP");
	assert_left_out(graph, "constant,reachable", NULL, "bcdx");
	code_graph_destroy(graph);
}

static void assert_refused(const char *text, const char *part)
{
	struct arena *arena = arena_create();
	struct code_rules rules;
	struct err err;

	assert_false(code_rules_parse(text, arena, &rules, &err));
	assert_non_null(strstr(err.text, part));
	assert_null(strchr(err.text, '\n'));
	arena_destroy(arena);
}

static void wrong_rules_are_refused(void **state)
{
	(void)state;
	assert_refused("bogus", "reachable");
	assert_refused("", "reachable");
	assert_refused("hot,", "reachable");
	assert_refused("trim", "trim=N");
	assert_refused("trim=", "trim=N");
	assert_refused("trim=0", "whole number");
	assert_refused("trim=1.5", "whole number");
	assert_refused("trim=nan", "whole number");
	assert_refused("trim=200%", "whole number");
	assert_refused("hot=3", "hot alone");
	assert_refused("changed", "changed=OLD");
	assert_refused(
		"all,all,all,all,all,all,all,all,all,all,all,all,all,all,all,all,all,all,all,"
		"all,all,all,all,all,all,all,all,all,all,all,all,all,all",
		"too many");
}

static void what_changed_is_never_left_out(void **state)
{
	static const char *const edges[] = {"ma", "mb", "bc", NULL};
	struct code_graph *old = graph_of("mabc", "1234", edges);
	struct code_graph *new = graph_of("mabc", "1235", edges);
	struct code_changes changes;
	struct err err;

	(void)state;
	assert_true(code_change_find(old, new, new->arena, &changes, &err));
	assert_int_equal(changes.n_changed, 1);
	assert_left_out(new, "trim=1", NULL, "abc");
	assert_left_out(new, "trim=1,changed=old", &changes, "ab");
	/* Alone, it chooses: what changed, and its callers. */
	assert_left_out(new, "changed=old", &changes, "ma");
	code_graph_destroy(old);
	code_graph_destroy(new);
}

static void functions_are_matched_by_name_then_by_code(void **state)
{
	static const char *const none[] = {NULL};
	/* b becomes x, and c goes; of the two of one name, one changed; y is new. */
	struct code_graph *old = graph_of("msabc", "12345", none);
	struct code_graph *new = graph_of("msaxy", "12349", none);
	struct code_graph *other = graph_of("pqrtuvwz", "12345678", none);
	struct code_changes changes;
	struct err err;

	(void)state;
	assert_true(code_change_find(old, new, new->arena, &changes, &err));
	assert_int_equal(changes.of[2], CODE_SAME);
	assert_int_equal(changes.of[3], CODE_RENAMED);
	assert_int_equal(changes.old[3], 3);
	assert_int_equal(changes.of[4], CODE_NEW);
	assert_int_equal(changes.n_gone, 1);
	assert_false(code_change_find(other, new, new->arena, &changes, &err));
	assert_int_equal(err.code, ERR_USAGE);
	code_graph_destroy(old);
	code_graph_destroy(new);
	code_graph_destroy(other);
}

static void namesakes_with_equal_code_are_the_same(void **state)
{
	static const char *const none[] = {NULL};
	struct code_graph *old = graph_of("mss", "123", none);
	struct code_graph *new = graph_of("mss", "134", none);
	struct code_changes changes;
	struct err err;

	(void)state;
	assert_true(code_change_find(old, new, new->arena, &changes, &err));
	assert_int_equal(changes.of[1], CODE_SAME);
	assert_int_equal(changes.old[1], 2);
	assert_int_equal(changes.of[2], CODE_CHANGED);
	assert_int_equal(changes.old[2], 1);
	code_graph_destroy(old);
	code_graph_destroy(new);
}

/* How many of 1,000 seeds leave out function 1. */
static size_t learned_of(const struct code_graph *graph, struct learned one, struct learned caller)
{
	const struct learned both[] = {caller, one};
	size_t n = 0;

	for (uint64_t seed = 1; seed <= 1000; seed++) {
		const char *reasons[8] = {0};

		code_learn_apply(graph, both, 2, seed << 20, graph->arena, reasons);
		n += reasons[1] != NULL;
	}
	return n;
}

static void what_was_learned_is_left_out_but_for_a_twentieth(void **state)
{
	struct code_graph *graph = graph_of("mab", "123", (const char *[]){"ma", NULL});
	const struct learned caller = {0, 500, 400, 1000, 900, 0};

	(void)state;
	/* 950 are expected of 1,000, with a deviation of 7. */
	assert_in_range(learned_of(graph, (struct learned){1, 900, 400, 100, 4, 0}, caller), 915,
			985);
	assert_int_equal(learned_of(graph, (struct learned){1, 900, 400, 100, 6, 0}, caller), 0);
	assert_int_equal(learned_of(graph, (struct learned){1, 20, 20, 100, 4, 0}, caller), 0);
	/* How often it is called is no reason: calls beyond the budget are only counted. */
	assert_in_range(learned_of(graph, (struct learned){1, 20000, 5000, 100, 4, 0}, caller), 915,
			985);
	assert_int_equal(learned_of(graph, (struct learned){1, 20000, 5000, 100, 6, 0}, caller), 0);
	assert_int_equal(learned_of(graph, (struct learned){1, 1000001, 5000, 100, 6, 0}, caller),
			 0);
	assert_in_range(learned_of(graph, (struct learned){1, 900, 400, 10, 9, 10}, caller), 915,
			985);
	/* It costs 80 % of its only caller, which calls nothing else, as often. */
	assert_in_range(learned_of(graph, (struct learned){1, 500, 400, 800, 700, 0}, caller), 915,
			985);
	assert_int_equal(learned_of(graph, (struct learned){1, 500, 400, 790, 700, 0}, caller), 0);
	assert_int_equal(learned_of(graph, (struct learned){1, 501, 400, 800, 700, 0}, caller), 0);
	code_graph_destroy(graph);
	graph = graph_of("mab", "123", (const char *[]){"ma", "ba", NULL});
	assert_int_equal(learned_of(graph, (struct learned){1, 500, 400, 800, 700, 0}, caller), 0);
	code_graph_destroy(graph);
}

/* 1 - 0.95^20 = 64.2 % of 1,000 functions that are left out, with a deviation of 15. */
static void what_is_left_out_is_measured_again_within_twenty_runs_in_64_of_100(void **state)
{
	struct code_graph *graph = graph_of("m", "1", (const char *[]){NULL});
	const struct learned constant = {0, 900, 400, 100, 4, 0};
	size_t n = 0;

	(void)state;
	for (uint64_t first = 1; first <= 1000; first++) {
		bool is_measured = false;

		for (uint64_t run = 0; run < 20; run++) {
			const char *reasons[2] = {0};

			code_learn_apply(graph, &constant, 1, (20 * first + run) << 20,
					 graph->arena, reasons);
			is_measured |= !reasons[0];
		}
		n += is_measured;
	}
	assert_in_range(n, 642 - 60, 642 + 60);
	code_graph_destroy(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_leave_out_what_they_say),
		cmocka_unit_test(wrong_rules_are_refused),
		cmocka_unit_test(what_changed_is_never_left_out),
		cmocka_unit_test(functions_are_matched_by_name_then_by_code),
		cmocka_unit_test(namesakes_with_equal_code_are_the_same),
		cmocka_unit_test(what_was_learned_is_left_out_but_for_a_twentieth),
		cmocka_unit_test(
			what_is_left_out_is_measured_again_within_twenty_runs_in_64_of_100),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
