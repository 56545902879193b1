/* Reads call sites, and puts a look at the return address in front of plans. */
#include "folded_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dwarf/location/call_values.h"
#include "dwarf/search/die_walk.h"

enum {
	SITES_MAX = 8,
	FEATURES_MAX = 1000,
	RETURN_ADDRESS = -8, /* from the CFA (System V x86-64 psABI, figure 3.3) */
};

/* The calls that mean one function, by the addresses that they return to. */
struct meant_calls {
	const char *linkage;
	uint64_t returns[SITES_MAX];
	size_t n;
	bool are_more;
};

static void calls_see(void *self, Dwarf_Die *die, const char *scope)
{
	struct meant_calls *calls = self;
	size_t n;

	(void)scope;
	if (!call_values_meaning(die, calls->linkage, SITES_MAX - calls->n,
				 calls->returns + calls->n, &n))
		calls->are_more = true;
	calls->n += n;
}

static bool calls_find(const struct elf_file *image, const char *linkage, struct meant_calls *ret)
{
	const struct walk_visitor visitor = {.subprogram = calls_see, .self = ret};

	*ret = (struct meant_calls){.linkage = linkage};
	die_walk_units(image, NULL, &visitor);
	return ret->n && !ret->are_more;
}

/* Does the call return to one of these? It is absent if that is not as @meant says. */
static size_t guard_write(const struct read_plan *cfa, const struct meant_calls *calls, bool meant,
			  struct plan_step *to)
{
	size_t n = cfa->n_steps;

	memcpy(to, cfa->steps, n * sizeof(*to));
	to[n++] = (struct plan_step){PLAN_ADD, RETURN_ADDRESS};
	to[n++] = (struct plan_step){PLAN_LOAD, 8};
	to[n++] = (struct plan_step){PLAN_CONST, 0};
	for (size_t i = 0; i < calls->n; i++) {
		to[n++] = (struct plan_step){PLAN_PICK, 1};
		to[n++] = (struct plan_step){PLAN_ADDRESS, (int64_t)calls->returns[i]};
		to[n++] = (struct plan_step){PLAN_EQUAL, 0};
		to[n++] = (struct plan_step){PLAN_OR, 0};
	}
	if (!meant) {
		to[n++] = (struct plan_step){PLAN_CONST, 0};
		to[n++] = (struct plan_step){PLAN_EQUAL, 0};
	}
	to[n++] = (struct plan_step){PLAN_REQUIRE, ABSENT_OTHER_CLASS};
	to[n++] = (struct plan_step){PLAN_DROP, 0};
	return n;
}

/* The plan for the calls that are @meant; one that would be too long stays as it is. */
static void plan_guard(const struct read_plan *cfa, const struct meant_calls *calls, bool meant,
		       struct arena *arena, struct read_plan *plan)
{
	const size_t most = cfa->n_steps + 7 + 4 * calls->n + plan->n_steps;
	struct read_plan guarded = *plan;
	struct plan_step *steps;
	struct err ignored;
	size_t n;

	if (!plan->n_steps)
		return;
	steps = arena_array(arena, struct plan_step, most);
	n = guard_write(cfa, calls, meant, steps);
	memcpy(steps + n, plan->steps, plan->n_steps * sizeof(*steps));
	guarded.steps = steps;
	guarded.n_steps = (unsigned)(n + plan->n_steps);
	if (read_plan_verify(&guarded, &ignored))
		*plan = guarded;
}

static bool plans_are_same(const struct read_plan *a, const struct read_plan *b)
{
	if (a->n_steps != b->n_steps || a->result != b->result || a->size != b->size)
		return false;
	for (unsigned i = 0; i < a->n_steps; i++)
		if (a->steps[i].op != b->steps[i].op || a->steps[i].arg != b->steps[i].arg)
			return false;
	return true;
}

/* Of the list's @n, the one that is the same value in both functions; NULL: none. */
static const struct feature *same_feature(const struct feature *list, size_t n,
					  const struct feature *feature)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].type == feature->type && list[i].absence == feature->absence &&
		    list[i].n_labels == feature->n_labels &&
		    !strcmp(list[i].expression, feature->expression) &&
		    plans_are_same(&list[i].plan, &feature->plan))
			return &list[i];
	return NULL;
}

static bool is_parameter(const struct feature *feature)
{
	return feature->provenance == FROM_PARAMETER && feature->plan.n_steps;
}

static bool expression_is_taken(const struct feature *list, size_t n, const char *expression)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].expression, expression))
			return true;
	return false;
}

/* Another value of the first function has the same expression: the function's name goes before. */
static bool name_choose(const struct feature *list, size_t n, const struct function *also,
			struct arena *arena, struct feature *feature)
{
	if (expression_is_taken(list, n, feature->expression))
		feature->expression =
			arena_printf(arena, "%s::%s", also->name, feature->expression);
	return !expression_is_taken(list, n, feature->expression);
}

bool folded_names_join(const struct elf_file *image, struct function *first, size_t n_own,
		       const struct function *also, struct arena *arena)
{
	const struct feature *own = first->features;
	struct meant_calls calls;
	struct feature *list;
	size_t n = first->n_features;
	bool differ = false;

	if (!strcmp(first->linkage, also->linkage) || !calls_find(image, also->linkage, &calls))
		return false;
	list = arena_array(arena, struct feature, n + also->n_features);
	memcpy(list, own, n * sizeof(*list));
	for (size_t i = 0; i < n_own; i++)
		if (is_parameter(&own[i]) &&
		    !same_feature(also->features, also->n_features, &own[i])) {
			plan_guard(&first->cfa, &calls, false, arena, &list[i].plan);
			plan_guard(&first->cfa, &calls, false, arena, &list[i].text);
			differ = true;
		}
	for (size_t i = 0; i < also->n_features && n < FEATURES_MAX; i++) {
		struct feature feature = also->features[i];

		if (!is_parameter(&feature) || same_feature(own, n_own, &feature) ||
		    !name_choose(list, n, also, arena, &feature))
			continue;
		plan_guard(&first->cfa, &calls, true, arena, &feature.plan);
		plan_guard(&first->cfa, &calls, true, arena, &feature.text);
		list[n++] = feature;
		differ = true;
	}
	first->features = list;
	first->n_features = n;
	return differ;
}
