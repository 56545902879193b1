/*
 * Findings: what a check or a diff says of one metric of a function, or of a gate, in words; all
 * reports for people and test servers are made of them.
 */
#pragma once

#include "check.h"
#include "diff.h"

struct finding {
	const char *name; /* "work(int).time"; a gate's text behind it */
	enum metric metric;
	const char *file; /* NULL: not known */
	unsigned line;
	enum check_verdict verdict;
	const char *word; /* of it: of two profiles "unchanged", where a check has "conforms" */
	bool fails;       /* with status 1 */
	const char *head; /* one line, without a newline: "work(int).time: WORSE, 3.07 times …" */
	const char *text; /* further lines, each with a newline; may be empty */
	double mean;      /* of what calls cost now; NAN: not known */
	const struct annotation *old, *now; /* borrowed; NULL: none */
};

struct findings {
	struct arena *arena;
	const char *what; /* "check" */
	struct finding *list;
	size_t n;
};

/* @open_fails: what is inconclusive does. Texts are borrowed from @check as long as it lives. */
struct findings *findings_of_check(const struct check *check, bool open_fails);
/* @what: "diff" or "compare"; @method: that its results are of. */
struct findings *findings_of_diff(const char *what, const struct diff *diff, enum method method,
				  bool open_fails);
void findings_destroy(struct findings *findings); /* NULL is fine */

size_t findings_count(const struct findings *findings, enum check_verdict verdict);
/* "1 worse, 2 conform"; in the findings' arena. */
const char *findings_summary(const struct findings *findings);
