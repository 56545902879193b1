/*
 * Texts of /proc/PID, and the numbers in them. Source: proc(5).
 *
 * Everything is async-signal-safe, since the rescue of a dead tracer's threads needs it: no heap,
 * no stdio, no locale. The program chooses the names in these texts, which may contain parentheses,
 * blanks and words of proc(5); a text may end anywhere, and a number may be too large for its type.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PROC_STAT = 1024, /* holds stat, with 64-bit numbers, up to the last field read */
	PROC_LINE = PATH_MAX + 128,
};

/* Open /proc/@tid/@name with open(2)'s @flags. */
bool proc_open(pid_t tid, const char *name, int flags, int *ret);

/*
 * May @n files be kept open, as 1/@part of what the limit allows? It is raised only when necessary,
 * since programs launched later inherit it.
 */
bool proc_file_room(size_t n, unsigned part);

/*
 * Read the first @size - 1 bytes of /proc/@tid/@name, or of @path, and append a zero byte. Returns
 * how many; 0: unreadable.
 */
size_t proc_read(pid_t tid, const char *name, char *ret, size_t size);
size_t proc_read_path(const char *path, char *ret, size_t size);

/* A text of any length, line by line. */
struct proc_lines {
	int fd;
	size_t at, n;
	bool is_cut; /* the rest of a too long line comes next */
	char bytes[PROC_LINE];
};

/*
 * _next() returns the next line, without its end and cut to PROC_LINE; NULL: none, or no such file.
 */
void proc_lines_open(struct proc_lines *lines, pid_t tid, const char *name);
char *proc_lines_next(struct proc_lines *lines);
void proc_lines_close(struct proc_lines *lines);

/*
 * The text behind @name ("Tgid:") and blanks in @line, which begins with it, or in that line of
 * @text. NULL: not there.
 */
const char *proc_behind(const char *line, const char *name);
const char *proc_field(const char *text, const char *name);

/* Field @number of a text of stat, from the third, the state, on. NULL: it has fewer. */
const char *proc_stat_field(const char *stat, unsigned number);

/*
 * The number at the start of @text, behind blanks, in @base 10 or 16 (with or without 0x);
 * UINT64_MAX if larger. Returns what is behind it. NULL: none, or @text is NULL; then *@ret is 0.
 */
const char *proc_number(const char *text, unsigned base, uint64_t *ret);

/* The number behind @name in its status; 0: none. */
long proc_status(pid_t tid, const char *name);
/* The same for a signal set ("SigBlk:"); signal N is bit N - 1. */
uint64_t proc_status_mask(pid_t tid, const char *name);
/* The same of @n @names by one reading. */
void proc_status_masks(pid_t tid, const char *const *names, size_t n, uint64_t *ret);

/* R, S, D, ...; 0: no such thread. */
char proc_state(pid_t tid);
bool proc_is_dead(pid_t tid); /* or a zombie */

/* Field @number of its stat; -1: unknown. */
int proc_stat_number(pid_t tid, unsigned number);

/* How long a thread had a processor, how long it waited for one, and how often it got one. */
struct proc_schedstat {
	uint64_t ran_ns, waited_ns, times;
};

/* Parse it. False: the kernel keeps no statistics. */
bool proc_schedstat(const char *text, struct proc_schedstat *ret);

/* For each numeric entry of the folder @path; for each thread of @pid. False: no such folder. */
bool proc_each_number(const char *path, void (*take)(void *context, pid_t number), void *context);
bool proc_each_thread(pid_t pid, void (*take)(void *context, pid_t tid), void *context);
