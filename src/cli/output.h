/*
 * Where results go: standard output, or the file of --report.
 *
 * The file is opened before anything is measured, so that a wrong path costs no run. It appears, or
 * replaces the old one, when it is whole; a device or pipe is written as it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct output {
	FILE *file;
	const char *path; /* borrowed; NULL: standard output */
	/* Private. */
	char *final; /* the name that it gets; NULL: it has it */
	bool begun;
};

/* Is @path NULL or "-"? */
bool output_is_standard(const char *path);

/*
 * Open @path (borrowed), or standard output. ERR_IO: cannot be written; ERR_USAGE: that would
 * overwrite one of @inputs ([@n_inputs] paths, may be NULL), a program or a profile.
 */
bool output_open(const char *path, const char *const *inputs, size_t n_inputs, struct output *ret,
		 struct err *err);

/*
 * May results overwrite the open file @fd, called @path? ERR_USAGE as output_open().
 */
bool output_harmless(int fd, const char *path, const char *const *inputs, size_t n_inputs,
		     struct err *err);

/* Results follow: without this the old file stays. */
void output_begin(struct output *output);

/*
 * Why writing to @file fails, as a number of errno: the write that did may be long ago, so one more
 * is tried.
 */
int output_failure(FILE *file);

/* ERR_IO: something could not be written. A NULL file is fine. */
bool output_close(struct output *output, struct err *err);
