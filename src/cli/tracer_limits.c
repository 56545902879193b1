/* By setpriority(2), which is of one thread, and setrlimit(2). */
#include "tracer_limits.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "message.h"

/* Of the thread that is most urgent, now; the kernel has nice by threads. */
static int limits_least_nice(pid_t program)
{
	int least = getpriority(PRIO_PROCESS, (id_t)program);
	char path[64];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)program);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		const int tid = atoi(entry->d_name);
		int its;

		errno = 0; /* -1 is a priority, too */
		its = tid ? getpriority(PRIO_PROCESS, (id_t)tid) : least;
		least = !errno && its < least ? its : least;
	}
	if (folder)
		closedir(folder);
	return least;
}

const char *tracer_limits_hurry(pid_t program, struct arena *arena, int *ret)
{
	const int own = getpriority(PRIO_PROCESS, 0);
	const int its = limits_least_nice(program);

	*ret = own;
	if (own <= its || setpriority(PRIO_PROCESS, 0, its) == 0)
		return NULL;
	return arena_printf(arena,
			    "the program waits at every stop for this process, which is less "
			    "urgent (nice %d, the program has %d) and may not become as urgent: "
			    "run fathom without nice, or with sudo",
			    own, its);
}

void tracer_limits_release(int before)
{
	if (before > getpriority(PRIO_PROCESS, 0))
		setpriority(PRIO_PROCESS, 0, before);
}

void tracer_limits_hurry_on(pid_t program, bool quiet)
{
	struct arena *arena = arena_create();
	int ignored;
	const char *note = tracer_limits_hurry(program, arena, &ignored);

	if (note && !quiet)
		message_note("%s", note);
	arena_destroy(arena);
}

/* At the hard limit the kernel kills at once: a part is kept for detaching and for models. */
const char *tracer_limits_lift(struct arena *arena)
{
	struct rlimit limit, wanted = {RLIM_INFINITY, RLIM_INFINITY};

	if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    setrlimit(RLIMIT_CPU, &wanted) == 0)
		return NULL;
	wanted = (struct rlimit){limit.rlim_max, limit.rlim_max};
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max > 1)
		wanted.rlim_cur -= 1 + limit.rlim_max / 10;
	if (setrlimit(RLIMIT_CPU, &wanted) != 0)
		wanted = limit;
	if (wanted.rlim_cur == RLIM_INFINITY)
		return NULL;
	return arena_printf(arena,
			    "the measurement ends when this process has used %lu s of processor "
			    "time, as it may not raise the limit (ulimit -t): run fathom from a "
			    "shell without one, or with sudo",
			    (unsigned long)wanted.rlim_cur);
}
