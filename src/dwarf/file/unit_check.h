/*
 * Units: is the debug information whole, or which part of it is not there?
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
	size_t n_split_missing;    /* units whose .dwo files are not there */
	const char *split_missing; /* the first such file, as the program names it */
	const char *split_folder;  /* that the program was compiled in, NULL: not known */
	bool broken; /* behind offset `broken_at` of .debug_info nothing can be read */
	uint64_t broken_at;
	const char *broken_why;
};

/*
 * Go through all units of @dwarf, which has some. ERR_UNSUPPORTED: parts of them are in files that
 * are not there or cannot be read (.dwo, .dwp, dwz's), and nothing can be done without.
 */
bool unit_check_check(Dwarf *dwarf, const char *path, struct unit_check *ret, struct err *err);

/* Call @note with a line on each part of @path's that is missing; texts live in @arena. */
void unit_check_notes(const struct unit_check *units, const char *path, struct arena *arena,
		      void (*note)(void *self, const char *text), void *self);
