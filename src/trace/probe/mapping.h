/*
 * Memory of ours in the inferior: where it fits, and mapping it there by remote system calls. What
 * it is for decides its protection: code is never writable there, blocks cannot be executed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/target/recovery.h"
#include "trace/target/target.h"

struct mapping {
	uint64_t address, size; /* run-time, whole pages */
	enum recovery_area_kind kind;
	int fd; /* RECOVERY_LIFE: of the file, there */
};

/* Who maps. */
struct mapper {
	const struct target *target;
	uint64_t code; /* run-time address of unneeded code, for remote system calls */
};

/*
 * Have the stopped @tid map @mapping, whose address is found: within reach of @near, for blocks
 * anywhere, for a lifeline below 2 GiB. ERR_TARGET: no room, or the program may not.
 */
bool mapping_make(const struct mapper *mapper, pid_t tid, uint64_t near, struct mapping *mapping,
		  struct err *err);

/* Have the stopped @tid unmap it. False: it stays, as seccomp forbids that, say. */
bool mapping_remove(const struct mapper *mapper, pid_t tid, const struct mapping *mapping);

/* Does a 32-bit displacement reach from anywhere in the @size bytes at @address to @near? */
bool mapping_reaches(uint64_t address, uint64_t size, uint64_t near);

/* Is there code at @region near which something could be mapped? */
bool mapping_is_code(const struct region *region);

/*
 * A free gap of @size bytes within @reach of @near; 0: none. @regions are sorted. The second finds
 * the middle of the largest gap, where nothing grows into it. Pure functions.
 */
uint64_t mapping_find_gap(const struct region *regions, size_t n, uint64_t near, uint64_t size,
			  uint64_t reach);
uint64_t mapping_find_middle(const struct region *regions, size_t n, uint64_t size);
