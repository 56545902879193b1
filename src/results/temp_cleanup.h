/*
 * What must not be left when a signal ends the process: files that are not complete yet, and a
 * program that writes such ones.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

/*
 * From now on signals that end the process remove what was added first. What is ignored stays
 * ignored.
 */
void temp_cleanup_catch(void);

/* Between these two no such signal comes: what is made there is added there. */
sigset_t temp_cleanup_hold(void);
void temp_cleanup_release(const sigset_t *before);

/*
 * The file @name, which is copied; it is in its place or removed. At most a few at a time: more are
 * not looked after.
 */
void temp_cleanup_add(const char *name);
void temp_cleanup_forget(const char *name);

/* A child that writes them; 0: it has ended, and was waited for. */
void temp_cleanup_set_writer(pid_t child);
