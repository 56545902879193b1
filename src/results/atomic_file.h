/*
 * Files that appear complete or not at all: written under a temporary name in the same folder, then
 * renamed. Until then, and after any failure, the old file stays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct atomic_file {
	FILE *file;
	/* Private. */
	char *path;   /* the final name; NULL: standard output */
	char *beside; /* temporary name; NULL: a device or pipe, written directly */
};

/*
 * Begin the file @path (NULL or "-": standard output), following symbolic links. ERR_IO; ERR_USAGE:
 * that would overwrite one of @inputs ([@n_inputs] paths), a program or a profile.
 */
bool atomic_file_begin(const char *path, const char *const *inputs, size_t n_inputs,
		       struct atomic_file *ret, struct err *err);

/* Rename it to its final name. ERR_IO, also of an earlier write: then it is dropped. */
bool atomic_file_finish(struct atomic_file *replacement, struct err *err);

void atomic_file_drop(struct atomic_file *replacement);

/* Before what takes long: could @path be written now? Errors of atomic_file_begin(). */
bool atomic_file_possible(const char *path, struct err *err);
