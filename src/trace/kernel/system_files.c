/* Each file is read whole, up to a bound, and parsed as text that may be anything. */
#include "system_files.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc_file.h"

static const uint64_t FILES_NS = 100000000;

enum { FILE_BYTES = 16384, PATH_BYTES = 4096 };

/* Version 1 has a number of pages near 2^63 for "no limit". */
#define LIMIT_MOST 0x1p60

static const struct value unknown = {.absence = ABSENT_UNREADABLE};

static bool read_system_file(const char *root, const char *path, char ret[FILE_BYTES])
{
	char whole[2 * PATH_BYTES];
	const int n = snprintf(whole, sizeof(whole), "%s%s", root, path);

	return n > 0 && (size_t)n < sizeof(whole) && proc_read_path(whole, ret, FILE_BYTES);
}

/* Is there the word memory in the list, separated by commas, up to @end? */
static bool lists_memory(const char *list, const char *end)
{
	static const char word[] = "memory";
	const size_t n = sizeof(word) - 1;

	for (; list < end; list += strcspn(list, ",:") + 1)
		if (!strncmp(list, word, n) && (list[n] == ',' || list + n == end))
			return true;
	return false;
}

/* Lines are HIERARCHY:CONTROLLERS:PATH; that of version 2 is 0::PATH. */
static bool find_control_group(char *text, bool *ret_first, char ret[PATH_BYTES])
{
	bool found = false;
	char *line, *next;

	for (line = text; line && *line; line = next) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		bool first;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!path || (next && path >= next) || strlen(path) > PATH_BYTES)
			continue;
		first = lists_memory(list + 1, path);
		if (!first && (found || strncmp(line, "0::", 3) != 0))
			continue;
		found = true;
		*ret_first = first;
		snprintf(ret, PATH_BYTES, "%s", path + 1);
		if (first)
			break;
	}
	return found;
}

static bool read_bytes(const char *root, bool first, const char *group, const char *name,
		       double *ret)
{
	char path[PATH_BYTES + 64], text[FILE_BYTES];
	char *end;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s%s/memory.%s", first ? "/memory" : "",
		 strcmp(group, "/") ? group : "", name);
	if (!read_system_file(root, path, text))
		return false;
	*ret = strtod(text, &end);
	return end != text && *ret >= 0 && *ret < LIMIT_MOST; /* "max" is no number */
}

static struct value read_group_memory(const char *root, pid_t tid, bool left)
{
	char path[64], text[FILE_BYTES], group[PATH_BYTES];
	double least = INFINITY, limit, used;
	bool first;
	char *slash;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)tid);
	if (!read_system_file(root, path, text) || !find_control_group(text, &first, group))
		return unknown;
	do {
		used = 0;
		if (read_bytes(root, first, group, first ? "limit_in_bytes" : "max", &limit) &&
		    (!left ||
		     read_bytes(root, first, group, first ? "usage_in_bytes" : "current", &used)))
			least = fmin(least, fmax(limit - used, 0));
		slash = strrchr(group, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return isfinite(least) ? (struct value){.number = least} : unknown;
}

static struct value read_pressure(const char *root, const char *path)
{
	char text[FILE_BYTES];
	double percent;

	if (!read_system_file(root, path, text) || sscanf(text, "some avg10=%lf", &percent) != 1 ||
	    !(percent >= 0 && percent <= 100))
		return unknown;
	return (struct value){.number = percent};
}

static struct value read_processors(pid_t tid)
{
	cpu_set_t set;

	return sched_getaffinity(tid, sizeof(set), &set)
		       ? unknown
		       : (struct value){.number = CPU_COUNT(&set)};
}

/* Lines are NAME: BYTES and seven more that were received, BYTES and seven more that were sent. */
static bool count_network(const char *root, pid_t tid, double *ret)
{
	char path[64], text[FILE_BYTES], name[64];
	double received, sent;
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/net/dev", (int)tid);
	if (!read_system_file(root, path, text))
		return false;
	*ret = 0;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, " %63[^: ]: %lf %*s %*s %*s %*s %*s %*s %*s %lf", name, &received,
			   &sent) == 3 &&
		    strcmp(name, "lo") != 0)
			*ret += received + sent;
	}
	return isfinite(*ret);
}

static struct value read_network(struct system_files *files, const char *root, pid_t tid,
				 uint64_t now_ns)
{
	const double seconds = (double)(now_ns - files->read_ns[SYSTEM_NETWORK]) / 1e9;
	const double before = files->network_bytes;
	double now;

	files->network_bytes = NAN;
	if (!count_network(root, tid, &now))
		return unknown;
	files->network_bytes = now;
	if (!files->read_ns[SYSTEM_NETWORK] || !(now >= before))
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	return (struct value){.number = (now - before) / seconds};
}

static struct value read_system_value(struct system_files *files, const char *root, pid_t tid,
				      enum system_value which, uint64_t now_ns)
{
	switch (which) {
	case SYSTEM_MEMORY_LIMIT:
	case SYSTEM_MEMORY_LEFT:
		return read_group_memory(root, tid, which == SYSTEM_MEMORY_LEFT);
	case SYSTEM_PRESSURE_CPU:
		return read_pressure(root, "/proc/pressure/cpu");
	case SYSTEM_PRESSURE_MEMORY:
		return read_pressure(root, "/proc/pressure/memory");
	case SYSTEM_PRESSURE_IO:
		return read_pressure(root, "/proc/pressure/io");
	case SYSTEM_PROCESSORS:
		return read_processors(tid);
	case SYSTEM_NETWORK:
		return read_network(files, root, tid, now_ns);
	case SYSTEM_CPU_CLOCK:
	case SYSTEM_THREADS:
	case SYSTEM_LOAD:
	case SYSTEM_FREE_MEMORY:
	case SYSTEM_CALL:
	case SYSTEM_VALUE_COUNT:
		break;
	}
	return unknown;
}

struct value system_files_value(struct system_files *files, const char *root, pid_t tid,
				enum system_value which, uint64_t now_ns)
{
	if (!files->read_ns[which] || now_ns - files->read_ns[which] >= FILES_NS) {
		files->values[which] = read_system_value(files, root, tid, which, now_ns);
		files->read_ns[which] = now_ns ? now_ns : 1;
	}
	return files->values[which];
}
