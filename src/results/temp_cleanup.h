/*
 * When a signal ends the process: kills the child that writes files, and removes incomplete ones.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

/* From now on terminating signals first clean up. Ignored signals stay ignored. */
void temp_cleanup_catch(void);

/* Block these signals while creating and adding a file. @before: from hold. */
sigset_t temp_cleanup_hold(void);
void temp_cleanup_release(const sigset_t *before);

/* Remove the file @name (copied) on a signal, until it is forgotten. At most 8 at a time. */
void temp_cleanup_add(const char *name);
void temp_cleanup_forget(const char *name);

/* @child writes them; 0: it was reaped. */
void temp_cleanup_set_writer(pid_t child);
