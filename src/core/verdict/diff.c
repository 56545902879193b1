/* Diffs as text. model/ compares, report/ writes JSON and JUnit. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/paint.h"
#include "base/text.h"
#include "core/annotation/quote.h"
#include "diff_callees.h"

struct diff *diff_create(void)
{
	struct diff *diff = mem_alloc(sizeof(*diff));

	diff->arena = arena_create();
	return diff;
}

void diff_destroy(struct diff *diff)
{
	size_t i;

	if (!diff)
		return;
	for (i = 0; i < diff->n_subjects; i++) {
		annotation_destroy((struct annotation *)diff->subjects[i].old);
		annotation_destroy((struct annotation *)diff->subjects[i].new);
	}
	for (i = 0; i < diff->n_results; i++) {
		annotation_destroy((struct annotation *)diff->results[i].old);
		annotation_destroy((struct annotation *)diff->results[i].now);
	}
	free(diff->subjects);
	arena_destroy(diff->arena);
	free(diff->places);
	free(diff->calls);
	free(diff->results);
	free(diff);
}

struct diff_subject *diff_add_subject(struct diff *diff, const char *function, enum metric metric)
{
	struct diff_subject *subject;

	diff->subjects = mem_grow(diff->subjects, &diff->subjects_capacity, diff->n_subjects + 1,
				  sizeof(*diff->subjects));
	subject = &diff->subjects[diff->n_subjects++];
	*subject = (struct diff_subject){
		.side = diff->side,
		.function = arena_strdup(diff->arena, function),
		.metric = metric,
		.verdict = DIFF_INCONCLUSIVE,
		.mean_old = NAN,
		.mean_new = NAN,
		.workload = NAN,
	};
	return subject;
}

struct method_result *diff_add_result(struct diff *diff, const char *function, enum metric metric)
{
	struct method_result *result;

	diff->results = mem_grow(diff->results, &diff->results_capacity, diff->n_results + 1,
				 sizeof(*diff->results));
	result = &diff->results[diff->n_results++];
	*result = (struct method_result){.side = diff->side,
					 .function = arena_strdup(diff->arena, function),
					 .metric = metric};
	return result;
}

void diff_add_place(struct diff *diff, const struct diff_place *place)
{
	diff->places = mem_grow(diff->places, &diff->places_capacity, diff->n_places + 1,
				sizeof(*diff->places));
	diff->places[diff->n_places] = *place;
	diff->places[diff->n_places].side = diff->side;
	diff->places[diff->n_places++].function = arena_strdup(diff->arena, place->function);
}

const char *diff_verdict_name(enum diff_verdict verdict)
{
	static const char *const names[] = {[DIFF_WORSE] = "worse",
					    [DIFF_INCONCLUSIVE] = "inconclusive",
					    [DIFF_BETTER] = "better",
					    [DIFF_CONFORMS] = "conforms"};

	return names[verdict];
}

const char *diff_kind_name(enum diff_kind kind)
{
	static const char *const names[] = {[DIFF_CALL] = "call",
					    [DIFF_MEAN] = "mean",
					    [DIFF_SHARE] = "share",
					    [DIFF_CENTRE] = "centre",
					    [DIFF_OUTSIDE] = "outside"};

	return names[kind];
}

/* A p-value that tells nothing. */
#define ANOVA_DOUBT 0.05

static bool is_cost(const struct diff_test *test)
{
	return test->kind == DIFF_CALL || test->kind == DIFF_MEAN || test->kind == DIFF_CENTRE;
}

bool diff_test_is_open(const struct diff_test *test)
{
	return (test->by_calls || test->is_few) && !test->certain;
}

/* The logarithm of the ratio. */
static double change_of(const struct diff_pair *pair)
{
	if (pair->old == pair->new)
		return 0;
	if (!(pair->old > 0))
		return pair->new > pair->old ? INFINITY : -INFINITY;
	return pair->new > 0 ? log(pair->new / pair->old) : -INFINITY;
}

/*
 * The cost test with the largest change to the worse or better, of the certain ones, or of those
 * that runs leave @open; NULL: none.
 */
static const struct diff_test *find_largest(const struct diff_subject *subject, bool worse,
					    bool open)
{
	const struct diff_test *found = NULL;
	double most = 0;
	size_t i;

	for (i = 0; i < subject->n_tests; i++) {
		const struct diff_test *test = &subject->tests[i];
		const double change = worse ? change_of(&test->pair) : -change_of(&test->pair);

		/* Use the mean only if no single call has changed. */
		if (!(open ? diff_test_is_open(test) : test->certain) || !is_cost(test) ||
		    change <= 0 || (found && test->kind == DIFF_MEAN))
			continue;
		if (!found || found->kind == DIFF_MEAN || change > most) {
			most = change;
			found = test;
		}
	}
	return found;
}

