/* Samples, chooses, replans. The sampler is perf_event's; without permission, short halts. */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/host.h"
#include "cli/message.h"
#include "inspect/hot_functions.h"
#include "replan.h"
#include "trace/sampler.h"
#include "trace/session_halt.h"

enum { PERIOD_US = 1000, MOST = 20, NAMED = 3, EVERY_MS = 15 };

/* A choice is due by samples, or by time if there are a few. */
static const struct {
	size_t samples;
	int64_t ms;
} STEPS[] = {{50, 500}, {200, 2000}, {1000, 5000}};
enum { N_STEPS = sizeof(STEPS) / sizeof(*STEPS), SAMPLES_LEAST = 10 };

struct choice {
	struct options *options;
	struct arena *arena;
	const char **given; /* patterns of the user */
	size_t n_given;
	struct hot_functions *hot;
	struct sampler *sampler;               /* NULL: the process is halted for each sample */
	int64_t began_ms, looked_ms, chose_ms; /* the last: the first choice; 0: none yet */
	size_t step;
	bool is_open;
};

struct choice *choice_create(struct options *options)
{
	struct choice *choice = mem_alloc(sizeof(*choice));

	*choice = (struct choice){.options = options,
				  .arena = arena_create(),
				  .given = options->functions,
				  .n_given = options->n_functions};
	return choice;
}

void choice_destroy(struct choice *choice)
{
	if (!choice)
		return;
	choice->options->functions = choice->given; /* the owner frees it */
	choice->options->n_functions = choice->n_given;
	sampler_close(choice->sampler);
	hot_functions_destroy(choice->hot);
	arena_destroy(choice->arena);
	free(choice);
}

bool choice_is_open(const struct choice *choice)
{
	return choice->is_open;
}

void choice_begin(struct measurement *m)
{
	struct choice *choice = m->choice;
	const pid_t pid = session_process(m->session);
	struct err err;

	choice->hot = hot_functions_create(pid, choice->options->debuginfo_path);
	choice->began_ms = clock_now_ms();
	choice->is_open = true;
	if (!sampler_open(pid, PERIOD_US, &choice->sampler, &err) && !choice->options->quiet)
		message_note("where the program spends its time is seen by short halts: %s",
			     err.text);
}

static void take_halt(const struct measurement *m)
{
	struct snapshot *snapshot;
	struct err ignored;

	if (!session_halt(m->session, &ignored))
		return;
	if (session_snapshot(m->session, session_process(m->session), &snapshot, &ignored)) {
		hot_functions_look(m->choice->hot, snapshot);
		snapshot_destroy(snapshot);
	}
	session_continue(m->session);
}

/* As in -f; of a name that other files may have as well, with the file. */
static const char *pattern_of(struct choice *choice, const struct hot_function *function)
{
	const char *name = function->linkage ? function->linkage : function->name;
	const char *base = function->file ? strrchr(function->file, '/') : NULL;

	if (!function->file || !strncmp(name, "_Z", 2))
		return arena_strdup(choice->arena, name);
	return arena_printf(choice->arena, "%s:%s", base ? base + 1 : function->file, name);
}

/* False: the same as before. */
static bool set_patterns(struct choice *choice, const struct hot_function *chosen, size_t n)
{
	struct options *options = choice->options;
	const char **patterns = arena_array(choice->arena, const char *, choice->n_given + n + 1);
	bool is_same = options->n_functions == choice->n_given + n;

	if (choice->n_given)
		memcpy(patterns, choice->given, choice->n_given * sizeof(*patterns));
	for (size_t i = 0; i < n; i++) {
		const char *pattern = pattern_of(choice, &chosen[i]);
		bool is_known = false;

		for (size_t j = choice->n_given; j < options->n_functions; j++)
			is_known |= !strcmp(options->functions[j], pattern);
		is_same &= is_known;
		patterns[choice->n_given + i] = pattern;
	}
	if (is_same)
		return false;
	options->functions = patterns;
	options->n_functions = choice->n_given + n;
	return true;
}

static void say_choice(const struct choice *choice, const struct hot_function *chosen, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < NAMED; i++)
		text = arena_printf(choice->arena, "%s%s%s (%.0f %%)", text, i ? ", " : "",
				    chosen[i].name,
				    100.0 * (double)chosen[i].samples /
					    (double)hot_functions_samples(choice->hot));
	if (n > NAMED)
		text = arena_printf(choice->arena, "%s and %zu more", text, n - NAMED);
	message_note("measuring %s, by %zu samples of where the program spends its time", text,
		     hot_functions_samples(choice->hot));
}

