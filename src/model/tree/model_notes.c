/* Writes the notes. Few and true: each says something that the formula does not show. */
#include "model_notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "growth_ambiguity.h"
#include "largest_residual.h"
#include "constant_features.h"
#include "unexplained.h"
#include "model/data/moments.h"
#include "core/samples/run_places.h"

enum {
	NAMED_MAX = 3, /* the rest are counted */
};

/* With fewer samples only strong dependences are found. */
enum { ROWS_FEW = 20 };

/* Correlation of a sparse feature with the metric that is worth a note. */
#define SPARSE_CORRELATION 0.8

/*
 * Left out calls that are this part of the whole cost, and so many times their part of the calls,
 * are told with their part.
 */
#define SHARE_TOLD   0.01
#define SHARE_BEYOND 2.0

#define WAITED_TOLD 0.01
/* A main trend with less than is asked of formulas has it by the calls beside it. */
#define R2_HIDDEN 0.75

/* Of the names of loops, see struct branch_site. */
#define LOOP_PREFIX "loop("
#define TURNS_TOLD  64

struct notes {
	struct arena *arena;
	const char **texts;
	size_t n;
};

static void note_add(struct notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note_add(struct notes *notes, const char *fmt, ...)
{
	char *text;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		mem_out_of_memory();
	va_end(args);
	if (notes->n < NOTES_MAX)
		notes->texts[notes->n++] = arena_strdup(notes->arena, text);
	free(text);
}

/* "a, b, c and 4 more" */
static const char *name_some(struct arena *arena, const struct column *const *columns, size_t n)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < n && i < NAMED_MAX; i++) {
		const char *between = !i ? "" : i + 1 == n ? " and " : ", ";

		text = arena_printf(arena, "%s%s%s", text, between, columns[i]->name);
	}
	if (n > NAMED_MAX)
		text = arena_printf(arena, "%s and %zu more", text, n - NAMED_MAX);
	return text;
}

static void note_rows(struct notes *notes, const struct dataset *data)
{
	size_t without = data->samples->n_rows - data->n_rows;

	if (!data->n_rows && !data->samples->n_rows)
		note_add(notes, "There are no samples.");
	else if (!data->n_rows)
		note_add(notes, "None of the %zu samples has this metric.", data->samples->n_rows);
	else if (data->n_rows < ROWS_MIN)
		note_add(notes, "%zu sample%s: too few to look for a dependence; it takes %d.",
			 data->n_rows, data->n_rows == 1 ? "" : "s", ROWS_MIN);
	if (data->n_rows && without)
		note_add(notes, "%zu sample%s without this metric %s left out.", without,
			 without == 1 ? "" : "s", without == 1 ? "was" : "were");
}

/* @data's rows are ordered by the metric. */
static double typical_cost(const struct dataset *data)
{
	return data->metric->numbers[data->order[data->n_rows / 2]];
}

static bool is_below(const struct dataset *data)
{
	return data->n_rows && fabs(typical_cost(data)) < data->resolution;
}

static void note_resolution(struct notes *notes, const struct dataset *data)
{
	const struct metric_info *info;
	const char *least;

	if (!is_below(data))
		return;
	info = metric_info(metric_total(data->metric->metric));
	least = arena_printf(notes->arena, data->resolution < 10 ? "%.2g" : "%.0f",
			     data->resolution);
	if (data->metric->metric == METRIC_TIME)
		note_add(notes, "Calls shorter than %s µs cannot be told from nothing here.",
			 least);
	else if (*info->unit_text)
		note_add(notes, "Less than %s %s cannot be told from nothing here.", least,
			 info->unit_text);
	else
		note_add(notes, "Fewer than %s %s cannot be told from nothing here.", least,
			 info->keyword);
}

/* What calls waited for a processor, if it is a hundredth of their time. */
static void note_waits(struct notes *notes, const struct dataset *data)
{
	double waited_us = 0, time_us = 0;
	size_t i, n = 0;

	if (data->metric && data->metric->metric != METRIC_TIME &&
	    data->metric->metric != METRIC_SELF + METRIC_TIME)
		return;
	for (i = 0; i < data->n_rows; i++) {
		const struct sample_key *key = &data->samples->keys[data->order[i]];

		n += key->waited_ns > 0;
		waited_us += key->waited_ns / 1e3;
		time_us += data->metric->numbers[data->order[i]];
	}
	if (!(waited_us > WAITED_TOLD * time_us))
		return;
	note_add(notes,
		 "%zu call%s waited for a processor that others had, %.3g %% of the "
		 "time of all: that is not in their cost.",
		 n, n == 1 ? "" : "s", 100 * waited_us / (time_us + waited_us));
}