/* What the verdict is by; NULL: nothing differs. */
static const struct diff_test *diff_grounds(const struct diff_subject *subject)
{
	const bool open = subject->verdict == DIFF_INCONCLUSIVE;
	const struct diff_test *worst = find_largest(subject, true, open);

	return worst ? worst : find_largest(subject, false, open);
}

double diff_change(const struct diff_subject *subject)
{
	const struct diff_test *grounds = diff_grounds(subject);

	return grounds ? exp(change_of(&grounds->pair)) : 1;
}

/* Digits, at least three, by which the ends of the interval differ. */
static int digits_of(const struct diff_pair *pair)
{
	int digits = 3;

	while (digits < 6 &&
	       pair->high - pair->low < 2 * pow(10, floor(log10(pair->low)) - digits + 1))
		digits++;
	return digits;
}

static void print_times(const struct diff_pair *pair, FILE *out)
{
	const double times = exp(change_of(pair));
	/* Exact numbers have no interval worth showing. */
	const bool wide = pair->high > (1 + 1e-6) * pair->low;
	const int digits = wide ? digits_of(pair) : 3;

	if (!isfinite(times) || times == 0)
		return;
	fprintf(out, ", %.*g times", digits, times);
	if (wide)
		fprintf(out, " (95 %%: %.*g to %.*g)", digits, pair->low, digits, pair->high);
}

static void print_pair(const struct diff_subject *subject, const struct diff_pair *pair, FILE *out)
{
	const char *unit = metric_info(subject->metric)->unit_text;

	fprintf(out, "%.4g → %.4g%s%s", pair->old, pair->new, *unit ? " " : "", unit);
	print_times(pair, out);
}

static void diff_print_term(const struct diff_subject *subject, const struct diff_term *term,
			    FILE *out)
{
	struct term alone = *term->term;
	const struct formula formula = {&alone, 1};

	fputs("  ", out);
	annotation_print_scope(subject->old, term->in, out);
	alone.coefficient = 1;
	if (alone.n_factors) {
		fputs("per ", out);
		annotation_print_formula(subject->old, &formula, out);
	} else {
		fputs("each call", out);
	}
	fputs(": ", out);
	print_pair(subject, &term->pair, out);
	fputs(term->certain ? "\n" : ": no certain change\n", out);
}

static void diff_print_call(const struct diff_test *test, FILE *out)
{
	size_t i;

	if (!test->features->n_features) {
		fputs("a call: ", out);
		return;
	}
	fputs("a call with ", out);
	for (i = 0; i < test->features->n_features; i++)
		fprintf(out, "%s%s = %.6g", i ? ", " : "", test->features->features[i].name,
			test->x[i]);
	fputs(": ", out);
}

static void print_share(const struct diff_pair *pair, FILE *out)
{
	fprintf(out, "%.3g → %.3g %% of the calls", 100 * pair->old, 100 * pair->new);
}

static void print_test(const struct diff_subject *subject, const struct diff_test *test, bool all,
		       FILE *out)
{
	fputs("  ", out);
	if (test->in)
		annotation_print_scope(subject->old, test->in, out);
	switch (test->kind) {
	case DIFF_CALL:
		diff_print_call(test, out);
		print_pair(subject, &test->pair, out);
		break;
	case DIFF_MEAN:
		fputs("the new calls in the mean, by what they would have cost: ", out);
		print_pair(subject, &test->pair, out);
		break;
	case DIFF_SHARE:
		annotation_print_component(test->in, test->model, out);
		fputs(": ", out);
		print_share(&test->pair, out);
		break;
	case DIFF_CENTRE:
		annotation_print_component(test->in, test->model, out);
		fputs(": ", out);
		print_pair(subject, &test->pair, out);
		break;
	case DIFF_OUTSIDE:
		fputs("in no case of the old model: ", out);
		print_share(&test->pair, out);
		break;
	}
	if (all)
		fprintf(out, " (p %s%.2g)%s", test->p < 1e-9 ? "< " : "= ", fmax(test->p, 1e-9),
			test->certain    ? ""
			: test->by_calls ? ": not certain, by the runs"
			: test->is_few   ? ": not certain, by too few independent calls"
					 : ": not certain");
	fputc('\n', out);
}

static void print_formulas(const struct annotation *annotation, const char *name, FILE *out)
{
	size_t i, j;

	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_models; j++) {
			const struct model *model = &annotation->cases[i].models[j];

			fprintf(out, "    %s: ", name);
			annotation_print_scope(annotation, &annotation->cases[i], out);
			if (annotation->cases[i].n_models > 1)
				fprintf(out, "{%.3g} ", model->probability);
			annotation_print_formula(annotation, &model->mean, out);
			fputc('\n', out);
		}
}

