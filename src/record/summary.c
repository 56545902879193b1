/* The final notes of a measurement. results/annotate.c prints results. */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/metric.h"
#include "cli/message.h"

/* NULL: it goes on, or that was not seen. */
static const char *ending_words(const struct measurement *m, const struct ending *ending)
{
	if (ending->how == ENDED_EXITED)
		return arena_printf(m->arena, "%s exited with status %d", m->name, ending->number);
	if (ending->how == ENDED_SIGNALLED && m->killed)
		return arena_printf(m->arena, "%s was killed by this session", m->name);
	if (ending->how == ENDED_SIGNALLED)
		return arena_printf(m->arena, "%s was killed by signal %d (%s)", m->name,
				    ending->number, strsignal(ending->number));
	return NULL;
}

static void say_ending(const struct measurement *m, const struct ending *ending)
{
	const char *program = m->name;
	const char *when = arena_printf(
		m->arena, m->interrupted ? "; it was measured for %.2f s" : " after %.2f s",
		session_account(m->session)->duration_ns / 1e9);

	switch (ending->how) {
	case ENDED_EXITED:
	case ENDED_SIGNALLED:
		message_note("%s%s", ending_words(m, ending), when);
		break;
	case ENDED_DETACHED:
		message_note("%s was measured for %.2f s and goes on", program,
			     session_account(m->session)->duration_ns / 1e9);
		break;
	case ENDED_UNKNOWN:
		message_note("the end of %s was not seen", program);
		break;
	}
}

/* Functions of several programs may have one name. */
static const char *summary_name_of(const struct measurement *m, const struct program *program,
				   const struct function *function)
{
	struct program *const *measured;

	if (programs_measured(m->programs, &measured) < 2)
		return function->name;
	return arena_printf(m->arena, "%s (%s)", function->name,
			    function->module ? program->modules[function->module] : program->path);
}

static bool was_closed(const struct measurement *m, const struct program *program,
		       const struct function *function)
{
	return session_function_share(m->session, program->image,
				      function - program->catalogue->functions) < 1;
}

/* Of several processes only the first one's end is known. */
static void say_unended(const struct measurement *m, const struct program *program,
			const struct function *function, const struct function_account *account,
			const struct ending *ending)
{
	const uint64_t n = account->unended;
	const char *when = ending->how == ENDED_DETACHED ? "measuring ended"
			   : m->options->follow_fork     ? NULL
							 : ending_words(m, ending);

	if (n && !m->options->quiet)
		message_note("%s: %lu %s not seen to return before %s, and %s not counted",
			     summary_name_of(m, program, function), n,
			     n == 1 ? "call was" : "calls were", when ? when : "its process ended",
			     n == 1 ? "is" : "are");
}

/* A function that was not called, or whose calls got lost: most that are left are not. */
static void say_calls(const struct measurement *m, const struct program *program,
		      const struct function *function, const struct function_account *account)
{
	const uint64_t lost = account->abandoned - account->unended;

	if (m->options->quiet || function->unmeasurable)
		return;
	if (lost && function->block)
		message_note("%s: %lu times the function was left, or it began again, before its "
			     "last line; these are not measured",
			     summary_name_of(m, program, function), lost);
	else if (lost)
		message_note("%s: %lu %s not seen to return (exception, longjmp and the like%s) "
			     "and %s not counted",
			     summary_name_of(m, program, function), lost,
			     lost == 1 ? "call was" : "calls were",
			     was_closed(m, program, function)
				     ? "; deep in recursion waiting for that may have cost too much"
				     : "",
			     lost == 1 ? "is" : "are");
	else if (!account->calls && !account->abandoned && m->options->verbose)
		message_note("%s was never called", summary_name_of(m, program, function));
}

