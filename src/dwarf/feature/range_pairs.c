/* Finds both ends of a range by names and types, and their distance. */
#include "range_pairs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "dwarf/type/widen.h"

enum {
	ITERATORS_MAX = 4, /* nested */
	MEMBERS_MAX = 256, /* examined per class */
	BASES_MAX = 4,     /* levels */
};

static const struct {
	const char *begin, *end;
} pairs[] = {
	{"begin", "end"}, {"first", "last"}, {"start", "finish"}, {"start", "stop"},
	{"start", "end"}, {"from", "to"},    {"min", "max"},      {"minimum", "maximum"},
	{"low", "high"},  {"lo", "hi"},      {"lower", "upper"},  {"left", "right"},
};

/* The end of the word at @at: words are separated by case and by non-letters. */
static size_t pair_word_end(const char *name, size_t at)
{
	size_t end = at;

	while (isupper((unsigned char)name[end]))
		end++;
	if (islower((unsigned char)name[end]) && end - at > 1)
		return end - 1; /* "HTTPBegin" */
	if (end - at > 1)
		return end;
	while (islower((unsigned char)name[end]))
		end++;
	return end;
}

/* @name with its @length bytes at @at replaced by @word, in the same case. */
static const char *name_with(const char *name, size_t at, size_t length, const char *word,
			     struct arena *arena)
{
	char *text = arena_printf(arena, "%.*s%s%s", (int)at, name, word, name + at + length);
	const bool capital = isupper((unsigned char)name[at]);
	const bool all = capital && isupper((unsigned char)name[at + 1]);

	for (size_t i = 0; capital && word[i] && (all || i == 0); i++)
		text[at + i] = (char)toupper((unsigned char)text[at + i]);
	return text;
}

size_t range_pairs_names(const char *name, struct arena *arena, const char *ret[PAIRS_NAMES_MAX])
{
	size_t n = 0, length;

	for (size_t at = 0; name[at]; at += length ? length : 1) {
		length = pair_word_end(name, at) - at;
		for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
			if (length != strlen(pairs[i].begin) || n == PAIRS_NAMES_MAX ||
			    strncasecmp(name + at, pairs[i].begin, length) != 0)
				continue;
			ret[n++] = name_with(name, at, length, pairs[i].end, arena);
		}
	}
	return n;
}

/* One end of a range. */
struct range_end {
	struct node node;    /* the pointer or integer */
	struct location at;  /* its steps leave the value on the stack */
	const void *element; /* the elements' type; NULL: numbers */
	uint64_t size;       /* of an element, in bytes */
	bool is_linked;      /* it points to nodes of a list */
};

static bool points_to(Dwarf_Die *member, Dwarf_Die *record)
{
	struct type type = type_of(member);

	if (type.kind != TYPE_POINTER)
		return false;
	type = type_of(&type.die);
	return type.kind == TYPE_RECORD && type.die.addr == record->addr;
}

/* Does the class have pointers to its own type? */
static bool is_linked(Dwarf_Die *record, unsigned depth)
{
	Dwarf_Die child;
	unsigned n = 0;

	for (bool more = die_first(record, &child); more && n < MEMBERS_MAX;
	     more = die_next(&child), n++) {
		const int tag = dwarf_tag(&child);
		struct type base;

		if (tag == DW_TAG_member && points_to(&child, record))
			return true;
		if (tag != DW_TAG_inheritance || depth == BASES_MAX)
			continue;
		base = type_of(&child);
		if (base.kind == TYPE_RECORD && is_linked(&base.die, depth + 1))
			return true;
	}
	return false;
}

/* Is the pointer, or its target, the template argument of @iterator? */
static bool is_argument(Dwarf_Die *iterator, const struct type *pointer, const struct type *element)
{
	Dwarf_Die child;

	for (bool more = die_first(iterator, &child); more; more = die_next(&child)) {
		struct type type;

		if (dwarf_tag(&child) != DW_TAG_template_type_parameter)
			continue;
		type = type_of(&child);
		if (type.kind != TYPE_VOID &&
		    (type.die.addr == pointer->die.addr || type.die.addr == element->die.addr))
			return true;
	}
	return false;
}

/* The members of a possible iterator, as they are visited. */
struct iterator {
	struct member first;   /* of all members */
	struct member pointer; /* the last one */
	struct member table;   /* the last pointer to pointers */
	size_t n, n_pointers, n_tables;
};

static bool iterator_member(void *self, const struct member *member)
{
	struct iterator *iterator = self;
	struct type type = member->type;

	if (!iterator->n++)
		iterator->first = *member;
	if (type.kind != TYPE_POINTER)
		return iterator->n < MEMBERS_MAX;
	iterator->pointer = *member;
	iterator->n_pointers++;
	if (type_of(&type.die).kind == TYPE_POINTER) {
		iterator->table = *member;
		iterator->n_tables++;
	}
	return iterator->n < MEMBERS_MAX;
}

/*
 * The member by which an iterator advances: its only member. If its name says iterator: the only
 * pointer, perhaps beside a bit offset (std::vector<bool>); of several, the one into a table of
 * blocks (std::deque).
 */
static const struct member *iterator_choose(const struct iterator *iterator, Dwarf_Die *record)
{
	const char *name = dwarf_diename(record);

	if (iterator->n == 1)
		return &iterator->first;
	if (!name || !strcasestr(name, "iterator"))
		return NULL;
	if (iterator->n_pointers == 1)
		return &iterator->pointer;
	return iterator->n_tables == 1 ? &iterator->table : NULL;
}

