/* Which gates concern which samples; model/compare/gates.c judges. */
#include "check_gates.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/annotation/expectation.h"
#include "core/cxx_name.h"
#include "model/compare/gate_growth.h"

static bool gates_add_budget(struct check_gates *gates, const char *text, struct err *err)
{
	return budget_parse(text, gates->arena, &gates->budgets[gates->n_budgets++], err);
}

bool check_gates_open(struct check_gates *gates, const struct options *options,
		      const struct annotation_list *annotations, struct err *err)
{
	const size_t most = options->n_budgets + annotations->n_budgets + options->n_gates;

	*gates = (struct check_gates){.arena = arena_create(), .decide = options->n_gates > 0};
	gates->budgets = arena_array(gates->arena, struct budget, most + 1);
	for (size_t i = 0; i < options->n_budgets; i++)
		if (!gates_add_budget(gates, options->budgets[i], err))
			return false;
	for (size_t i = 0; i < options->n_gates; i++)
		if (!strcmp(options->gates[i], "growth"))
			gates->growth = true;
		else if (!budget_parse_gate(options->gates[i], gates->arena,
					    &gates->budgets[gates->n_budgets++], err))
			return false;
	gates->n_asked = gates->n_budgets;
	for (size_t i = 0; i < annotations->n_budgets; i++)
		if (!gates_add_budget(gates, annotations->budgets[i], err))
			return false;
	return true;
}

static struct gate *gates_add(struct check_gates *gates)
{
	gates->list = mem_grow(gates->list, &gates->capacity, gates->n + 1, sizeof(*gates->list));
	return &gates->list[gates->n++];
}

static bool concerns(const struct check_gates *gates, const struct budget *budget,
		     const struct annotation *annotation, const struct samples *samples)
{
	return !budget->function ||
	       (budget->metric == annotation->metric &&
		(!strcmp(budget->function, annotation->function) ||
		 cxx_name_matches(samples->function, samples->linkage,
				  cxx_name_canonical(gates->arena, budget->function))));
}

/* What @annotation expects of a call with the gate's values. False: nothing. */
static bool expect(const struct budget *budget, const struct annotation *annotation,
		   const struct annotation_list *all, struct arena *arena, double *ret)
{
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	struct expectation expectation;
	struct err ignored;
	size_t i, j;

	for (i = 0; i < annotation->n_features; i++)
		for (j = 0; j < budget->n_values; j++) {
			const struct annotation_feature *feature = &annotation->features[i];
			const struct budget_value *value = &budget->values[j];
			struct annotation_affine map = {.scale = 1};

			if (strcmp(feature->name, value->name) != 0 &&
			    !annotation_feature_find(feature, value->name, &map))
				continue;
			x[i] = (struct argument){
				.known = true,
				.number = annotation_affine_back(&map, value->number)};
		}
	if (!expectation_find(annotation, all, x, &expectation, &ignored))
		return false;
	*ret = expectation.mean;
	return true;
}

static void judge_budget(struct check_gates *gates, const struct options *options,
			 const struct budget *budget, const struct annotation *annotation,
			 const struct annotation *now, const struct annotation_list *all,
			 const struct samples *samples)
{
	const struct check_options judging = {.alpha = options->alpha,
					      .run_spread = options->run_spread};
	double limit = budget->limit;
	struct gate *gate = gates_add(gates);

	if (!budget->function && !expect(budget, annotation, all, gates->arena, &limit)) {
		*gate = (struct gate){.text = budget->text,
				      .function = annotation->function,
				      .metric = annotation->metric,
				      .reason = "the annotation expects nothing of such a call"};
		return;
	}
	if (!budget->function)
		limit *= budget->limit;
	gates_budget(annotation, now, samples, budget, limit, &judging, gates->arena, gate);
	gate->function = annotation->function;
}

bool check_gates_need(const struct check_gates *gates)
{
	return gates->n_budgets || gates->growth;
}

void check_gates_add(struct check_gates *gates, const struct options *options,
		     const struct annotation *annotation, const struct annotation_list *all,
		     const struct check_gates_now *of)
{
	const struct annotation *now = of->now;

	for (size_t i = 0; i < gates->n_budgets; i++)
		if (concerns(gates, &gates->budgets[i], annotation, of->samples))
			judge_budget(gates, options, &gates->budgets[i], annotation, now, all,
				     of->samples);
	if (gates->growth) {
		struct gate *gate = gates_add(gates);

		gate_growth_judge(annotation, now, of->samples, options->alpha, gates->arena, gate);
		gate->function = annotation->function;
	}
}

void check_gates_end(struct check_gates *gates)
{
	size_t i, j;

	for (i = 0; i < gates->n_budgets; i++) {
		const struct budget *budget = &gates->budgets[i];

		for (j = 0; j < gates->n && gates->list[j].text != budget->text; j++)
			continue;
		if (j == gates->n && budget->function)
			*gates_add(gates) =
				(struct gate){.text = budget->text,
					      .function = budget->function,
					      .metric = budget->metric,
					      .reason = "no annotation that has samples is of it"};
	}
}

/* The first of that text that says nothing, if none of them says anything; NULL: one does. */
static const struct gate *gates_find_idle(const struct check_gates *gates,
					  const struct budget *budget)
{
	const struct gate *found = NULL;

	for (size_t i = gates->n; i-- > 0;) {
		const struct gate *gate = &gates->list[i];

		if (budget ? gate->text != budget->text : !gate->is_growth)
			continue;
		if (gate->verdict != CHECK_UNTESTED)
			return NULL;
		found = gate;
	}
	return found;
}

bool check_gates_all_judged(const struct check_gates *gates, struct err *err)
{
	const struct gate *idle = gates->growth ? gates_find_idle(gates, NULL) : NULL;

	for (size_t i = 0; i < gates->n_asked && !idle; i++)
		idle = gates_find_idle(gates, &gates->budgets[i]);
	return !idle || err_set(err, ERR_NOT_FOUND, "no function could be checked by %s: %s",
				idle->text, idle->reason ? idle->reason : "it has too few samples");
}

size_t check_gates_count(const struct check_gates *gates, enum check_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < gates->n; i++)
		n += gates->list[i].verdict == verdict;
	return n;
}

void check_gates_close(struct check_gates *gates)
{
	free(gates->list);
	if (gates->arena)
		arena_destroy(gates->arena);
}