/* What --max-depth left out of a function that was called. */
static void say_deep(const struct measurement *m, const struct program *program,
		     const struct function *function, const struct function_account *account)
{
	if (!account->calls)
		return;
	if (function->features_deep && m->options->verbose)
		message_note("%s: --max-depth %u left %zu place%s out of sight",
			     summary_name_of(m, program, function), m->options->max_depth,
			     function->features_deep, function->features_deep == 1 ? "" : "s");
}

/* Returns the number of calls. */
static uint64_t say_functions(const struct measurement *m, const struct ending *ending)
{
	struct program *const *programs;
	size_t n = programs_measured(m->programs, &programs);
	uint64_t calls = 0;
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < programs[i]->catalogue->n_functions; j++) {
			const struct function *function = &programs[i]->catalogue->functions[j];
			const struct function_account *account =
				session_function_account(m->session, i, j);

			calls += account->calls;
			say_calls(m, programs[i], function, account);
			say_unended(m, programs[i], function, account, ending);
			say_deep(m, programs[i], function, account);
		}
	return calls;
}

enum { PARTS_MAX = 5 };

/* Why not all calls of a function became samples. */
static void say_part(const struct measurement *m, const struct program *program, size_t function,
		     uint64_t kept, uint64_t calls)
{
	const struct options *options = m->options;
	const char *name = summary_name_of(m, program, &program->catalogue->functions[function]);
	const uint64_t left_out = recorder_left_out(m->recorder, program->image, function);
	const uint64_t halted = recorder_halted(m->recorder, program->image, function);

	if (left_out)
		message_note("%s: %lu of %lu calls are no samples, as %s", name, left_out, calls,
			     options->sample_by ? "--sample-by chose others"
						: "a condition does not hold for them");
	if (halted && (!m->choice || options->verbose))
		message_note("%s: %lu of %lu calls %s halted meanwhile and %s: %s "
			     "own time is not known, as sleeps and clocks went on",
			     name, halted, calls, halted == 1 ? "was" : "were",
			     halted == 1 ? "is no sample" : "are no samples",
			     halted == 1 ? "its" : "their");
	calls -= left_out + halted < calls ? left_out + halted : calls;
	if (kept >= calls)
		return;
	if (recorder_was_limited(m->recorder, program->image, function)) {
		message_note("%s: %lu of %lu calls became samples; more could not be taken as fast "
			     "as they came",
			     name, kept, calls);
		return;
	}
	message_note("%s: %lu of %lu calls became samples, chosen by chance, at most %zu %s; "
		     "--samples keeps more",
		     name, kept, calls, options->samples,
		     options->period_ms
			     ? arena_printf(m->arena, "in %g s", options->period_ms / 1000.0)
			     : "in all");
}

static void say_cut(const struct measurement *m, const struct program *program,
		    const struct function *function)
{
	message_note("%s: %zu feature%s beyond the first %zu %s left out; "
		     "--max-features sets the limit",
		     summary_name_of(m, program, function), function->features_cut,
		     function->features_cut == 1 ? "" : "s", m->options->max_features,
		     function->features_cut == 1 ? "was" : "were");
}

static void say_cuts(const struct measurement *m)
{
	struct program *const *programs;
	size_t n_programs = programs_measured(m->programs, &programs);
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < n_programs; i++)
		for (j = 0; j < programs[i]->catalogue->n_functions; j++) {
			const struct function *function = &programs[i]->catalogue->functions[j];

			if (function->features_cut &&
			    session_function_account(m->session, i, j)->calls && n++ < PARTS_MAX)
				say_cut(m, programs[i], function);
		}
	if (n > PARTS_MAX)
		message_note("of %zu more functions features were left out, too", n - PARTS_MAX);
}

/* With --samples all, calls without a sample are lost, which is said in sum, or came too fast. */
static bool has_part(const struct measurement *m, size_t image, size_t function)
{
	return m->options->samples || m->options->sample_by ||
	       recorder_was_limited(m->recorder, image, function) ||
	       recorder_halted(m->recorder, image, function);
}

