/*
 * A unit is a function's own code, so its formula is that of self.time. A term that is so much of
 * what all its calls took makes the function faster by half of that, if halved; the slope says what
 * the program gains from it.
 */
#include "causal_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/cxx_name.h"
#include "core/samples/derived_columns.h"
#include "model/data/annotated_rows.h"
#include "results/kept_models.h"
#include "results/selected_functions.h"

/* Below this share of a function's time a term is not worth a line. */
#define LEAST_SHARE 0.05

/* By enum metric. */
enum { SELF_TIME = METRIC_SELF + METRIC_TIME };

struct dearest {
	const struct annotation_case *in;
	const struct term *term;
	double share; /* of the cost of all calls */
};

static double term_sum(const struct annotated_rows *rows, const struct annotation_case *in,
		       const struct term *term, struct arena *arena)
{
	const size_t n = rows->annotation->n_features + 1;
	struct argument *x = arena_array(arena, struct argument, n);
	double *numbers = arena_array(arena, double, n);
	double sum = 0;
	size_t i;

	for (i = 0; i < rows->samples->n_rows; i++) {
		annotated_rows_arguments(rows, i, x);
		if (&rows->annotation->cases[annotated_rows_case(rows, x)] != in)
			continue;
		annotated_rows_numbers(rows, i, numbers);
		const double value = term->coefficient * annotated_rows_term(term, numbers);

		sum += isfinite(value) ? value : 0;
	}
	return sum;
}

/* Cases of one formula; a mixture does not say which of its models a call has. */
static void find_dearest(const struct annotated_rows *rows, struct arena *arena,
			 struct dearest *ret)
{
	double total = 0;
	size_t i, j;

	for (i = 0; i < rows->samples->n_rows; i++)
		if (rows->metric->absence[i] == PRESENT)
			total += rows->metric->numbers[i];
	for (i = 0; i < rows->annotation->n_cases; i++) {
		const struct annotation_case *in = &rows->annotation->cases[i];
		const struct formula *mean = &in->models[0].mean;

		for (j = 0; j < mean->n_terms && in->n_models == 1; j++) {
			const struct term *term = &mean->terms[j];
			double share;

			if (!term->n_factors)
				continue;
			share = term_sum(rows, in, term, arena) / total;
			if (share > ret->share && share <= 1)
				*ret = (struct dearest){in, term, share};
		}
	}
}

static void print_dearest(const struct annotation *annotation, const struct dearest *dearest,
			  const struct causal_gain *gain, FILE *out)
{
	struct term bare = *dearest->term;
	const struct formula alone = {&bare, 1};
	const double faster = dearest->share / 2;

	bare.coefficient = 1;
	fputs("if the term ", out);
	annotation_print_formula(annotation, &alone, out);
	fputs(" of ", out);
	text_print_safe(out, annotation->function);
	fprintf(out, ", %.0f %% of its own time, were halved: %+.1f %%", 100 * dearest->share,
		100 * gain->slope * faster);
	if (isfinite(gain->low))
		fprintf(out, " (%.1f to %.1f)", 100 * gain->low * faster,
			100 * gain->high * faster);
	fputc('\n', out);
}

struct asked {
	struct profile *profile;
	const struct options *options;
	const struct causal_unit *unit;
	const struct causal_gain *gain;
	FILE *out;
};

/* A unit that is a line, or a function by caller, has another name or line. */
static bool is_unit(const void *self, const struct samples *samples)
{
	const struct asked *asked = self;
	const struct causal_unit *unit = asked->unit;

	return samples->line == unit->line &&
	       cxx_name_matches(samples->function, samples->linkage, unit->name);
}

static bool print_function(void *self, const char *key, struct samples *samples, struct err *err)
{
	const struct asked *asked = self;
	const struct model_options options = selected_functions_options(asked->options);
	struct annotation *annotations[METRIC_COUNT];
	struct arena *arena = arena_create();
	size_t i, n;

	(void)err;
	derived_columns_add(samples);
	n = kept_models_build(asked->profile, key, samples, 1u << SELF_TIME, &options, annotations);
	for (i = 0; i < n; i++) {
		struct dearest dearest = {.share = LEAST_SHARE};
		struct annotated_rows rows;

		if (annotated_rows_find(annotations[i], samples, arena, &rows))
			find_dearest(&rows, arena, &dearest);
		if (dearest.term)
			print_dearest(annotations[i], &dearest, asked->gain, asked->out);
		annotation_destroy(annotations[i]);
	}
	arena_destroy(arena);
	samples_destroy(samples);
	return true;
}

void causal_terms_print(struct profile *profile, const struct options *options,
			const struct causal_gains *gains, FILE *out)
{
	size_t i;

	for (i = 0; i < gains->n; i++) {
		const struct causal_gain *gain = &gains->list[i];
		struct asked asked = {profile, options, &gains->experiments->units[gain->unit],
				      gain, out};
		const struct chosen_filter filter = {is_unit, &asked};
		const struct chosen chosen = {profile, options, &filter, 0};
		struct err ignored;

		if (gain->certain && gain->slope > 0 && !asked.unit->is_load)
			selected_functions_visit(&chosen, print_function, &asked, &ignored);
	}
}
