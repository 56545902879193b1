/*
 * The machine, the command line and the processes that a profile describes.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/arena.h"
#include "core/run.h"

/* Fill in host, kernel, cpu and started; strings live in @arena. */
void host_describe(struct arena *arena, struct run *ret);

/* @argv quoted for a shell. */
const char *host_quote(struct arena *arena, char *const argv[]);

/*
 * The file that a shell would run for @program, found in PATH if it has no slash; NULL if there is
 * none.
 */
const char *host_find_program(struct arena *arena, const char *program);

/*
 * The program that the kernel executes for the script @path, "#!" and all; NULL if it is no script.
 * An interpreter may be a script itself: then it is the last one.
 */
const char *host_interpreter(struct arena *arena, const char *path);

/*
 * The search path @path (NULL: none) for catalogue_build(), in which folders that are there have
 * absolute names. NULL if it is empty.
 */
const char *host_debuginfo_path(struct arena *arena, const char *path);

/* ERR_USAGE: @text is no process number. */
bool host_parse_pid(const char *text, pid_t *ret, struct err *err);

/* The command line of process @pid, quoted for a shell; its name if it has none. */
const char *host_process_command(struct arena *arena, pid_t pid);

/*
 * The file that process @pid, in decimal digits, executes; NULL if that is no process, or not ours.
 */
const char *host_process_program(struct arena *arena, const char *pid);
