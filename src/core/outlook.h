/*
 * Outlooks: of a call that is still open, what annotations lead one to expect, and how that goes with how long it has run.
 */
#ifndef FATHOM_CORE_OUTLOOK_H
#define FATHOM_CORE_OUTLOOK_H

#include "core/expectation.h"
#include "core/stack.h"

enum outlook_verdict {
	OUTLOOK_UNKNOWN, /* `why` */
	OUTLOOK_WITHIN,  /* it may well be within its model */
	OUTLOOK_BEYOND,  /* it has run longer than the model says of nearly all such calls */
	OUTLOOK_BLOCKED, /* it waits for something that is no matter of its own work */
};

struct outlook {
	enum outlook_verdict verdict;
	const char *why; /* of OUTLOOK_UNKNOWN: a phrase, with the remedy if there is one */
	const struct annotation *annotation; /* NULL: there is none of this function */
	bool is_expected;                    /* the next one is known */
	struct expectation expectation;
	/* How long it has run, in the metric's unit: at least, at most. NAN: not known. */
	double at_least, at_most;
	double deviations; /* of OUTLOOK_BEYOND: so many standard deviations beyond the mean at least; INFINITY if there is no deviation */
};

/*
 * @annotation of time, @all has those that it refers to, @x its features as they are in the open call. @blocked: it waits for a lock, another thread or process.
 */
struct outlook outlook_find(const struct annotation *annotation, const struct annotation_list *all,
			    const struct argument *x, double at_least, double at_most,
			    bool blocked);

/* The verdict in words, in the style "within its model: 1.2 ms at least so far, 8.1 ms expected (95 % below 9 ms)". No newline. */
void outlook_print(const struct outlook *outlook, FILE *out);

/* "within", "beyond", "blocked", "unknown". */
const char *outlook_verdict_name(enum outlook_verdict verdict);

#endif
