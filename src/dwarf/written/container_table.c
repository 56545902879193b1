/* Parses the table of containers. written_container.c reads containers by it. */
#include "container_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "container_builtin.h"

#define ELEMENT "[$]"

enum { KINDS_MAX = 1024, ROWS_MAX = 256, LINE_MAX_BYTES = 1000 };

struct container_table {
	struct arena *arena;
	struct container_kind *kinds;
	size_t n, capacity;
};

/* The state while a text is parsed. */
struct table_reader {
	struct container_table *table;
	struct container_kind kind;
	size_t patterns_capacity, rows_capacity;
	struct container_kind *kinds;
	size_t n, capacity;
};

static bool glob(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			retry = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++retry;
		} else {
			return false;
		}
	}
	pattern += strspn(pattern, "*");
	return !*pattern;
}

static bool kind_has(const struct container_kind *kind, const char *name)
{
	for (size_t i = 0; i < kind->n_patterns; i++)
		if (glob(kind->patterns[i], name))
			return true;
	return false;
}

/* The kind that was being read is complete. */
static void kind_end(struct table_reader *reader)
{
	struct container_kind *kind = &reader->kind;
	struct arena *arena = reader->table->arena;
	struct container_kind done = *kind;

	if (kind->n_rows) {
		done.patterns = arena_copy(arena, kind->patterns,
					   kind->n_patterns * sizeof(*kind->patterns));
		done.rows = arena_copy(arena, kind->rows, kind->n_rows * sizeof(*kind->rows));
		reader->kinds = mem_grow(reader->kinds, &reader->capacity, reader->n + 1,
					 sizeof(*reader->kinds));
		reader->kinds[reader->n++] = done;
	}
	kind->n_patterns = 0;
	kind->n_rows = 0;
}

static bool pattern_add(struct table_reader *reader, char *line, struct err *err)
{
	struct container_kind *kind = &reader->kind;

	if (kind->n_rows)
		kind_end(reader);
	if (reader->n >= KINDS_MAX || kind->n_patterns >= ROWS_MAX)
		return err_set(err, ERR_FORMAT, "too many containers");
	kind->patterns = mem_grow(kind->patterns, &reader->patterns_capacity, kind->n_patterns + 1,
				  sizeof(*kind->patterns));
	kind->patterns[kind->n_patterns++] = arena_strdup(reader->table->arena, line);
	return true;
}

/* `size()`, `len`, `[]`, `[$]`, `[-1]`, `*`, `std::get<0>()`: its end, NULL if it is none. */
static char *word_end(char *text)
{
	static const char *const marks[] = {"[]", ELEMENT, "[-1]", "*"};
	char *end = text;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (!strncmp(text, marks[i], strlen(marks[i])))
			return text + strlen(marks[i]);
	while (isalnum((unsigned char)*end) || *end == '_' || !strncmp(end, "::", 2))
		end += *end == ':' ? 2 : 1;
	if (end == text || isdigit((unsigned char)*text))
		return NULL;
	if (*end == '<' && end[1 + strspn(end + 1, "0123456789")] == '>')
		end = strchr(end, '>') + 1;
	return strncmp(end, "()", 2) ? end : end + 2;
}

static bool value_parse(struct arena *arena, char *text, struct container_row *row, struct err *err)
{
	char *guard = strstr(text, " if ");

	if (guard) {
		*guard = '\0';
		if (!written_parse(guard + 4, arena, &row->guard, NULL, err))
			return false;
	}
	return written_parse(text, arena, &row->value, &row->text, err);
}

/* Append @n bytes at @text to @made, with numbers for `$`; LINE_MAX_BYTES or more: too long. */
static void element_append(char *made, size_t *n_made, const char *text, size_t n, unsigned index)
{
	for (size_t i = 0; i < n && *n_made < LINE_MAX_BYTES; i++) {
		char number[16] = {text[i]};

		if (text[i] == '$')
			snprintf(number, sizeof(number), "%u", index);
		if (*n_made + strlen(number) < LINE_MAX_BYTES)
			memcpy(made + *n_made, number, strlen(number) + 1);
		else
			*n_made = LINE_MAX_BYTES;
		*n_made += strlen(number);
	}
}

/* @text with `$` and `{...}` as they are for element @index; NULL: it is too long, or unclosed. */
static char *element_expand(const char *text, unsigned index, struct arena *arena)
{
	char *made = arena_alloc(arena, LINE_MAX_BYTES);
	size_t n = 0;

	for (;;) {
		const size_t before = strcspn(text, "{");
		const size_t n_repeated = strcspn(text + before, "}");

		element_append(made, &n, text, before, index);
		text += before;
		if (!*text)
			return n < LINE_MAX_BYTES ? made : NULL;
		if (!text[n_repeated])
			return NULL;
		for (unsigned i = 0; i < index && n_repeated > 1 && n < LINE_MAX_BYTES; i++)
			element_append(made, &n, text + 1, n_repeated - 1, index);
		text += n_repeated + 1;
	}
}

bool container_table_element(const struct container_row *row, unsigned index, struct arena *arena,
			     struct container_row *ret)
{
	char *text = element_expand(row->text, index, arena);
	struct err ignored;

	*ret = (struct container_row){.role = CONTAINER_VALUE,
				      .word = arena_printf(arena, "[%u]", index)};
	return text && value_parse(arena, text, ret, &ignored);
}

