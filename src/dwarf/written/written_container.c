/* What is read of a container become nodes. written_compile.c finds where. */
#include "written_container.h"

#include <string.h>

#include "written_compile.h"

static const char *word_expression(struct feature_search *finder, const struct node *node,
				   enum operand operand, const char *word)
{
	if (strcmp(word, "[]") != 0)
		return arena_printf(finder->arena, "%s%s%s",
				    feature_search_operand(finder, node->expression),
				    operand == OPERAND_POINTER ? "->" : ".", word);
	return operand == OPERAND_POINTER ? arena_printf(finder->arena, "(*%s)", node->expression)
					  : node->expression;
}

/* An element of it is a step away; there may be none. */
static bool is_element(const struct container_row *row, const struct steps *steps)
{
	for (unsigned i = 0; i < steps->n; i++)
		if (!row->is_count && steps->step[i].op == PLAN_REQUIRE &&
		    steps->step[i].arg == ABSENT_EMPTY)
			return true;
	return false;
}

static bool row_push(struct feature_search *finder, const struct node *node, enum operand operand,
		     const struct container_kind *kind, const struct container_row *row)
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
	found.depth = node->depth + (operand == OPERAND_POINTER) + is_away;
	found.is_reference = found.is_this = false;
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

bool written_container_push(struct feature_search *finder, const struct node *node,
			    enum operand operand)
{
	const struct written_value value = {.of = {.type = node->type}};
	struct written_maker maker = {.finder = finder};
	const struct container_kind *kind = NULL;
	size_t n = 0;

	while (!n && (kind = written_compile_kind(&maker, &value, kind))) {
		const char **pushed = arena_array(finder->arena, const char *, kind->n_rows);

		for (size_t i = 0; i < kind->n_rows; i++) {
			const struct container_row *row = &kind->rows[i];

			if (row->word && !is_pushed(pushed, n, row->word) &&
			    row_push(finder, node, operand, kind, row))
				pushed[n++] = row->word;
		}
	}
	return n;
}
