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

/* *@text is behind "@words NUMBER", if it begins with that; a number below 0 or none is not one. */
static void take_amount(const char **text, const char *words, const char *unit, double *ret)
{
	const size_t n = strlen(words);
	double number;
	char *end;

	if (strncmp(*text, words, n) != 0)
		return;
	number = strtod(*text + n, &end);
	if (end == *text + n || !(number >= 0 && isfinite(number)) ||
	    strncmp(end, unit, strlen(unit)) != 0)
		return;
	*ret = number;
	*text = end + strlen(unit);
}

/* "Of 5 runs, which differ by 1 %, at load 2, preempted 3 %, stolen 1 %, resolution 0.02 µs." */
static bool take_runs(struct annotation *annotation, const char *text)
{
	size_t n;
	double percent;
	struct machine_load load = {.threads = NAN};
	int length = 0;

	if (sscanf(text, "Of %zu runs, which differ by %lf %%%n", &n, &percent, &length) != 2 ||
	    !length || n < 2 || !(percent >= 0 && isfinite(percent)))
		return false;
	text += length;
	take_amount(&text, ", at load ", "", &load.threads);
	take_amount(&text, ", preempted ", " %", &load.preempted);
	take_amount(&text, ", stolen ", " %", &load.stolen);
	take_amount(&text, ", resolution ", " µs", &load.resolution);
	load.preempted /= 100;
	load.stolen /= 100;
	if (strcmp(text, ".") != 0)
		return false;
	annotation->n_runs = n;
	annotation->run_deviation = percent / 100;
	annotation->load = load;
	return true;
}

/* "It is in PATH." names the module; other comments are notes. */
/* False: it is none. */
static bool take_curve(struct reader *reader, const char *text)
{
	struct arena *arena = reader->annotation->arena;
	struct smooth curve;

	if (strncmp(text, ANNOTATION_CURVE, strlen(ANNOTATION_CURVE)) != 0 ||
	    !smooth_read(text + strlen(ANNOTATION_CURVE), arena, &curve))
		return false;
	reader->annotation->curve = arena_copy(arena, &curve, sizeof(curve));
	return true;
}

