/* Reading /proc/TID/schedstat, stat and status. Who needs them, and when, is counters.c's matter. */
#include "trace/counter_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/proc.h"

/*
 * The directory of a process tells stat of all its threads together, so that of the thread is needed. All of status is
 * read, up to lists of processors and memory nodes of the largest machines, since what is looked for is at its end.
 */
static const struct {
	const char *name;
	unsigned metrics;
} kinds[COUNTER_FILES] = {
	[COUNTER_SCHEDSTAT] = {"schedstat", 1u << METRIC_CPU},
	[COUNTER_STAT] = {"stat", 1u << METRIC_PFAULTS | 1u << METRIC_MAJOR_PFAULTS},
	[COUNTER_STATUS] = {"status", 1u << METRIC_SWITCHES},
};

enum { TEXT = 16384 };

unsigned counter_files_open(struct counter_files *files, pid_t tid, unsigned metrics)
{
	enum counter_file file;
	unsigned known = 0;
	char name[64];

	for (file = 0; file < COUNTER_FILES; file++) {
		snprintf(name, sizeof(name), "task/%d/%s", (int)tid, kinds[file].name);
		if (kinds[file].metrics & metrics &&
		    proc_open(tid, name, O_RDONLY, &files->fds[file]))
			known |= kinds[file].metrics & metrics;
		else
			files->fds[file] = -1;
	}
	return known;
}

void counter_files_close(struct counter_files *files)
{
	enum counter_file file;

	for (file = 0; file < COUNTER_FILES; file++) {
		if (files->fds[file] >= 0)
			close(files->fds[file]);
		files->fds[file] = -1;
	}
}

/* "RAN WAITED TIMES\n"; all are 0 where the kernel does not count. */
static bool parse_schedstat(const char *text, uint64_t numbers[METRIC_SUMS])
{
	char *at;
	const uint64_t ran_ns = strtoull(text, &at, 10);

	strtoull(at, &at, 10);
	if (strtoull(at, &at, 10) == 0)
		return false;
	numbers[METRIC_CPU] = ran_ns;
	return true;
}

/* The second field is the program's name in parentheses, which may contain any. */
static bool parse_stat(const char *text, uint64_t numbers[METRIC_SUMS])
{
	const char *rest = strrchr(text, ')');
	unsigned long minor, major;

	if (!rest ||
	    sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major) != 2)
		return false;
	numbers[METRIC_PFAULTS] = minor;
	numbers[METRIC_MAJOR_PFAULTS] = major;
	return true;
}

/* A line feed precedes the label; the program's name, in which it is escaped, cannot fake it. */
static bool find_number(const char *text, const char *label, uint64_t *ret)
{
	const char *found = strstr(text, label);
	char *end;

	if (!found)
		return false;
	*ret = strtoull(found + strlen(label), &end, 10);
	return end != found + strlen(label);
}

static bool parse_status(const char *text, uint64_t numbers[METRIC_SUMS])
{
	uint64_t voluntary, other;

	if (!find_number(text, "\nvoluntary_ctxt_switches:", &voluntary) ||
	    !find_number(text, "\nnonvoluntary_ctxt_switches:", &other))
		return false;
	numbers[METRIC_SWITCHES] = voluntary + other;
	return true;
}

bool counter_files_parse(enum counter_file file, const char *text, uint64_t numbers[METRIC_SUMS])
{
	switch (file) {
	case COUNTER_SCHEDSTAT:
		return parse_schedstat(text, numbers);
	case COUNTER_STAT:
		return parse_stat(text, numbers);
	case COUNTER_STATUS:
		return parse_status(text, numbers);
	case COUNTER_FILES:
		break;
	}
	return false;
}

unsigned counter_files_read(const struct counter_files *files, uint64_t numbers[METRIC_SUMS])
{
	enum counter_file file;
	unsigned known = 0;
	char text[TEXT];

	for (file = 0; file < COUNTER_FILES; file++) {
		ssize_t n = files->fds[file] >= 0 ? pread(files->fds[file], text, TEXT - 1, 0) : 0;

		text[n > 0 ? n : 0] = '\0';
		if (n > 0 && counter_files_parse(file, text, numbers))
			known |= kinds[file].metrics;
	}
	return known;
}