static void print_form(const struct diff_subject *subject, FILE *out)
{
	fprintf(out,
		"  the old formula does not describe the new calls (R² %.3f, the new one %.3f):\n",
		fmax(subject->r2_old_form, 0), subject->r2_new_form);
	print_formulas(subject->old, "old", out);
	print_formulas(subject->new, "new", out);
}

static void diff_print_feature(const struct diff_feature *feature, FILE *out)
{
	fprintf(out, "%s: median %.6g → %.6g (10 to 90 %%: %.6g .. %.6g → %.6g .. %.6g)",
		feature->feature->name, feature->old[1], feature->new[1], feature->old[0],
		feature->old[2], feature->new[0], feature->new[2]);
}

static void print_workload(const struct diff_subject *subject, FILE *out)
{
	const char *before = "  workload: ";
	size_t i;

	for (i = 0; i < subject->n_features; i++) {
		if (!subject->features[i].moved)
			continue;
		fputs(before, out);
		diff_print_feature(&subject->features[i], out);
		before = "; ";
	}
	for (i = 0; i < subject->n_cases; i++) {
		if (!subject->cases[i].moved)
			continue;
		fputs(before, out);
		annotation_print_scope(subject->old, subject->cases[i].in, out);
		fprintf(out, "%.3g → %.3g %% of the calls", 100 * subject->cases[i].old,
			100 * subject->cases[i].new);
		before = "; ";
	}
	if (isfinite(subject->workload))
		fprintf(out, "; by that alone the mean cost is %.3g times what it was",
			subject->workload);
	fputc('\n', out);
}

void diff_print_head(const struct diff_subject *subject, FILE *out)
{
	const double times = diff_change(subject);

	quote_print_head(subject->function, subject->metric, out);
	if (subject->side)
		fprintf(out, ", %s", subject->side);
	if (subject->new && subject->new->where)
		fprintf(out, " where %s", subject->new->where);
	fputs(": ", out);
	switch (subject->verdict) {
	case DIFF_WORSE:
		paint(out, PAINT_BAD);
		fputs("WORSE", out);
		break;
	case DIFF_BETTER:
		paint(out, PAINT_GOOD);
		fputs("better", out);
		break;
	case DIFF_CONFORMS:
		fputs(subject->moved ? "the same function, another workload" : "unchanged", out);
		return;
	case DIFF_INCONCLUSIVE:
		if (subject->reason) {
			fputs("not compared: ", out);
			text_print_safe(out, subject->reason);
			return;
		}
		fputs("inconclusive", out);
		break;
	}
	paint(out, PAINT_NONE);
	if (isfinite(times) && times > 0)
		fprintf(out, ", %.3g times the cost", times);
}

static void print_costs(const struct diff_subject *subject, FILE *out)
{
	const char *unit = metric_info(subject->metric)->unit_text;

	if (!subject->n_old || !subject->n_new)
		return;
	fprintf(out, "  mean cost %.4g → %.4g%s%s (%zu and %zu samples)\n", subject->mean_old,
		subject->mean_new, *unit ? " " : "", unit, subject->n_old, subject->n_new);
}

/* The cost test with the narrowest interval; NULL: none. */
static const struct diff_test *find_narrowest(const struct diff_subject *subject)
{
	const struct diff_test *found = NULL;
	size_t i;

	for (i = 0; i < subject->n_tests; i++) {
		const struct diff_test *test = &subject->tests[i];

		if (is_cost(test) && isfinite(test->pair.low) &&
		    (!found ||
		     test->pair.high / test->pair.low < found->pair.high / found->pair.low))
			found = test;
	}
	return found;
}

double diff_ratio(const struct diff_subject *subject)
{
	const struct diff_test *test = find_narrowest(subject);

	return test ? exp(change_of(&test->pair)) : NAN;
}

double diff_precision(const struct diff_subject *subject)
{
	const struct diff_test *test = find_narrowest(subject);

	return test ? sqrt(test->pair.high / test->pair.low) - 1 : NAN;
}

/* Beyond what runs differ by, but less than measuring adds to a call? */
static bool is_hidden(const struct diff_subject *subject, const struct diff_test *test)
{
	const struct machine_load *load = test->spread.load;

	return subject->verdict == DIFF_CONFORMS && metric_total(subject->metric) == METRIC_TIME &&
	       (test->pair.low > 1 || test->pair.high < 1) &&
	       fabs(test->pair.new - test->pair.old) <=
		       fmax(load[0].resolution, load[1].resolution);
}

