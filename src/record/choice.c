/* Samples, chooses, replans. The sampler is perf_event's; without permission, short halts. */
#include "choice.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/host.h"
#include "cli/message.h"
#include "dwarf/catalogue_build.h"
#include "inspect/hot_functions.h"
#include "profile/profile.h"
#include "replan.h"
#include "trace/descendants.h"
#include "trace/sampler.h"
#include "trace/session_halt.h"

enum { PERIOD_US = 1000, MOST = 20, NAMED = 3, EVERY_MS = 15, COPIES_MOST = 64 };

/* An inlined function that has less of the samples is not worth a word, where others have some. */
static const double INLINED_LEAST = 0.05, INLINED_MUCH = 0.2;

/* A choice is due by samples, or by time if there are a few. */
static const struct {
	size_t samples;
	int64_t ms;
} STEPS[] = {{50, 500}, {200, 2000}, {1000, 5000}};
enum { N_STEPS = sizeof(STEPS) / sizeof(*STEPS), SAMPLES_LEAST = 10 };

#define INLINED                                                                              \
	"which the compiler inlined, so that there are no calls; __attribute__((noinline)) " \
	"before a function, or -O0, keeps them"

struct choice {
	struct options *options;
	struct arena *arena;
	const char **given; /* patterns of the user */
	size_t n_given;
	struct hot_functions *hot;
	struct sampler *sampler; /* NULL: the process is halted for each sample */
	struct choice_copy {
		pid_t pid;
		struct sampler *sampler;
	} copies[COPIES_MOST]; /* processes of the same program that it has started */
	size_t n_copies;
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

static void close_samplers(struct choice *choice)
{
	sampler_close(choice->sampler);
	choice->sampler = NULL;
	while (choice->n_copies)
		sampler_close(choice->copies[--choice->n_copies].sampler);
}

void choice_destroy(struct choice *choice)
{
	if (!choice)
		return;
	choice->options->functions = choice->given; /* the owner frees it */
	choice->options->n_functions = choice->n_given;
	close_samplers(choice);
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

static bool is_copy(const struct choice *choice, pid_t pid, pid_t parent)
{
	struct stat a, b;
	char path[32];

	for (size_t i = 0; i < choice->n_copies; i++)
		if (choice->copies[i].pid == pid)
			return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &a) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)parent);
	return stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* With --follow-fork: what @pid has started that is of the same program has the same mappings. */
static void follow_copies(struct choice *choice, pid_t pid)
{
	pid_t *children;
	const size_t n = descendants_children(pid, &children);

	for (size_t i = 0; i < n && choice->n_copies < COPIES_MOST; i++) {
		struct choice_copy *copy = &choice->copies[choice->n_copies];
		struct err ignored;

		copy->pid = children[i];
		choice->n_copies += is_copy(choice, children[i], pid) &&
				    sampler_open(children[i], PERIOD_US, &copy->sampler, &ignored);
	}
	free(children);
}

static void take_samples(const struct measurement *m)
{
	struct choice *choice = m->choice;

	hot_functions_take(choice->hot, choice->sampler);
	for (size_t i = 0; i < choice->n_copies; i++) {
		follow_copies(choice, choice->copies[i].pid);
		hot_functions_take(choice->hot, choice->copies[i].sampler);
	}
	if (choice->options->follow_fork && session_process(m->session))
		follow_copies(choice, session_process(m->session));
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

/* False: the same as before. */
static bool set_patterns(struct choice *choice, const struct hot_function *chosen, size_t n)
{
	struct options *options = choice->options;
	const char **patterns = arena_array(choice->arena, const char *, choice->n_given + n + 1);
	bool is_same = options->n_functions == choice->n_given + n;

	if (choice->n_given)
		memcpy(patterns, choice->given, choice->n_given * sizeof(*patterns));
	for (size_t i = 0; i < n; i++) {
		const char *pattern = hot_functions_pattern(&chosen[i], choice->arena);
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
		session_rest(m->session);
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
		take_samples(m);
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
	close_samplers(choice);
	return false;
}

/* What to type to measure, from the beginning, what was seen hot. */
static const char *next_command(const struct measurement *m)
{
	struct choice *choice = m->choice;
	struct hot_function *chosen;
	size_t n = hot_functions_choose(choice->hot, NAMED, &chosen);
	const char *text = arena_printf(m->arena, "fathom %s%s", m->attached ? "attach" : "run",
					m->options->follow_fork ? " --follow-fork" : "");

	for (size_t i = 0; i < n; i++) {
		const bool is_cxx = chosen[i].linkage && !strncmp(chosen[i].linkage, "_Z", 2);
		const char *name =
			is_cxx ? chosen[i].name : hot_functions_pattern(&chosen[i], choice->arena);
		char *words[] = {(char *)name, NULL};

		text = arena_printf(m->arena, "%s -f %s", text, host_quote(m->arena, words));
	}
	free(chosen);
	return n ? arena_printf(m->arena, "%s%s%s", text, m->attached ? " " : " -- ",
				m->attached ? m->options->arguments[0] : m->command)
		 : NULL;
}

/* Is it in main(), whose one call is no help? */
static bool is_inlined_line(const struct hot_line *line)
{
	return line->host && !strcmp(line->host, "main");
}

/* Samples in the inlined function of line @at; 0: it is none, or a line before is of it, too. */
static size_t inlined_samples(const struct hot_line *lines, size_t n, size_t at)
{
	size_t samples = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_inlined_line(&lines[i]) ||
		    strcmp(lines[i].function, lines[at].function) != 0)
			continue;
		if (i < at)
			return 0;
		samples += lines[i].samples;
	}
	return samples;
}

