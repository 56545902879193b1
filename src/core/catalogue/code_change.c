/* Functions of both builds are sorted by name, then by code, and gone through side by side. */
#include "code_change.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One in so many names of the smaller one is in both. */
enum { SHARED_PART = 5 };

bool code_change_is_helper(const char *linkage)
{
	static const char *const names[] = {"_init",
					    "_fini",
					    "_start",
					    "frame_dummy",
					    "register_tm_clones",
					    "deregister_tm_clones",
					    "_dl_relocate_static_pie",
					    "call_weak_fn",
					    "main"};
	static const char *const beginnings[] = {"__do_global_", "__libc_csu_",   "_GLOBAL__",
						 "__x86.",       "__cxx_global_", "__asan_",
						 "__ubsan_",     "__gcov_",       "__sanitizer_"};

	/* main is the programmer's own, but says nothing of which program it is. */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(linkage, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (!strncmp(linkage, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

struct side_function {
	const struct code_node *node;
	size_t index;
};

static int name_order(const void *a, const void *b)
{
	const struct side_function *x = a, *y = b;

	return strcmp(x->node->linkage, y->node->linkage);
}

static int body_order(const void *a, const void *b)
{
	const struct code_node *x = ((const struct side_function *)a)->node,
			       *y = ((const struct side_function *)b)->node;

	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1)
				  : (x->addr > y->addr) - (x->addr < y->addr);
}

static int whole_order(const void *a, const void *b)
{
	const int names = name_order(a, b);

	return names ? names : body_order(a, b);
}

static struct side_function *side_sort(const struct code_graph *graph, const size_t *taken,
				       int (*order)(const void *, const void *), size_t *ret_n)
{
	struct side_function *list = mem_alloc((graph->n_functions + 1) * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < graph->n_functions; i++)
		if (!taken || taken[i] == CODE_NONE)
			list[n++] = (struct side_function){&graph->nodes[i], i};
	qsort(list, n, sizeof(*list), order);
	*ret_n = n;
	return list;
}

struct matching {
	struct code_changes *changes;
	size_t *taken; /* [functions of the old one] its function in the new one */
	size_t n_shared;
};

static void match_set(struct matching *matching, const struct side_function *old,
		      const struct side_function *new, enum code_change change)
{
	matching->changes->of[new->index] = change;
	matching->changes->old[new->index] = old->index;
	matching->taken[old->index] = new->index;
}

/* Functions of one name: with equal code first. Both lists are sorted by it. */
static void namesake_match(struct matching *matching, const struct side_function *old, size_t n_old,
			   const struct side_function *new, size_t n_new)
{
	size_t i = 0, j = 0;

	while (i < n_old && j < n_new) {
		const uint64_t a = old[i].node->hash, b = new[j].node->hash;

		if (a == b)
			match_set(matching, &old[i], &new[j], CODE_SAME);
		i += a <= b;
		j += b <= a;
	}
	for (i = j = 0; i < n_old && j < n_new;) {
		if (matching->taken[old[i].index] != CODE_NONE)
			i++;
		else if (matching->changes->old[new[j].index] != CODE_NONE)
			j++;
		else
			match_set(matching, &old[i++], &new[j++], CODE_CHANGED);
	}
	matching->n_shared +=
		n_old && n_new && !code_change_is_helper(old->node->linkage) ? n_new : 0;
}

static size_t run_of(const struct side_function *list, size_t n,
		     int (*order)(const void *, const void *))
{
	size_t length = 1;

	while (length < n && order(list, list + length) == 0)
		length++;
	return n ? length : 0;
}

static void names_match(struct matching *matching, const struct code_graph *old,
			const struct code_graph *new)
{
	size_t n, m, i = 0, j = 0;
	struct side_function *a = side_sort(old, NULL, whole_order, &n);
	struct side_function *b = side_sort(new, NULL, whole_order, &m);

	while (i < n && j < m) {
		const int order = name_order(&a[i], &b[j]);
		const size_t n_old = order <= 0 ? run_of(a + i, n - i, name_order) : 0;
		const size_t n_new = order >= 0 ? run_of(b + j, m - j, name_order) : 0;

		if (!order)
			namesake_match(matching, a + i, n_old, b + j, n_new);
		i += n_old;
		j += n_new;
	}
	free(a);
	free(b);
}

static bool is_only_body(const struct side_function *list, size_t n, size_t at)
{
	const uint64_t hash = list[at].node->hash;

	return (!at || list[at - 1].node->hash != hash) &&
	       (at + 1 == n || list[at + 1].node->hash != hash);
}

static void renamed_match(struct matching *matching, const struct code_graph *old,
			  const struct code_graph *new)
{
	size_t n, m, i = 0, j = 0;
	struct side_function *a = side_sort(old, matching->taken, body_order, &n);
	struct side_function *b = side_sort(new, matching->changes->old, body_order, &m);

	while (i < n && j < m) {
		const uint64_t x = a[i].node->hash, y = b[j].node->hash;

		if (x == y && is_only_body(a, n, i) && is_only_body(b, m, j))
			match_set(matching, &a[i], &b[j], CODE_RENAMED);
		i += x <= y;
		j += y <= x;
	}
	free(a);
	free(b);
}

/*
 * What is around a function: its callers and callees, named by the new one's index where that is
 * known. @of: of its side's functions, the index; NULL: it is the new side. 0: nothing known is.
 */
static uint64_t around(const struct code_graph *graph, size_t at, const size_t *of,
		       const struct code_changes *changes)
{
	const size_t *firsts[] = {graph->first_callee, graph->first_caller};
	const struct code_edge *edges[] = {graph->callees, graph->callers};
	uint64_t sum = 0, known = 0;

	for (size_t side = 0; side < 2; side++)
		for (size_t k = firsts[side][at]; k < firsts[side][at + 1]; k++) {
			const struct code_edge *edge = &edges[side][k];
			const size_t other = side ? edge->from : edge->to;
			size_t name = CODE_NONE;

			if (edge->kind == CODE_REFERENCE || other == at ||
			    graph->nodes[other].kind != CODE_FUNCTION)
				continue;
			if (of)
				name = of[other];
			else if (changes->old[other] != CODE_NONE)
				name = other;
			known |= name != CODE_NONE;
			name = 2 * name + side;
			sum += (name ^ name >> 7 ^ UINT64_C(0x9e3779b97f4a7c15)) *
			       UINT64_C(0xff51afd7ed558ccd);
		}
	return known ? sum | 1 : 0;
}

struct placed_function {
	uint64_t around;
	size_t index;
};

static int around_order(const void *a, const void *b)
{
	const struct placed_function *x = a, *y = b;

	return (x->around > y->around) - (x->around < y->around);
}

/* Those without a partner, by what is around them. */
static struct placed_function *placed_sort(const struct code_graph *graph, const size_t *taken,
					   const size_t *of, const struct code_changes *changes,
					   size_t *ret_n)
{
	struct placed_function *list = mem_alloc((graph->n_functions + 1) * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < graph->n_functions; i++) {
		list[n] = (struct placed_function){0, i};
		if (taken[i] == CODE_NONE)
			list[n].around = around(graph, i, of, changes);
		n += list[n].around != 0;
	}
	qsort(list, n, sizeof(*list), around_order);
	*ret_n = n;
	return list;
}

static bool is_only_place(const struct placed_function *list, size_t n, size_t at)
{
	return (!at || list[at - 1].around != list[at].around) &&
	       (at + 1 == n || list[at + 1].around != list[at].around);
}

/* Renamed, and changed: the only ones with these callers and callees. Returns how many. */
static size_t placed_match(struct matching *matching, const struct code_graph *old,
			   const struct code_graph *new)
{
	struct code_changes *changes = matching->changes;
	size_t n, m, i = 0, j = 0, found = 0;
	struct placed_function *a = placed_sort(old, matching->taken, matching->taken, changes, &n);
	struct placed_function *b = placed_sort(new, changes->old, NULL, changes, &m);

	while (i < n && j < m) {
		const uint64_t x = a[i].around, y = b[j].around;

		if (x == y && is_only_place(a, n, i) && is_only_place(b, m, j)) {
			changes->of[b[j].index] = CODE_CHANGED;
			changes->old[b[j].index] = a[i].index;
			matching->taken[a[i].index] = b[j].index;
			found++;
		}
		i += x <= y;
		j += y <= x;
	}
	free(a);
	free(b);
	return found;
}

static size_t own_count(const struct code_graph *graph)
{
	size_t n = 0;

	for (size_t i = 0; i < graph->n_functions; i++)
		n += !code_change_is_helper(graph->nodes[i].linkage);
	return n;
}

bool code_change_find(const struct code_graph *old, const struct code_graph *new,
		      struct arena *arena, struct code_changes *ret, struct err *err)
{
	const size_t n_old = own_count(old), n_new = own_count(new);
	struct code_changes changes = {.of = arena_array(arena, enum code_change, new->n_functions),
				       .old = arena_array(arena, size_t, new->n_functions)};
	struct matching matching = {.changes = &changes,
				    .taken = arena_array(arena, size_t, old->n_functions)};

	for (size_t i = 0; i < new->n_functions; i++) {
		changes.of[i] = CODE_NEW;
		changes.old[i] = CODE_NONE;
	}
	for (size_t i = 0; i < old->n_functions; i++)
		matching.taken[i] = CODE_NONE;
	names_match(&matching, old, new);
	if (matching.n_shared * SHARED_PART < (n_old < n_new ? n_old : n_new))
		return err_set(err, ERR_USAGE,
			       "it is no build of the same program: of its %zu functions %zu are "
			       "in the other's %zu",
			       n_old, matching.n_shared, n_new);
	renamed_match(&matching, old, new);
	while (placed_match(&matching, old, new))
		continue;
	for (size_t i = 0; i < new->n_functions; i++) {
		changes.n_changed += changes.of[i] == CODE_CHANGED;
		changes.n_new += changes.of[i] == CODE_NEW;
	}
	for (size_t i = 0; i < old->n_functions; i++)
		changes.n_gone += matching.taken[i] == CODE_NONE;
	*ret = changes;
	return true;
}

void code_change_mark(const struct code_graph *graph, const struct code_changes *changes,
		      bool *marks)
{
	for (size_t i = 0; i < graph->n_functions; i++) {
		if (changes->of[i] != CODE_CHANGED && changes->of[i] != CODE_NEW)
			continue;
		marks[i] = true;
		for (size_t k = graph->first_caller[i]; k < graph->first_caller[i + 1]; k++)
			if (graph->callers[k].kind != CODE_REFERENCE &&
			    graph->callers[k].from < graph->n_functions)
				marks[graph->callers[k].from] = true;
	}
}
