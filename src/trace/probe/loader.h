/*
 * The dynamic loader: where it says that libraries come and go.
 *
 * Source: the protocol between loader and debugger in <link.h> (struct r_debug): the executable's
 * DT_DEBUG points to a structure that names a function, which the loader calls before and after it
 * maps or unmaps libraries.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/target/target.h"

struct loader {
	uint64_t debug; /* run-time address of the struct r_debug */
	uint64_t brk;   /* of the function that is called */
};

/*
 * The loader of @tid's executable, which was loaded with @load_bias and has reached its entry.
 * False: there is none (static executables), or it does not tell.
 */
bool loader_find(const struct target *target, pid_t tid, uint64_t load_bias, struct loader *ret);

/* Is the loader amid mapping or unmapping? It will tell again when it has done so. */
bool loader_is_busy(const struct loader *loader, const struct target *target, pid_t tid);