/* What runs say of the verdict, unless it is only an assumption that it does not need. */
static void print_runs(const struct diff_subject *subject, bool all, FILE *out)
{
	const bool open = subject->verdict == DIFF_INCONCLUSIVE;
	const struct diff_test *grounds = diff_grounds(subject);

	if (!grounds)
		grounds = find_narrowest(subject);
	if (!grounds || (!open && (!(grounds->spread.error > 0) || grounds->spread.is_assumed)))
		return;
	fputs(!open                ? "  "
	      : !grounds->by_calls ? "  too few of its calls are independent of each other: more "
				     "calls, or more runs, would tell; "
				   : "  so much by these calls, but ",
	      out);
	run_spread_print(&grounds->spread, open ? grounds->enough : 0, out);
	run_spread_print_shape(&grounds->spread, all, out);
	if (!diff_grounds(subject) && !grounds->spread.is_assumed)
		print_times(&grounds->pair, out);
	if (is_hidden(subject, grounds))
		fputs(": less than the resolution, so nothing is claimed", out);
	fputc('\n', out);
}

static void print_terms(const struct diff_subject *subject, bool all, FILE *out)
{
	const bool changed = subject->verdict == DIFF_WORSE || subject->verdict == DIFF_BETTER;
	size_t i;

	for (i = 0; i < subject->n_terms; i++)
		if (all || (changed && subject->terms[i].certain))
			diff_print_term(subject, &subject->terms[i], out);
}

static void diff_print_payers(const struct diff_subject *subject, bool all, FILE *out)
{
	const bool changed = subject->verdict == DIFF_WORSE || subject->verdict == DIFF_BETTER;

	if (!subject->n_payers || (!changed && !all))
		return;
	for (size_t i = 0; i < subject->n_payers; i++) {
		const struct diff_payer *payer = &subject->payers[i];
		char amount[METRIC_AMOUNT];

		fprintf(out, "%s%s %c%s%s%s", i ? "; " : "  ",
			payer->metric == METRIC_OWN       ? "the client itself"
			: payer->metric == METRIC_NETWORK ? "the network"
							  : "the server",
			payer->change < 0 ? '-' : '+',
			metric_amount(payer->metric, fabs(payer->change), amount),
			i ? "" : " a call", payer->certain ? "" : " (not certain)");
	}
	fputc('\n', out);
}

static void print_tests(const struct diff_subject *subject, bool all, FILE *out)
{
	const bool open = subject->verdict == DIFF_INCONCLUSIVE;
	const struct diff_test *worst = find_largest(subject, true, open);
	const struct diff_test *best = find_largest(subject, false, open);
	size_t i;

	for (i = 0; i < subject->n_tests; i++) {
		const struct diff_test *test = &subject->tests[i];

		if (all || test == worst || test == best ||
		    (test->certain && (!is_cost(test) || test->kind == DIFF_CENTRE)))
			print_test(subject, test, all, out);
	}
}

void diff_print(const struct diff_subject *subject, bool all, FILE *out)
{
	diff_print_head(subject, out);
	fputc('\n', out);
	print_costs(subject, out);
	print_runs(subject, all, out);
	diff_print_payers(subject, all, out);
	diff_callees_print(subject, out);
	if (subject->other_form)
		print_form(subject, out);
	print_terms(subject, all, out);
	print_tests(subject, all, out);
	if (subject->moved)
		print_workload(subject, out);
	if (subject->beyond > 0.01)
		fprintf(out,
			"  %.3g %% of the new calls are outside of what the old profile observed: "
			"nothing is claimed of them\n",
			100 * subject->beyond);
}

void diff_print_suites(const struct diff *diff, FILE *out)
{
	size_t i;

	for (i = 0; i < diff->n_anovas; i++) {
		const struct diff_anova *anova = &diff->anovas[i];

		quote_print_head(anova->function, anova->metric, out);
		fprintf(out, ", all %zu by the means of their runs: F(%g, %g) = %.3g, p %.2g%s%s\n",
			anova->n, anova->freedom[0], anova->freedom[1], anova->f, anova->p,
			anova->is_permuted ? " by permutations" : "",
			anova->p > ANOVA_DOUBT ? ": their runs do not say that they differ" : "");
	}

	for (i = 0; i < diff->n_places; i++) {
		const struct diff_place *place = &diff->places[i];

		quote_print_head(place->function, place->metric, out);
		fprintf(out,
			"%s%s: depends on the layout: %.3g times the cost in runs with %s > "
			"%g (%zu runs, p %.2g by permutations)\n",
			place->side ? ", " : "", place->side ? place->side : "", place->times,
			place->part, place->border, place->n, place->p);
	}
	for (i = 0; i < diff->n_suites; i++) {
		const struct diff_suite *suite = &diff->suites[i];

		fprintf(out,
			"%zu functions together, %s%s%s: %.3g times the cost; F(1, %zu) = %.3g, p "
			"%.2g\n",
			suite->n, metric_info(suite->metric)->keyword, suite->side ? ", " : "",
			suite->side ? suite->side : "", suite->ratio, suite->n - 1, suite->f,
			suite->p);
	}
}
