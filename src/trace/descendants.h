/* Starting a process to look at, and processes that a process has started. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Run @path as @argv. @output: where it writes, without input; -1: it has our streams. ERR_IO.
 */
bool descendants_launch(const char *path, char *const argv[], int output, pid_t *ret,
			struct err *err);
/* SIGTERM, and wait until it has ended. */
void descendants_end(pid_t pid);

/* The children of all its threads; the caller frees *@ret. */
size_t descendants_children(pid_t pid, pid_t **ret);

/* Has it ended, though perhaps nobody has waited for it yet? */
bool descendants_is_over(pid_t pid);
