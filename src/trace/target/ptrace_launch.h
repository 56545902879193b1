/* Launching a program that is traced. Private to trace/ and its tests. */
#pragma once

#include "target.h"

struct launch {
	const char *path;
	char *const *argv;
	/*
	 * Not NULL: instead of executing a program, a copy of this process calls it, and ends. It
	 * begins at once, as no program is loaded. @path names it in errors.
	 */
	void (*copy)(void);
	/*
	 * It gets its own process group, which becomes the foreground group if we were in that and
	 * our standard input is our controlling terminal.
	 */
	bool own_group;
	bool fixed; /* its pages lie where they do in every launch */
};

/*
 * Launch it, stopped right after exec or before that call; @ret_tid is its first tracee, whose
 * first stop has been waited for. ERR_TARGET.
 */
bool ptrace_launch(const struct launch *launch, struct target *ret, pid_t *ret_tid,
		   struct err *err);
