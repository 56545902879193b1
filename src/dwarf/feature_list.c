/*
 * Orders and limits a function's features. feature_search.c and feature_visit.c find them, starting
 * from root_variables.c; written_feature.c makes those that they do not come to.
 */
#include "feature_list.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "core/cxx_name.h"
#include "dwarf/feature/feature_search.h"
#include "dwarf/feature/feature_visit.h"
#include "dwarf/feature/root_variables.h"
#include "dwarf/written/written_container.h"
#include "dwarf/written/written_feature.h"
#include "dwarf/written/written_interpreter.h"
#include "dwarf/written/written_parse.h"

enum {
	ABSENT_MAX = 512,       /* features without a plan */
	ENUMERATORS_MAX = 1024, /* labels per feature */
};

/* The labels of one enumeration, which many features may share. */
struct labels {
	void *die;
	const struct label *list;
	size_t n;
	UT_hash_handle hh;
};

/* Features to keep, while they are copied to the function's arena. */
struct keeper {
	struct arena *arena;
	struct arena *scratch;
	struct interned *interned;
	struct feature *features;
	size_t n, capacity;
	size_t n_present, n_absent;
	size_t cut;
	struct labels *labels;
};

static struct feature *feature_append(struct keeper *keeper)
{
	keeper->features = mem_grow(keeper->features, &keeper->capacity, keeper->n + 1,
				    sizeof(*keeper->features));
	return &keeper->features[keeper->n++];
}

static const struct label *labels_keep(struct keeper *keeper, const struct label *list, size_t n)
{
	struct label *own = arena_array(keeper->scratch, struct label, n);

	for (size_t i = 0; i < n; i++)
		own[i] = (struct label){list[i].number,
					interned_text(keeper->interned, list[i].name)};
	return interned_bytes(keeper->interned, own, n * sizeof(*own));
}

static void labels_find(struct keeper *keeper, const struct type *type, struct feature *feature)
{
	struct labels *found;

	HASH_FIND_PTR(keeper->labels, &type->die.addr, found);
	if (!found) {
		found = arena_new(keeper->scratch, struct labels);
		found->die = type->die.addr;
		found->n = type_labels(type, keeper->scratch, &found->list);
		if (found->n > ENUMERATORS_MAX)
			found->n = ENUMERATORS_MAX;
		if (found->n)
			found->list = labels_keep(keeper, found->list, found->n);
		HASH_ADD_PTR(keeper->labels, die, found);
	}
	feature->labels = found->n ? found->list : NULL;
	feature->n_labels = found->n;
}

/* Is there room for the feature? If not, the first ones are named. */
static bool keeper_admits(struct keeper *keeper, struct feature *feature,
			  const struct feature_limits *limits)
{
	if (feature->is_part || feature_search_is_required(limits, feature->expression))
		return true;
	if (feature->absence != PRESENT)
		return keeper->n_absent++ < ABSENT_MAX;
	if (keeper->n_present < limits->max_features) {
		keeper->n_present++;
		return true;
	}
	if (keeper->cut++ >= LEFT_OUT_NAMED_MAX || !limits->names_left_out)
		return false;
	feature->absence = ABSENT_CUT;
	feature->explanation = value_absence_meaning(ABSENT_CUT);
	feature->plan = (struct read_plan){.n_steps = 0};
	return true;
}

static void steps_keep(struct keeper *keeper, struct read_plan *plan)
{
	if (plan->n_steps)
		plan->steps = interned_bytes(keeper->interned, plan->steps,
					     plan->n_steps * sizeof(*plan->steps));
}

static void keeper_take(struct keeper *keeper, const struct found_feature *found)
{
	struct feature *feature = feature_append(keeper);

	*feature = found->feature;
	feature->expression = interned_text(keeper->interned, feature->expression);
	feature->explanation = interned_text(keeper->interned, feature->explanation);
	if (feature->object)
		feature->object = interned_text(keeper->interned, feature->object);
	steps_keep(keeper, &feature->plan);
	steps_keep(keeper, &feature->text);
	if (feature->type == FEATURE_ENUM && found->type.kind == TYPE_ENUM)
		labels_find(keeper, &found->type, feature);
}

/* Was it asked for? Then nothing keeps it from being read. */
static bool system_is_wanted(const struct system_info *info, const struct feature_limits *limits)
{
	bool ret = !info->is_asked;

	for (size_t i = 0; i < limits->n_required; i++)
		if (!strcmp(limits->required[i], info->expression)) {
			ret = true;
			if (limits->why)
				limits->why[i] = NULL;
		}
	return ret;
}

static void system_append(struct keeper *keeper, const struct feature_limits *limits)
{
	for (int i = 0; i < SYSTEM_VALUE_COUNT; i++) {
		const struct system_info *info = feature_system_info(i);

		if (!system_is_wanted(info, limits))
			continue;
		*feature_append(keeper) = (struct feature){
			.expression = info->expression,
			.type = info->type,
			.provenance = FROM_SYSTEM,
			.explanation = info->explanation,
			.system = i,
		};
	}
}

static void keeper_finish(struct keeper *keeper, struct function *ret)
{
	ret->features =
		arena_copy(keeper->arena, keeper->features, keeper->n * sizeof(*keeper->features));
	ret->n_features = keeper->n;
	HASH_CLEAR(hh, keeper->labels);
	free(keeper->features);
}

