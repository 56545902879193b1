/*
 * Files that are there as a whole, or not at all: written beside, under another name, and moved to
 * their place when they are complete. Until then, and whenever something fails, what was there
 * stays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct atomic_file {
	FILE *file;
	/* Private. */
	char *path;   /* the place; NULL: standard output */
	char *beside; /* NULL: written directly, since the place is a device or a pipe */
};

/*
 * Begin with the file for @path (NULL or "-": standard output), where a symbolic link leads.
 * ERR_IO; ERR_USAGE if that would destroy one of @inputs (paths), a program or a profile.
 */
bool atomic_file_begin(const char *path, const char *const *inputs, size_t n_inputs,
		       struct atomic_file *ret, struct err *err);

/*
 * Put it in its place. ERR_IO, also if something could not be written before: then it is dropped.
 */
bool atomic_file_finish(struct atomic_file *replacement, struct err *err);

/* Drop it. */
void atomic_file_drop(struct atomic_file *replacement);
