/* Reads the catalogue anew, while the program runs on, and passes it to all that have the old. */
#include "replan.h"

#include <string.h>

#include "accounts.h"
#include "advise/precision_watch.h"
#include "cli/message.h"
#include "core/samples/derived_columns.h"
#include "trace/session_halt.h"

/* Store what is known of functions that @catalogue drops. */
static bool store_dropped(struct measurement *m, const struct program *program,
			  const struct catalogue *catalogue, struct err *err)
{
	if (!recorder_flush(m->recorder, err) || !recorder_add_looped(m->recorder, err))
		return false;
	for (size_t i = 0; i < program->catalogue->n_functions; i++)
		if (catalogue_find_same(catalogue, program->catalogue, i) ==
			    catalogue->n_functions &&
		    !accounts_store(m, program, i, err))
			return false;
	return true;
}

static bool replace(struct measurement *m, struct catalogue *catalogue, struct err *err)
{
	const bool was_halted = session_is_halted(m->session);
	struct program *program = m->first;
	bool ok;

	if (!was_halted && !session_halt(m->session, err))
		return false;
	ok = store_dropped(m, program, catalogue, err) &&
	     session_replan(m->session, program->image, catalogue, err);
	if (ok) {
		programs_replace(m->programs, program, catalogue);
		recorder_replace_image(m->recorder, program->image, catalogue, program->modules);
	}
	if (!was_halted)
		session_continue(m->session);
	return ok;
}

bool replan_first(struct measurement *m, struct err *err)
{
	struct program_source source = {
		.path = m->interpreter ? m->interpreter : m->path,
		.process = session_process(m->session),
		.running = true,
	};
	struct catalogue *catalogue;

	if (!programs_read_again(m->programs, &source, &catalogue, err))
		return false;
	/* Most is written while the program runs, if it does. */
	if (recorder_flush(m->recorder, err) && replace(m, catalogue, err))
		return true;
	catalogue_destroy(catalogue);
	return false;
}

bool replan_watch(struct measurement *m, const char *path, struct err *err)
{
	const struct learning_options learning = {.path = path,
						  .run = profile_run(m->profile),
						  .metrics = m->options->metrics,
						  .until = m->options->until_precise,
						  .adapts = m->options->adapt};

	if (!(learning.until > 0) && !learning.adapts)
		return true;
	if (!path || !m->options->period_ms)
		return err_set(err, ERR_USAGE, "%s looks at the profile meanwhile: %s",
			       learning.adapts ? "--adapt" : "--until-precise",
			       path ? "leave --period 0 out" : "give one, with -o PROFILE");
	m->precise = precision_watch_create(&learning);
	return true;
}

static void leave_out(struct measurement *m, const struct learned_function *precise,
		      const struct program *program, unsigned function)
{
	const uint64_t calls =
		session_function_account(m->session, program->image, function)->calls;
	const bool was_halted = session_is_halted(m->session);
	struct err ignored;

	if (!was_halted && !session_halt(m->session, &ignored))
		return;
	session_enable(m->session, program->image, function, false);
	if (!was_halted)
		session_continue(m->session);
	if (!m->options->quiet)
		message_note("%s is measured no longer, after %lu calls: what a typical one costs "
			     "is known to %.2g %%",
			     precise->function->function, calls, 100 * precise->relative);
}

static size_t count_called(const struct measurement *m)
{
	struct program *const *programs;
	const size_t n = programs_measured(m->programs, &programs);
	size_t called = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < programs[i]->catalogue->n_functions; j++)
			called +=
				session_function_account(m->session, programs[i]->image, j)->calls >
				0;
	return called;
}

/* Has a model used it, or something that is known by it? Conditions may want the key. */
static bool is_needed(const struct measurement *m, const struct learned_function *learned,
		      const char *expression)
{
	for (size_t i = 0; i < learned->n_used; i++)
		if (!strcmp(learned->used[i], expression) ||
		    derived_columns_proves(expression, learned->used[i]) ||
		    derived_columns_is_part(expression, learned->used[i]))
			return true;
	return m->options->sample_by && !strcmp(m->options->sample_by, expression);
}

