/*
 * Forecasts for open calls: what annotations predict, and how the time that a call has run
 * compares.
 */
#pragma once

#include "core/annotation/expectation.h"

enum forecast_verdict {
	FORECAST_UNKNOWN, /* `why` */
	FORECAST_WITHIN,  /* may be within its model */
	FORECAST_BEYOND,  /* has run longer than nearly all such calls by the model */
	FORECAST_BLOCKED, /* waits for something now, whatever its time: `waits_for` */
};

/* What is known of an open call. Times are bounds in the metric's unit; NAN: unknown. */
struct forecast_facts {
	double at_least, at_most;    /* how long it has run */
	const char *waits_for;       /* a phrase; NULL: nothing */
	const char *const *absences; /* [n_features] why each is unknown: a phrase, or NULL */
	const char
		*in_doubt; /* a phrase: why the annotation may be another call's; NULL: it is not */
};

struct forecast {
	enum forecast_verdict verdict;
	const char *why; /* FORECAST_UNKNOWN, or if nothing is expected: a phrase */
	const struct annotation *annotation;
	bool is_expected; /* `expectation` is known */
	struct expectation expectation;
	/* features beyond the range that the annotation was made from */
	const char *const *outside;
	size_t n_outside;
	const char *outside_phrase; /* the same in words; NULL: none */
	double at_least, at_most;   /* from the facts */
	bool is_followed;           /* fathom waits for its end */
	bool is_over;               /* it has ended: the bounds are its cost */
	const char *waits_for;
	/*
	 * beyond its model (even if blocked): by at least so many standard deviations of the mean;
	 * INFINITY if the model has none. NAN: within it
	 */
	double deviations;
};

/*
 * Judge an open call with features @x[n_features] by @annotation, of time; @all has those that it
 * refers to. Texts are borrowed from the facts, or live in @arena.
 */
struct forecast forecast_find(const struct annotation *annotation,
			      const struct annotation_list *all, const struct argument *x,
			      const struct forecast_facts *facts, struct arena *arena);

/* Update the forecast of a followed call: its bounds, and what it waits for now (NULL: nothing). */
struct forecast forecast_go_on(const struct forecast *open, double at_least, double at_most,
			       const char *waits_for);

/* Weaken the bounds so that the forecast also holds for @other's call. */
void forecast_join(struct forecast *forecast, const struct forecast *other);

/*
 * Print the verdict, without a newline: "blocked: waits for child 17 to end; longer than its model
 * allows: at least 81 times what is expected".
 */
void forecast_print_verdict(const struct forecast *forecast, FILE *out);

/*
 * Print what it is based on: "it has run at least 1.2 s, at most 3.1 s; expected 8.1 ms, 95 % of
 * such calls between 7 ms and 9 ms", and whether that is extrapolation. False: nothing known or
 * written.
 */
bool forecast_print_account(const struct forecast *forecast, FILE *out);

/* Print both. */
void forecast_print(const struct forecast *forecast, FILE *out);

/* "at least 1.2 ms, at most 3.1 s". False: nothing known or written. */
bool forecast_print_bounds(double at_least, double at_most, FILE *out);

/* "within", "beyond", "blocked", "unknown". */
const char *forecast_verdict_name(enum forecast_verdict verdict);

enum { FORECAST_DURATION = 32 };
/* @us for people, with three digits: "850 ns", "1.2 ms", "3.5 h". */
void forecast_duration(double us, char ret[FORECAST_DURATION]);
