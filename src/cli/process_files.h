/*
 * What the files of a process are to us: it may see others under the same names (chroot, another
 * mount namespace), and some may be gone.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

/* The folder in which process @pid sees its files; NULL: it sees them as we do. */
const char *process_files_root(struct arena *arena, pid_t pid);

/*
 * @path of the program that process @pid executes, as it can be opened, by a name that has its
 * folder, if there is one: libraries may be beside it.
 */
const char *process_files_program(struct arena *arena, pid_t pid, const char *path);

/*
 * The variable @name in the environment that process @pid began with; NULL: there is none, or it
 * cannot be read.
 */
const char *process_files_environment(struct arena *arena, pid_t pid, const char *name);

/*
 * The libraries and other files with code that process @pid has mapped, as they can be opened.
 * Returns how many; those that are gone are left out.
 */
size_t process_files_libraries(struct arena *arena, pid_t pid, const char *const **ret);

/* @path of a file, perhaps one under /proc/PID, as the process itself would call it. */
const char *process_files_file_name(struct arena *arena, const char *path);
