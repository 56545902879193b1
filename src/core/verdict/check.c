/* Checks as text. model/ does the testing, report/ writes JSON and JUnit. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/paint.h"
#include "core/annotation/quote.h"

struct check *check_create(void)
{
	struct check *check = mem_alloc(sizeof(*check));

	check->arena = arena_create();
	return check;
}

void check_destroy(struct check *check)
{
	if (!check)
		return;
	for (size_t i = 0; i < check->n_subjects; i++)
		annotation_destroy((struct annotation *)check->subjects[i].now);
	free(check->tests);
	free(check->subjects);
	arena_destroy(check->arena);
	free(check);
}

const char *check_kind_name(enum check_kind kind)
{
	static const char *const names[] = {
		[CHECK_LOCATION] = "location", [CHECK_SLOPE] = "slope", [CHECK_SPREAD] = "spread",
		[CHECK_OUTSIDE] = "outside",   [CHECK_SHARE] = "share",
	};

	return names[kind];
}

/* A difference that runs leave open, or so large a one that its calls, which depend, do. */
static bool is_open(const struct check_test *test)
{
	return (test->by_calls || test->beyond) && !test->changed && test->kind != CHECK_SPREAD;
}

enum check_verdict check_verdict(const struct check *check, const struct check_subject *subject,
				 size_t *ret_tests, size_t *ret_violated)
{
	bool better = false;
	bool may_be[2] = {false}; /* better, worse */
	size_t i;

	*ret_tests = *ret_violated = 0;
	for (i = 0; i < check->n_tests; i++) {
		const struct check_test *test = &check->tests[i];

		if (test->annotation != subject->annotation)
			continue;
		++*ret_tests;
		*ret_violated += test->violated;
		better |= test->changed && test->kind != CHECK_SPREAD;
		may_be[test->is_worse] |= is_open(test);
	}
	return *ret_violated   ? CHECK_WORSE
	       : may_be[true]  ? CHECK_INCONCLUSIVE
	       : better        ? CHECK_BETTER
	       : may_be[false] ? CHECK_INCONCLUSIVE
	       : *ret_tests    ? CHECK_CONFORMS
			       : CHECK_UNTESTED;
}

const char *check_verdict_name(enum check_verdict verdict)
{
	static const char *const names[] = {
		[CHECK_UNTESTED] = "untested",
		[CHECK_CONFORMS] = "conforms",
		[CHECK_WORSE] = "worse",
		[CHECK_BETTER] = "better",
		[CHECK_INCONCLUSIVE] = "inconclusive",
	};

	return names[verdict];
}

/* "12 % more", "5 times as much" */
static void print_change(double from, double to, const char *more, const char *less, FILE *out)
{
	const double ratio = from != 0 ? to / from : INFINITY;

	if (!isfinite(ratio) || ratio < 0)
		fprintf(out, "%.4g %s", fabs(to - from), to > from ? more : less);
	else if (ratio >= 2)
		fprintf(out, "%.3g times as much", ratio);
	else
		fprintf(out, "%.3g %% %s", 100 * fabs(ratio - 1), ratio > 1 ? more : less);
}

/* The term without its coefficient; nothing for a constant. */
static void check_print_term(const struct annotation *annotation, const struct check_test *test,
			     FILE *out)
{
	struct term alone;
	const struct formula formula = {&alone, 1};

	if (!test->term || !isfinite(test->coefficient))
		return;
	alone = *test->term;
	alone.coefficient = 1;
	if (!alone.n_factors) {
		fputs("; the constant: ", out);
	} else {
		fputs("; per ", out);
		annotation_print_formula(annotation, &formula, out);
		fputs(": ", out);
	}
	fprintf(out, "%.4g → %.4g", test->term->coefficient, test->coefficient);
}