/* The order of provenances: the limit cuts the last. */
static int rank(enum provenance provenance)
{
	switch (provenance) {
	case FROM_PARAMETER:
		return 0;
	case FROM_RETURN:
		return 1;
	case FROM_GLOBAL:
		return 2;
	case FROM_SYSTEM:
	case FROM_IMPORT:
	case PROVENANCE_COUNT:
		break;
	}
	return 3;
}

static int by_place(const void *a, const void *b)
{
	const struct found_feature *x = a;
	const struct found_feature *y = b;
	const int order = rank(x->feature.provenance) - rank(y->feature.provenance);

	if (order)
		return order;
	if (x->feature.depth != y->feature.depth)
		return x->feature.depth < y->feature.depth ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Beyond @globals, find required features of globals: near ones first. */
static void required_search(struct feature_search *finder, Dwarf_Die *die)
{
	finder->required_only = true;
	for (enum globals which = GLOBALS_UNIT; which <= GLOBALS_ALL; which++)
		if (which > finder->limits->globals && feature_search_lacks_required(finder)) {
			root_variables_globals(finder, die, which);
			feature_search_run(finder, feature_visit);
		}
}

static void search(struct feature_search *finder, Dwarf_Die *die)
{
	feature_search_begin(finder, FROM_PARAMETER);
	if (finder->limits->locals_line)
		root_variables_locals(finder, die, finder->limits->locals_line);
	root_variables_parameters(finder, die);
	feature_search_run(finder, feature_visit);
	feature_search_begin(finder, FROM_RETURN);
	if (!finder->limits->locals_line)
		root_variables_returned(finder, die);
	feature_search_run(finder, feature_visit);
	feature_search_begin(finder, FROM_GLOBAL);
	root_variables_globals(finder, die, finder->limits->globals);
	feature_search_run(finder, feature_visit);
	written_interpreter_find(finder, die);
	required_search(finder, die);
	written_feature_find(finder, die);
	if (finder->n_found)
		qsort(finder->found, finder->n_found, sizeof(*finder->found), by_place);
}

static bool same_plain_name(const char *a, const char *b)
{
	size_t n_a, n_b;
	const char *plain_a = cxx_name_plain(a, &n_a), *plain_b = cxx_name_plain(b, &n_b);

	return n_a == n_b && !memcmp(plain_a, plain_b, n_a);
}

/* With the blanks that features have. Names that only the search makes are as they are. */
static const char *required_expression(const char *text, struct arena *arena)
{
	const struct written *tree;
	struct err err;

	written_parse(text, arena, &tree, &text, &err);
	return text;
}

void feature_list_require(const struct required_feature *required, size_t n, const char *function,
			  struct arena *arena, struct feature_limits *ret)
{
	const char **expressions = arena_array(arena, const char *, n);

	ret->n_required = 0;
	for (size_t i = 0; i < n; i++)
		if (!required[i].function ||
		    (function && same_plain_name(function, required[i].function)))
			expressions[ret->n_required++] =
				required_expression(required[i].expression, arena);
	ret->required = expressions;
}

void feature_list_find(Dwarf_Die *die, const struct frame_base *frame,
		       const struct function_features *sources, const struct feature_limits *limits,
		       struct arena *arena, struct function *ret)
{
	struct feature_search finder = {
		.arena = arena_create(),
		.frame = frame,
		.sources = sources,
		.limits = limits,
		.container = limits->containers ? written_container_push : NULL,
	};
	struct keeper keeper = {
		.arena = arena, .scratch = finder.arena, .interned = sources->interned};

	search(&finder, die);
	for (size_t i = 0; i < finder.n_found; i++)
		if (keeper_admits(&keeper, &finder.found[i].feature, limits))
			keeper_take(&keeper, &finder.found[i]);
	system_append(&keeper, limits);
	keeper_finish(&keeper, ret);
	ret->features_cut = keeper.cut + finder.cut;
	ret->features_deep = finder.deep;
	ret->n_locals = limits->locals_line ? 0 : root_variables_count_locals(die);
	for (size_t i = 0; i < limits->n_required && limits->why; i++)
		if (limits->why[i])
			limits->why[i] = arena_strdup(arena, limits->why[i]);
	feature_search_deinit(&finder);
	arena_destroy(finder.arena);
}

void feature_list_bare(const struct feature_limits *limits, struct arena *arena,
		       struct function *ret)
{
	static const struct {
		const char *name;
		struct plan_step step;
	} arguments[] = {
		{"rdi", {PLAN_REG, 5}}, {"rsi", {PLAN_REG, 4}}, {"rdx", {PLAN_REG, 1}},
		{"rcx", {PLAN_REG, 2}}, {"r8", {PLAN_REG, 8}},  {"r9", {PLAN_REG, 9}},
	};
	struct keeper keeper = {.arena = arena};

	/* Where a block begins, registers have anything. */
	for (size_t i = 0; !ret->block && i < sizeof(arguments) / sizeof(*arguments); i++) {
		const char *name = arguments[i].name;

		*feature_append(&keeper) = (struct feature){
			.expression = arena_printf(arena, "$%s", name),
			.type = FEATURE_INT,
			.provenance = FROM_PARAMETER,
			.plan = {&arguments[i].step, 1, PLAN_SIGNED, 8},
			.explanation = arena_printf(arena,
						    "in %s; what it means is not known: there "
						    "is no debug information",
						    name),
		};
	}
	system_append(&keeper, limits);
	keeper_finish(&keeper, ret);
}
