/* A line a second, which message_progress() replaces; on a shared terminal lines that stay. */
#include "run_progress.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/message.h"

enum { SHOWN_EACH_MS = 1000, SHARED_FIRST_MS = 1000 };

/* Would a line of ours stand between those that the program writes? */
static bool writes_there(pid_t pid)
{
	char ours[PATH_MAX] = "", theirs[PATH_MAX] = "", path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, STDOUT_FILENO);
	return readlink("/proc/self/fd/2", ours, sizeof(ours) - 1) < 0 ||
	       (readlink(path, theirs, sizeof(theirs) - 1) >= 0 && !strcmp(ours, theirs));
}

/*
 * Whole lines at last, which stay: after 1 s, 2, 4, 8, ... Not where the program has the screen
 * to itself, as editors do, which read each key.
 */
static bool is_shared_due(struct run_progress *progress, uint64_t now)
{
	const uint64_t since_ms = now - progress->began_ms;
	struct termios settings;

	if (since_ms < (progress->said_ms ? 2 * progress->said_ms : SHARED_FIRST_MS) ||
	    tcgetattr(STDERR_FILENO, &settings) != 0 || !(settings.c_lflag & ICANON))
		return false;
	progress->said_ms = since_ms;
	return true;
}

bool run_progress_is_due(struct run_progress *progress, pid_t pid)
{
	const uint64_t now = (uint64_t)clock_now_ms();

	if (!progress->began_ms)
		progress->began_ms = progress->looked_ms = now;
	if (now < progress->looked_ms + SHOWN_EACH_MS)
		return false;
	progress->looked_ms = now;
	progress->is_shared = isatty(STDERR_FILENO) && writes_there(pid);
	return isatty(STDERR_FILENO) && (!progress->is_shared || is_shared_due(progress, now));
}

/* "1.2 ms a call (give or take 3 %)", as far as it is known; of @size bytes. */
static void print_mean(const struct function_account *account, size_t size, char *ret)
{
	const uint64_t timed = account->calls - account->untimed;
	const double us = timed ? (double)account->time_ns / 1e3 / (double)timed : 0;
	const double scale = us < 1e3 ? 1 : us < 1e6 ? 1e3 : 1e6;
	const char *unit = us < 1e3 ? "µs" : us < 1e6 ? "ms" : "s";
	int n;

	*ret = '\0';
	if (us <= 0)
		return;
	n = snprintf(ret, size, ": %.3g %s a call", us / scale, unit);
	if (account->doubt > 0 && account->doubt < 1)
		snprintf(ret + n, size - (size_t)n, " (give or take %.1f %%)",
			 100 * account->doubt);
}

/* @most has taken most time so far. */
static void run_progress_say(struct run_progress *progress, uint64_t calls, unsigned functions,
			     const char *most, const struct function_account *account)
{
	void (*say)(const char *, ...) = progress->is_shared ? message_note : message_progress;
	char mean[80];
	const uint64_t seconds = (progress->looked_ms - progress->began_ms) / 1000;

	progress->is_shown = !progress->is_shared;
	if (calls) {
		print_mean(account, sizeof(mean), mean);
		say("%" PRIu64 " s, %" PRIu64 " calls of %u function%s, most time in %s%s", seconds,
		    calls, functions, functions == 1 ? "" : "s", most, mean);
	} else {
		say("%" PRIu64 " s, no call of what is measured yet", seconds);
	}
}

void run_progress_show(struct run_progress *progress, const struct session *session,
		       const struct programs *programs)
{
	struct program *const *measured;
	const size_t n = programs_measured(programs, &measured);
	const struct function_account *most = NULL;
	uint64_t calls = 0;
	const char *name = "";
	unsigned functions = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < measured[i]->catalogue->n_functions; j++) {
			const struct function_account *account =
				session_function_account(session, i, j);

			calls += account->calls;
			functions += account->calls > 0;
			if (account->calls && (!most || account->time_ns > most->time_ns)) {
				most = account;
				name = measured[i]->catalogue->functions[j].name;
			}
		}
	run_progress_say(progress, calls, functions, name, most);
}

void run_progress_note(const struct run_progress *progress, const char *note)
{
	if (!note)
		return;
	if (progress->is_shown)
		message_progress_end();
	message_note("%s", note);
}

void run_progress_end(struct run_progress *progress)
{
	if (progress->is_shown)
		message_progress_end();
	progress->is_shown = false;
}
