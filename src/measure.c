/*
 * One measurement, whatever the process came from: the catalogue, the profile, the session's events,
 * what is said and printed in the end.
 */
#include "measure.h"

#include <stdio.h>
#include <string.h>

#include "annotate.h"
#include "dwarf/build.h"
#include "host.h"
#include "interrupt.h"
#include "message.h"
#include "trace/calibrate.h"

/* At least one function must be measurable; those that are not are mentioned. */
static bool check_measurable(const struct measurement *m, struct err *err)
{
	const struct catalogue *catalogue = m->catalogue;
	const struct function *reason = NULL;
	size_t measurable = 0;
	size_t i;

	for (i = 0; i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		if (!function->unmeasurable) {
			measurable++;
			continue;
		}
		reason = function;
		if (m->options->verbose)
			message_note("%s is not measured: %s", function->name,
				     function->unmeasurable);
	}
	if (measurable)
		return true;
	return err_set(err, ERR_NOT_FOUND, "%s cannot be measured: %s", reason->name,
		       reason->unmeasurable);
}

static bool read_catalogue(struct measurement *m, struct err *err)
{
	const struct options *options = m->options;
	const struct catalogue_request request = {
		.patterns = options->functions,
		.n_patterns = options->n_functions,
		.features = true,
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.globals = options->globals,
		.debuginfo_path = options->debuginfo_path,
	};
	size_t i;

	if (!catalogue_build(m->path, &request, &m->catalogue, err))
		return false;
	for (i = 0; i < m->catalogue->n_notes && !options->quiet; i++)
		message_note("%s", m->catalogue->notes[i]);
	return check_measurable(m, err);
}

static bool is_measured(const struct catalogue *catalogue, unsigned module)
{
	size_t i;

	for (i = 0; i < catalogue->n_functions; i++)
		if (catalogue->functions[i].module == module &&
		    !catalogue->functions[i].unmeasurable)
			return true;
	return false;
}

static void list_libraries(const struct measurement *m, struct run *run)
{
	const struct catalogue *catalogue = m->catalogue;
	struct run_library *libraries =
		arena_array(m->arena, struct run_library, catalogue->n_modules);
	size_t i;

	run->libraries = libraries;
	for (i = 1; i < catalogue->n_modules; i++)
		if (is_measured(catalogue, i))
			libraries[run->n_libraries++] = (struct run_library){
				catalogue->modules[i].path, catalogue->modules[i].build_id};
}

static bool open_profile(struct measurement *m, const char *path, struct err *err)
{
	const struct module *module = &m->catalogue->modules[0];
	struct run run = {
		.command = m->command, .executable = module->path, .build_id = module->build_id};

	host_describe(m->arena, &run);
	list_libraries(m, &run);
	return profile_open_to_add(path, module->build_id, &m->profile, err) &&
	       profile_begin_run(m->profile, &run, err);
}

static bool open_report(struct measurement *m, struct err *err)
{
	const char *inputs[] = {m->path, m->options->output};

	return output_open(m->options->report, inputs, 2, &m->output, err);
}

bool measure_open(struct measurement *m, struct err *err)
{
	return read_catalogue(m, err) && open_report(m, err) &&
	       open_profile(m, m->options->output, err) && calibrate(&m->bias_ns, err);
}

void measure_begin(struct measurement *m, struct session *session)
{
	m->session = session;
	session_set_stop_bias(session, m->bias_ns);
	m->recorder = recorder_create(m->catalogue, m->profile);
	interrupt_start(m->launched ? INTERRUPT_BY_TERMINAL : INTERRUPT_BY_ANY, m->seconds);
}

/* Trouble with the profile must not end the program: calls are kept, and stored when it is over. */
static void keep(struct measurement *m, const struct call_record *call)
{
	struct err err;

	if (recorder_add(m->recorder, call, &err) || m->said_unstored)
		return;
	m->said_unstored = true;
	if (!m->options->quiet)
		message_note("%s; the samples are kept, and it is tried again", err.text);
}

static void say_note(const struct measurement *m, const char *note)
{
	if (!m->options->quiet)
		message_note("%s", note);
}

/*
 * The first interrupt ends the measurement; a program that was launched may go on, and is waited for,
 * until the second one comes. Returns whether there is nothing more to wait for.
 */
static bool take_interrupts(struct measurement *m, unsigned *seen)
{
	if (interrupt_count() == *seen)
		return false;
	if (!*seen) {
		session_detach(m->session);
		if (m->launched)
			say_note(
				m,
				"the measurement has ended; the program goes on to its end (Ctrl-C "
				"again: it is not waited for)");
	} else if (m->launched) {
		return true;
	}
	*seen = interrupt_count();
	return false;
}

static bool record(struct measurement *m, struct ending *ret, struct err *err)
{
	struct session_event event;
	unsigned seen = 0;

	*ret = (struct ending){.how = ENDED_DETACHED};
	profile_set_patience(m->profile, 20);
	while (!take_interrupts(m, &seen)) {
		if (!session_next(m->session, &event, err))
			return false;
		switch (event.kind) {
		case SESSION_CALL:
			keep(m, &event.call);
			break;
		case SESSION_NOTE:
			say_note(m, event.note);
			break;
		case SESSION_IMAGE:
			say_note(m, "the program replaced itself (exec); from there on nothing is "
				    "measured");
			break;
		case SESSION_PAUSE:
			break;
		case SESSION_ENDED:
			*ret = event.ending;
			return true;
		}
	}
	return true;
}

