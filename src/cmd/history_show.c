/* The course of a function's cost over commits: as text, pictures and a page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/annotation/expectation.h"
#include "core/figure/figure_course.h"
#include "core/samples/derived_columns.h"
#include "core/annotation/quote_head.h"
#include "history/segments.h"
#include "history_actions.h"
#include "results/figure_files.h"
#include "results/findings_report.h"
#include "results/kept_models.h"
#include "results/selected_functions.h"

enum { COMMITS_MOST = 1000, BAR = 24 };

/* A commit with samples of the function. */
struct course_point {
	const struct git_commit *commit;
	struct annotation *annotation; /* owned */
	double cost;                   /* of the call that all are asked for */
	double level;
	bool is_change;
};

struct course {
	struct history *history;
	struct course_point *points;
	size_t n, n_changes;
	const char *key;
};

/* One function and metric of a profile. */
struct course_search {
	const struct history *history;
	struct profile *profile;
	struct annotation *found;
};

static bool course_take_first(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct course_search *search = self;
	const struct options *options = &search->history->options;
	const uint64_t metrics = selected_functions_metrics(samples, options);
	const struct model_options modelling = selected_functions_options(options);

	(void)err;
	derived_columns_add(samples);
	/* The first of several metrics. */
	if (!search->found && metrics &&
	    !kept_models_build(search->profile, key, samples, metrics & -metrics, &modelling,
			       &search->found))
		search->found = NULL;
	samples_destroy(samples);
	return true;
}

/* NULL: the profile has no such function. */
static bool course_annotation(struct history *history, const char *path, struct annotation **ret,
			      struct err *err)
{
	struct course_search search = {.history = history};
	struct chosen chosen = {.options = &history->options, .without_sites = true};
	bool ok;

	if (!profile_open(path, &search.profile, err))
		return false;
	chosen.profile = search.profile;
	ok = selected_functions_visit(&chosen, course_take_first, &search, err);
	profile_close(search.profile);
	*ret = search.found;
	return ok;
}

static size_t commits_with(const struct course *course, const struct git_commits *commits,
			   const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < commits->n; i++)
		n += store_has(&course->history->store, commits->list[i].id, key);
	return n;
}

/*
 * All points are of one key: of the newest commit with the function, the one that most commits
 * have.
 */
static bool add_commit(struct course *course, const struct git_commits *commits,
		       const struct git_commit *commit, struct err *err)
{
	struct history *history = course->history;
	const char **keys = store_keys(&history->store, commit->id);
	const char *key = NULL;
	struct annotation *annotation = NULL;
	size_t most = 0;

	for (size_t i = 0; keys[i]; i++) {
		const size_t n = commits_with(course, commits, keys[i]);
		struct annotation *found = NULL;

		if (n <= most || (course->key && strcmp(course->key, keys[i]) != 0))
			continue;
		if (!course_annotation(history, store_path(&history->store, commit->id, keys[i]),
				       &found, err))
			return false;
		if (!found)
			continue;
		annotation_destroy(annotation);
		annotation = found;
		key = keys[i];
		most = n;
	}
	if (annotation) {
		course->key = key;
		course->points[course->n++] =
			(struct course_point){.commit = commit, .annotation = annotation};
	}
	return true;
}

static double middle_of(const struct annotation *of, const char *expression, double otherwise)
{
	struct annotation_affine map = {.scale = 1};

	for (size_t i = 0; i < of->n_features; i++)
		if (annotation_feature_find(&of->features[i], expression, &map))
			return map.offset +
			       map.scale * (of->features[i].min + of->features[i].max) / 2;
	return otherwise;
}

/* What @annotation expects of the call in the middle of what @of observed; NAN: nothing. */
static double cost_of(const struct annotation *annotation, const struct annotation *of,
		      struct arena *arena)
{
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	const struct annotation_list none = {0};
	struct expectation expectation;
	struct err ignored;

	for (size_t i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];
		const double own = (feature->min + feature->max) / 2;

		x[i].number = middle_of(of, feature->expression, own);
		x[i].known = isfinite(x[i].number);
	}
	return expectation_find(annotation, &none, x, &expectation, &ignored) ? expectation.mean
									      : NAN;
}

static void set_levels(struct course *course)
{
	size_t i, j, from = 0;

	for (i = 1; i <= course->n; i++) {
		double sum = 0;

		if (i < course->n && !course->points[i].is_change)
			continue;
		for (j = from; j < i; j++)
			sum += course->points[j].cost;
		for (j = from; j < i; j++)
			course->points[j].level = sum / (double)(i - from);
		from = i;
	}
}

/* Points without a cost are left out. */
static void find_changes(struct course *course)
{
	struct arena *arena = course->history->arena;
	const struct annotation *newest = course->points[course->n - 1].annotation;
	double *logs = arena_array(arena, double, course->n);
	bool *changes = arena_array(arena, bool, course->n);
	size_t i, n = 0;

	for (i = 0; i < course->n; i++) {
		struct course_point point = course->points[i];

		point.cost = cost_of(point.annotation, newest, arena);
		if (!(point.cost > 0)) {
			annotation_destroy(point.annotation);
			continue;
		}
		logs[n] = log(point.cost);
		course->points[n++] = point;
	}
	course->n = n;
	course->n_changes = segments_find(logs, n, course->history->options.alpha, changes);
	for (i = 0; i < n; i++)
		course->points[i].is_change = changes[i];
	set_levels(course);
}