static void print_finding(const struct check_test *test, FILE *out)
{
	const struct metric_info *info = metric_info(test->annotation->metric);

	if (test->in && test->in->n_models > 1 && test->kind != CHECK_SHARE) {
		annotation_print_component(test->in, test->model, out);
		fputc(' ', out);
	}
	switch (test->kind) {
	case CHECK_LOCATION:
		fputs("costs ", out);
		print_change(test->expected, test->observed, "more", "less", out);
		fprintf(out, ": a typical call %.4g %s, %.4g expected", test->observed,
			info->unit_text, test->expected);
		break;
	case CHECK_SLOPE:
		fputs("grows ", out);
		print_change(1, test->observed, "faster", "slower", out);
		fputs(test->observed >= 2 ? " as expected" : " than expected", out);
		break;
	case CHECK_SPREAD:
		fputs("spreads ", out);
		print_change(test->expected, test->observed, "more", "less", out);
		fprintf(out, ": deviation %.4g %s, %.4g expected", test->observed, info->unit_text,
			test->expected);
		break;
	case CHECK_OUTSIDE:
		fprintf(out, "%.3g %% of the calls are in no case", 100 * test->observed);
		break;
	case CHECK_SHARE:
		fprintf(out, "%.3g %% of the calls are like ", 100 * test->observed);
		annotation_print_component(test->in, test->model, out);
		fprintf(out, ", %.3g %% expected", 100 * test->expected);
		break;
	}
	if (test->kind == CHECK_LOCATION || test->kind == CHECK_SLOPE)
		check_print_term(test->annotation, test, out);
}

/* How it ends: "", ": better", ": inconclusive, one run each, …". */
static void print_judgement(const struct check_test *test, FILE *out)
{
	if (is_open(test)) {
		fputs(": inconclusive, ", out);
		if (!test->by_calls)
			fputs("too few of its calls are independent of each other: more calls, or "
			      "more runs, would tell; ",
			      out);
		run_spread_print(&test->spread, test->enough, out);
	} else if (!test->changed) {
		fputs(": conforms", out);
	} else if (!test->violated) {
		fputs(test->kind == CHECK_SPREAD ? ": no violation" : ": better", out);
	}
}

static void check_print_tests(const struct check *check, const struct check_subject *subject,
			      bool all, FILE *out)
{
	size_t i;

	for (i = 0; i < check->n_tests; i++) {
		const struct check_test *test = &check->tests[i];

		if (test->annotation != subject->annotation ||
		    !(all || test->changed || is_open(test)))
			continue;
		fputs("  ", out);
		if (test->in)
			annotation_print_scope(test->annotation, test->in, out);
		print_finding(test, out);
		fprintf(out, " (%zu samples, p %s%.2g)", test->n, test->p < 1e-9 ? "< " : "= ",
			fmax(test->p, 1e-9));
		print_judgement(test, out);
		fputc('\n', out);
	}
}

static void print_missing(const char *expression, FILE *out)
{
	fputs("not checked: the samples do not have ", out);
	quote_print(expression, QUOTE_EXPRESSION, out);
	fputc('\n', out);
}

static void check_print_verdict(enum check_verdict verdict, size_t n_samples, size_t violated,
				size_t n, FILE *out)
{
	paint(out, verdict == CHECK_WORSE                                 ? PAINT_BAD
		   : verdict == CHECK_CONFORMS || verdict == CHECK_BETTER ? PAINT_GOOD
									  : PAINT_NONE);
	fputs(verdict == CHECK_WORSE ? "WORSE" : check_verdict_name(verdict), out);
	paint(out, PAINT_NONE);
	fprintf(out, " (%zu samples, %zu of %zu tests violated)\n", n_samples, violated, n);
}

void check_print_subject(const struct check *check, const struct check_subject *subject, bool all,
			 FILE *out)
{
	size_t n, violated;
	const enum check_verdict verdict = check_verdict(check, subject, &n, &violated);

	quote_print_head(subject->annotation->function, subject->annotation->metric, out);
	fprintf(out, "%s%s: ", subject->where ? " where " : "",
		subject->where ? subject->where : "");
	if (subject->missing)
		print_missing(subject->missing, out);
	else if (!n && subject->n_unknown == subject->n_samples && subject->n_samples)
		fprintf(out, "not checked: its formulas have no value for any of %zu samples\n",
			subject->n_samples);
	else if (!n)
		fprintf(out, "not checked: %zu samples are too few\n", subject->n_samples);
	else
		check_print_verdict(verdict, subject->n_samples, violated, n, out);
	check_print_tests(check, subject, all, out);
	if (subject->n_far)
		fprintf(out, "  %zu calls, far away from all others, were left out\n",
			subject->n_far);
	if (subject->n_unknown && n)
		fprintf(out, "  of %zu calls a feature is not known, or the formula has no value\n",
			subject->n_unknown);
}
