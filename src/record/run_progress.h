/*
 * What is shown while a program runs: a line on the terminal; where the program's standard output
 * is there, too, now and then a line that stays.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "programs.h"
#include "trace/session.h"

struct run_progress {
	uint64_t began_ms, looked_ms; /* 0: not yet */
	uint64_t said_ms;             /* after the beginning, the last line that stays; 0: none */
	bool is_shown, is_shared;
};

/*
 * Is it time for the next line? @pid: the program's.
 */
bool run_progress_is_due(struct run_progress *progress, pid_t pid);
/* Show how many calls of how many functions were seen, and which took most time. */
void run_progress_show(struct run_progress *progress, const struct session *session,
		       const struct programs *programs);
/* Print @note (NULL: nothing) between its lines. */
void run_progress_note(const struct run_progress *progress, const char *note);
/* Before anything else is printed. */
void run_progress_end(struct run_progress *progress);
