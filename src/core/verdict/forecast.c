/*
 * Forecasts: compares bounds of how long a call has run with the expectation of its annotation. A
 * running call has no lower bound, so nothing is claimed beyond what its age allows.
 * stack_annotations.c chooses the annotation and its features.
 */
#include "forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Fewer are common: of a hundred calls some are as far out. */
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

	/* Rounded as printed: 999.7 µs is 1 ms. */
	while (i + 1 < sizeof(units) / sizeof(*units) && us >= 0.9995 * units[i + 1].us)
		i++;
	if (us / units[i].us >= 999.5)
		snprintf(ret, FORECAST_DURATION, "%.0f %s", us / units[i].us, units[i].name);
	else
		snprintf(ret, FORECAST_DURATION, "%.3g %s", us / units[i].us, units[i].name);
}

/* How many deviations a cost @cost is beyond its model; NAN: within. */
static double deviations_of(const struct expectation *expectation, double cost)
{
	const double away = cost - expectation->mean;

	if (!(cost > expectation->high && away > DEVIATIONS_MIN * expectation->deviation))
		return NAN;
	return expectation->deviation > 0 ? away / expectation->deviation : INFINITY;
}

/* Is @cost within the model? */
static bool forecast_is_within(const struct expectation *expectation, double cost)
{
	return isnan(deviations_of(expectation, cost));
}

/* Adds why a feature is unknown to "n must be known". */
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

static void forecast_judge(struct forecast *forecast)
{
	const struct expectation *expectation = &forecast->expectation;

	if (forecast->is_expected)
		forecast->why = NULL; /* it may be from an earlier time */
	forecast->deviations =
		forecast->is_expected ? deviations_of(expectation, forecast->at_least) : NAN;
	if (forecast->waits_for)
		forecast->verdict = FORECAST_BLOCKED;
	else if (!forecast->is_expected)
		forecast->verdict = FORECAST_UNKNOWN;
	else if (!isnan(forecast->deviations))
		forecast->verdict = FORECAST_BEYOND;
	else if (forecast->at_least > 0 ||
		 (!isnan(forecast->at_most) && forecast_is_within(expectation, forecast->at_most)))
		forecast->verdict = FORECAST_WITHIN;
	else
		forecast->verdict = FORECAST_UNKNOWN;
	if (forecast->verdict == FORECAST_UNKNOWN && !forecast->why)
		forecast->why = forecast->is_followed
					? "how long it has run is not known"
					: "how long it has run is not known as long as it runs; "
					  "fathom attach --stuck waits for its end";
}

/* Far outside of the observed range a line can go below 0; no cost does. */
static void forecast_limit(struct forecast *forecast, const struct argument *x, struct arena *arena)
{
	forecast->expectation.mean = fmax(forecast->expectation.mean, 0);
	forecast->n_outside =
		expectation_outside(forecast->annotation, x, arena, &forecast->outside);
	forecast->outside_phrase = expectation_outside_phrase(forecast->annotation, x, arena);
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
		forecast_limit(&ret, x, arena);
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

void forecast_join(struct forecast *forecast, const struct forecast *other)
{
	/* Unknown wins here; fmin() and fmax() would ignore NAN. */
	forecast->at_least = isnan(other->at_least) || other->at_least < forecast->at_least
				     ? other->at_least
				     : forecast->at_least;
	forecast->at_most = isnan(other->at_most) || other->at_most > forecast->at_most
				    ? other->at_most
				    : forecast->at_most;
	forecast_judge(forecast);
}

bool forecast_print_bounds(double at_least, double at_most, FILE *out)
{
	char low[FORECAST_DURATION], high[FORECAST_DURATION];

	if (at_least == 0) /* a lower bound of 0 says nothing */
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

static void forecast_print_head(const struct forecast *forecast, FILE *out)
{
	switch (forecast->verdict) {
	case FORECAST_UNKNOWN:
		fputs("cannot be judged: ", out);
		text_print_safe(out, forecast->why);
		break;
	case FORECAST_WITHIN:
		fputs(!isnan(forecast->at_most) &&
				      forecast_is_within(&forecast->expectation, forecast->at_most)
			      ? "within its model"
			      : "within its model, as far as is known",
		      out);
		break;
	case FORECAST_BEYOND:
		break;
	case FORECAST_BLOCKED:
		fputs("blocked: ", out);
		text_print_safe(out, forecast->waits_for);
		break;
	}
}

/* Less is no number to tell. */
static const double TIMES_TOLD = 1.05;

static void print_beyond(const struct forecast *forecast, FILE *out)
{
	const double times = forecast->at_least / forecast->expectation.mean;

	if (isnan(forecast->deviations))
		return;
	fputs(forecast->verdict == FORECAST_BEYOND ? "" : "; ", out);
	fputs("longer than its model allows", out);
	if (forecast->expectation.mean > 0 && times >= TIMES_TOLD)
		fprintf(out,
			times < 999.5 ? ": %s%.3g times what is expected" /* as the bounds */
				      : ": %s%.0f times what is expected",
			forecast->at_most == forecast->at_least ? "" : "at least ", times);
}

static bool print_expectation(const struct forecast *forecast, FILE *out)
{
	char mean[FORECAST_DURATION], low[FORECAST_DURATION], high[FORECAST_DURATION];

	if (!forecast->is_expected)
		return false;
	forecast_duration(forecast->expectation.mean, mean);
	forecast_duration(forecast->expectation.low, low);
	forecast_duration(forecast->expectation.high, high);
	fprintf(out, "expected %s, 95 %% of such calls between %s and %s", mean, low, high);
	if (forecast->outside_phrase) {
		fputs("; ", out);
		text_print_safe(out, forecast->outside_phrase);
	}
	return true;
}

void forecast_print_verdict(const struct forecast *forecast, FILE *out)
{
	forecast_print_head(forecast, out);
	print_beyond(forecast, out);
	if (forecast->verdict != FORECAST_UNKNOWN && !forecast->is_expected) {
		fputs("; what to expect is not known: ", out);
		text_print_safe(out, forecast->why);
	}
}

bool forecast_print_account(const struct forecast *forecast, FILE *out)
{
	const bool has_bounds = !isnan(forecast->at_least) || !isnan(forecast->at_most);

	if (has_bounds)
		fputs(forecast->is_over ? "it took " : "it has run ", out);
	forecast_print_bounds(forecast->at_least, forecast->at_most, out);
	if (has_bounds && forecast->is_expected)
		fputs("; ", out);
	return print_expectation(forecast, out) || has_bounds;
}

void forecast_print(const struct forecast *forecast, FILE *out)
{
	forecast_print_verdict(forecast, out);
	if (!isnan(forecast->at_least) || !isnan(forecast->at_most) || forecast->is_expected)
		fputs("; ", out);
	forecast_print_account(forecast, out);
}