/* Sets @ret to the columns of the annotation's features; returns how many. */
static size_t note_find_features(const struct annotation *annotation, const struct dataset *data,
				 const struct column **ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < annotation->n_features; i++) {
		const size_t at = samples_find_column(data->samples, COLUMN_FEATURE,
						      annotation->features[i].expression);

		if (at < data->samples->n_columns)
			ret[n++] = &data->samples->columns[at];
	}
	return n;
}

/* " (a pointer on the way is null)", if that is why @column is absent everywhere. */
static const char *reason(struct arena *arena, const struct dataset *data,
			  const struct column *column)
{
	enum absence why = PRESENT;
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const enum absence absence = column->absence[data->order[i]];

		if (absence != PRESENT && why != PRESENT && absence != why)
			return "";
		if (absence != PRESENT)
			why = absence;
	}
	if (why == PRESENT || column->provenance == FROM_IMPORT)
		return "";
	return arena_printf(arena, " (%s)", value_absence_meaning(why));
}

/* " They are 99.8 % of the whole cost."; nothing if they are a part like any other. */
static const char *left_out_share(struct arena *arena, const struct annotation *annotation,
				  size_t n, size_t rows)
{
	const struct annotation_left_out *out = &annotation->left_out;

	if (!(out->share >= SHARE_TOLD) || out->share < SHARE_BEYOND * n / rows)
		return "";
	return arena_printf(arena, " %s %.3g %% of the whole cost.", n == 1 ? "It is" : "They are",
			    100 * out->share);
}

static void note_absent(struct notes *notes, const struct annotation *annotation,
			const struct dataset *data, const struct fit *const *fits, size_t n)
{
	const struct column **columns =
		arena_array(notes->arena, const struct column *, annotation->n_features + 1);
	const size_t n_columns = note_find_features(annotation, data, columns);
	size_t absent = annotation->left_out.n_unread; /* those of no case, too */
	size_t kept = 0;
	size_t i;

	for (i = 0; i < n && !annotation->left_out.is_known; i++)
		absent += fits[i]->n_absent;
	for (i = 0; i < n_columns; i++)
		if (dataset_count_present(data, columns[i]) < data->n_rows)
			columns[kept++] = columns[i];
	if (absent && kept)
		note_add(notes, "%zu of %zu samples %s left out: %s could not be read there%s.",
			 absent, data->n_rows, absent == 1 ? "was" : "were",
			 name_some(notes->arena, columns, kept),
			 kept == 1 ? reason(notes->arena, data, columns[0]) : "");
}

/* Every kind of model leaves some out; the farthest may be most of the cost. */
static void note_far(struct notes *notes, const struct annotation *annotation,
		     const struct dataset *data, const struct fit *const *fits, size_t n)
{
	const char *farthest, *with = "";
	size_t far = 0;
	size_t i;

	for (i = 0; i < n; i++)
		far += fits[i]->n_far;
	if (!far)
		return;
	if (n == 1 && annotation->n_features)
		with = arena_printf(notes->arena, "; with %s R² would be %.3g",
				    far == 1 ? "it" : "them", fmax(fits[0]->r2_far, 0));
	note_add(notes, "%zu of %zu samples, far away from all others, %s left out%s.%s", far,
		 data->n_rows, far == 1 ? "was" : "were", with,
		 left_out_share(notes->arena, annotation, far, data->n_rows));
	farthest = largest_residual_note(annotation, data);
	if (farthest)
		note_add(notes, "%s", farthest);
}

/* How many calls made the envelope, and what the others cost. */
static void note_envelopes(struct notes *notes, const struct dataset *data,
			   const struct fit *const *fits, size_t n)
{
	const char *unit = metric_info(metric_total(data->metric->metric))->unit_text;
	size_t i;

	for (i = 0; i < n; i++)
		if (fits[i]->is_envelope)
			note_add(notes,
				 "Of %zu calls the %zu lowest at each %s were "
				 "modelled: others cost up to %.4g %s more.",
				 fits[i]->n_used, fits[i]->n_lowest, fits[i]->columns[0]->name,
				 fits[i]->above, unit);
}

static void note_returned(struct notes *notes, const struct annotation *annotation,
			  const struct dataset *data)
{
	const struct column **columns =
		arena_array(notes->arena, const struct column *, annotation->n_features + 1);
	const size_t n = note_find_features(annotation, data, columns);
	size_t i;

	for (i = 0; i < n; i++)
		if (columns[i]->provenance == FROM_RETURN)
			note_add(notes,
				 "%s is known only when the call ends: it explains "
				 "the cost and cannot predict it.",
				 columns[i]->name);
}

