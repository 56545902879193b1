/* Launching a program that is traced. Private to trace/ and its tests. */
#pragma once

#include "target.h"

/* What is to be launched. */
struct launch {
	const char *path;
	char *const *argv;
	/*
	 * It gets a process group of its own, which becomes that of the foreground if we were in
	 * it: if our standard input is the terminal that controls us.
	 */
	bool own_group;
};

/*
 * Launch it, stopped right after exec; @ret_tid is its first tracee. The first stop has been waited
 * for. ERR_TARGET.
 */
bool ptrace_launch(const struct launch *launch, struct target *ret, pid_t *ret_tid,
		   struct err *err);
