/* Each rule goes through the functions once; what changed is let in again at the end. */
#include "code_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum rule_value { VALUE_OF_NONE, VALUE_OF_NUMBER, VALUE_OF_FILE };

static const struct {
	const char *name;
	enum code_rule_kind kind;
	enum rule_value value;
} RULES[] = {
	{"all", RULE_ALL, VALUE_OF_NONE},
	{"userspace", RULE_USERSPACE, VALUE_OF_NONE},
	{"hot", RULE_HOT, VALUE_OF_NONE},
	{"changed", RULE_CHANGED, VALUE_OF_FILE},
	{"reachable", RULE_REACHABLE, VALUE_OF_NONE},
	{"trim", RULE_TRIM, VALUE_OF_NUMBER},
	{"prune", RULE_PRUNE, VALUE_OF_NUMBER},
	{"constant", RULE_CONSTANT, VALUE_OF_NONE},
	{"learn", RULE_LEARN, VALUE_OF_FILE},
};

/* As in the thesis, without what the governor and changed= and learn= do. */
static const struct {
	const char *name, *rules;
} LISTS[] = {{"basic", "userspace,trim=25%"},
	     {"advanced", "userspace,trim=50%"},
	     {"full", "userspace,reachable,prune=10%,constant"}};

static bool rule_number(const char *text, double *ret)
{
	char *end;
	const double number = strtod(text, &end);

	if (end == text || !(number > 0 && number < 1e6))
		return false;
	if (!strcmp(end, "%") && number < 100)
		*ret = number / 100;
	else if (!*end && number == floor(number))
		*ret = number;
	else
		return false;
	return true;
}

static bool rule_add(const char *word, struct arena *arena, struct code_rules *ret, struct err *err)
{
	const size_t n_name = strcspn(word, "=");
	const char *value = word[n_name] ? word + n_name + 1 : NULL;

	for (size_t i = 0; i < sizeof(RULES) / sizeof(*RULES); i++) {
		struct code_rule rule = {.kind = RULES[i].kind};

		if (strlen(RULES[i].name) != n_name || strncmp(word, RULES[i].name, n_name) != 0)
			continue;
		if (!value != (RULES[i].value == VALUE_OF_NONE) || (value && !*value))
			return err_set(
				err, ERR_USAGE, "--select=%s: write %s%s", word, RULES[i].name,
				RULES[i].value == VALUE_OF_NONE   ? " alone"
				: RULES[i].kind == RULE_CHANGED   ? "=OLD, an older build"
				: RULES[i].value == VALUE_OF_FILE ? "=PROFILE, of an earlier run"
								  : "=N, or =N%");
		if (RULES[i].value == VALUE_OF_NUMBER && !rule_number(value, &rule.number))
			return err_set(err, ERR_USAGE,
				       "--select=%s: a whole number of levels, or a percentage of "
				       "them as 25%%",
				       word);
		rule.file = RULES[i].value == VALUE_OF_FILE ? arena_strdup(arena, value) : NULL;
		ret->list[ret->n++] = rule;
		return true;
	}
	return err_set(err, ERR_USAGE,
		       "--select=%s: there are all, userspace, hot, changed=OLD, reachable, "
		       "trim=LEVELS, prune=CHAIN, constant, learn=PROFILE, basic, advanced, full",
		       word);
}

bool code_rules_parse(const char *text, struct arena *arena, struct code_rules *ret,
		      struct err *err)
{
	struct code_rules rules = {.n = 0};
	char *words = arena_strdup(arena, text), *word;

	while ((word = strsep(&words, ","))) {
		bool is_list = false;

		if (rules.n + 4 > CODE_RULES_MAX)
			return err_set(err, ERR_USAGE, "--select: too many rules");
		for (size_t i = 0; i < sizeof(LISTS) / sizeof(*LISTS) && !is_list; i++) {
			char *own = arena_strdup(arena, LISTS[i].rules), *part;

			is_list = !strcmp(word, LISTS[i].name);
			while (is_list && (part = strsep(&own, ",")))
				if (!rule_add(part, arena, &rules, err))
					return false;
		}
		if (!is_list && !rule_add(word, arena, &rules, err))
			return false;
	}
	*ret = rules;
	return true;
}

const struct code_rule *code_rules_find(const struct code_rules *rules, enum code_rule_kind kind)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->list[i].kind == kind)
			return &rules->list[i];
	return NULL;
}

/*
 * Functions whose callees are all settled are settled, one higher than these: those that @begins
 * first. Circles, and what leads into them, never are. @heights: [functions] UINT_MAX: not settled.
 */
static void settle(const struct code_graph *graph, const bool *begins, unsigned *heights)
{
	size_t *pending = mem_alloc((graph->n + 1) * sizeof(*pending));
	size_t *todo = mem_alloc((graph->n + 1) * sizeof(*todo));
	size_t n = 0;

	for (size_t i = 0; i < graph->n_functions; i++) {
		heights[i] = 0;
		for (size_t k = graph->first_callee[i]; k < graph->first_callee[i + 1]; k++)
			pending[i] += graph->callees[k].to < graph->n_functions &&
				      graph->callees[k].kind != CODE_REFERENCE;
		if (!pending[i] && begins[i])
			todo[n++] = i;
	}
	for (size_t at = 0; at < n; at++)
		for (size_t k = graph->first_caller[todo[at]];
		     k < graph->first_caller[todo[at] + 1]; k++) {
			const size_t from = graph->callers[k].from;

			if (graph->callers[k].kind == CODE_REFERENCE)
				continue;
			if (heights[todo[at]] + 1 > heights[from])
				heights[from] = heights[todo[at]] + 1;
			if (!--pending[from] && begins[from])
				todo[n++] = from;
		}
	for (size_t i = 0; i < graph->n_functions; i++)
		if (pending[i] || !begins[i])
			heights[i] = (unsigned)-1;
	free(pending);
	free(todo);
}