static void take_note(struct reader *reader, const char *text)
{
	const char *end = text + strlen(text);

	if (take_runs(reader->annotation, text) || take_curve(reader, text))
		return;
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

/* "412 of 600 samples" */
void annotation_comments_where(struct reader *reader)
{
	struct annotation *annotation = reader->annotation;
	size_t from = 0;

	scan_space(&reader->scanner);
	if (reader->scanner.n_comments && !reader->scanner.comments[0].own_line) {
		const char *text = reader->scanner.comments[0].text;
		int length = 0;

		from = sscanf(text, "%zu of %zu samples%n", &annotation->where_kept,
			      &annotation->where_of, &length) == 2 &&
		       length && !text[length] && annotation->where_of;
		if (!from)
			annotation->where_kept = annotation->where_of = 0;
	}
	annotation_comments_notes(reader, from);
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

/* A list read so far; only the number of its @n_more last ones is known. */
struct name_list {
	struct scanner scanner;
	size_t n_more;
	size_t n; /* at most so many names */
};

static struct name_list names_begin(struct reader *reader, const char *text)
{
	struct name_list ret = {.scanner = reader->scanner, .n = strlen(text) / 2 + 1};
	char *copy = arena_strdup(ret.scanner.arena, text);

	ret.n_more = cut_more(copy);
	ret.scanner.lone[0] = ret.scanner.lone[1] = NULL;
	ret.scanner.at = copy;
	ret.scanner.end = copy + strlen(copy);
	return ret;
}

/* The next text between commas outside of brackets; false: none. */
static bool names_next(struct name_list *list, const char **ret, const char **ret_end)
{
	if (list->scanner.at >= list->scanner.end)
		return false;
	*ret = list->scanner.at;
	*ret_end = scan_until(&list->scanner, ",");
	if (!*ret_end)
		*ret_end = list->scanner.end;
	list->scanner.at = *ret_end + 1;
	return true;
}

static const char *const *take_names(struct reader *reader, const char *text, size_t *ret_n,
				     size_t *ret_more)
{
	struct name_list list = names_begin(reader, text);
	const char **names = arena_array(list.scanner.arena, const char *, list.n);
	const char *at, *end;

	*ret_n = 0;
	while (names_next(&list, &at, &end))
		names[(*ret_n)++] = scan_comment_text(&list.scanner, at, end);
	*ret_more = list.n_more;
	return names;
}

/* "4096 + 8*", up to the feature's name at the end */
static bool read_map(const char *text, struct annotation_affine *ret)
{
	char *end;
	double sign = *text == '-' ? -1 : 1;
	double first = strtod(text, &end);

	if (end == text) { /* nothing, or a sign */
		*ret = (struct annotation_affine){.scale = sign};
		return !text[*text == '-'];
	}
	ret->offset = 0;
	ret->scale = first;
	if (!strncmp(end, " + ", 3) || !strncmp(end, " - ", 3)) {
		sign = end[1] == '-' ? -1 : 1;
		ret->offset = first;
		text = end + 3;
		ret->scale = *text ? sign * strtod(text, &end) : sign;
		if (!*text)
			return isfinite(first);
	}
	return isfinite(ret->offset) && isfinite(ret->scale) && ret->scale != 0 &&
	       !strcmp(end, "*");
}

/* "a = 4096 + 8*n" */
static bool take_map(struct scanner *scanner, const char *at, const char *end, const char *name,
		     struct annotation_affine *ret)
{
	const char *whole = arena_printf(scanner->arena, "%.*s", (int)(end - at), at);
	const size_t n = strlen(whole), behind = strlen(name);
	const char *equals = NULL;
	const char *next;

	for (next = strstr(whole, " = "); next; next = strstr(next + 1, " = "))
		equals = next;
	if (!equals || whole + n < equals + 3 + behind || strcmp(whole + n - behind, name) != 0 ||
	    !read_map(arena_printf(scanner->arena, "%.*s", (int)(whole + n - behind - equals - 3),
				   equals + 3),
		      ret))
		return false;
	ret->expression = scan_comment_text(scanner, whole, equals);
	return true;
}

static bool take_affine(struct reader *reader, struct annotation_feature *feature, const char *text)
{
	struct name_list list = names_begin(reader, text);
	struct annotation_affine *affine =
		arena_array(list.scanner.arena, struct annotation_affine, list.n);
	const char *at, *end;
	size_t n = 0;

	while (names_next(&list, &at, &end))
		if (!take_map(&list.scanner, at, end, feature->name, &affine[n++]))
			return false;
	feature->affine = affine;
	feature->n_affine = n;
	feature->n_affine_more = list.n_more;
	return true;
}

static const char *behind_head(const char *text, const char *head)
{
	const size_t n = strlen(head);

	return strncmp(text, head, n) ? NULL : text + n;
}

/* Names of the feature, and what goes along with it. */
static bool take_others(struct reader *reader, struct annotation_feature *feature, const char *text)
{
	const char *list;

	if (!feature->n_aliases && (list = behind_head(text, ANNOTATION_EQUAL)))
		feature->aliases = take_names(reader, list, &feature->n_aliases, &feature->n_more);
	else if (!feature->n_affine && (list = behind_head(text, ANNOTATION_AFFINE)))
		return take_affine(reader, feature, list);
	else if (!feature->n_kin && (list = behind_head(text, ANNOTATION_KIN)))
		feature->kin = take_names(reader, list, &feature->n_kin, &feature->n_kin_more);
	else
		return false;
	return true;
}

void annotation_comments_feature(struct reader *reader, struct annotation_feature *feature)
{
	size_t i;

	scan_space(&reader->scanner);
	for (i = 0; i < reader->scanner.n_comments; i++) {
		const struct comment *comment = &reader->scanner.comments[i];

		if (!comment->own_line && is_range(comment->text, &feature->min, &feature->max))
			continue;
		if (!comment->own_line || !take_others(reader, feature, comment->text))
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

/* The growth called @phrase up to @end; GROWTH_COUNT: none. */
static enum growth find_growth(const char *phrase, const char *end)
{
	enum growth growth;

	for (growth = 0; growth < GROWTH_COUNT; growth++)
		if (strlen(growth_phrase(growth)) == (size_t)(end - phrase) &&
		    !strncmp(growth_phrase(growth), phrase, end - phrase))
			break;
	return growth;
}

/*
 * "n log n: 150 samples, R² 0.993, cross-validated 0.992, median error 2.1 %", "unexplained: 90
 * samples, 90 % between 1 and 70, median error 41 %", or "the rest: 11 samples"
 */
static bool take_support(const char *text, struct model *model)
{
	const bool is_unexplained = behind_head(text, ANNOTATION_UNEXPLAINED ":");
	const bool is_rest = behind_head(text, ANNOTATION_REST ":");
	const char *colon = strchr(text, ':');
	const enum growth growth = is_unexplained || is_rest ? GROWTH_CONSTANT
				   : colon                   ? find_growth(text, colon)
							     : GROWTH_COUNT;

	if (growth == GROWTH_COUNT || sscanf(colon, ": %zu sample", &model->n_samples) != 1)
		return false;
	model->growth = growth;
	model->is_unexplained = is_unexplained;
	model->is_rest = is_rest;
	model->low = comment_find_number(colon, ", 90 % between ");
	model->high = comment_find_number(colon, " and ");
	model->free_low =
		comment_find_number(colon, growth == GROWTH_POWER ? ", exponent " : ", base ");
	model->free_high = comment_find_number(colon, " .. ");
	model->r2 = comment_find_number(colon, ", R² ");
	model->cv_r2 = comment_find_number(colon, ", cross-validated ");
	model->error = comment_find_number(colon, ", median error ") / 100;
	return true;
}

void annotation_comments_model(struct reader *reader, struct model *model)
{
	size_t first = 0;

	scan_space(&reader->scanner);
	if (reader->scanner.n_comments && !reader->scanner.comments[0].own_line)
		first = take_support(reader->scanner.comments[0].text, model);
	annotation_comments_notes(reader, first);
}