/* The first one; dots: there are more cases, or kinds of calls. */
static void course_print_formula(const struct annotation *annotation, FILE *out)
{
	const struct annotation_case *first = annotation->cases;

	if (!annotation->n_cases)
		return;
	annotation_print_scope(annotation, first, out);
	if (first->n_models > 1)
		fprintf(out, "{%.3g} ", first->models[0].probability);
	annotation_print_formula(annotation, &first->models[0].mean, out);
	if (annotation->n_cases > 1 || first->n_models > 1)
		fputs(" ...", out);
}

static void course_print_point(const struct course_point *point, double most, FILE *out)
{
	const int length = (int)lround(BAR * point->cost / most);
	char bar[BAR + 1];

	memset(bar, '#', sizeof(bar));
	fprintf(out, "%c %s %s %-*.*s %10.5g  ", point->is_change ? '>' : ' ', point->commit->name,
		point->commit->date, BAR, length, bar, point->cost);
	course_print_formula(point->annotation, out);
	fputs(" | ", out);
	text_print_safe(out, point->commit->title);
	fputc('\n', out);
}

static const char *course_call(const struct annotation *newest, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < newest->n_features; i++)
		text = arena_printf(arena, "%s%s%s = %.5g", text, i ? ", " : " with ",
				    newest->features[i].name,
				    (newest->features[i].min + newest->features[i].max) / 2);
	return text;
}

static void print_changes(const struct course *course, FILE *out)
{
	const double alpha = course->history->options.alpha;
	const size_t least = segments_least(alpha);

	if (course->n < least) {
		fprintf(out,
			"%zu commit%s too few to tell when it changed: %zu or more are enough\n",
			course->n, course->n == 1 ? " is" : "s are", least);
		return;
	}
	fprintf(out,
		"%zu change%s (of courses without any, at most %.3g %% are said to have "
		"one)\n",
		course->n_changes, course->n_changes == 1 ? "" : "s", 100 * alpha);
}

static void print_course(const struct course *course, FILE *out)
{
	const struct annotation *newest = course->points[course->n - 1].annotation;
	const struct metric_info *info = metric_info(newest->metric);
	double most = 0;

	text_print_safe(out, newest->function);
	fprintf(out, ".%s%s%s%s, %zu commit%s of %s\n", info->keyword,
		*info->unit_text ? " in " : "", info->unit_text,
		course_call(newest, course->history->arena), course->n, course->n == 1 ? "" : "s",
		course->key);
	for (size_t i = 0; i < course->n; i++)
		most = fmax(most, course->points[i].cost);
	for (size_t i = 0; i < course->n; i++)
		course_print_point(&course->points[i], most, out);
	print_changes(course, out);
}

static struct figure *course_figure(const struct course *course)
{
	struct arena *arena = course->history->arena;
	const struct annotation *newest = course->points[course->n - 1].annotation;
	const char **names = arena_array(arena, const char *, course->n);
	double *costs = arena_array(arena, double, course->n);
	double *levels = arena_array(arena, double, course->n);
	const struct figure_course what = {
		.title = arena_printf(arena, "%s%s",
				      quote_head(arena, newest->function, newest->metric),
				      course_call(newest, arena)),
		.x_title = "commit",
		.metric = newest->metric,
		.names = names,
		.costs = costs,
		.levels = levels,
		.n = course->n};

	for (size_t i = 0; i < course->n; i++) {
		names[i] = course->points[i].commit->name;
		costs[i] = course->points[i].cost;
		levels[i] = course->points[i].level;
	}
	return figure_course(&what);
}

static bool write_pictures(const struct course *course, struct err *err)
{
	const struct options *options = &course->history->options;
	struct figure *figure = course_figure(course);
	struct figure_files files;
	char *text = NULL;
	size_t size;
	FILE *memory;
	bool ok = !options->plots || (figure_files_begin(options->plots, &files, err) &&
				      figure_files_write(&files, "history", figure, err));

	if (ok && options->html) {
		memory = open_memstream(&text, &size);
		print_course(course, memory);
		fclose(memory);
		ok = findings_report_page(options->html, figure, text, err);
		free(text);
	}
	figure_destroy(figure);
	return ok;
}

static bool show(struct course *course, const struct git_commits *commits, struct err *err)
{
	const struct history *history = course->history;
	size_t i;

	course->points = arena_array(history->arena, struct course_point, commits->n);
	for (i = 0; i < commits->n; i++)
		if (!add_commit(course, commits, &commits->list[i], err))
			return false;
	for (i = 0; i < course->n / 2; i++) { /* oldest first */
		const struct course_point kept = course->points[i];

		course->points[i] = course->points[course->n - 1 - i];
		course->points[course->n - 1 - i] = kept;
	}
	if (course->n)
		find_changes(course);
	if (!course->n)
		return err_set(err, ERR_NOT_FOUND,
			       "no commit has samples of %s: fathom history log tells what is "
			       "measured",
			       history->options.functions[0]);
	print_course(course, stdout);
	return write_pictures(course, err);
}

bool history_show(struct history *history, struct err *err)
{
	struct course course = {.history = history};
	struct options *options = &history->options;
	const char *revision = options->n_arguments == 2 ? options->arguments[1] : "HEAD";
	struct git_commits commits;
	bool ok;

	options->functions = arena_array(history->arena, const char *, 1);
	options->functions[0] = options->arguments[0];
	options->n_functions = 1;
	ok = git_log(revision, GIT_FIRST_PARENTS, COMMITS_MOST, history->arena, &commits, err) &&
	     show(&course, &commits, err);
	for (size_t i = 0; i < course.n; i++)
		annotation_destroy(course.points[i].annotation);
	return ok;
}
