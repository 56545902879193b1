/* A line a second, which message_progress() replaces. */
#include "run_progress.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/message.h"

enum { SHOWN_EACH_MS = 1000 };

/* Would a line of ours stand between those that the program writes? */
static bool writes_there(pid_t pid)
{
	char ours[PATH_MAX] = "", theirs[PATH_MAX] = "", path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, STDOUT_FILENO);
	return readlink("/proc/self/fd/2", ours, sizeof(ours) - 1) < 0 ||
	       (readlink(path, theirs, sizeof(theirs) - 1) >= 0 && !strcmp(ours, theirs));
}

bool run_progress_is_due(struct run_progress *progress, pid_t pid)
{
	const uint64_t now = (uint64_t)clock_now_ms();

	if (!progress->began_ms)
		progress->began_ms = progress->looked_ms = now;
	if (now < progress->looked_ms + SHOWN_EACH_MS)
		return false;
	progress->looked_ms = now;
	return isatty(STDERR_FILENO) && !writes_there(pid);
}

void run_progress_show(struct run_progress *progress, uint64_t calls, unsigned functions,
		       const char *most)
{
	progress->is_shown = true;
	if (calls)
		message_progress("%" PRIu64 " s, %" PRIu64 " calls of %u function%s, most of %s",
				 (progress->looked_ms - progress->began_ms) / 1000, calls,
				 functions, functions == 1 ? "" : "s", most);
	else
		message_progress("%" PRIu64 " s, no call of what is measured yet",
				 (progress->looked_ms - progress->began_ms) / 1000);
}

void run_progress_end(struct run_progress *progress)
{
	if (progress->is_shown)
		message_progress_end();
	progress->is_shown = false;
}
