/* The last words of a measurement. Results are annotate.c's. */
#include "summary.h"

#include <stdio.h>
#include <string.h>

#include "message.h"

static void say_ending(const struct measurement *m, const struct ending *ending)
{
	const char *program = m->name;
	const char *when = arena_printf(
		m->arena, m->interrupted ? "; it was measured for %.2f s" : " after %.2f s",
		session_account(m->session)->duration_ns / 1e9);

	switch (ending->how) {
	case ENDED_EXITED:
		message_note("%s exited with status %d%s", program, ending->number, when);
		break;
	case ENDED_SIGNALLED:
		message_note("%s was killed by signal %d (%s)%s", program, ending->number,
			     strsignal(ending->number), when);
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
static const char *name_of(const struct measurement *m, const struct program *program,
			   const struct function *function)
{
	struct program *const *measured;

	if (programs_measured(m->programs, &measured) < 2)
		return function->name;
	return arena_printf(m->arena, "%s (%s)", function->name,
			    function->module ? program->modules[function->module] : program->path);
}

/* Functions that were not called, or whose calls got lost, are mentioned. */
static void say_calls(const struct measurement *m, const struct program *program,
		      const struct function *function, const struct function_account *account)
{
	if (m->options->quiet || function->unmeasurable)
		return;
	if (account->abandoned)
		message_note("%s: %lu calls were not seen to return (exception, longjmp, exit and "
			     "the like) and are not counted",
			     name_of(m, program, function), account->abandoned);
	else if (!account->calls && m->options->verbose)
		message_note("%s was never called", name_of(m, program, function));
}

/* Of a function that was called: what the limits on features left out. */
static void say_cut(const struct measurement *m, const struct program *program,
		    const struct function *function, const struct function_account *account)
{
	if (!account->calls)
		return;
	if (function->features_cut && !m->options->quiet)
		message_note("%s: %zu feature%s beyond the first %zu %s left out; "
			     "--max-features sets the limit",
			     name_of(m, program, function), function->features_cut,
			     function->features_cut == 1 ? "" : "s", m->options->max_features,
			     function->features_cut == 1 ? "was" : "were");
	if (function->features_deep && m->options->verbose)
		message_note("%s: --max-depth %u left %zu place%s out of sight",
			     name_of(m, program, function), m->options->max_depth,
			     function->features_deep, function->features_deep == 1 ? "" : "s");
}

typedef void say_function(const struct measurement *m, const struct program *program,
			  const struct function *function, const struct function_account *account);

/* Returns how many calls there were. */
static uint64_t each_function(const struct measurement *m, say_function *say)
{
	struct program *const *programs;
	size_t n = programs_measured(m->programs, &programs);
	uint64_t calls = 0;
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < programs[i]->catalogue->n_functions; j++) {
			const struct function_account *account =
				session_function_account(m->session, i, j);

			calls += account->calls;
			say(m, programs[i], &programs[i]->catalogue->functions[j], account);
		}
	return calls;
}

enum { PARTS_MAX = 5 };

/* Which calls became samples: so many by chance. */
static void say_part(const struct measurement *m, const struct program *program, size_t function,
		     uint64_t kept, uint64_t calls)
{
	const struct options *options = m->options;

	message_note("%s: %lu of %lu calls became samples, chosen by chance, at most %zu %s; "
		     "--samples keeps more",
		     name_of(m, program, &program->catalogue->functions[function]), kept, calls,
		     options->samples,
		     options->period_ms
			     ? arena_printf(m->arena, "in %g s", options->period_ms / 1000.0)
			     : "in all");
}

/* Functions of which not all calls were kept. */
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

			if (kept < calls && n++ < PARTS_MAX)
				say_part(m, programs[i], j, kept, calls);
		}
	if (n > PARTS_MAX)
		message_note("of %zu more functions a part of the calls became samples, too",
			     n - PARTS_MAX);
}

/* Patterns that were in no program at all. */
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

static void say_cost(const struct measurement *m)
{
	const struct account *account = session_account(m->session);
	const struct calibration *calibration = &account->calibration;

	message_note("%lu stops, %.3f s in them; a stop costs the program about %.1f µs",
		     account->stops, account->stopped_ns / 1e9, calibration->stop_cost_ns / 1000);
	message_note(
		"of each call %.2f µs are subtracted for the stops that begin and end it, %.2f µs for "
		"each other in it; less than %.2g µs cannot be told from nothing",
		calibration->pair[METRIC_TIME], calibration->stop[METRIC_TIME],
		calibration->resolution[METRIC_TIME]);
	if (account->far_stops)
		message_note("for the %lu stops that woke another processor %.2f µs more",
			     account->far_stops, calibration->far[METRIC_TIME]);
}

/* What to do about processes that were let go; NULL: there were none. */
static const char *let_go(const struct measurement *m)
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
	if (m->options->verbose)
		say_cost(m);
	if (m->options->verbose && let_go(m))
		message_note("%s", let_go(m));
	if (recorder_lost(m->recorder))
		message_note("%lu calls could neither be stored nor kept",
			     recorder_lost(m->recorder));
	say_unfound(m);
	calls = each_function(m, say_calls);
	if (!m->options->quiet && m->options->samples)
		say_parts(m);
	each_function(m, say_cut);
	return calls;
}

/*
 * Of the programs that have nothing to measure, the one that was most likely meant: it has functions
 * with similar names; and of several the last, since what starts others comes before them.
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
	size_t i;

	for (i = 0; i < n; i++) {
		n_functions += programs[i]->catalogue->n_functions;
		if (programs[i]->catalogue->n_functions)
			only = &programs[i]->catalogue->functions[0];
	}
	if (!n && likely(m)->why.code == ERR_NOT_FOUND)
		*err = likely(m)->why;
	else if (!n)
		err_set(err, ERR_NOT_FOUND,
			"nothing was measured: no program that ran has such a function (%s: %s)",
			likely(m)->path, likely(m)->reason);
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
	const char *more = let_go(m);
	struct err why;

	say_why(m, &why);
	return err_set(err, ERR_NOT_FOUND, "%s%s%s", why.text, more ? "; " : "", more ? more : "");
}