static bool store(struct measurement *m, const struct ending *ending, struct err *err)
{
	size_t i;

	profile_set_patience(m->profile, 10000);
	if (!recorder_flush(m->recorder, err))
		return false;
	for (i = 0; i < m->catalogue->n_functions; i++)
		if (!profile_add_account(m->profile, &m->catalogue->functions[i],
					 session_function_account(m->session, 0, i), err))
			return false;
	return profile_end_run(m->profile, ending, session_account(m->session), err);
}

static void say_ending(const struct measurement *m, const struct ending *ending)
{
	const char *program = m->name;
	double seconds = session_account(m->session)->duration_ns / 1e9;

	switch (ending->how) {
	case ENDED_EXITED:
		message_note("%s exited with status %d after %.2f s", program, ending->number,
			     seconds);
		break;
	case ENDED_SIGNALLED:
		message_note("%s was killed by signal %d (%s) after %.2f s", program,
			     ending->number, strsignal(ending->number), seconds);
		break;
	case ENDED_DETACHED:
		message_note("%s was measured for %.2f s and goes on", program, seconds);
		break;
	case ENDED_UNKNOWN:
		message_note("the end of %s was not seen", program);
		break;
	}
}

/* The calls of this run; functions that were not called, or whose calls got lost, are mentioned. */
static uint64_t say_calls(const struct measurement *m)
{
	uint64_t calls = 0;
	size_t i;

	for (i = 0; i < m->catalogue->n_functions; i++) {
		const struct function *function = &m->catalogue->functions[i];
		const struct function_account *account = session_function_account(m->session, 0, i);

		calls += account->calls;
		if (m->options->quiet || function->unmeasurable)
			continue;
		if (account->abandoned)
			message_note("%s: %lu calls were not seen to return (exception, longjmp, "
				     "exit and the like) and are not counted",
				     function->name, account->abandoned);
		else if (!account->calls && m->options->verbose)
			message_note("%s was never called", function->name);
	}
	return calls;
}

/* Of functions that were called: what the limits on features left out. */
static void say_cut(const struct measurement *m)
{
	size_t i;

	for (i = 0; i < m->catalogue->n_functions; i++) {
		const struct function *function = &m->catalogue->functions[i];

		if (!session_function_account(m->session, 0, i)->calls)
			continue;
		if (function->features_cut && !m->options->quiet)
			message_note("%s: %zu feature%s beyond the first %zu %s left out; "
				     "--max-features sets the limit",
				     function->name, function->features_cut,
				     function->features_cut == 1 ? "" : "s",
				     m->options->max_features,
				     function->features_cut == 1 ? "was" : "were");
		if (function->features_deep && m->options->verbose)
			message_note("%s: --max-depth %u left %zu place%s out of sight",
				     function->name, m->options->max_depth, function->features_deep,
				     function->features_deep == 1 ? "" : "s");
	}
}

static bool say_cost(const struct measurement *m)
{
	const struct account *account = session_account(m->session);

	return fprintf(stderr,
		       "fathom: %lu stops, %.3f s in them, %.1f µs subtracted for each beyond that\n",
		       account->stops, account->stopped_ns / 1e9, account->stop_bias_ns / 1e3) > 0;
}

static bool nothing_called(const struct measurement *m, struct err *err)
{
	const struct catalogue *catalogue = m->catalogue;

	if (catalogue->n_functions == 1)
		return err_set(err, ERR_NOT_FOUND,
			       "%s was never called while it was measured: nothing was measured",
			       catalogue->functions[0].name);
	return err_set(
		err, ERR_NOT_FOUND,
		"none of the %zu functions was called while it was measured: nothing was measured",
		catalogue->n_functions);
}

static void say(const struct measurement *m, const struct ending *ending)
{
	if (!m->options->quiet)
		say_ending(m, ending);
	if (m->options->verbose)
		say_cost(m);
	if (recorder_lost(m->recorder))
		message_note("%lu calls could neither be stored nor kept",
			     recorder_lost(m->recorder));
}

static bool print_results(struct measurement *m, struct err *err)
{
	return annotate_profile(m->profile, m->options, m->catalogue, &m->output, err) &&
	       output_close(&m->output, err);
}

/* What the profile did not take is modelled nevertheless, from a temporary one. */
static void print_unstored(struct measurement *m)
{
	struct err ignored;

	profile_close(m->profile);
	m->profile = NULL;
	if (!open_profile(m, NULL, &ignored))
		return;
	recorder_redirect(m->recorder, m->profile);
	if (recorder_flush(m->recorder, &ignored))
		print_results(m, &ignored);
}

bool measure_to_end(struct measurement *m, struct err *err)
{
	struct ending ending;
	uint64_t calls;

	if (!record(m, &ending, err))
		return false;
	interrupt_stop();
	say(m, &ending);
	calls = say_calls(m);
	say_cut(m);
	if (!store(m, &ending, err)) {
		print_unstored(m);
		return err_add(err, "samples were not stored");
	}
	return calls ? print_results(m, err) : nothing_called(m, err);
}

void measure_release(struct measurement *m)
{
	struct err ignored;

	interrupt_stop();
	output_close(&m->output, &ignored);
	recorder_destroy(m->recorder);
	session_destroy(m->session);
	profile_close(m->profile);
	catalogue_destroy(m->catalogue);
	arena_destroy(m->arena);
}
