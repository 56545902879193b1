/* Looks at what calls have in common. The samples of a study have their derived columns. */
#include "advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "core/metric.h"
#include "model/split/feature_pairs.h"
#include "precision.h"

enum {
	SENTENCES_MAX = 64,
	CONSTANT_MAX = 5, /* sentences of a kind; the rest are counted */
	CALLS_MIN = 10,
	NAMES_MAX = 4,
};

/* A gap is a factor between neighbouring values. */
#define GAP 4.0
/* And so much further than what was seen. */
#define BEYOND 10.0
/* Costs known better than this need no more calls. */
#define PRECISE 0.01

struct advising {
	const struct advice_facts *facts;
	const struct samples *samples;
	struct arena *arena;
	const char *list[SENTENCES_MAX];
	size_t n;
};

static void advice_add(struct advising *advising, const char *sentence)
{
	if (advising->n < SENTENCES_MAX)
		advising->list[advising->n++] = sentence;
}

/* The only number of the column; false: there are none, few, or several. */
static bool never_varied(const struct samples *samples, const struct column *column, double *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->n_rows; i++) {
		if (column->absence[i] != PRESENT)
			continue;
		if (n++ && column->numbers[i] != *ret)
			return false;
		*ret = column->numbers[i];
	}
	return n >= CALLS_MIN;
}

static bool is_category(const struct column *column)
{
	return column->type == FEATURE_ENUM || column->type == FEATURE_CLASS ||
	       column->type == FEATURE_STRING;
}

/* How much a value that never varied may matter, 0 the most: sizes, flags, pointers, others. */
static unsigned rank_of(const struct column *column)
{
	const unsigned depth = column->depth < 9 ? column->depth : 9;

	if (column->is_derived || strstr(column->name, " != 0"))
		return 20 + depth;
	if (feature_pairs_unit(column->name) != UNIT_NONE || !column->depth)
		return depth;
	return (column->type == FEATURE_BOOL ? 10 : 30) + depth;
}

static const char *constant_sentence(struct advising *advising, const struct column *column,
				     double number)
{
	struct arena *arena = advising->arena;
	const char *command;
	size_t word;

	if (strstr(column->name, " != 0"))
		return arena_printf(arena, "%.*s was %s null", (int)(strlen(column->name) - 5),
				    column->name, number != 0 ? "never" : "always");
	if (column->type == FEATURE_BOOL)
		return arena_printf(arena, "%s was never %s", column->name,
				    number != 0 ? "false" : "true");
	command = run_words_for(&advising->facts->commands, advising->samples, column,
				BEYOND * number, arena, &word);
	if (!command)
		return arena_printf(arena, "%s was always %.6g: pass another", column->name,
				    number);
	return arena_printf(arena, "%s was always %.6g, as argument %zu of the program: %s",
			    column->name, number, word, command);
}

static void advise_constants(struct advising *advising)
{
	const struct samples *samples = advising->samples;
	size_t told = 0, n = 0;

	for (unsigned rank = 0; rank < 40; rank++)
		for (size_t i = 0; i < samples->n_columns; i++) {
			const struct column *column = &samples->columns[i];
			double number;

			if (column->role != COLUMN_FEATURE || column->provenance == FROM_SYSTEM ||
			    column->provenance == FROM_RETURN || is_category(column) ||
			    rank_of(column) != rank || !never_varied(samples, column, &number))
				continue;
			if (n++ < CONSTANT_MAX) {
				advice_add(advising, constant_sentence(advising, column, number));
				told++;
			}
		}
	if (n > told)
		advice_add(advising, arena_printf(advising->arena,
						  "%zu more values never varied either", n - told));
}

static bool was_seen(const struct samples *samples, const struct column *column, double number)
{
	for (size_t i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT && column->numbers[i] == number)
			return true;
	return false;
}

/* Names of enumerators that calls had, or had not. */
static const char *names_of(struct advising *advising, const struct column *column,
			    const struct feature *feature, bool seen, size_t *ret_n)
{
	const char *ret = "";

	*ret_n = 0;
	for (size_t i = 0; i < feature->n_labels; i++) {
		if (was_seen(advising->samples, column, (double)feature->labels[i].number) != seen)
			continue;
		if ((*ret_n)++ < NAMES_MAX)
			ret = arena_printf(advising->arena, "%s%s%s", ret, *ret ? ", " : "",
					   feature->labels[i].name);
	}
	return *ret_n <= NAMES_MAX
		       ? ret
		       : arena_printf(advising->arena, "%s and %zu more", ret, *ret_n - NAMES_MAX);
}

static void advise_enumerators(struct advising *advising)
{
	const struct function *function = advising->facts->function;
	const struct samples *samples = advising->samples;

	for (size_t i = 0; function && i < function->n_features; i++) {
		const struct feature *feature = &function->features[i];
		const size_t at = samples_find_column(samples, COLUMN_FEATURE, feature->expression);
		const char *was, *never;
		size_t n_was, n_never;

		if (feature->type != FEATURE_ENUM || at == samples->n_columns)
			continue;
		was = names_of(advising, &samples->columns[at], feature, true, &n_was);
		never = names_of(advising, &samples->columns[at], feature, false, &n_never);
		if (n_was && n_never)
			advice_add(advising, arena_printf(advising->arena, "%s was %s, never %s",
							  feature->expression, was, never));
	}
}