static bool row_parse(struct arena *arena, char *text, struct container_row *row, struct err *err)
{
	if (row->role != CONTAINER_ELEMENT)
		return value_parse(arena, text, row, err);
	row->text = arena_strdup(arena, text);
	text = element_expand(row->text, 1, arena);
	return text ? value_parse(arena, text, &(struct container_row){.word = NULL}, err)
		    : err_set(err, ERR_FORMAT, "a { is not closed, or it is too long");
}

/* The role of the row whose word ends at @end, where there is @sign; false: it is none. */
static bool role_find(const char *line, const char *end, const char *sign, enum container_role *ret)
{
	const bool has_sign = sign && *sign && strchr("=:", *sign);
	const size_t n = end ? (size_t)(end - line) : 0;

	if (has_sign)
		*ret = n == strlen(ELEMENT) && !memcmp(line, ELEMENT, n) ? CONTAINER_ELEMENT
		       : *sign == '='                                    ? CONTAINER_COUNT
									 : CONTAINER_VALUE;
	else if (n && sign > end && n == 5 && !memcmp(line, "check", n))
		*ret = CONTAINER_CHECK;
	else if (n && sign > end && n == 4 && !memcmp(line, "text", n))
		*ret = CONTAINER_TEXT;
	else
		return false;
	return true;
}

static bool row_add(struct table_reader *reader, char *line, struct err *err)
{
	struct container_kind *kind = &reader->kind;
	struct arena *arena = reader->table->arena;
	struct container_row row = {.word = NULL};
	char *end = word_end(line), *sign = end ? end + strspn(end, " \t") : NULL;
	bool has_word;

	if (!kind->n_patterns)
		return err_set(err, ERR_FORMAT, "the name of a type is missing before this row");
	if (kind->n_rows >= ROWS_MAX)
		return err_set(err, ERR_FORMAT, "too many rows");
	if (!role_find(line, end, sign, &row.role))
		return err_set(err, ERR_FORMAT,
			       "none of WORD = EXPRESSION, check EXPRESSION, text EXPRESSION");
	has_word = row.role < CONTAINER_CHECK;
	if (!row_parse(arena, sign + has_word, &row, err))
		return false;
	*end = '\0';
	row.word = has_word ? arena_strdup(arena, line) : NULL;
	kind->rows =
		mem_grow(kind->rows, &reader->rows_capacity, kind->n_rows + 1, sizeof(*kind->rows));
	kind->rows[kind->n_rows++] = row;
	return true;
}

static bool line_read(struct table_reader *reader, char *line, struct err *err)
{
	const bool is_row = isblank((unsigned char)*line);
	size_t n = strcspn(line, "#");

	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	line[n] = '\0';
	line += strspn(line, " \t");
	if (!*line)
		return true;
	return is_row ? row_add(reader, line, err) : pattern_add(reader, line, err);
}

static bool lines_read(struct table_reader *reader, const char *text, const char *origin,
		       struct err *err)
{
	char line[LINE_MAX_BYTES];
	unsigned number = 1;

	for (const char *at = text; *at; number++) {
		const size_t n = strcspn(at, "\n");
		struct err why = {.code = ERR_NONE};

		if (n >= sizeof(line))
			return err_set(err, ERR_FORMAT, "%s, line %u is too long", origin, number);
		memcpy(line, at, n);
		line[n] = '\0';
		if (!line_read(reader, line, &why))
			return err_set(err, ERR_FORMAT, "%s, line %u: %s", origin, number,
				       why.text);
		at += n + (at[n] == '\n');
	}
	if (reader->kind.n_patterns && !reader->kind.n_rows)
		return err_set(err, ERR_FORMAT,
			       "%s: the last type in it, %s, has no rows: see fathom(1)", origin,
			       reader->kind.patterns[reader->kind.n_patterns - 1]);
	kind_end(reader);
	return true;
}

bool container_table_add(struct container_table *table, const char *text, const char *origin,
			 struct err *err)
{
	struct table_reader reader = {.table = table};
	const bool is_good = lines_read(&reader, text, origin, err);

	if (is_good && reader.n) {
		table->kinds = mem_grow(table->kinds, &table->capacity, table->n + reader.n,
					sizeof(*table->kinds));
		memmove(table->kinds + reader.n, table->kinds, table->n * sizeof(*table->kinds));
		memcpy(table->kinds, reader.kinds, reader.n * sizeof(*reader.kinds));
		table->n += reader.n;
	}
	free(reader.kinds);
	free(reader.kind.patterns);
	free(reader.kind.rows);
	return is_good;
}

struct container_table *container_table_create(void)
{
	struct container_table *table = mem_alloc(sizeof(*table));
	struct err err;

	table->arena = arena_create();
	if (!container_table_add(table, container_builtin, "containers.table", &err))
		abort(); /* a test reads it */
	return table;
}

void container_table_destroy(struct container_table *table)
{
	if (!table)
		return;
	arena_destroy(table->arena);
	free(table->kinds);
	free(table);
}

const struct container_kind *container_table_find(const struct container_table *table,
						  const char *name,
						  const struct container_kind *after)
{
	const struct container_kind *end = table->kinds + table->n;

	for (const struct container_kind *kind = after ? after + 1 : table->kinds; kind < end;
	     kind++)
		if (kind_has(kind, name))
			return kind;
	return NULL;
}