/* "sort (71 %), find (20 %)": the inlined functions with most of the time; NULL: none. */
static const char *inlined_text(const struct measurement *m, double least)
{
	const struct hot_line *lines;
	const size_t n = hot_functions_lines(m->choice->hot, &lines);
	const double all = (double)hot_functions_samples(m->choice->hot);
	const char *text = NULL;
	size_t named = 0;

	for (size_t i = 0; i < n && named < NAMED; i++) {
		const double share = (double)inlined_samples(lines, n, i) / all;

		if (share < least)
			continue;
		text = arena_printf(m->arena, "%s%s%s (%.0f %%)", text ? text : "",
				    text ? ", " : "", lines[i].function, 100 * share);
		named++;
	}
	return text;
}

void choice_end(struct measurement *m)
{
	struct choice *choice = m->choice;
	const int64_t now_ms = clock_now_ms();
	const char *inlined, *command;

	if (choice->sampler)
		take_samples(m);
	choice->is_open = false;
	inlined =
		choice->options->quiet || !choice->chose_ms ? NULL : inlined_text(m, INLINED_MUCH);
	if (inlined)
		message_note("much of its time is in %s, " INLINED, inlined);
	if (choice->options->quiet || !choice->chose_ms || m->attached ||
	    5 * (choice->chose_ms - choice->began_ms) < now_ms - choice->began_ms)
		return;
	command = next_command(m);
	message_note("what was chosen was measured from %.2f s on%s%s",
		     (double)(choice->chose_ms - choice->began_ms) / 1e3,
		     command ? "; from the beginning: " : "", command ? command : "");
}

void choice_keep_lines(struct measurement *m)
{
	const struct hot_line *lines;
	const size_t n = hot_functions_lines(m->choice->hot, &lines);
	struct line_samples *kept = mem_alloc((n + 1) * sizeof(*kept));
	struct err err;

	for (size_t i = 0; i < n; i++)
		kept[i] = (struct line_samples){lines[i].file, lines[i].line, lines[i].samples};
	if (!profile_add_lines(m->profile, kept, n, hot_functions_samples(m->choice->hot), &err))
		message_note("lines are not kept: %s", err.text);
	free(kept);
}

bool choice_nothing(struct measurement *m, struct err *err)
{
	const size_t n = hot_functions_samples(m->choice->hot);
	const uint64_t let_go = m->options->follow_fork ? 0 : session_account(m->session)->let_go;
	const char *command = next_command(m);
	const char *inlined = n && !command ? inlined_text(m, INLINED_LEAST) : NULL;
	const char *what = m->choice->chose_ms ? "what was chosen was not called again"
			   : n >= STEPS[0].samples && !command
				   ? "no function of its own sources but main() was seen at work"
				   : "it ended before it was seen at work long enough to choose";

	if (command)
		return err_set(err, ERR_NOT_FOUND, "%s: nothing was measured, %s; try: %s", m->name,
			       what, command);
	if (inlined)
		return err_set(err, ERR_NOT_FOUND,
			       "%s: nothing was measured: its time is in %s, " INLINED, m->name,
			       inlined);
	if (let_go && n < STEPS[0].samples)
		return err_set(
			err, ERR_NOT_FOUND,
			"%s: nothing was measured, it did little itself; of the %lu "
			"process%s that it started functions are measured with --follow-fork",
			m->name, let_go, let_go == 1 ? "" : "es");
	if (!catalogue_build_check(m->first->path, m->options->debuginfo_path, err) &&
	    err->code == ERR_UNSUPPORTED)
		return false;
	return err_set(err, ERR_NOT_FOUND,
		       "%s: nothing was measured, %s (%zu samples of 1 ms); fathom list %s shows "
		       "what -f can name",
		       m->name, what, n, m->options->arguments[0]);
}
