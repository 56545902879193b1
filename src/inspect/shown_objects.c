/* Containers as text. dwarf/written/containers.table says how their elements are read. */
#include "shown_objects.h"

#include <inttypes.h>
#include <string.h>

enum { OBJECT_TEXT_MAX = 200, ELEMENTS_MAX = 8, NESTING_MAX = 4 };

struct shown_objects {
	struct stack_value *values;
	size_t n;
	struct arena *arena;
	unsigned nesting;
};

static const char *object_text(struct shown_objects *shown, struct stack_value *size);

/* The rest of @text behind @beginning; NULL: it does not begin so. */
static const char *behind(const char *text, const char *beginning)
{
	const size_t n = strlen(beginning);

	return strncmp(text, beginning, n) ? NULL : text + n;
}

static const char *number_text(struct shown_objects *shown, const struct stack_value *value)
{
	if (value->value.absence != PRESENT)
		return arena_printf(shown->arena, "(%s)", value->why ? value->why : "?");
	if (value->label)
		return value->label;
	if (value->type == FEATURE_BOOL)
		return value->value.number != 0 ? "true" : "false";
	return arena_printf(shown->arena, "%.*g", value->type == FEATURE_FLOAT ? 10 : 17,
			    value->value.number);
}

/* What @value says of @expression, which it is, or whose size or null test it is; NULL: nothing. */
static const char *value_text(struct shown_objects *shown, struct stack_value *value,
			      const char *expression)
{
	const char *rest = behind(value->expression, expression);

	if (value->object && !strcmp(value->object, expression))
		return value->text                       ? value->text
		       : value->value.absence == PRESENT ? object_text(shown, value)
							 : number_text(shown, value);
	if (rest && !*rest)
		return number_text(shown, value);
	if (!rest || strcmp(rest, " != 0") != 0 || value->value.absence != PRESENT)
		return NULL;
	return value->pointer ? arena_printf(shown->arena, "0x%" PRIx64, value->pointer) : "null";
}

static const char *whole_text(struct shown_objects *shown, const char *expression)
{
	const char *text = NULL;

	for (unsigned is_object = 1; is_object < 2 && !text; is_object--) /* before null tests */
		for (size_t i = 0; i < shown->n && !text; i++)
			if (shown->values[i].value.absence != ABSENT_EMPTY &&
			    is_object == (shown->values[i].object != NULL))
				text = value_text(shown, &shown->values[i], expression);
	return text;
}

/* A pair as in maps: `[1] = "a"`; NULL: it is none. */
static const char *pair_text(struct shown_objects *shown, const char *expression)
{
	const char *first = arena_printf(shown->arena, "%s.first", expression);
	const char *second = arena_printf(shown->arena, "%s.second", expression);

	first = whole_text(shown, first);
	second = first ? whole_text(shown, second) : NULL;
	return second ? arena_printf(shown->arena, "[%s] = %s", first, second) : NULL;
}

/* The members of the object @expression; NULL: none is known. */
static const char *members_text(struct shown_objects *shown, const char *expression)
{
	const char *all = NULL, *dot = arena_printf(shown->arena, "%s.", expression);

	for (size_t i = 0; i < shown->n; i++) {
		struct stack_value *value = &shown->values[i];
		const char *named = value->object ? value->object : value->expression;
		const char *name = behind(named, dot), *text;
		const size_t length = name ? strcspn(name, ".[(- ") : 0;

		if (!length || value->value.absence == ABSENT_EMPTY ||
		    (name[length] && strcmp(name + length, " != 0") != 0))
			continue;
		named = arena_printf(shown->arena, "%s%.*s", dot, (int)length, name);
		text = value_text(shown, value, named);
		if (text)
			all = arena_printf(shown->arena, "%s%s%.*s = %s", all ? all : "",
					   all ? ", " : "", (int)length, name, text);
	}
	return all ? arena_printf(shown->arena, "{%s}", all) : NULL;
}

/* The element @expression; NULL: nothing is known of it. */
static const char *element_text(struct shown_objects *shown, const char *expression)
{
	const char *text = whole_text(shown, expression);

	text = text ? text : pair_text(shown, expression);
	return text ? text : members_text(shown, expression);
}

static const char *object_text(struct shown_objects *shown, struct stack_value *size)
{
	const double all = size->value.number;
	const bool is_pointed = *size->object == '*';
	const char *elements = arena_printf(shown->arena, "%s%s%s[", is_pointed ? "(" : "",
					    size->object, is_pointed ? ")" : "");
	const char *text = arena_printf(shown->arena, "{size %.0f", all), *element;
	bool is_readable = true;
	unsigned n = 0;

	if (shown->nesting == NESTING_MAX)
		return arena_printf(shown->arena, "%s}", text);
	shown->nesting++;
	for (; is_readable && n < ELEMENTS_MAX; n++) {
		element = element_text(shown, arena_printf(shown->arena, "%s%u]", elements, n));
		if (!element || n >= all || strlen(text) + strlen(element) > OBJECT_TEXT_MAX)
			break;
		text = arena_printf(shown->arena, "%s%s%s", text, n ? ", " : ": ", element);
		is_readable = *element != '('; /* the reason holds for the others, too */
	}
	element = is_readable ? element_text(shown, arena_printf(shown->arena, "%s-1]", elements))
			      : NULL;
	if (n < all && (n || element))
		text = arena_printf(shown->arena, "%s%s%s%s", text,
				    n + (element != NULL) < all ? n ? ", ..." : ": ..." : "",
				    element ? ", " : "", element ? element : "");
	for (size_t i = 0; i < shown->n; i++)
		shown->values[i].is_part |=
			behind(shown->values[i].expression, elements) ||
			(shown->values[i].object && behind(shown->values[i].object, elements));
	shown->nesting--;
	return arena_printf(shown->arena, "%s}", text);
}

/* One that may be empty: `{139}` or `empty`, as its has_value() says. */
static void optional_write(struct shown_objects *shown, struct stack_value *has)
{
	static const char test[] = "has_value()";
	const size_t n = strlen(has->expression), end = strlen(test);
	const bool is_pointed = n > end + 2 && !strncmp(has->expression + n - end - 2, "->", 2);
	const char *value, *text = NULL;
	size_t i;

	if (n <= end + 1 || strcmp(has->expression + n - end, test) != 0 ||
	    has->value.absence != PRESENT)
		return;
	value = arena_printf(shown->arena, "%.*svalue()", (int)(n - end), has->expression);
	if (has->value.number != 0)
		text = element_text(shown, value);
	if (has->value.number != 0 && !text)
		return;
	has->object = arena_printf(shown->arena, "%s%.*s", is_pointed ? "*" : "",
				   (int)(n - end - 1 - is_pointed), has->expression);
	has->text = text ? arena_printf(shown->arena, "{%s}", text) : "empty";
	for (i = 0; i < shown->n; i++)
		shown->values[i].is_part |= behind(shown->values[i].expression, value) != NULL;
}

void shown_objects_write(struct stack_value *values, size_t n, struct arena *arena)
{
	struct shown_objects shown = {values, n, arena, 0};

	for (size_t i = 0; i < n; i++)
		if (values[i].object && !values[i].text && values[i].value.absence == PRESENT)
			values[i].text = object_text(&shown, &values[i]);
	for (size_t i = 0; i < n; i++)
		if (!values[i].object)
			optional_write(&shown, &values[i]);
}