/* What a call may come to in other modules is not known; where it never returns does not matter. */
static bool may_be_constant(const struct code_graph *graph, size_t node)
{
	if (graph->nodes[node].loops || graph->nodes[node].calls_unknown)
		return false;
	for (size_t k = graph->first_callee[node]; k < graph->first_callee[node + 1]; k++) {
		const struct code_node *callee = &graph->nodes[graph->callees[k].to];

		if (callee->kind == CODE_IMPORT && graph->callees[k].kind != CODE_REFERENCE &&
		    strcmp(callee->linkage, "__stack_chk_fail") != 0)
			return false;
	}
	return true;
}

static void reason_set(const char **reasons, size_t at, const char *reason)
{
	if (!reasons[at])
		reasons[at] = reason;
}

static void constant_apply(const struct code_graph *graph, const char **reasons)
{
	bool *begins = mem_alloc(graph->n_functions + 1);
	unsigned *heights = mem_alloc((graph->n_functions + 1) * sizeof(*heights));

	for (size_t i = 0; i < graph->n_functions; i++)
		begins[i] = may_be_constant(graph, i);
	settle(graph, begins, heights);
	for (size_t i = 0; i < graph->n_functions; i++)
		if (heights[i] != (unsigned)-1)
			reason_set(reasons, i,
				   "constant: neither it nor what it calls loops, or calls "
				   "anything unknown");
	free(begins);
	free(heights);
}

static double levels_of(const struct code_graph *graph, const struct code_rule *rule, double least)
{
	return rule->number < 1 ? fmax(least, floor(rule->number * graph->depth)) : rule->number;
}

static void prune_apply(const struct code_graph *graph, const struct code_rule *rule,
			struct arena *arena, const char **reasons)
{
	const double chain = levels_of(graph, rule, 1), top = fmax(1, 0.1 * graph->depth);
	bool *begins = mem_alloc(graph->n_functions + 1);
	unsigned *heights = mem_alloc((graph->n_functions + 1) * sizeof(*heights));

	memset(begins, true, graph->n_functions);
	settle(graph, begins, heights);
	for (size_t i = 0; i < graph->n_functions; i++)
		if (heights[i] < chain && graph->nodes[i].level != CODE_NO_LEVEL &&
		    graph->nodes[i].level > top)
			reason_set(reasons, i,
				   arena_printf(arena,
						"prune: %u further calls deep at most, below "
						"level %.0f",
						heights[i], top));
	free(begins);
	free(heights);
}

static void trim_apply(const struct code_graph *graph, const struct code_rule *rule,
		       struct arena *arena, const char **reasons)
{
	const double levels = levels_of(graph, rule, 3); /* fewer leave little but main() */

	for (size_t i = 0; i < graph->n_functions; i++)
		if (graph->nodes[i].level == CODE_NO_LEVEL)
			reason_set(reasons, i, "trim: nothing leads to it");
		else if (graph->nodes[i].level >= levels)
			reason_set(reasons, i,
				   arena_printf(arena, "trim: level %u of %u, and %.0f are kept",
						graph->nodes[i].level, graph->depth, levels));
}

static void rule_apply(const struct code_rule *rule, const struct code_graph *graph,
		       struct arena *arena, const char **reasons)
{
	switch (rule->kind) {
	case RULE_USERSPACE:
		for (size_t i = 0; i < graph->n_functions; i++)
			if (code_change_is_helper(graph->nodes[i].linkage) &&
			    strcmp(graph->nodes[i].linkage, "main") != 0)
				reason_set(reasons, i, "userspace: the compiler's or the linker's");
		break;
	case RULE_REACHABLE:
		for (size_t i = 0; i < graph->n_functions; i++)
			if (graph->nodes[i].level == CODE_NO_LEVEL)
				reason_set(reasons, i,
					   "reachable: nothing leads to it, neither calls nor "
					   "addresses");
		break;
	case RULE_TRIM:
		trim_apply(graph, rule, arena, reasons);
		break;
	case RULE_PRUNE:
		prune_apply(graph, rule, arena, reasons);
		break;
	case RULE_CONSTANT:
		constant_apply(graph, reasons);
		break;
	case RULE_ALL:
	case RULE_HOT:
	case RULE_CHANGED:
	case RULE_LEARN:
		break;
	}
}

/* Alone, and among rules that leave nothing out, only these are measured. */
static bool only_changed(const struct code_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->list[i].kind != RULE_CHANGED && rules->list[i].kind != RULE_USERSPACE &&
		    rules->list[i].kind != RULE_ALL && rules->list[i].kind != RULE_HOT)
			return false;
	return code_rules_find(rules, RULE_CHANGED);
}

void code_rules_apply(const struct code_rules *rules, const struct code_graph *graph,
		      const struct code_changes *changes, struct arena *arena, const char **reasons)
{
	bool *marks = mem_alloc(graph->n_functions + 1);

	for (size_t i = 0; i < rules->n; i++)
		rule_apply(&rules->list[i], graph, arena, reasons);
	if (changes && only_changed(rules)) {
		code_change_mark(graph, changes, marks);
		for (size_t i = 0; i < graph->n_functions; i++)
			if (!marks[i])
				reason_set(reasons, i,
					   "changed: neither its code nor that of a callee did");
	}
	for (size_t i = 0; changes && i < graph->n_functions; i++)
		if (changes->of[i] == CODE_CHANGED || changes->of[i] == CODE_NEW)
			reasons[i] = NULL;
	free(marks);
}
