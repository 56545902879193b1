/* A line at a time. */
#include "watched.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists are copied for each element. */
enum { LINES_MOST = 1000, RUNS_MOST = 1000 };

struct watched_reader {
	struct arena *arena;
	struct watched *watched;
	const char *path;
	unsigned line;
	struct err *err;
};

static bool watched_fail(const struct watched_reader *reader, const char *why)
{
	return err_set(reader->err, ERR_FORMAT, "%s, line %u: %s", reader->path, reader->line, why);
}

/* Append @text to a list of @n, whose end stays NULL. */
static void *longer(struct arena *arena, const void *list, size_t n, size_t size)
{
	char *copy = arena_alloc(arena, (n + 2) * size);

	if (n)
		memcpy(copy, list, n * size);
	return copy;
}

static bool watched_take_program(struct watched_reader *reader, const char *name, char *value)
{
	struct watched *watched = reader->watched;
	struct watched_program *program = watched->n ? &watched->programs[watched->n - 1] : NULL;
	unsigned long runs;
	char *end;

	if (!program)
		return watched_fail(reader, "program = ./NAME comes first");
	if (!strcmp(name, "argument")) {
		program->words = longer(reader->arena, program->words, program->n_words,
					sizeof(*program->words));
		program->words[program->n_words++] = value;
	} else if (!strcmp(name, "function")) {
		program->functions = longer(reader->arena, program->functions, program->n_functions,
					    sizeof(*program->functions));
		program->functions[program->n_functions++] = value;
	} else if (!strcmp(name, "metrics")) {
		program->metrics = value;
	} else if (!strcmp(name, "runs")) {
		runs = strtoul(value, &end, 10);
		if (*end || !isdigit((unsigned char)*value) || !runs || runs > RUNS_MOST)
			return watched_fail(reader, "runs is a number from 1 to 1000");
		program->runs = (unsigned)runs;
	} else {
		return watched_fail(reader,
				    "a line is build, program, argument, function, metrics or "
				    "runs, then = and a value");
	}
	return true;
}

static bool watched_take_line(struct watched_reader *reader, const char *name, char *value)
{
	struct watched *watched = reader->watched;

	if (!strcmp(name, "build")) {
		watched->build = value;
		return true;
	}
	if (strcmp(name, "program") != 0)
		return watched_take_program(reader, name, value);
	watched->programs =
		longer(reader->arena, watched->programs, watched->n, sizeof(*watched->programs));
	watched->n++;
	return watched_take_program(reader, "argument", value);
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	for (end = text + strlen(text); end > text && strchr(" \t\r\n", end[-1]); end--)
		continue;
	*end = '\0';
	return text;
}

static bool read_line(struct watched_reader *reader, const char *raw)
{
	char *line = trim(arena_strdup(reader->arena, raw));
	char *equals = strchr(line, '=');

	if (!*line || *line == '#')
		return true;
	if (!equals || !*trim(equals + 1))
		return watched_fail(reader, "a name, = and a value are meant");
	*equals = '\0';
	return watched_take_line(reader, trim(line), trim(equals + 1));
}

bool watched_read(const char *path, struct arena *arena, struct watched *ret, struct err *err)
{
	struct watched_reader reader = {.arena = arena, .watched = ret, .path = path, .err = err};
	FILE *file = fopen(path, "re");
	size_t capacity = 0;
	char *line = NULL;
	bool ok = true;

	*ret = (struct watched){0};
	if (!file)
		return errno == ENOENT || err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
	while (ok && getline(&line, &capacity, file) > 0)
		ok = ++reader.line > LINES_MOST ? watched_fail(&reader, "there are too many lines")
						: read_line(&reader, line);
	if (ok && ferror(file))
		ok = err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
	free(line);
	fclose(file);
	return ok;
}
