/*
 * The queue of nodes, the features found, and their names. feature_visit.c knows what nodes yield.
 */
#include "feature_search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "core/text_pool.h"

enum {
	NODES_MAX = 1 << 14, /* visited per function and provenance */
	FOUND_MAX = 1 << 16,
	COUNTED_MAX = 1 << 10, /* nodes visited to count what the limit omits */
	EXPRESSION_MAX = 2048,
	SCOPES_MAX = 32,
	REFERENCES_MAX = 8, /* in a row; C++ has none */
};

struct seen {
	const char *expression;
	UT_hash_handle hh;
};

struct qualified {
	void *die;
	const char *name;
	UT_hash_handle hh;
};

void feature_search_deinit(struct feature_search *finder)
{
	HASH_CLEAR(hh, finder->seen);
	HASH_CLEAR(hh, finder->qualified);
	free(finder->queue);
	free(finder->found);
}

bool feature_search_has_room(const struct feature_search *finder)
{
	return finder->n_queued < NODES_MAX;
}

bool feature_search_claim(struct feature_search *finder, const char *expression)
{
	struct seen *found;

	HASH_FIND_STR(finder->seen, expression, found);
	if (found)
		return false;
	found = arena_new(finder->arena, struct seen);
	found->expression = expression;
	HASH_ADD_KEYPTR(hh, finder->seen, expression, strlen(expression), found);
	return true;
}

struct type feature_search_type(struct feature_search *finder, Dwarf_Die *die)
{
	return complete_type(finder->full ? NULL : finder->sources->definitions, die);
}

/* libdw finds parents only by a walk from the unit's root; scopes come innermost first. */
static const char *qualify(Dwarf_Die *die, struct arena *arena)
{
	const char *name = dwarf_diename(die);
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes_die(die, &scopes);

	for (int i = 1; i < n && i < SCOPES_MAX; i++) {
		const char *scope = dwarf_diename(&scopes[i]);

		switch (dwarf_tag(&scopes[i])) {
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			name = arena_printf(arena, "%s::%s",
					    scope ? scope : "(anonymous namespace)", name);
		}
	}
	free(scopes);
	return name;
}

const char *feature_search_qualified(struct feature_search *finder, Dwarf_Die *die)
{
	struct qualified *found;

	if (!dwarf_diename(die))
		return NULL;
	HASH_FIND_PTR(finder->qualified, &die->addr, found);
	if (!found) {
		found = arena_new(finder->arena, struct qualified);
		found->die = die->addr;
		found->name = qualify(die, finder->arena);
		HASH_ADD_PTR(finder->qualified, die, found);
	}
	return found->name;
}

bool feature_search_push(struct feature_search *finder, const struct node *node)
{
	if (!feature_search_has_room(finder)) {
		finder->cut++;
		return false;
	}
	finder->queue = mem_grow(finder->queue, &finder->queue_capacity, finder->n_queued + 1,
				 sizeof(*finder->queue));
	finder->queue[finder->n_queued++] = *node;
	return true;
}

bool feature_search_is_required(const struct feature_limits *limits, const char *expression)
{
	for (size_t i = 0; i < limits->n_required; i++)
		if (!strcmp(limits->required[i], expression))
			return true;
	return false;
}

bool feature_search_has(const struct feature_search *finder, const char *expression)
{
	for (size_t i = 0; i < finder->n_found; i++)
		if (!strcmp(finder->found[i].feature.expression, expression))
			return true;
	return false;
}

bool feature_search_lacks_required(const struct feature_search *finder)
{
	for (size_t i = 0; i < finder->limits->n_required; i++)
		if (!feature_search_has(finder, finder->limits->required[i]))
			return true;
	return false;
}

static bool finder_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does @whole contain @part as words of its own? `node->n` contains `n`, `node` does not. */
static bool has_part(const char *whole, const char *part)
{
	const size_t n = strlen(part);

	for (const char *at = strstr(whole, part); at && n; at = strstr(at + 1, part))
		if (!(at > whole && finder_is_word(at[-1]) && finder_is_word(*part)) &&
		    !(finder_is_word(at[n]) && finder_is_word(part[n - 1])))
			return true;
	return false;
}

bool feature_search_leads_there(const struct feature_search *finder, const char *expression)
{
	for (size_t i = 0; i < finder->limits->n_required; i++)
		if (has_part(finder->limits->required[i], expression))
			return true;
	return false;
}

/* Beyond the limits only required features are kept. */
static bool feature_is_wanted(const struct feature_search *finder, const struct node *node)
{
	return (!finder->required_only && node->depth <= finder->limits->max_depth) ||
	       feature_search_is_required(finder->limits, node->expression);
}

static void found_append(struct feature_search *finder, const struct node *node,
			 struct feature feature)
{
	struct found_feature found = {
		.feature = feature, .type = node->type, .order = finder->n_found};

