/*
 * The host, command lines and processes: what a profile records of them, and finding programs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/arena.h"
#include "core/run.h"

/* Fill in host, kernel, cpu and started; strings live in @arena. */
void host_describe(struct arena *arena, struct run *ret);

/*
 * What the hypervisor gave to other machines since the machine's start, as they all, and in all, in
 * units of their own. Zeros: not known. Source: proc(5), /proc/stat.
 */
struct host_processors {
	uint64_t stolen, all;
};

struct host_processors host_processors(void);

/* The part that is stolen since @since; -1: not known, or not for long enough. */
double host_stolen(const struct host_processors *since);

/* @argv quoted for a shell. */
const char *host_quote(struct arena *arena, char *const argv[]);

/* The file that a shell would run for @program, from PATH unless it has a slash; NULL: none. */
const char *host_find_program(struct arena *arena, const char *program);

/*
 * What is to be said of the program at @path if it has rights by its file (set-user-ID), and not
 * where we trace it: the end of a sentence of which it is the subject, static. NULL: nothing.
 */
const char *host_lost_rights(const char *path);

/*
 * The interpreter that the kernel executes for the script @path, the last one if interpreters are
 * scripts themselves; NULL: no script.
 */
const char *host_interpreter(struct arena *arena, const char *path);

/*
 * The search path @path (NULL: none) for catalogue_build(), existing folders made absolute. NULL if
 * it is empty.
 */
const char *host_debuginfo_path(struct arena *arena, const char *path);

/* ERR_USAGE: @text is no process number. */
bool host_parse_pid(const char *text, pid_t *ret, struct err *err);

/* The command line of process @pid, quoted for a shell; its name if it has none. */
const char *host_process_command(struct arena *arena, pid_t pid);

/*
 * The file that process @pid, in decimal digits, executes; NULL: no process, or no permission.
 */
const char *host_process_program(struct arena *arena, const char *pid);

/*
 * By default a debuginfod server that does not answer is waited for for minutes, several times. The
 * user's own variables stay.
 */
void host_limit_servers(void);