static void choose(struct measurement *m)
{
	struct choice *choice = m->choice;
	const struct options before = *choice->options;
	struct hot_function *chosen;
	const size_t n = hot_functions_choose(choice->hot, MOST, &chosen);
	const uint64_t from_ns = clock_now_ns();
	struct err err;

	if (n && set_patterns(choice, chosen, n)) {
		if (!replan_first(m, &err)) {
			choice->options->functions = before.functions;
			choice->options->n_functions = before.n_functions;
			if (choice->options->verbose)
				message_note("not measured: %s", err.text);
		} else {
			if (!choice->chose_ms)
				choice->chose_ms = clock_now_ms();
			if (!choice->options->quiet)
				say_choice(choice, chosen, n);
		}
		session_excuse(m->session, clock_now_ns() - from_ns);
	}
	free(chosen);
}

static bool is_due(const struct choice *choice, int64_t now_ms)
{
	const size_t n = hot_functions_samples(choice->hot);
	const size_t step = choice->step < N_STEPS ? choice->step : N_STEPS - 1;

	return n >= STEPS[step].samples || (choice->step < N_STEPS && n >= SAMPLES_LEAST &&
					    now_ms - choice->began_ms >= STEPS[step].ms);
}

bool choice_tend(struct measurement *m)
{
	struct choice *choice = m->choice;
	const int64_t now_ms = clock_now_ms();

	if (now_ms - choice->looked_ms < EVERY_MS || !session_process(m->session))
		return true;
	choice->looked_ms = now_ms;
	if (choice->sampler)
		hot_functions_take(choice->hot, choice->sampler);
	else
		take_halt(m);
	if (!is_due(choice, now_ms))
		return true;
	choose(m);
	choice->step++;
	if (choice->step >= N_STEPS && choice->options->adapt)
		hot_functions_restart(choice->hot);
	choice->is_open = choice->step < N_STEPS || choice->options->adapt;
	if (choice->is_open)
		return true;
	sampler_close(choice->sampler);
	choice->sampler = NULL;
	return false;
}

/* What to type to measure, from the beginning, what was seen hot. */
static const char *next_command(const struct measurement *m)
{
	struct choice *choice = m->choice;
	struct hot_function *chosen;
	size_t n = hot_functions_choose(choice->hot, NAMED, &chosen);
	const char *text = m->attached ? "fathom attach" : "fathom run";

	for (size_t i = 0; i < n; i++) {
		const bool is_cxx = chosen[i].linkage && !strncmp(chosen[i].linkage, "_Z", 2);
		const char *name = is_cxx ? chosen[i].name : pattern_of(choice, &chosen[i]);
		char *words[] = {(char *)name, NULL};

		text = arena_printf(m->arena, "%s -f %s", text, host_quote(m->arena, words));
	}
	free(chosen);
	return n ? arena_printf(m->arena, "%s%s%s", text, m->attached ? " " : " -- ",
				m->attached ? m->options->arguments[0] : m->command)
		 : NULL;
}

void choice_end(struct measurement *m)
{
	struct choice *choice = m->choice;
	const int64_t now_ms = clock_now_ms();

	if (choice->sampler)
		hot_functions_take(choice->hot, choice->sampler);
	choice->is_open = false;
	if (choice->options->quiet || !choice->chose_ms || m->attached ||
	    5 * (choice->chose_ms - choice->began_ms) < now_ms - choice->began_ms)
		return;
	message_note("what was chosen was measured from %.2f s on; from the beginning: %s",
		     (double)(choice->chose_ms - choice->began_ms) / 1e3, next_command(m));
}

bool choice_nothing(struct measurement *m, struct err *err)
{
	const size_t n = hot_functions_samples(m->choice->hot);
	const char *command = next_command(m);
	const char *what = m->choice->chose_ms ? "what was chosen was not called again"
			   : n >= STEPS[0].samples && !command
				   ? "no function of its own sources but main() was seen at work"
				   : "it ended before it was seen at work long enough to choose";

	if (command)
		return err_set(err, ERR_NOT_FOUND, "%s: nothing was measured, %s; try: %s", m->name,
			       what, command);
	return err_set(err, ERR_NOT_FOUND,
		       "%s: nothing was measured, %s (%zu samples of 1 ms); fathom list %s shows "
		       "what -f can name",
		       m->name, what, n, m->options->arguments[0]);
}