static void say_parts(const struct measurement *m)
{
	struct program *const *programs;
	size_t n_programs = programs_measured(m->programs, &programs);
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < n_programs; i++)
		for (j = 0; j < programs[i]->catalogue->n_functions; j++) {
			uint64_t calls = session_function_account(m->session, i, j)->calls;
			uint64_t kept = recorder_kept(m->recorder, i, j);

			if (kept < calls && has_part(m, i, j) && n++ < PARTS_MAX)
				say_part(m, programs[i], j, kept, calls);
		}
	if (n > PARTS_MAX)
		message_note("of %zu more functions a part of the calls became samples, too",
			     n - PARTS_MAX);
}

static void say_unfound(const struct measurement *m)
{
	struct program *const *programs;
	const char *pattern;
	size_t at = 0;

	if (m->options->quiet || !programs_measured(m->programs, &programs))
		return;
	while ((pattern = programs_unfound(m->programs, &at)))
		message_note("no program that ran has a function \"%s\"", pattern);
}

enum { SHARES_MAX = 5 };

static const double OVER_BUDGET = 2;
static const double KNOWN = 0.05, KNOWN_PART = 0.5;
static const uint64_t OVER_BUDGET_NS = 200000000;

struct share {
	const struct program *program;
	const struct function *function;
	const struct function_account *account;
	double part;
};

static int summary_compare_costs(const void *a, const void *b)
{
	const struct share *x = a;
	const struct share *y = b;

	if (x->account->stopped_ns != y->account->stopped_ns)
		return x->account->stopped_ns < y->account->stopped_ns ? 1 : -1;
	return strcmp(x->function->name, y->function->name);
}

/* Functions that were measured only part of the time, the costliest first. */
static size_t find_shares(const struct measurement *m, struct share **ret)
{
	struct program *const *programs;
	size_t n_programs = programs_measured(m->programs, &programs);
	struct share *shares = NULL;
	size_t capacity = 0;
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < n_programs; i++)
		for (j = 0; j < programs[i]->catalogue->n_functions; j++) {
			const double part =
				session_function_share(m->session, programs[i]->image, j);

			if (part >= 1)
				continue;
			shares = mem_grow(shares, &capacity, n + 1, sizeof(*shares));
			shares[n++] =
				(struct share){programs[i], &programs[i]->catalogue->functions[j],
					       session_function_account(m->session, i, j), part};
		}
	if (n)
		qsort(shares, n, sizeof(*shares), summary_compare_costs);
	*ret = shares;
	return n;
}

/* Two significant digits below 10 %, else whole percents: "0.43", "15". */
static const char *percent(const struct measurement *m, double part)
{
	return arena_printf(m->arena, part < 0.1 ? "%.2g" : "%.0f", 100 * part);
}

/* An estimate, rounded to one significant digit, with commas between thousands. */
static const char *about(const struct measurement *m, double number)
{
	const double unit = pow(10, fmax(0, floor(log10(fmax(number, 1)))));
	uint64_t rounded = (uint64_t)(round(number / unit) * unit);
	const char *text;

	text = arena_printf(m->arena, "%lu", rounded % 1000);
	while (rounded >= 1000) {
		const char *rest = arena_printf(m->arena, "%03lu", rounded % 1000);

		rounded /= 1000;
		text = arena_printf(m->arena, "%lu,%s%s", rounded % 1000, rest,
				    strchr(text, ',') ? strchr(text, ',') : "");
	}
	return text;
}

static void say_share(const struct measurement *m, const struct share *share)
{
	const char *all = "";
	double calls;

	if (session_function_calls(m->session, share->program->image,
				   share->function - share->program->catalogue->functions,
				   &calls) &&
	    calls > share->account->calls)
		all = arena_printf(m->arena, "; about %s calls in all", about(m, calls));
	message_note("%s: measured %s %% of the time, %lu call%s%s",
		     summary_name_of(m, share->program, share->function), percent(m, share->part),
		     share->account->calls, share->account->calls == 1 ? "" : "s", all);
}

