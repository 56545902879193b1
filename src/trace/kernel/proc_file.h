/*
 * Texts of /proc/PID, and the numbers in them, as in proc(5).
 *
 * All of this is async-signal-safe, since who rescues the threads of a dead tracer needs it: no
 * memory of the heap, no stdio, no locale. Names in these texts are the program's to choose, with
 * parentheses, blanks and words of proc(5) in them; a text may end anywhere, and a number may be
 * too large for its type.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PROC_STAT =
		/* room for stat, with a 64-bit number in each field up to the last that is read */
	1024,
	PROC_LINE = PATH_MAX + 128,
};

/* Open /proc/@tid/@name with open(2)'s @flags. */
bool proc_open(pid_t tid, const char *name, int flags, int *ret);

/*
 * The first @size - 1 bytes of /proc/@tid/@name, or of @path, and a zero byte. Returns how many; 0:
 * it cannot be read.
 */
size_t proc_read(pid_t tid, const char *name, char *ret, size_t size);
size_t proc_read_path(const char *path, char *ret, size_t size);

/* A text of any length, line by line. */
struct proc_lines {
	int fd;
	size_t at, n;
	bool is_cut; /* the rest of a line that was too long comes next */
	char bytes[PROC_LINE];
};

/*
 * _next() is the next line, without its end and cut to what there is room for; NULL: there is none,
 * or no such file.
 */
void proc_lines_open(struct proc_lines *lines, pid_t tid, const char *name);
char *proc_lines_next(struct proc_lines *lines);
void proc_lines_close(struct proc_lines *lines);

/*
 * What is behind @name ("Tgid:") and blanks in @line, which begins with it, or in that line of
 * @text. NULL: it is not there.
 */
const char *proc_behind(const char *line, const char *name);
const char *proc_field(const char *text, const char *name);

/*
 * Field @number of a text of stat: the state is the third, those before it cannot be asked for.
 * NULL: it has fewer.
 */
const char *proc_stat_field(const char *stat, unsigned number);

/*
 * The number that @text begins with, behind blanks, in @base 10 or 16 (with or without 0x);
 * UINT64_MAX: or more. Returns what is behind it. NULL: there is none, or @text is NULL, and @ret
 * is 0.
 */
const char *proc_number(const char *text, unsigned base, uint64_t *ret);

/* The number behind @name in its status; 0: there is none. */
long proc_status(pid_t tid, const char *name);
/* The same of a set of signals ("SigBlk:"); signal N is bit N - 1. */
uint64_t proc_status_mask(pid_t tid, const char *name);

/* R, S, D, ...; 0: it is not there. */
char proc_state(pid_t tid);
bool proc_is_dead(pid_t tid); /* or a zombie */

/* Field @number of its stat; -1: it is not known. */
int proc_stat_number(pid_t tid, unsigned number);

/*
 * A text of schedstat: the time on a processor, and how often it got one. False: the kernel does
 * not count.
 */
bool proc_schedstat(const char *text, uint64_t *ret_ran_ns, uint64_t *ret_times);

/*
 * For each entry of the folder @path that is a number; for each thread of @pid. False: there is no
 * such folder.
 */
bool proc_each_number(const char *path, void (*take)(void *context, pid_t number), void *context);
bool proc_each_thread(pid_t pid, void (*take)(void *context, pid_t tid), void *context);