	if (finder->n_found == FOUND_MAX) {
		finder->cut++;
		return;
	}
	found.feature.expression = node->expression;
	found.feature.provenance = finder->provenance;
	found.feature.depth = node->depth;
	found.feature.object = node->object;
	found.feature.text = node->text;
	found.feature.is_part = node->is_part;
	finder->found = mem_grow(finder->found, &finder->found_capacity, finder->n_found + 1,
				 sizeof(*finder->found));
	finder->found[finder->n_found++] = found;
}

/* The feature's location, and what users must know about it. */
static const char *explain(const struct feature_search *finder, const struct node *node)
{
	const char *where =
		node->explanation ? node->explanation : location_phrase(&node->at, finder->arena);
	const char *in_union =
		node->in_union ? ", in a union: holds only if the program uses it so" : "";
	const char *at_return = finder->provenance == FROM_RETURN ? ", when it returns" : "";

	return arena_printf(finder->arena, "%s%s%s", where, in_union, at_return);
}

void feature_search_emit(struct feature_search *finder, const struct node *node,
			 const struct location *at, enum feature_type type, struct read_plan shape)
{
	struct feature feature = {.type = type};
	struct read_plan plan = shape;
	struct err err;

	if (!feature_is_wanted(finder, node))
		return;
	plan.steps = at->steps.step;
	plan.n_steps = at->steps.n;
	if (at->kind == LOCATION_ABSENT) {
		feature_search_report(finder, node, at->absence, at->where);
		return;
	}
	if (at->steps.overflow || !read_plan_verify(&plan, &err)) {
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      "its location is too long an expression");
		return;
	}
	if (node->depth < FINDER_DEPTH_COUNTS && !node->is_part)
		finder->n_at_depth[node->depth]++;
	plan.steps = arena_copy(finder->arena, plan.steps, plan.n_steps * sizeof(*plan.steps));
	feature.plan = plan;
	feature.explanation = explain(finder, node);
	found_append(finder, node, feature);
}

void feature_search_text(struct feature_search *finder, const struct location *at,
			 struct read_plan *ret)
{
	struct read_plan plan = {at->steps.step, at->steps.n, PLAN_UNSIGNED, 8};
	struct err ignored;

	if (at->kind == LOCATION_ABSENT || at->steps.overflow || !read_plan_verify(&plan, &ignored))
		return;
	plan.steps = arena_copy(finder->arena, plan.steps, plan.n_steps * sizeof(*plan.steps));
	plan.size = 1;
	*ret = plan;
}

void feature_search_push_length(struct steps *steps, uint64_t size)
{
	location_push(steps, PLAN_DUP, 0);
	location_push(steps, PLAN_STRNLEN,
		      (int64_t)(size <= TEXT_POOL_BYTES ? size : TEXT_POOL_BYTES + 1));
}

static void push_all(struct steps *steps, const struct plan_step *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		location_push(steps, list[i].op, list[i].arg);
}

/*
 * The text of @length->object, behind the steps to where it is and those of @n, which leave its
 * length. Words: address, length, the first 8 bytes, and the 8 behind them; of a longer text the
 * last 8, of a shorter one the first again, as none may follow.
 */
static void emit_words(struct feature_search *finder, const struct node *length,
		       const struct steps *n, bool is_name)
{
	static const struct plan_step limit[] = {{PLAN_DUP, 0},
						 {PLAN_CONST, TEXT_POOL_BYTES + 1},
						 {PLAN_BELOW, 0},
						 {PLAN_REQUIRE, ABSENT_TOO_LONG}};
	static const struct plan_step words[] = {{PLAN_PICK, 1},  {PLAN_LOAD, 8}, {PLAN_PICK, 2},
						 {PLAN_CONST, 8}, {PLAN_PICK, 3}, {PLAN_BELOW, 0},
						 {PLAN_CONST, 8}, {PLAN_MUL, 0},  {PLAN_PLUS, 0}};
	static const struct plan_step from_end[] = {
		{PLAN_CONST, TEXT_POOL_BYTES}, {PLAN_PICK, 3}, {PLAN_BELOW, 0}, {PLAN_PICK, 3},
		{PLAN_ADD, -TEXT_POOL_BYTES},  {PLAN_MUL, 0},  {PLAN_PLUS, 0}};
	static const struct plan_step end[] = {
		{PLAN_LOAD, 8}, {PLAN_TEXT, 0}, {PLAN_SWAP, 0}, {PLAN_DROP, 0}};
	const struct read_plan shape = {.result = PLAN_UNSIGNED, .size = 8};
	struct location at = {.kind = LOCATION_VALUE};
	const size_t n_before = finder->n_found;
	struct node text = *length;

	if (!length->text.n_steps || length->text.size != 1)
		return;
	for (unsigned i = 0; i < length->text.n_steps; i++)
		location_push(&at.steps, length->text.steps[i].op, length->text.steps[i].arg);
	location_append_steps(&at.steps, n);
	if (!is_name)
		push_all(&at.steps, limit, sizeof(limit) / sizeof(*limit));
	push_all(&at.steps, words, sizeof(words) / sizeof(*words));
	if (is_name)
		push_all(&at.steps, from_end, sizeof(from_end) / sizeof(*from_end));
	push_all(&at.steps, end, sizeof(end) / sizeof(*end));
	text.expression = length->object;
	text.object = NULL;
	text.text.n_steps = 0;
	feature_search_emit(finder, &text, &at, FEATURE_STRING, shape);
	if (finder->n_found > n_before)
		finder->found[n_before].feature.is_name = is_name;
}