/* Cost at the start and chance excesses of the plan are no reason for a note. */
static bool is_over_budget(const struct measurement *m)
{
	return m->options->max_overhead > 0 &&
	       session_overhead(m->session) > OVER_BUDGET * m->options->max_overhead &&
	       session_account(m->session)->stopped_ns > OVER_BUDGET_NS;
}

/* Of those that were measured less than half of the time, for which more would tell little. */
static void say_not_worth(const struct measurement *m, const struct share *shares, size_t n)
{
	enum { STANDARD_ERRORS = 2 };
	double most = 0;
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		const double doubt = STANDARD_ERRORS * shares[i].account->doubt;

		if (!doubt || doubt > KNOWN || shares[i].part > KNOWN_PART)
			continue;
		n_known++;
		most = fmax(most, doubt);
	}
	if (n_known)
		message_note("not worth measuring longer: %zu of them, whose mean times are known "
			     "to %s %% or better; others were measured instead",
			     n_known, percent(m, most));
}

static void say_shares(const struct measurement *m)
{
	struct share *shares;
	size_t n = find_shares(m, &shares);
	size_t i;

	for (i = 0; i < n && i < SHARES_MAX; i++)
		say_share(m, &shares[i]);
	if (n > SHARES_MAX)
		message_note("%zu more functions were not measured all the time either: choose "
			     "fewer (-f), and each is measured longer",
			     n - SHARES_MAX);
	say_not_worth(m, shares, n);
	if (is_over_budget(m))
		message_note("measuring cost about %s %% of the program's time, more than "
			     "--max-overhead %g: its start, forks and new threads are in it, and "
			     "calls that have begun are followed to their end, however often "
			     "others come by; let it do more, or measure functions with shorter "
			     "calls",
			     percent(m, session_overhead(m->session)),
			     100 * m->options->max_overhead);
	else if (n)
		message_note("--max-overhead %g keeps measuring below that part of the program's "
			     "time; with --max-overhead none every call is measured%s",
			     100 * m->options->max_overhead,
			     n > SHARES_MAX ? ", of fewer functions (-f) more are" : "");
	free(shares);
}

static void say_overhead(const struct measurement *m)
{
	const double overhead = session_overhead(m->session);

	if (m->options->max_overhead > 0)
		message_note("measuring cost about %s %% of the program's time, planned were at "
			     "most %g %% and 0.1 s at the start",
			     percent(m, overhead), 100 * m->options->max_overhead);
	else
		message_note("measuring cost about %s %% of the program's time",
			     percent(m, overhead));
}

static void say_cost(const struct measurement *m)
{
	const struct account *account = session_account(m->session);
	const struct calibration *calibration = &account->calibration;

	message_note("calls were noticed by %s", m->probes);
	message_note("%lu stops, %.3f s in them, all threads together; a stop costs the program "
		     "about %.1f µs",
		     account->stops, account->stopped_ns / 1e9, calibration->stop_cost_ns / 1000);
	message_note(
		"of each call %.2f µs are subtracted for the stops that begin and end it, %.2f µs "
		"for "
		"each other in it; less than %.2g µs cannot be told from nothing",
		calibration->pair[METRIC_TIME], calibration->stop[METRIC_TIME],
		calibration->resolution[METRIC_TIME]);
	if (calibration->pads.resolution)
		message_note("of each call that pads measured %.0f ns are subtracted, and %.0f ns "
			     "of its caller for it; less than %.2g ns cannot be told from nothing",
			     1000 * calibration->pads.pair,
			     1000 * (calibration->pads.pair + calibration->pads.call),
			     1000 * calibration->pads.resolution);
	if (calibration->pads.ended[METRIC_TIME])
		message_note("and %.2f µs of one that a pad began and a stop ended",
			     calibration->pads.ended[METRIC_TIME]);
	if (account->far_stops)
		message_note("for the %lu stops that woke another processor %.2f µs more",
			     account->far_stops, calibration->far[METRIC_TIME]);
}

