/*
 * Names by which we can open the files of another process: in a chroot or another mount namespace
 * its own names mean other files, and some may be deleted.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

/* The folder in which process @pid sees its files; NULL: it sees them as we do. */
const char *process_files_root(struct arena *arena, pid_t pid);

/*
 * Our name for @path, the program of process @pid; in its folder if possible, since libraries may
 * lie beside it.
 */
const char *process_files_program(struct arena *arena, pid_t pid, const char *path);

/* The variable @name of the initial environment of process @pid; NULL: unset or unreadable. */
const char *process_files_environment(struct arena *arena, pid_t pid, const char *name);

/*
 * Our names, in @arena, for the files with code that process @pid has mapped; those that we cannot
 * open are left out. Returns how many.
 */
size_t process_files_libraries(struct arena *arena, pid_t pid, const char *const **ret);

/* The name that the process itself uses for @path, which may be under /proc/PID. */
const char *process_files_file_name(struct arena *arena, const char *path);
