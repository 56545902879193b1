/* Calls are sorted by id to find who made them, then put into the order of their trees. */
#include "spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void spans_init(struct spans *spans)
{
	*spans = (struct spans){.arena = arena_create()};
}

void spans_deinit(struct spans *spans)
{
	free(spans->list);
	arena_destroy(spans->arena);
}

static bool is_fact(const struct column *column)
{
	return (column->role == COLUMN_METRIC || column->role == COLUMN_FEATURE) &&
	       !column->is_derived;
}

static void span_add_facts(struct spans *spans, const struct samples *samples, size_t row,
			   const char *const *names, struct span *ret)
{
	struct span_fact *facts = arena_array(spans->arena, struct span_fact, samples->n_columns);

	ret->facts = facts;
	for (size_t i = 0; i < samples->n_columns; i++) {
		const struct column *column = &samples->columns[i];
		const char *label = NULL;

		if (!is_fact(column) || column->absence[row] != PRESENT)
			continue;
		if (column->n_labels)
			label = samples_label(column, column->numbers[row]);
		facts[ret->n_facts++] = (struct span_fact){
			names[i], label ? arena_strdup(spans->arena, label) : NULL,
			column->numbers[row]};
	}
}

static const struct span_run *span_run_find(const struct span_run *runs, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (runs[i].id == id)
			return &runs[i];
	return NULL;
}

/* The moments of a profile may be anything. */
static bool span_set_times(struct span *span, const struct sample_key *key, int64_t started,
			   double time)
{
	int64_t length;

	if (!(time >= 0 && time < 0x1p52))
		return false;
	return !__builtin_mul_overflow(started, INT64_C(1000000000), &span->start_ns) &&
	       !__builtin_add_overflow(span->start_ns, key->start_ns, &span->start_ns) &&
	       !__builtin_add_overflow(key->stopped_ns, key->waited_ns, &length) &&
	       !__builtin_add_overflow(length, (int64_t)(time * 1000), &length) &&
	       !__builtin_add_overflow(span->start_ns, length, &span->end_ns) && length >= 0 &&
	       span->start_ns >= 0;
}

void spans_add(struct spans *spans, const struct samples *samples, const struct span_run *runs,
	       size_t n)
{
	const size_t time = samples_find_column(samples, COLUMN_METRIC, "time");
	const char **names = arena_array(spans->arena, const char *, samples->n_columns + 1);
	const char *function = arena_strdup(spans->arena, samples->function);
	const char *module = samples->module ? arena_strdup(spans->arena, samples->module) : NULL;

	for (size_t i = 0; i < samples->n_columns; i++)
		names[i] = arena_strdup(spans->arena, samples->columns[i].name);
	for (size_t i = 0; time < samples->n_columns && i < samples->n_rows; i++) {
		const struct sample_key *key = &samples->keys[i];
		const struct span_run *run = span_run_find(runs, n, key->run);
		struct span span = {.id = key->id,
				    .parent_id = key->parent,
				    .parent = SPAN_NONE,
				    .name = function,
				    .process = key->process,
				    .thread = key->thread};

		if (!run || samples->columns[time].absence[i] != PRESENT ||
		    !span_set_times(&span, key, run->started, samples->columns[time].numbers[i]))
			continue;
		span.program = module ? module : arena_strdup(spans->arena, run->program);
		span_add_facts(spans, samples, i, names, &span);
		spans->list =
			mem_grow(spans->list, &spans->capacity, spans->n + 1, sizeof(*spans->list));
		spans->list[spans->n++] = span;
	}
}

static int span_compare_ids(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* A place in the list of its siblings. */
struct span_place {
	size_t parent, index;
	int64_t start_ns;
};

static int span_compare_places(const void *a, const void *b)
{
	const struct span_place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* The first of @places[@n] below @parent. */
static size_t first_below(const struct span_place *places, size_t n, size_t parent)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (places[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Put spans into preorder; those in a circle, which a profile may claim, are left out. */
static size_t spans_order(const struct span *from, const struct span_place *places, size_t n,
			  struct span *ret)
{
	size_t *open = mem_alloc((n + 1) * sizeof(*open)); /* the next of the siblings, by depth */
	size_t *at = mem_alloc((n + 1) * sizeof(*at));     /* the parents, in `ret` */
	size_t *of = mem_alloc((n + 1) * sizeof(*of));     /* and in `from` */
	size_t depth = 0, done = 0;

	open[0] = first_below(places, n, SPAN_NONE);
	at[0] = of[0] = SPAN_NONE;
	while (true) {
		const size_t next = open[depth];

		if (next == n || places[next].parent != of[depth]) {
			if (!depth)
				break;
			ret[at[depth]].n_below = done - at[depth] - 1;
			depth--;
			continue;
		}
		open[depth]++;
		ret[done] = from[places[next].index];
		ret[done].parent = at[depth];
		ret[done].depth = (unsigned)depth;
		ret[done].root = depth ? at[1] : done;
		depth++;
		open[depth] = first_below(places, n, places[next].index);
		of[depth] = places[next].index;
		at[depth] = done++;
	}
	free(open);
	free(at);
	free(of);
	return done;
}

void spans_arrange(struct spans *spans)
{
	struct span_place *places = mem_alloc((spans->n + 1) * sizeof(*places));
	struct span *ordered = mem_alloc((spans->n + 1) * sizeof(*ordered));

	if (spans->n)
		qsort(spans->list, spans->n, sizeof(*spans->list), span_compare_ids);
	for (size_t i = 0; i < spans->n; i++) {
		const struct span key = {.id = spans->list[i].parent_id};
		const struct span *parent =
			key.id ? bsearch(&key, spans->list, spans->n, sizeof(key), span_compare_ids)
			       : NULL;

		places[i] = (struct span_place){parent ? (size_t)(parent - spans->list) : SPAN_NONE,
						i, spans->list[i].start_ns};
	}
	if (spans->n)
		qsort(places, spans->n, sizeof(*places), span_compare_places);
	spans->n = spans_order(spans->list, places, spans->n, ordered);
	free(spans->list);
	free(places);
	spans->list = ordered;
	spans->capacity = spans->n + 1;
}

bool spans_are_apart(const struct span *a, const struct span *b)
{
	return a->process != b->process || strcmp(a->program, b->program) != 0;
}

static bool has_others(const struct spans *spans, size_t root)
{
	for (size_t i = root + 1; i <= root + spans->list[root].n_below; i++)
		if (spans_are_apart(&spans->list[i], &spans->list[root]))
			return true;
	return false;
}

size_t spans_longest(const struct spans *spans)
{
	size_t found = SPAN_NONE;
	bool found_others = false;

	for (size_t i = 0; i < spans->n; i += spans->list[i].n_below + 1) {
		const struct span *span = &spans->list[i];
		const bool others = has_others(spans, i);

		if (found != SPAN_NONE &&
		    (others < found_others ||
		     (others == found_others &&
		      span->end_ns - span->start_ns <=
			      spans->list[found].end_ns - spans->list[found].start_ns)))
			continue;
		found = i;
		found_others = others;
	}
	return found;
}

unsigned spans_process(const struct spans *spans, size_t root, size_t at)
{
	const struct span *list = spans->list;
	unsigned number = 0;

	for (size_t i = root; spans_are_apart(&list[i], &list[at]); i++) {
		size_t j = root;

		while (j < i && spans_are_apart(&list[j], &list[i]))
			j++;
		number += j == i;
	}
	return number;
}