/* The remedy for processes that were let go; NULL: none were, or --follow-fork is on. */
static const char *summary_let_go(const struct measurement *m)
{
	uint64_t n = session_account(m->session)->let_go;

	if (!n || m->options->follow_fork)
		return NULL;
	return arena_printf(m->arena,
			    "%lu process%s that it started %s not measured; with --follow-fork "
			    "%s",
			    n, n == 1 ? "" : "es", n == 1 ? "was" : "were",
			    n == 1 ? "it is" : "they are");
}

uint64_t summary_say(const struct measurement *m, const struct ending *ending)
{
	uint64_t calls;

	if (!m->options->quiet)
		say_ending(m, ending);
	if (m->options->verbose) {
		say_cost(m);
		say_overhead(m);
	}
	if (!m->options->quiet)
		say_shares(m);
	if (m->options->verbose && summary_let_go(m))
		message_note("%s", summary_let_go(m));
	if (recorder_lost(m->recorder))
		message_note("%lu calls could neither be stored nor kept",
			     recorder_lost(m->recorder));
	say_unfound(m);
	calls = say_functions(m, ending);
	if (m->options->sample_by && !recorder_has_key(m->recorder))
		message_note("--sample-by chose nothing, and all calls are samples: no function "
			     "that was called has the feature %s",
			     m->options->sample_by);
	if (!m->options->quiet)
		say_parts(m);
	if (!m->options->quiet)
		say_cuts(m);
	return calls;
}

/*
 * The program most likely meant, of those with nothing to measure: one that can be read but lacks
 * the functions (its error suggests similar names); of several the last, as wrappers come first.
 */
static const struct program *likely(const struct measurement *m)
{
	struct program *const *programs;
	size_t n = programs_all(m->programs, &programs);
	const struct program *found = programs[0];
	size_t i;

	for (i = 1; i < n; i++)
		if (programs[i]->why.code == ERR_NOT_FOUND || found->why.code != ERR_NOT_FOUND)
			found = programs[i];
	return found;
}

static void say_why(const struct measurement *m, struct err *err)
{
	struct program *const *programs;
	const struct function *only = NULL;
	size_t n = programs_measured(m->programs, &programs);
	size_t n_functions = 0;
	uint64_t begun = 0;
	size_t i, j;

	for (i = 0; i < n; i++) {
		n_functions += programs[i]->catalogue->n_functions;
		if (programs[i]->catalogue->n_functions)
			only = &programs[i]->catalogue->functions[0];
		for (j = 0; j < programs[i]->catalogue->n_functions; j++)
			begun += session_function_account(m->session, i, j)->abandoned;
	}
	if (!n && likely(m)->why.code == ERR_NOT_FOUND)
		*err = likely(m)->why;
	else if (!n)
		err_set(err, ERR_NOT_FOUND,
			"nothing was measured: no program that ran has such a function (%s: %s)",
			likely(m)->path, likely(m)->reason);
	else if (begun)
		err_set(err, ERR_NOT_FOUND, "no call was seen to return: nothing was measured");
	else if (n_functions == 1)
		err_set(err, ERR_NOT_FOUND,
			"%s was never called while it was measured: nothing was measured",
			only->name);
	else
		err_set(err, ERR_NOT_FOUND,
			"none of the %zu functions was called while it was measured: nothing was "
			"measured",
			n_functions);
}

bool summary_nothing(const struct measurement *m, struct err *err)
{
	const char *more = summary_let_go(m);
	struct err why;

	say_why(m, &why);
	return err_set(err, ERR_NOT_FOUND, "%s%s%s", why.text, more ? "; " : "", more ? more : "");
}
