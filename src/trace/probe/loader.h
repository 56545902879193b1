/*
 * The dynamic loader: its notification of library changes.
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
	uint64_t brk;   /* the function called */
};

/*
 * The loader of @tid's executable, which has @load_bias and has reached its entry. False: none
 * (static executables), or none with this protocol.
 */
bool loader_find(const struct target *target, pid_t tid, uint64_t load_bias, struct loader *ret);

/* Is the loader still mapping or unmapping? It will call again afterwards. */
bool loader_is_busy(const struct loader *loader, const struct target *target, pid_t tid);