/* Replace an iterator by the member by which it advances. False: not an iterator. */
static bool iterator_open(struct feature_search *finder, struct node *node)
{
	struct iterator iterator = {.n = 0};
	const struct member *member;
	const struct member_visitor visitor = {
		.frame = finder->frame,
		.arena = finder->arena,
		.definitions = finder->sources->definitions,
		.each = iterator_member,
		.self = &iterator,
	};

	members_each(&visitor, &node->type.die, &node->at);
	member = iterator_choose(&iterator, &node->type.die);
	if (!member || member->bits.n_bits)
		return false;
	node->expression =
		arena_printf(finder->arena, "%s.%s",
			     feature_search_operand(finder, node->expression), member->name);
	node->at = member->at;
	node->type = member->type;
	node->depth++;
	return true;
}

/*
 * Pointers to nodes can be ends of a list: those in iterators, unless they point to the iterator's
 * element; and members, unless they have the names of a vector's.
 */
static bool is_list(const struct node *node, Dwarf_Die *iterator, const struct type *element)
{
	struct type pointer = node->type, target = *element;

	if (element->kind != TYPE_RECORD || !is_linked(&target.die, 0))
		return false;
	if (iterator)
		return !is_argument(iterator, &pointer, element);
	if (strcasestr(node->name, "left") || strcasestr(node->name, "right"))
		return true; /* branches of a tree */
	return node->depth > 0 && !strcasestr(node->name, "begin") &&
	       !strcasestr(node->name, "finish");
}

static bool pointer_load(struct feature_search *finder, Dwarf_Die *iterator, struct range_end *end)
{
	struct type type = end->node.type;
	const struct type element = feature_search_type(finder, &type.die);

	if (element.kind == TYPE_VOID || !type_byte_size(&element, &end->size) || end->size == 0 ||
	    end->size > INT64_MAX)
		return false;
	end->element = element.die.addr;
	end->is_linked = is_list(&end->node, iterator, &element);
	location_load(&end->at, 8);
	return end->at.kind != LOCATION_ABSENT;
}

static bool range_end_init(struct feature_search *finder, const struct node *node,
			   struct range_end *ret)
{
	struct node *end = &ret->node;
	Dwarf_Die iterator = {0};

	*ret = (struct range_end){.node = *node, .size = 1};
	if (!end->expression || !feature_search_references(finder, end))
		return false;
	for (int i = 0; i < ITERATORS_MAX && end->type.kind == TYPE_RECORD; i++) {
		iterator = end->type.die;
		if (!iterator_open(finder, end))
			return false;
	}
	if (end->at.kind == LOCATION_PIECES)
		location_part(&end->at, 0, end->type.size, finder->arena);
	ret->at = end->at;
	if (end->at.kind == LOCATION_ABSENT ||
	    (end->depth > finder->limits->max_depth &&
	     !feature_search_leads_there(finder, end->expression)))
		return false;
	if (end->type.kind == TYPE_POINTER)
		return pointer_load(finder, iterator.addr ? &iterator : NULL, ret);
	if (end->type.kind != TYPE_INTEGER)
		return false;
	widen_load(&end->type, &end->bits, &ret->at);
	return ret->at.kind != LOCATION_ABSENT;
}

static void distance_emit(struct feature_search *finder, const struct node *begin_node,
			  const struct node *end_node)
{
	struct range_end begin, end;
	struct node node;

	if (!range_end_init(finder, begin_node, &begin) ||
	    !range_end_init(finder, end_node, &end) || begin.element != end.element ||
	    begin.size != end.size)
		return;
	node = end.node;
	node.expression =
		arena_printf(finder->arena, "%s - %s", end.node.expression, begin.node.expression);
	if (begin.is_linked && end.is_linked) {
		if (feature_search_claim(finder, node.expression))
			feature_search_report(
				finder, &node, ABSENT_UNSUPPORTED,
				"no distance: both point to nodes that are linked, not to "
				"elements of one array");
		return;
	}
	location_append_steps(&end.at.steps, &begin.at.steps);
	location_push(&end.at.steps, PLAN_MINUS, 0);
	if (end.size > 1) {
		location_push(&end.at.steps, PLAN_CONST, (int64_t)end.size);
		location_push(&end.at.steps, PLAN_DIV, 0);
	}
	node.explanation = arena_printf(finder->arena, "the difference of two, %s and %s",
					location_phrase(&end.node.at, finder->arena),
					location_phrase(&begin.node.at, finder->arena));
	if (feature_search_claim(finder, node.expression))
		feature_search_emit(finder, &node, &end.at, FEATURE_INT,
				    (struct read_plan){.result = PLAN_SIGNED, .size = 8});
}

static int pair_by_name(const void *a, const void *b)
{
	const struct node *const *x = a;
	const struct node *const *y = b;
	const int order = strcmp((*x)->name, (*y)->name);

	return order ? order : (*x > *y) - (*x < *y);
}

static int name_to_node(const void *key, const void *element)
{
	return strcmp(key, (*(const struct node *const *)element)->name);
}

void range_pairs_emit(struct feature_search *finder, size_t first)
{
	const size_t n_all = finder->n_queued - first;
	struct node **sorted = mem_alloc((n_all + 1) * sizeof(*sorted));
	size_t n = 0;

	for (size_t i = first; i < finder->n_queued; i++)
		if (finder->queue[i].name)
			sorted[n++] = &finder->queue[i];
	qsort(sorted, n, sizeof(*sorted), pair_by_name);
	for (size_t i = first; n && i < finder->n_queued; i++) {
		const struct node *begin = &finder->queue[i];
		const char *names[PAIRS_NAMES_MAX];
		const size_t n_names =
			begin->name ? range_pairs_names(begin->name, finder->arena, names) : 0;

		for (size_t k = 0; k < n_names; k++) {
			struct node **end =
				bsearch(names[k], sorted, n, sizeof(*sorted), name_to_node);

			if (end)
				distance_emit(finder, begin, *end);
		}
	}
	free(sorted);
}