/* Branches only hint at conditions of features: a tenth of the calls is always enough. */
static size_t ask_branches(const struct measurement *m, const struct learned_function *learned,
			   struct catalogue *catalogue, unsigned function)
{
	struct branch_site *branches = catalogue_own_branches(catalogue, function);
	size_t n = 0;

	for (size_t i = 0; i < catalogue->functions[function].n_branches; i++) {
		branches[i].is_rare =
			branches[i].kind == BRANCH_TURNS
				? m->options->loops && !is_needed(m, learned, branches[i].name)
				: m->options->branches;
		n += branches[i].is_rare;
	}
	return n;
}

/*
 * From now on its other features, and outcomes of branches, are read in a tenth of the calls.
 * Returns how many.
 */
static size_t ask_less(const struct measurement *m, const struct learned_function *learned,
		       struct catalogue *catalogue, unsigned function)
{
	struct feature *features = catalogue_own_features(catalogue, function);
	size_t n = ask_branches(m, learned, catalogue, function);

	for (size_t i = 0; i < catalogue->functions[function].n_features; i++) {
		struct feature *feature = &features[i];

		feature->is_rare = feature->absence == PRESENT && feature->plan.n_steps &&
				   feature->provenance != FROM_RETURN &&
				   !is_needed(m, learned, feature->expression);
		n += feature->is_rare;
	}
	return n;
}

static void say_less(const struct measurement *m, const struct learned_function *learned, size_t n)
{
	if (m->options->quiet)
		return;
	if (learned->is_use_new && n)
		message_note("%s: %zu %s read in a tenth of the calls from now on, as %s not "
			     "mattered",
			     learned->function->function, n,
			     m->options->branches || m->options->loops ? "features and branches are"
			     : n == 1                                  ? "feature is"
								       : "features are",
			     n == 1 ? "it has" : "they have");
	if (learned->is_known && !learned->was_known)
		message_note("%s: of its calls a tenth of others' is recorded from now on, as what "
			     "a typical one costs is known to %.2g %%",
			     learned->function->function, 100 * learned->relative);
}

/* What was learned of features, @n_learned in all; again for a catalogue that was read anew. */
static void replan_asked(struct measurement *m, size_t n_learned)
{
	const bool is_anew = m->asked != m->first->catalogue;
	struct learned_function learned;
	const struct program *program;
	struct catalogue *catalogue = NULL;
	unsigned function;
	struct err ignored;

	for (size_t i = is_anew ? 0 : m->n_learned; i < n_learned; i++) {
		size_t n = 0;

		if (!precision_watch_found(m->precise, i, &learned) || learned.is_precise ||
		    !programs_find_function(m->programs, learned.function, &program, &function) ||
		    program != m->first)
			continue;
		if (!catalogue && (is_anew || learned.is_use_new))
			catalogue = catalogue_copy(m->first->catalogue);
		if (is_anew || learned.is_use_new)
			n = ask_less(m, &learned, catalogue, function);
		session_tell_known(m->session, program->image, function, learned.is_known);
		if (i >= m->n_learned)
			say_less(m, &learned, n);
	}
	if (catalogue && !replace(m, catalogue, &ignored))
		catalogue_destroy(catalogue);
	m->asked = m->first->catalogue;
}

bool replan_learned(struct measurement *m)
{
	struct learned_function learned;
	const struct program *program;
	size_t n_known = 0, n = 0;
	unsigned function;

	while (precision_watch_found(m->precise, n, &learned))
		n++;
	if (m->options->adapt)
		replan_asked(m, n);
	for (size_t i = 0; i < n; i++) {
		if (!precision_watch_found(m->precise, i, &learned) || !learned.is_precise ||
		    !programs_find_function(m->programs, learned.function, &program, &function))
			continue;
		n_known++;
		if (i >= m->n_learned)
			leave_out(m, &learned, program, function);
	}
	m->n_learned = n;
	precision_watch_wake(m->precise);
	return !n_known || n_known < count_called(m);
}
