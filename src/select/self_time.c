/* Whole runs under the sampler of fathom top, added up by function. */
#include "self_time.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "inspect/top_shares.h"
#include "trace/descendants.h"

enum { RUNS = 3, TEND_MS = 5, DEVIATIONS = 4 };

/* Of the program's time: less is not worth measuring. */
#define LEAST_PART 0.01

struct self_function {
	const char *pattern;
	double us[2]; /* a run, of old and new */
};

struct self_times {
	struct arena *arena;
	struct self_function *list;
	size_t n, capacity;
	double period_us;
	size_t samples;
};

static void self_add(struct self_times *times, const struct hot_function *function, int side)
{
	const char *pattern = hot_functions_pattern(function, times->arena);
	size_t at = 0;

	while (at < times->n && strcmp(times->list[at].pattern, pattern) != 0)
		at++;
	times->list = mem_grow(times->list, &times->capacity, at + 1, sizeof(*times->list));
	if (at == times->n)
		times->list[times->n++] = (struct self_function){pattern, {0, 0}};
	times->list[at].us[side] += (double)function->self * times->period_us / RUNS;
	times->samples += function->self;
}

static void self_sample(struct self_times *times, struct top_shares *top, int side)
{
	struct hot_function *functions;
	size_t n;

	while (top_shares_tend(top) && !interrupt_count())
		poll(NULL, 0, TEND_MS);
	n = top_shares_functions(top, &functions);
	for (size_t i = 0; i < n; i++)
		if (functions[i].self)
			self_add(times, &functions[i], side);
	free(functions);
}

static bool self_run(struct self_times *times, char *const *program, int output, int side,
		     const char *debuginfo_path, struct err *err)
{
	const char *path = host_find_program(times->arena, program[0]), *why;
	struct top_shares *top;
	pid_t pid;
	bool ok;

	if (!descendants_launch(path ? path : program[0], program, output, &pid, err))
		return false;
	ok = top_shares_open(pid, debuginfo_path, &top, &why, err);
	if (ok) {
		times->period_us = why ? 1000 * TOP_SHARES_LOOK_MS : TOP_SHARES_PERIOD_US;
		self_sample(times, top, side);
		top_shares_close(top);
	}
	descendants_end(pid);
	return ok;
}

/* What chance may add: of a number of samples, and between runs. */
static double self_floor(const struct self_times *times, const struct self_function *function,
			 double run_spread)
{
	const double sum = function->us[0] + function->us[1];
	const double runs = run_spread * fmax(function->us[0], function->us[1]);

	return DEVIATIONS * sqrt((sum * times->period_us + 2 * runs * runs) / RUNS);
}

static int self_by_size(const void *a, const void *b)
{
	const struct method_result *x = a, *y = b;

	return (fabs(x->value) < fabs(y->value)) - (fabs(x->value) > fabs(y->value));
}

static void self_judge(const struct self_times *times, double run_spread, struct diff *ret)
{
	double whole = 0;

	for (size_t i = 0; i < times->n; i++)
		whole += times->list[i].us[1];
	for (size_t i = 0; i < times->n; i++) {
		const struct self_function *function = &times->list[i];
		const double away = function->us[1] - function->us[0];
		struct method_result *result;

		if (fabs(away) <= fmax(self_floor(times, function, run_spread), LEAST_PART * whole))
			continue;
		result = diff_add_result(ret, function->pattern, METRIC_SELF + METRIC_TIME);
		result->grade = GRADE_CHANGE;
		result->value = away;
		result->share = whole > 0 ? away / whole : NAN;
	}
	if (ret->n_results)
		qsort(ret->results, ret->n_results, sizeof(*ret->results), self_by_size);
}

bool self_time_differ(const struct options *options, char *const *const programs[2],
		      struct diff *ret, size_t *ret_samples, struct err *err)
{
	struct self_times times = {.arena = arena_create()};
	const int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
	bool ok = output >= 0 || err_set_errno(err, ERR_IO, errno, "cannot open /dev/null");

	interrupt_start(INTERRUPT_BY_ANY, 0);
	for (int i = 0; ok && i < 2 * RUNS && !interrupt_count(); i++)
		ok = self_run(&times, programs[i % 2], output, i % 2, options->debuginfo_path, err);
	if (ok && interrupt_count())
		ok = err_set(err, ERR_NOT_FOUND, "interrupted before anything was compared");
	interrupt_stop();
	if (ok)
		self_judge(&times, options->run_spread, ret);
	*ret_samples = times.samples;
	if (output >= 0)
		close(output);
	free(times.list);
	arena_destroy(times.arena);
	return ok;
}
