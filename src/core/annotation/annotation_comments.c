/*
 * Comments in the form that annotation_print.c writes are understood; others become notes.
 * annotation_parse.c knows which comments stand where.
 */
#include "annotation_comments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void add_note(struct reader *reader, const char *text)
{
	reader->notes = mem_grow(reader->notes, &reader->notes_capacity, reader->n_notes + 1,
				 sizeof(*reader->notes));
	reader->notes[reader->n_notes++] = text;
}

static const char place[] = "It is in ";

bool annotation_comments_is_place(const char *text)
{
	const size_t before = sizeof(place) - 1, n = strlen(text);

	return !strncmp(text, place, before) && n > before + 1 && text[n - 1] == '.';
}

/* "It is in PATH." names the module; other comments are notes. */
static void take_note(struct reader *reader, const char *text)
{
	const char *end = text + strlen(text);

	if (annotation_comments_is_place(text))
		reader->annotation->module =
			scan_comment_text(&reader->scanner, text + sizeof(place) - 1, end - 1);
	else if (*text)
		add_note(reader, scan_comment_text(&reader->scanner, text, end));
}

void annotation_comments_notes(struct reader *reader, size_t from)
{
	size_t i;

	for (i = from; i < reader->scanner.n_comments; i++)
		take_note(reader, reader->scanner.comments[i].text);
	scan_drop_comments(&reader->scanner);
}

/* "1000 .. 199864" */
static bool is_range(const char *text, double *ret_min, double *ret_max)
{
	char *end;
	double min = strtod(text, &end);
	const char *dots = end;
	double max;

	if (end == text || strncmp(dots, " .. ", 4))
		return false;
	max = strtod(dots + 4, &end);
	if (end == dots + 4 || *end || !isfinite(min) || !isfinite(max))
		return false;
	*ret_min = min;
	*ret_max = max;
	return true;
}

/* Cut off " and 4 more" at the end of @text; returns the 4. */
static size_t cut_more(char *text)
{
	char *at = strrchr(text, ' ');
	char *count;
	size_t n;
	int length = 0;

	if (!at || strcmp(at, " more"))
		return 0;
	*at = '\0';
	count = strrchr(text, ' ');
	if (count && sscanf(count, " %zu%n", &n, &length) == 1 && !count[length] &&
	    count - text >= 4 && !strncmp(count - 4, " and", 4)) {
		count[-4] = '\0';
		return n;
	}
	*at = ' ';
	return 0;
}

/* Expressions separated by ", " outside of brackets. */
static void take_aliases(struct reader *reader, struct annotation_feature *feature,
			 const char *text)
{
	struct scanner list = reader->scanner;
	char *copy = arena_strdup(list.arena, text);
	const char **aliases;

	feature->n_more = cut_more(copy);
	list.lone[0] = list.lone[1] = NULL;
	aliases = arena_array(list.arena, const char *, strlen(copy) / 2 + 1);
	for (list.at = copy, list.end = copy + strlen(copy); list.at < list.end; list.at++) {
		const char *end = scan_until(&list, ",");

		end = end ? end : list.end;
		aliases[feature->n_aliases++] = scan_comment_text(&list, list.at, end);
		list.at = end;
	}
	feature->aliases = aliases;
}

void annotation_comments_feature(struct reader *reader, struct annotation_feature *feature)
{
	static const char same[] = "the same as ";
	size_t i;

	scan_space(&reader->scanner);
	for (i = 0; i < reader->scanner.n_comments; i++) {
		const struct comment *comment = &reader->scanner.comments[i];

		if (!comment->own_line && is_range(comment->text, &feature->min, &feature->max))
			continue;
		if (comment->own_line && !feature->n_aliases &&
		    !strncmp(comment->text, same, sizeof(same) - 1))
			take_aliases(reader, feature, comment->text + sizeof(same) - 1);
		else
			take_note(reader, comment->text);
	}
	scan_drop_comments(&reader->scanner);
}

/* ", NAME 0.99" in @text. */
static double comment_find_number(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	char *end;
	double number = at ? strtod(at + strlen(name), &end) : NAN;

	return at && end != at + strlen(name) && isfinite(number) ? number : NAN;
}

/* "n log n: 150 samples, R² 0.993, cross-validated 0.992, median error 2.1 %" */
static bool take_support(const char *text, struct model *model)
{
	const char *colon = strchr(text, ':');
	enum growth growth;

	for (growth = 0; colon && growth < GROWTH_COUNT; growth++) {
		const char *phrase = growth_phrase(growth);

		if (strlen(phrase) != (size_t)(colon - text) ||
		    strncmp(phrase, text, colon - text) != 0)
			continue;
		if (sscanf(colon, ": %zu sample", &model->n_samples) != 1)
			return false;
		model->growth = growth;
		model->r2 = comment_find_number(colon, ", R² ");
		model->cv_r2 = comment_find_number(colon, ", cross-validated ");
		model->error = comment_find_number(colon, ", median error ") / 100;
		return true;
	}
	return false;
}

void annotation_comments_model(struct reader *reader, struct model *model)
{
	size_t first = 0;

	scan_space(&reader->scanner);
	if (reader->scanner.n_comments && !reader->scanner.comments[0].own_line)
		first = take_support(reader->scanner.comments[0].text, model);
	annotation_comments_notes(reader, first);
}
