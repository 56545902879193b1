/*
 * Outlooks: of a call that is still open, what annotations lead one to expect, and how that goes
 * with how long it has run.
 */
#pragma once

#include "core/annotation/expectation.h"

enum forecast_verdict {
	FORECAST_UNKNOWN, /* `why` */
	FORECAST_WITHIN,  /* it may well be within its model */
	FORECAST_BEYOND,  /* it has run longer than the model says of nearly all such calls */
	FORECAST_BLOCKED, /* it waits for something, now, however long it has run: `waits_for` */
};

/* What is known of an open call. Times are bounds in the metric's unit; NAN: not known. */
struct forecast_facts {
	double at_least, at_most;    /* how long it has run */
	const char *waits_for;       /* a phrase; NULL: it does not wait */
	const char *const *absences; /* for each feature that is not known a phrase why, or NULL */
	const char
		*in_doubt; /* a phrase: whether the annotation is that of the call; NULL: it is */
};

struct forecast {
	enum forecast_verdict verdict;
	const char *why; /* of OUTLOOK_UNKNOWN, or if nothing is expected: a phrase */
	const struct annotation *annotation;
	bool is_expected; /* the next one is known */
	struct expectation expectation;
	const char *const *outside; /* names of features beyond what the annotation was made from */
	size_t n_outside;
	const char *outside_phrase; /* the same in words; NULL: there are none */
	double at_least, at_most;   /* as the facts have it */
	bool is_followed;           /* somebody waits for its end */
	bool is_over;               /* it has ended: they are what it cost */
	const char *waits_for;
	/*
	 * if it is beyond its model, blocked or not: so many standard deviations beyond the mean at
	 * least; INFINITY if there is no deviation. NAN: it is not
	 */
	double deviations;
};

/*
 * @annotation of time, @all has those that it refers to, @x its features as they are in the open
 * call. Texts are borrowed from the facts, or live in @arena.
 */
struct forecast forecast_find(const struct annotation *annotation,
			      const struct annotation_list *all, const struct argument *x,
			      const struct forecast_facts *facts, struct arena *arena);

/*
 * Of one that is followed as it goes on, and waits for something else now, or for nothing (NULL).
 */
struct forecast forecast_go_on(const struct forecast *open, double at_least, double at_most,
			       const char *waits_for);

/* Make @outlook true of another call, too, of which @other is: the weaker bounds. */
void forecast_join(struct forecast *outlook, const struct forecast *other);

/*
 * The verdict in words, without a newline: "blocked: waits for child 17 to end; 81 deviations
 * beyond its model at least".
 */
void forecast_print_verdict(const struct forecast *outlook, FILE *out);

/*
 * What it is based on: "it has run at least 1.2 s, at most 3.1 s; expected 8.1 ms, 95 % of such
 * calls between 7 ms and 9 ms", and whether that is extrapolation. False: nothing is known, and
 * nothing was written.
 */
bool forecast_print_account(const struct forecast *outlook, FILE *out);

/* Both. */
void forecast_print(const struct forecast *outlook, FILE *out);

/* "at least 1.2 ms, at most 3.1 s". False: nothing is known, and nothing was written. */
bool forecast_print_bounds(double at_least, double at_most, FILE *out);

/* "within", "beyond", "blocked", "unknown". */
const char *forecast_verdict_name(enum forecast_verdict verdict);

enum { FORECAST_DURATION = 32 };
/* @us microseconds for people, three digits: "850 ns", "1.2 ms", "3.5 h". */
void forecast_duration(double us, char ret[FORECAST_DURATION]);
