/*
 * Outlooks: bounds of how long a call has run against what its annotation expects. Which annotation
 * is whose, and what its features are, is stack_annotations_apply.c's.
 */
#include "forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Fewer are no news: of a hundred calls some are as far out. */
#define DEVIATIONS_MIN 3.0

const char *forecast_verdict_name(enum forecast_verdict verdict)
{
	static const char *const names[] = {
		[FORECAST_UNKNOWN] = "unknown",
		[FORECAST_WITHIN] = "within",
		[FORECAST_BEYOND] = "beyond",
		[FORECAST_BLOCKED] = "blocked",
	};

	return names[verdict];
}

void forecast_duration(double us, char ret[FORECAST_DURATION])
{
	static const struct {
		const char *name;
		double us;
	} units[] = {
		{"ns", 1e-3},  {"µs", 1},     {"ms", 1e3},       {"s", 1e6},
		{"min", 60e6}, {"h", 3600e6}, {"days", 86400e6},
	};
	size_t i = 0;

	/* As it would be printed: 999.7 µs is 1 ms. */
	while (i + 1 < sizeof(units) / sizeof(*units) && us >= 0.9995 * units[i + 1].us)
		i++;
	if (us / units[i].us >= 999.5)
		snprintf(ret, FORECAST_DURATION, "%.0f %s", us / units[i].us, units[i].name);
	else
		snprintf(ret, FORECAST_DURATION, "%.3g %s", us / units[i].us, units[i].name);
}

/* How far beyond its model a call is that has cost @cost; NAN: it is not beyond. */
static double deviations_of(const struct expectation *expectation, double cost)
{
	const double away = cost - expectation->mean;

	if (!(cost > expectation->high && away > DEVIATIONS_MIN * expectation->deviation))
		return NAN;
	return expectation->deviation > 0 ? away / expectation->deviation : INFINITY;
}

/* Could a call that has cost @cost be as its model says? */
static bool forecast_is_within(const struct expectation *expectation, double cost)
{
	return isnan(deviations_of(expectation, cost));
}

/* "n must be known" alone leaves open why it is not. */
static const char *why_nothing(const struct annotation *annotation, const struct argument *x,
			       const struct forecast_facts *facts, const struct err *err,
			       struct arena *arena)
{
	const char *text = arena_strdup(arena, err->text);

	for (size_t i = 0; facts->absences && i < annotation->n_features; i++)
		if (!x[i].known && facts->absences[i])
			text = arena_printf(arena, "%s; %s: %s", text, annotation->features[i].name,
					    facts->absences[i]);
	return text;
}

static void forecast_judge(struct forecast *outlook)
{
	const struct expectation *expectation = &outlook->expectation;

	if (outlook->is_expected)
		outlook->why = NULL; /* it may have been for another time */
	outlook->deviations =
		outlook->is_expected ? deviations_of(expectation, outlook->at_least) : NAN;
	if (outlook->waits_for)
		outlook->verdict = FORECAST_BLOCKED;
	else if (!outlook->is_expected)
		outlook->verdict = FORECAST_UNKNOWN;
	else if (!isnan(outlook->deviations))
		outlook->verdict = FORECAST_BEYOND;
	else if (outlook->at_least > 0 ||
		 (!isnan(outlook->at_most) && forecast_is_within(expectation, outlook->at_most)))
		outlook->verdict = FORECAST_WITHIN;
	else
		outlook->verdict = FORECAST_UNKNOWN;
	if (outlook->verdict == FORECAST_UNKNOWN && !outlook->why)
		outlook->why = outlook->is_followed
				       ? "how long it has run is not known"
				       : "how long it has run is not known as long as it runs; "
					 "fathom attach --stuck waits for its end";
}

/* Far away from what was observed a line leads below 0; no cost does. */
static void limit(struct forecast *outlook, const struct argument *x, struct arena *arena)
{
	outlook->expectation.mean = fmax(outlook->expectation.mean, 0);
	outlook->n_outside = expectation_outside(outlook->annotation, x, arena, &outlook->outside);
	outlook->outside_phrase = expectation_outside_phrase(outlook->annotation, x, arena);
}

struct forecast forecast_find(const struct annotation *annotation,
			      const struct annotation_list *all, const struct argument *x,
			      const struct forecast_facts *facts, struct arena *arena)
{
	struct forecast ret = {
		.annotation = annotation,
		.at_least = facts->at_least,
		.at_most = facts->at_most,
		.waits_for = facts->waits_for,
	};
	struct err err;

	if (!facts->in_doubt)
		ret.is_expected =
			expectation_find_interval(annotation, all, x, &ret.expectation, &err);
	if (facts->in_doubt)
		ret.why = facts->in_doubt;
	else if (ret.is_expected)
		limit(&ret, x, arena);
	else
		ret.why = why_nothing(annotation, x, facts, &err, arena);
	forecast_judge(&ret);
	return ret;
}

