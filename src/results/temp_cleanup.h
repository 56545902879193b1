/*
 * Removes incomplete files, and ends the child that writes them, when a signal ends the process.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

/* From now on terminating signals first remove what was added. Ignored signals stay ignored. */
void temp_cleanup_catch(void);

/* Block these signals between creating and adding a file; @before is what hold returned. */
sigset_t temp_cleanup_hold(void);
void temp_cleanup_release(const sigset_t *before);

/*
 * Remove the file @name (copied) on a signal, until it is forgotten. Only a few at a time: more are
 * not removed.
 */
void temp_cleanup_add(const char *name);
void temp_cleanup_forget(const char *name);

/* The child that writes them; 0: it was reaped. */
void temp_cleanup_set_writer(pid_t child);