/* Calls beside a main trend, or beside modes. */
static void note_beside(struct notes *notes, const struct annotation *annotation)
{
	bool hides = false;
	size_t beside = 0, rest = 0;
	size_t i, j;

	for (i = 0; i < annotation->n_cases; i++) {
		const struct annotation_case *one = &annotation->cases[i];

		hides |= one->models[0].heuristic == HEURISTIC_TREND &&
			 one->models[0].r2 < R2_HIDDEN;
		for (j = 1; j < one->n_models; j++)
			if (one->models[0].heuristic == HEURISTIC_TREND)
				beside += one->models[j].n_samples;
			else if (one->models[j].is_rest)
				rest += one->models[j].n_samples;
	}
	if (beside)
		note_add(notes,
			 "%zu of %zu samples do not follow the main trend (M): "
			 "what they cost stands beside it.%s",
			 beside, annotation->n_samples,
			 hides ? " R² is so low as it is that of all." : "");
	if (rest)
		note_add(notes,
			 "%zu of %zu samples cost what no kind of calls does: they stand last, as "
			 "the rest.",
			 rest, annotation->n_samples);
}

static size_t count_kinds(const struct annotation_case *one)
{
	size_t n = 0;

	for (size_t i = 0; one->models[0].heuristic != HEURISTIC_TREND && i < one->n_models; i++)
		n += !one->models[i].is_rest;
	return n;
}

static bool has_unexplained(const struct annotation *annotation)
{
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		if (annotation->cases[i].models[0].is_unexplained)
			return true;
	return false;
}

/* A random choice means that a feature is missing. */
static bool has_many_turns(const struct samples *samples, const struct column *column)
{
	if (column->role != COLUMN_FEATURE ||
	    strncmp(column->name, LOOP_PREFIX, strlen(LOOP_PREFIX)) != 0)
		return false;
	for (size_t i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT && column->numbers[i] > TURNS_TOLD)
			return true;
	return false;
}

/* Their pads run within the call, and are not calibrated. */
static void note_turns(struct notes *notes, const struct dataset *data)
{
	const struct samples *samples = data->samples;
	bool any = false;

	if (!data->metric || !metric_is_time(data->metric->metric))
		return;
	for (size_t i = 0; !any && i < samples->n_columns; i++)
		any = has_many_turns(samples, &samples->columns[i]);
	if (any)
		note_add(notes, "Counting the turns of loops takes some ns a turn, which are in "
				"it: measured without --loops it has none.");
}

static void note_mixture(struct notes *notes, const struct annotation *annotation,
			 const struct dataset *data)
{
	const char *not_read;
	size_t most = 0;

	for (size_t i = 0; i < annotation->n_cases; i++) {
		const size_t kinds = count_kinds(&annotation->cases[i]);

		most = kinds > most ? kinds : most;
	}
	if (most < 2)
		return;
	note_add(notes,
		 "Of %zu kinds of calls nothing was found that tells which "
		 "one a call is.",
		 most);
	not_read = unexplained_not_read(notes->arena, data, true);
	if (not_read && !is_below(data) && !has_unexplained(annotation))
		note_add(notes, "%s", not_read);
}

/* Modes that are the machine's are none, but readers see the spread. */
static void note_spells(struct notes *notes, const struct fit *const *fits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fits[i]->in_spells) {
			note_add(notes,
				 "Neighbouring calls cost alike, up to twice what others do: taken "
				 "for the machine's doing, not for kinds of calls.");
			return;
		}
}

static void note_loose(struct notes *notes, const struct fit *loose)
{
	const unsigned n = loose->candidate.basis.n_features;
	const struct column **columns = arena_array(notes->arena, const struct column *, n + 1);
	unsigned i;

	for (i = 0; i < n; i++)
		columns[i] = loose->columns[i];
	note_add(notes, "%s %s part of the cost, but too little for a formula (R² %.4g).",
		 name_some(notes->arena, columns, n), n > 1 ? "explain" : "explains", loose->r2);
}

/* The correlation of a sparse column with the metric, where present. */
static double sparse_correlation(const struct dataset *data, const struct column *column,
				 size_t *count)
{
	struct moments moments = {0};
	double low, high, largest;
	size_t i;

	*count = dataset_column_range(column, data->order, data->n_rows, &low, &high);
	largest = fmax(fabs(low), fabs(high));
	for (i = 0; i < data->n_rows && largest > 0; i++) {
		size_t row = data->order[i];

		if (column->absence[row] != PRESENT)
			continue;
		moments_add(&moments, 1, column->numbers[row] / largest,
			    data->y_max > 0 ? data->metric->numbers[row] / data->y_max : 0);
	}
	return fabs(moments_correlation(&moments));
}

