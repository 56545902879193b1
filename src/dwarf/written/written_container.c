/* What is read of a container become nodes. written_compile.c finds where. */
#include "written_container.h"

#include <string.h>

#include "written_compile.h"

/* The container itself, so that an operator can follow. */
static const char *object_expression(struct feature_search *finder, const struct node *node,
				     enum operand operand)
{
	return operand == OPERAND_POINTER ? arena_printf(finder->arena, "(*%s)", node->expression)
					  : feature_search_operand(finder, node->expression);
}

static const char *word_expression(struct feature_search *finder, const struct node *node,
				   enum operand operand, const char *word)
{
	if (*word == '*' && operand == OPERAND_OBJECT)
		return arena_printf(finder->arena, "*%s", node->expression);
	if (!strcmp(word, "[]"))
		return operand == OPERAND_POINTER ? object_expression(finder, node, operand)
						  : node->expression;
	if (strstr(word, "::"))
		return arena_printf(finder->arena, "%.*s(%s%s)", (int)strcspn(word, "("), word,
				    operand == OPERAND_POINTER ? "*" : "", node->expression);
	if (*word == '[')
		return arena_printf(finder->arena, "%s%s", object_expression(finder, node, operand),
				    word);
	return arena_printf(finder->arena, "%s%s%s",
			    feature_search_operand(finder, node->expression),
			    operand == OPERAND_POINTER ? "->" : ".", word);
}

enum { ELEMENTS_SHOWN = 5, PARTS_MAX = 200 };

/* An element of it is a step away; there may be none. */
static bool is_element(const struct container_row *row, const struct steps *steps)
{
	for (unsigned i = 0; i < steps->n; i++)
		if (row->role != CONTAINER_COUNT && steps->step[i].op == PLAN_REQUIRE &&
		    steps->step[i].arg == ABSENT_EMPTY)
			return true;
	return false;
}

/* The first number of a container is its size; where it is a string, its characters are found. */
static void size_describe(struct written_maker *maker, const struct node *node,
			  enum operand operand, const struct container_kind *kind,
			  const struct written_value *number, struct node *size)
{
	struct feature_search *finder = maker->finder;
	struct written_value loaded = *number;
	struct written_type character;

	size->object = operand == OPERAND_POINTER
			       ? arena_printf(finder->arena, "*%s", node->expression)
			       : node->expression;
	for (size_t i = 0; i < kind->n_rows && !size->text.n_steps; i++) {
		struct written_value value = {.of = {.type = node->type}, .at = node->at};

		if (kind->rows[i].role == CONTAINER_TEXT &&
		    written_compile_row(maker, kind, &kind->rows[i], &value) &&
		    written_value_load(maker, &value)) {
			feature_search_text(finder, &value.at, &size->text);
			if (written_value_target(maker, &value, &character) &&
			    character.type.size == 2)
				size->text.size = 2;
		}
	}
	if (size->text.n_steps && written_value_load(maker, &loaded))
		feature_search_emit_text(finder, size, &loaded.at.steps);
}

static bool row_push(struct feature_search *finder, const struct node *node, enum operand operand,
		     const struct container_kind *kind, const struct container_row *row,
		     bool is_size)
{
	struct written_maker maker = {.finder = finder};
	struct written_value value = {.of = {.type = node->type}, .at = node->at};
	struct node found = *node;
	bool is_away;

	if (!written_compile_row(&maker, kind, row, &value) || value.of.pointers ||
	    value.at.steps.overflow)
		return false;
	is_away = is_element(row, &value.at.steps);
	found.expression = word_expression(finder, node, operand, row->word);
	found.explanation = value.is_computed ? row->text : NULL;
	found.at = value.at;
	found.type = value.of.type;
	found.bits = value.bits;
	found.depth = node->depth + (operand == OPERAND_POINTER) + (is_away && !found.is_part);
	found.is_reference = found.is_this = false;
	found.object = NULL;
	found.text.n_steps = 0;
	if (is_size)
		size_describe(&maker, node, operand, kind, &value, &found);
	if (found.expression != node->expression && !feature_search_claim(finder, found.expression))
		return true;
	if (!is_away || feature_search_step(finder, node, NULL))
		feature_search_push(finder, &found);
	return true;
}

/* Is a row with this word among the @n that were pushed? */
static bool is_pushed(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static bool row_is_last(const struct container_row *row)
{
	return row->word && !strcmp(row->word, "[-1]");
}

static bool kind_has_elements(const struct container_kind *kind)
{
	for (size_t i = 0; i < kind->n_rows; i++)
		if (kind->rows[i].role == CONTAINER_ELEMENT)
			return true;
	return false;
}

/* The element by the first of the rows that the type has. */
static void element_push(struct feature_search *finder, const struct node *part,
			 enum operand operand, const struct container_kind *kind, unsigned index)
{
	struct container_row row;

	for (size_t i = 0; i < kind->n_rows; i++)
		if (kind->rows[i].role == CONTAINER_ELEMENT &&
		    container_table_element(&kind->rows[i], index, finder->arena, &row) &&
		    row_push(finder, part, operand, kind, &row, false))
			return;
}

/* What is shown of a container beside its size: the first elements, and the last. */
static void parts_push(struct feature_search *finder, const struct node *node, enum operand operand,
		       const struct container_kind *kind)
{
	struct node part = *node;

	part.is_part = true;
	if (finder->full || !finder->limits->shows_objects || finder->n_parts >= PARTS_MAX)
		return;
	finder->n_parts += ELEMENTS_SHOWN;
	for (unsigned index = 0; index < ELEMENTS_SHOWN; index++)
		element_push(finder, &part, operand, kind, index);
	for (size_t i = 0; i < kind->n_rows; i++)
		if (row_is_last(&kind->rows[i]) &&
		    row_push(finder, &part, operand, kind, &kind->rows[i], false))
			return;
}

/* Where objects are shown, their elements are: front() would be one of them again. */
static bool row_is_listed(const struct feature_search *finder, const struct container_kind *kind,
			  const struct container_row *row)
{
	return row->role == CONTAINER_COUNT ||
	       (row->role == CONTAINER_VALUE && !row_is_last(row) &&
		!(finder->limits->shows_objects && kind_has_elements(kind)));
}

/* The word of the container's size, which says how long its text is; NULL: it has none. */
static const char *size_word(const struct container_kind *kind)
{
	for (size_t i = 0; i < kind->n_rows; i++)
		if (kind->rows[i].role == CONTAINER_COUNT && !kind->rows[i].guard)
			return kind->rows[i].word;
	return NULL;
}

bool written_container_push(struct feature_search *finder, const struct node *node,
			    enum operand operand)
{
	const struct written_value value = {.of = {.type = node->type}};
	struct written_maker maker = {.finder = finder};
	const struct container_kind *kind = NULL;
	size_t n = 0;

	while (!n && (kind = written_compile_kind(&maker, &value, kind))) {
		const char **pushed = arena_array(finder->arena, const char *, kind->n_rows);
		const char *size = size_word(kind);

		for (size_t i = 0; i < kind->n_rows; i++) {
			const struct container_row *row = &kind->rows[i];
			/* Not the next number where that of the size cannot be read. */
			const bool is_size = row->role == CONTAINER_COUNT && !row->guard &&
					     !strcmp(row->word, size);

			if (!row_is_listed(finder, kind, row) || is_pushed(pushed, n, row->word) ||
			    !row_push(finder, node, operand, kind, row, is_size))
				continue;
			pushed[n++] = row->word;
		}
		if (n)
			parts_push(finder, node, operand, kind);
	}
	return n;
}
