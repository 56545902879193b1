/*
 * Seizing what runs: the threads of a process, and who else runs in its memory (children of
 * vfork(2) and the like).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* As ptrace_target_attach(). */
bool ptrace_attach_threads(pid_t pid, pid_t **ret_tids, size_t *ret_n, struct err *err);

/* As borrowers() in struct target_ops. */
size_t ptrace_attach_borrowers(pid_t pid, pid_t **ret);
