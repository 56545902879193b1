/* Finds callers by the ids of calls, and leaves circles out. */
#include "compositions.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/size.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "core/samples/callee_columns.h"
#include "core/annotation/quote_head.h"
#include "model/compose/compose.h"
#include "model/compose/inner_calls.h"
#include "selected_functions.h"

struct composed_function {
	struct samples *samples;
	size_t first, n; /* annotations in the list */
};

struct owned_id {
	int64_t id;
	size_t function;
};

struct compositions {
	const struct options *options;
	struct composed_function *functions;
	size_t n, capacity;
	size_t n_annotations;
	bool *calls; /* [n * n] does the first call the second, perhaps through others? */
	bool *direct;
};

struct compositions *compositions_create(const struct options *options)
{
	struct compositions *compositions = mem_alloc(sizeof(*compositions));

	compositions->options = options;
	return compositions;
}

void compositions_destroy(struct compositions *compositions)
{
	if (!compositions)
		return;
	for (size_t i = 0; i < compositions->n; i++)
		samples_destroy(compositions->functions[i].samples);
	free(compositions->functions);
	free(compositions->calls);
	free(compositions->direct);
	free(compositions);
}

void compositions_add(struct compositions *compositions, struct samples *samples, size_t n)
{
	compositions->functions = mem_grow(compositions->functions, &compositions->capacity,
					   compositions->n + 1, sizeof(*compositions->functions));
	compositions->functions[compositions->n++] =
		(struct composed_function){samples, compositions->n_annotations, n};
	compositions->n_annotations += n;
}

static int compare_owned_ids(const void *a, const void *b)
{
	const struct owned_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* All ids, sorted. */
static struct owned_id *sort_owned_ids(const struct compositions *compositions, size_t *ret_n)
{
	struct owned_id *ids;
	size_t n = 0;

	for (size_t i = 0; i < compositions->n; i++)
		n += compositions->functions[i].samples->n_rows;
	ids = mem_alloc((n + 1) * sizeof(*ids));
	n = 0;
	for (size_t i = 0; i < compositions->n; i++)
		for (size_t j = 0; j < compositions->functions[i].samples->n_rows; j++)
			ids[n++] = (struct owned_id){compositions->functions[i].samples->keys[j].id,
						     i};
	qsort(ids, n, sizeof(*ids), compare_owned_ids);
	*ret_n = n;
	return ids;
}

/* Whose caller says so, though none may be kept of both. */
static void find_known_calls(struct compositions *compositions)
{
	const size_t n = compositions->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			compositions->direct[i * n + j] |=
				callee_columns_find(compositions->functions[i].samples,
						    compositions->functions[j].samples->function,
						    METRIC_COUNT) != NULL;
}

static void find_direct_calls(struct compositions *compositions)
{
	size_t n_ids;
	struct owned_id *ids = sort_owned_ids(compositions, &n_ids);

	for (size_t i = 0; i < compositions->n; i++) {
		const struct samples *samples = compositions->functions[i].samples;

		for (size_t j = 0; j < samples->n_rows; j++) {
			const struct owned_id wanted = {samples->keys[j].parent, 0};
			const struct owned_id *found =
				wanted.id ? bsearch(&wanted, ids, n_ids, sizeof(*ids),
						    compare_owned_ids)
					  : NULL;

			if (found)
				compositions->direct[found->function * compositions->n + i] = true;
		}
	}
	free(ids);
	find_known_calls(compositions);
}

/* Through others, too. */
static void find_calls(struct compositions *compositions)
{
	const size_t n = compositions->n;
	bool *calls;

	compositions->direct = mem_alloc(size_sum(size_product(n, n), 1));
	compositions->calls = calls = mem_alloc(size_sum(size_product(n, n), 1));
	find_direct_calls(compositions);
	for (size_t i = 0; i < n * n; i++)
		calls[i] = compositions->direct[i];
	for (size_t by = 0; by < n; by++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n && calls[i * n + by]; j++)
				calls[i * n + j] |= calls[by * n + j];
}

static struct annotation *find_composed(const struct composed_function *function,
					struct annotation **list, enum metric metric)
{
	for (size_t i = function->first; i < function->first + function->n; i++)
		if (list[i]->metric == metric)
			return list[i];
	return NULL;
}

static void say_uncomposed(const struct compositions *compositions, const char *function,
			   enum metric metric, const char *why)
{
	if (!compositions->options->quiet)
		message_note("%s is not composed: %s",
			     quote_head(compositions->options->arena, function, metric), why);
}

/* Its measured callees, but for those that call it; false: not all of their calls were kept. */
static bool find_callees(const struct compositions *compositions, size_t of,
			 struct annotation **list, enum metric metric, struct arena *arena,
			 struct compose_callee *ret, size_t *ret_n)
{
	const size_t n = compositions->n;

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct composed_function *callee = &compositions->functions[i];
		const struct annotation *annotation = find_composed(callee, list, metric);

		if (!compositions->direct[of * n + i] || compositions->calls[i * n + of] ||
		    !annotation)
			continue;
		if (callee->samples->n_rows < callee->samples->n_calls &&
		    !inner_calls_are_known(compositions->functions[of].samples,
					   callee->samples->function, metric)) {
			say_uncomposed(
				compositions, compositions->functions[of].samples->function, metric,
				arena_printf(arena,
					     "of %zu calls of %s, which it calls, %zu were kept: "
					     "measure with --samples all, or -m %s,self.%s%s",
					     callee->samples->n_calls, callee->samples->function,
					     callee->samples->n_rows, metric_info(metric)->keyword,
					     metric_info(metric)->keyword,
					     metric == METRIC_TIME ? "" : " --probes stops"));
			return false;
		}
		ret[(*ret_n)++] = (struct compose_callee){callee->samples, annotation};
	}
	return true;
}