/* Only if nothing else explains the cost, and a rarely present feature may. */
static void note_sparse(struct notes *notes, const struct dataset *data)
{
	const struct column *found = NULL;
	double best = SPARSE_CORRELATION;
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_sparse; i++) {
		size_t count;
		double r = sparse_correlation(data, data->sparse[i], &count);

		if (count < ROWS_MIN || r <= best)
			continue;
		best = r;
		n = count;
		found = data->sparse[i];
	}
	if (found)
		note_add(notes,
			 "%s goes with the cost, but could be read in only %zu of %zu "
			 "samples.",
			 found->name, n, data->n_rows);
}

static void note_opaque(struct notes *notes, const struct dataset *data)
{
	if (data->n_opaque)
		note_add(notes,
			 "not used: %s, as large in every call as addresses, times "
			 "or hashes are.",
			 name_some(notes->arena, data->opaque, data->n_opaque));
}

static void note_doubtful(struct notes *notes, const struct dataset *data)
{
	const struct column **lists[2];
	size_t n[2] = {0, 0}, i;

	for (i = 0; i < 2; i++)
		lists[i] = arena_array(notes->arena, const struct column *, data->n_doubtful + 1);
	for (i = 0; i < data->n_doubtful; i++) {
		const bool of_runs =
			run_places_doubt(data->samples, data->metric, data->doubtful[i]);

		lists[of_runs][n[of_runs]++] = data->doubtful[i];
	}
	if (n[false])
		note_add(notes,
			 "not used: %s, whose values look like addresses, hashes or "
			 "memory that was never written.",
			 name_some(notes->arena, lists[false], n[false]));
	if (n[true])
		note_add(notes,
			 "not used: %s, which differ%s between runs only: whether their costs "
			 "differ for that cannot be told from how much runs differ anyway.",
			 name_some(notes->arena, lists[true], n[true]), n[true] == 1 ? "s" : "");
}

static void note_constant_features(struct notes *notes, const struct dataset *data)
{
	const char *text = constant_features_note(notes->arena, data);

	if (!text && data->n_constant)
		text = arena_printf(notes->arena, "%s never varied.",
				    name_some(notes->arena, data->constant, data->n_constant));
	if (text)
		note_add(notes, "%s", text);
}

static void note_few(struct notes *notes, const struct dataset *data)
{
	if (data->n_rows >= ROWS_MIN && data->n_rows < ROWS_FEW && data->n_predictors)
		note_add(notes, "In %zu samples no dependence but a strong one can be seen.",
			 data->n_rows);
}

/* Notes on formulas that depend on features. */
static void note_formulas(struct notes *notes, const struct annotation *annotation,
			  const struct dataset *data, const struct fit *const *fits, size_t n)
{
	note_absent(notes, annotation, data, fits, n);
	note_far(notes, annotation, data, fits, n);
	note_envelopes(notes, data, fits, n);
	note_returned(notes, annotation, data);
	for (size_t i = 0; i < annotation->n_cases; i++) {
		const char *apart = growth_ambiguity_note(annotation, i, data);

		if (apart)
			note_add(notes, "%s", apart);
	}
}

/* What was looked at, and what could not be. */
static void note_unexplained(struct notes *notes, const struct annotation *annotation,
			     const struct dataset *data)
{
	const char *not_read;

	if (!has_unexplained(annotation))
		return;
	note_add(notes, "%s", unexplained_looked_at(notes->arena, data));
	not_read = unexplained_not_read(notes->arena, data, false);
	if (not_read)
		note_add(notes, "%s", not_read);
}

/* What else there is to look at, where the cost can be told from nothing. */
static void note_varying(struct notes *notes, const struct annotation *annotation,
			 const struct dataset *data, const struct fit *loose)
{
	if (!annotation->n_features && data->n_rows >= ROWS_MIN) {
		if (loose)
			note_loose(notes, loose);
		note_sparse(notes, data);
		note_few(notes, data);
	}
	note_unexplained(notes, annotation, data);
	if (data->n_rows > 1) {
		note_opaque(notes, data);
		note_doubtful(notes, data);
		note_constant_features(notes, data);
	}
}

void model_notes_write(struct annotation *annotation, const struct dataset *data,
		       const struct fit *const *fits, size_t n, const struct fit *loose)
{
	struct notes notes = {.arena = annotation->arena};

	notes.texts = arena_array(notes.arena, const char *, NOTES_MAX);
	note_rows(&notes, data);
	note_resolution(&notes, data);
	note_waits(&notes, data);
	note_turns(&notes, data);
	note_mixture(&notes, annotation, data);
	note_beside(&notes, annotation);
	note_spells(&notes, fits, n);
	if (annotation->n_features)
		note_formulas(&notes, annotation, data, fits, n);
	else if (data->n_rows >= ROWS_MIN)
		note_far(&notes, annotation, data, fits, n);
	if (annotation->n_features || !dataset_is_nothing(data))
		note_varying(&notes, annotation, data, loose);
	annotation->notes = notes.texts;
	annotation->n_notes = notes.n;
}