static void advise_branches(struct advising *advising)
{
	const struct samples *samples = advising->samples;

	for (size_t i = 0; i < samples->n_columns; i++) {
		const struct column *column = &samples->columns[i];
		double number;

		if (column->role == COLUMN_BRANCH && never_varied(samples, column, &number) &&
		    (number == 0 || number == 1))
			advice_add(advising,
				   arena_printf(advising->arena, "the branch at %s was %s taken",
						column->name, number == 0 ? "never" : "always"));
	}
}

static const struct column *advised_column(const struct advising *advising, unsigned feature)
{
	const struct samples *samples = advising->samples;
	const size_t at = samples_find_column(
		samples, COLUMN_FEATURE,
		advising->facts->study->annotation->features[feature].expression);

	return at < samples->n_columns ? &samples->columns[at] : NULL;
}

/* The largest gap between its positive values, as a factor. */
static void advise_gap(struct advising *advising, unsigned feature)
{
	const struct annotation_feature *of =
		&advising->facts->study->annotation->features[feature];
	const struct column *column = advised_column(advising, feature);
	double *numbers = mem_alloc((advising->samples->n_rows + 1) * sizeof(*numbers));
	double from = 0, to = 0;
	size_t n = 0;

	for (size_t i = 0; column && i < advising->samples->n_rows; i++)
		if (column->absence[i] == PRESENT && column->numbers[i] > 0)
			numbers[n++] = column->numbers[i];
	numbers_sort(numbers, n);
	for (size_t i = 1; i < n; i++)
		if (numbers[i] > numbers[i - 1] * fmax(GAP, from > 0 ? to / from : 0)) {
			from = numbers[i - 1];
			to = numbers[i];
		}
	if (from > 0)
		advice_add(advising, arena_printf(advising->arena,
						  "%s was never between %.6g and %.6g: try %.3g",
						  of->expression, from, to, sqrt(from) * sqrt(to)));
	free(numbers);
}

/* Beyond what was seen a formula is a guess. */
static void advise_range(struct advising *advising, unsigned feature)
{
	const struct annotation_feature *of =
		&advising->facts->study->annotation->features[feature];
	const struct column *column = advised_column(advising, feature);
	const char *command = NULL;
	size_t word;

	if (!column || !(of->max > of->min) || !(of->max > 0) ||
	    column->provenance == FROM_SYSTEM || column->provenance == FROM_RETURN)
		return;
	command = run_words_for(&advising->facts->commands, advising->samples, column,
				BEYOND * of->max, advising->arena, &word);
	advice_add(advising,
		   command ? arena_printf(advising->arena,
					  "%s was %.6g to %.6g, by argument %zu of the program: "
					  "beyond, the formula is a guess: %s",
					  of->expression, of->min, of->max, word, command)
			   : arena_printf(advising->arena,
					  "%s was %.6g to %.6g: beyond, the formula is a guess: "
					  "try %.3g",
					  of->expression, of->min, of->max, BEYOND * of->max));
}

static void advise_features(struct advising *advising)
{
	const struct annotation *annotation = advising->facts->study->annotation;

	for (unsigned i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *of = &annotation->features[i];

		if (of->type == FEATURE_INT || of->type == FEATURE_FLOAT) {
			advise_gap(advising, i);
			advise_range(advising, i);
		}
		if (of->n_kin)
			advice_add(advising,
				   arena_printf(advising->arena,
						"%s and %s went together: a large %s with a small "
						"%s would tell which of them it is",
						of->expression, of->kin[0], of->expression,
						of->kin[0]));
	}
}

static const char *next_sentence(struct advising *advising, const struct precision *precision,
				 const char *known)
{
	const struct study *study = advising->facts->study;
	const struct annotation_feature *of;
	const struct column *column;
	const char *command = NULL;
	size_t word;

	if (!isfinite(precision->calls))
		return known;
	if (precision->feature == STUDY_NONE)
		return arena_printf(advising->arena, "%s; %.0f more calls halve that", known,
				    precision->calls);
	of = &study->annotation->features[precision->feature];
	column = advised_column(advising, precision->feature);
	if (column)
		command = run_words_for(&advising->facts->commands, advising->samples, column,
					precision->value, advising->arena, &word);
	return arena_printf(advising->arena, "%s; %.0f call%s with %s = %.6g halve%s that%s%s",
			    known, precision->calls, precision->calls == 1 ? "" : "s",
			    of->expression, precision->value, precision->calls == 1 ? "s" : "",
			    command ? ": " : "", command ? command : "");
}

static void advise_precision(struct advising *advising)
{
	const struct study *study = advising->facts->study;
	struct precision precision;

	if (!precision_find(study, &precision) || precision.relative < PRECISE)
		return;
	advice_add(advising,
		   next_sentence(advising, &precision,
				 arena_printf(advising->arena,
					      "what a typical call costs (%.4g %s) is known to "
					      "±%.2g %%",
					      precision.cost, metric_info(study->metric)->unit_text,
					      100 * precision.relative)));
}

const char *const *advice_find(const struct advice_facts *facts, struct arena *arena, size_t *ret_n)
{
	struct advising advising = {
		.facts = facts, .samples = facts->study->samples, .arena = arena};

	if (facts->is_first) {
		advise_constants(&advising);
		advise_enumerators(&advising);
		advise_branches(&advising);
	}
	advise_features(&advising);
	advise_precision(&advising);
	*ret_n = advising.n;
	return arena_copy(arena, advising.list, advising.n * sizeof(*advising.list));
}
