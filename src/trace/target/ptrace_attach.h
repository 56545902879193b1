/*
 * Seizing a running process: its threads, and other processes in its memory (children of vfork(2)
 * and the like).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* See ptrace_target_attach(). ERR_TARGET. */
bool ptrace_attach_threads(pid_t pid, pid_t **ret_tids, size_t *ret_n, struct err *err);

/* See borrowers() in struct target_ops. */
size_t ptrace_attach_borrowers(pid_t pid, pid_t **ret);