static void add_parts_note(struct annotation *annotation, const char *note)
{
	const char **notes = arena_array(annotation->arena, const char *, annotation->n_notes + 1);

	for (size_t i = 0; i < annotation->n_notes; i++)
		notes[i + 1] = annotation->notes[i];
	notes[0] = arena_strdup(annotation->arena, note);
	annotation->notes = notes;
	annotation->n_notes++;
}

/* NULL: there is none; what parts @direct has is among its notes then. */
static struct annotation *make_one(const struct compositions *compositions, size_t of,
				   struct annotation **list, struct annotation *direct,
				   struct arena *arena)
{
	const struct model_options options = selected_functions_options(compositions->options);
	struct compose_callee *callees =
		arena_array(arena, struct compose_callee, compositions->n + 1);
	struct composition composition;
	size_t n;

	if (direct->metric >= METRIC_SUMS || !direct->n_cases ||
	    !find_callees(compositions, of, list, direct->metric, arena, callees, &n) || !n)
		return NULL;
	compose_function(compositions->functions[of].samples, direct, callees, n, &options, arena,
			 &composition);
	if (!composition.annotation && composition.parts)
		add_parts_note(direct, composition.parts);
	if (composition.why)
		say_uncomposed(compositions, direct->function, direct->metric, composition.why);
	return composition.annotation;
}

void compositions_make(struct compositions *compositions, struct annotation **list)
{
	struct annotation **made = mem_alloc((compositions->n_annotations + 1) * sizeof(*made));

	find_calls(compositions);
	for (size_t i = 0; i < compositions->n; i++) {
		const struct composed_function *function = &compositions->functions[i];
		struct arena *arena = arena_create();

		for (size_t j = function->first; j < function->first + function->n; j++)
			if (!interrupt_is_pending())
				made[j] = make_one(compositions, i, list, list[j], arena);
		arena_destroy(arena);
	}
	for (size_t i = 0; i < compositions->n_annotations; i++)
		if (made[i]) {
			annotation_destroy(list[i]);
			list[i] = made[i];
		}
	free(made);
}