struct forecast forecast_go_on(const struct forecast *open, double at_least, double at_most,
			       const char *waits_for)
{
	struct forecast ret = *open;

	ret.at_least = at_least;
	ret.at_most = at_most;
	ret.waits_for = waits_for;
	ret.is_followed = true;
	forecast_judge(&ret);
	return ret;
}

void forecast_join(struct forecast *outlook, const struct forecast *other)
{
	/* fmin() and fmax() would take the number where the other is not known. */
	outlook->at_least = isnan(other->at_least) || other->at_least < outlook->at_least
				    ? other->at_least
				    : outlook->at_least;
	outlook->at_most = isnan(other->at_most) || other->at_most > outlook->at_most
				   ? other->at_most
				   : outlook->at_most;
	forecast_judge(outlook);
}

bool forecast_print_bounds(double at_least, double at_most, FILE *out)
{
	char low[FORECAST_DURATION], high[FORECAST_DURATION];

	if (at_least == 0) /* that says nothing */
		at_least = at_most == 0 ? 0 : NAN;
	forecast_duration(at_least, low);
	forecast_duration(at_most, high);
	if (isnan(at_least) && isnan(at_most))
		return false;
	if (!strcmp(low, high))
		fputs(low, out);
	else if (isnan(at_most))
		fprintf(out, "at least %s", low);
	else if (isnan(at_least))
		fprintf(out, "at most %s", high);
	else
		fprintf(out, "at least %s, at most %s", low, high);
	return true;
}

static void forecast_print_head(const struct forecast *outlook, FILE *out)
{
	switch (outlook->verdict) {
	case FORECAST_UNKNOWN:
		fputs("cannot be judged: ", out);
		text_print_safe(out, outlook->why);
		break;
	case FORECAST_WITHIN:
		fputs(!isnan(outlook->at_most) &&
				      forecast_is_within(&outlook->expectation, outlook->at_most)
			      ? "within its model"
			      : "within its model, as far as is known",
		      out);
		break;
	case FORECAST_BEYOND:
		break;
	case FORECAST_BLOCKED:
		fputs("blocked: ", out);
		text_print_safe(out, outlook->waits_for);
		break;
	}
}

static void print_deviations(const struct forecast *outlook, FILE *out)
{
	if (isnan(outlook->deviations))
		return;
	if (outlook->verdict != FORECAST_BEYOND)
		fputs("; ", out);
	if (isinf(outlook->deviations))
		fputs("beyond its model, which knows no deviation", out);
	else /* three digits, as the bounds have */
		fprintf(out,
			outlook->deviations < 999.5 ? "%.3g deviations beyond its model%s"
						    : "%.0f deviations beyond its model%s",
			outlook->deviations,
			outlook->at_most == outlook->at_least ? "" : " at least");
}

static bool print_expectation(const struct forecast *outlook, FILE *out)
{
	char mean[FORECAST_DURATION], low[FORECAST_DURATION], high[FORECAST_DURATION];

	if (!outlook->is_expected)
		return false;
	forecast_duration(outlook->expectation.mean, mean);
	forecast_duration(outlook->expectation.low, low);
	forecast_duration(outlook->expectation.high, high);
	fprintf(out, "expected %s, 95 %% of such calls between %s and %s", mean, low, high);
	if (outlook->outside_phrase) {
		fputs("; ", out);
		text_print_safe(out, outlook->outside_phrase);
	}
	return true;
}

void forecast_print_verdict(const struct forecast *outlook, FILE *out)
{
	forecast_print_head(outlook, out);
	print_deviations(outlook, out);
	if (outlook->verdict != FORECAST_UNKNOWN && !outlook->is_expected) {
		fputs("; what to expect is not known: ", out);
		text_print_safe(out, outlook->why);
	}
}

bool forecast_print_account(const struct forecast *outlook, FILE *out)
{
	const bool has_bounds = !isnan(outlook->at_least) || !isnan(outlook->at_most);

	if (has_bounds)
		fputs(outlook->is_over ? "it took " : "it has run ", out);
	forecast_print_bounds(outlook->at_least, outlook->at_most, out);
	if (has_bounds && outlook->is_expected)
		fputs("; ", out);
	return print_expectation(outlook, out) || has_bounds;
}

void forecast_print(const struct forecast *outlook, FILE *out)
{
	forecast_print_verdict(outlook, out);
	if (!isnan(outlook->at_least) || !isnan(outlook->at_most) || outlook->is_expected)
		fputs("; ", out);
	forecast_print_account(outlook, out);
}
