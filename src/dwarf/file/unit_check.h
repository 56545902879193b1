/*
 * Is the debug information complete, and if not, which part is missing?
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/arena.h"

struct unit_check {
	size_t n_whole;
	size_t n_split_missing;    /* units without their .dwo files */
	const char *split_missing; /* the first such file, as the program names it */
	const char *split_folder;  /* compilation folder, NULL: unknown */
	bool broken;               /* nothing in .debug_info after `broken_at` can be read */
	uint64_t broken_at;
	const char *broken_why;
};

/*
 * Check all units of @dwarf, which has some. ERR_UNSUPPORTED: required parts are in files that are
 * missing or unreadable (.dwo, .dwp, dwz's).
 */
bool unit_check_run(Dwarf *dwarf, const char *path, struct unit_check *ret, struct err *err);

/* Call @note with a line about each missing part of the file @path; texts live in @arena. */
void unit_check_notes(const struct unit_check *units, const char *path, struct arena *arena,
		      void (*note)(void *self, const char *text), void *self);