void feature_search_emit_text(struct feature_search *finder, const struct node *length,
			      const struct steps *n)
{
	if (finder->limits->strings)
		emit_words(finder, length, n, false);
}

void feature_search_emit_name(struct feature_search *finder, const struct node *length,
			      const struct steps *n)
{
	emit_words(finder, length, n, true);
}

void feature_search_report(struct feature_search *finder, const struct node *node,
			   enum absence absence, const char *why)
{
	const struct feature feature = {
		.type = type_feature(&node->type),
		.absence = absence,
		.explanation = why,
	};

	if (!finder->full && feature_is_wanted(finder, node))
		found_append(finder, node, feature);
}

bool feature_search_goes_on(const struct feature_search *finder, const struct node *node)
{
	return (!finder->required_only && node->depth < finder->limits->max_depth) ||
	       feature_search_leads_there(finder, node->expression);
}

void feature_search_leave_out(struct feature_search *finder, const struct node *node,
			      enum absence absence)
{
	struct node place = *node;

	if (!finder->limits->names_left_out || finder->required_only ||
	    finder->n_deep_named == LEFT_OUT_NAMED_MAX || node->depth > finder->limits->max_depth)
		return;
	if (node->type.kind == TYPE_POINTER)
		place.expression = arena_printf(finder->arena, "*%s", node->expression);
	else if (feature_search_has(finder, node->expression))
		return;
	finder->n_deep_named++;
	feature_search_report(finder, &place, absence, value_absence_meaning(absence));
}

bool feature_search_step(struct feature_search *finder, const struct node *node, const char *why)
{
	if (feature_search_goes_on(finder, node) && !node->at.steps.overflow &&
	    strlen(node->expression) <= EXPRESSION_MAX)
		return true;
	finder->deep++;
	if (why && node->depth == 0)
		feature_search_report(finder, node, ABSENT_UNSUPPORTED, why);
	else
		feature_search_leave_out(finder, node, ABSENT_TOO_DEEP);
	return false;
}

bool feature_search_references(struct feature_search *finder, struct node *node)
{
	for (int i = 0; node->type.kind == TYPE_REFERENCE; i++) {
		if (node->at.kind == LOCATION_PIECES)
			location_part(&node->at, 0, 8, finder->arena);
		if (i == REFERENCES_MAX || node->at.kind == LOCATION_ABSENT)
			return false;
		node->type = feature_search_type(finder, &node->type.die);
		node->is_reference = true;
		node->is_const = false;
		location_dereference(&node->at, finder->arena);
	}
	return true;
}

const char *feature_search_operand(struct feature_search *finder, const char *expression)
{
	return *expression == '*' ? arena_printf(finder->arena, "(%s)", expression) : expression;
}

void feature_search_begin(struct feature_search *finder, enum provenance provenance)
{
	for (int i = 0; i < FINDER_DEPTH_COUNTS; i++) {
		finder->n_earlier += finder->n_at_depth[i];
		finder->n_at_depth[i] = 0;
	}
	finder->provenance = provenance;
	finder->n_queued = 0;
	finder->next = 0;
}

/* Is everything from @depth on beyond the limit? */
static bool is_full(const struct feature_search *finder, unsigned depth)
{
	size_t n = finder->n_earlier;

	if (depth >= FINDER_DEPTH_COUNTS)
		return finder->full;
	for (unsigned i = 0; i <= depth; i++)
		n += finder->n_at_depth[i];
	return n >= finder->limits->max_features;
}

void feature_search_run(struct feature_search *finder, node_visitor *visit)
{
	while (finder->next < finder->n_queued) {
		struct node node =
			finder->queue[finder->next++]; /* a copy, since the queue may move */
		const bool required =
			node.expression && feature_search_leads_there(finder, node.expression);

		finder->full = is_full(finder, node.depth) && !required && !node.is_part;
		finder->n_counted += finder->full;
		if (finder->n_counted > COUNTED_MAX && !finder->limits->n_required)
			break;
		if (node.expression && (required || finder->n_counted <= COUNTED_MAX))
			visit(finder, &node);
	}
	finder->cut += finder->n_queued - finder->next;
}
