/* Reading /proc/TID/schedstat, stat and status. counters.c decides who needs them. */
#include "proc_counters.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "proc_file.h"

/*
 * stat of a process sums over its threads, so task/TID is read. All of status is read, up to the
 * lists of processors and memory nodes of the largest machines, since the counts are at its end.
 */
static const struct {
	const char *name;
	unsigned metrics;
} kinds[COUNTER_FILES] = {
	[COUNTER_SCHEDSTAT] = {"schedstat", 1u << METRIC_CPU},
	[COUNTER_STAT] = {"stat", 1u << METRIC_PFAULTS | 1u << METRIC_MAJOR_PFAULTS},
	[COUNTER_STATUS] = {"status", 1u << METRIC_SWITCHES},
};

enum { TEXT = 16384, MINOR_FIELD = 10, MAJOR_FIELD = 12 };

unsigned proc_counters_open(struct proc_counters *files, pid_t tid, unsigned metrics)
{
	enum proc_counter_file file;
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

void proc_counters_close(struct proc_counters *files)
{
	enum proc_counter_file file;

	for (file = 0; file < COUNTER_FILES; file++) {
		if (files->fds[file] >= 0)
			close(files->fds[file]);
		files->fds[file] = -1;
	}
}

static bool parse_schedstat(const char *text, uint64_t numbers[METRIC_SUMS])
{
	struct proc_schedstat schedstat;

	if (!proc_schedstat(text, &schedstat))
		return false;
	numbers[METRIC_CPU] = schedstat.ran_ns;
	return true;
}

static bool parse_stat(const char *text, uint64_t numbers[METRIC_SUMS])
{
	uint64_t minor, major;

	if (!proc_number(proc_stat_field(text, MINOR_FIELD), 10, &minor) ||
	    !proc_number(proc_stat_field(text, MAJOR_FIELD), 10, &major))
		return false;
	numbers[METRIC_PFAULTS] = minor;
	numbers[METRIC_MAJOR_PFAULTS] = major;
	return true;
}

static bool parse_status(const char *text, uint64_t numbers[METRIC_SUMS])
{
	uint64_t voluntary, other;

	if (!proc_number(proc_field(text, "voluntary_ctxt_switches:"), 10, &voluntary) ||
	    !proc_number(proc_field(text, "nonvoluntary_ctxt_switches:"), 10, &other))
		return false;
	numbers[METRIC_SWITCHES] = voluntary + other;
	return true;
}

bool proc_counters_parse(enum proc_counter_file file, const char *text,
			 uint64_t numbers[METRIC_SUMS])
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

unsigned proc_counters_read(const struct proc_counters *files, uint64_t numbers[METRIC_SUMS])
{
	enum proc_counter_file file;
	unsigned known = 0;
	char text[TEXT];

	for (file = 0; file < COUNTER_FILES; file++) {
		ssize_t n = files->fds[file] >= 0 ? pread(files->fds[file], text, TEXT - 1, 0) : 0;

		text[n > 0 ? n : 0] = '\0';
		if (n > 0 && proc_counters_parse(file, text, numbers))
			known |= kinds[file].metrics;
	}
	return known;
}
