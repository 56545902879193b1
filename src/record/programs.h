/*
 * Programs: all that measured processes execute, each with its catalogue, which is read once: by
 * many processes, the file is known again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/samples/samples.h"
#include "cli/options.h"
#include "profile/profile.h"

struct program {
	const char *path;              /* as people call it */
	struct catalogue *catalogue;   /* with something to measure; NULL: there is nothing */
	struct err why;                /* without a catalogue */
	const char *reason;            /* the same, without the program's path in front */
	bool has_function;             /* that was asked for, measurable or not */
	const char **modules;          /* of the catalogue, as samples name them */
	struct run_library *libraries; /* that have functions to measure */
	size_t n_libraries;
	bool is_measured; /* it has a number, and the profile knows it */
	unsigned image;
	bool said; /* the user knows what there is to say */
};

struct programs;

/* @options, of which patterns and limits are used, are borrowed. */
struct programs *programs_create(const struct options *options);
void programs_destroy(struct programs *programs); /* NULL is fine */

/* What is known of a program when it is read. */
struct program_source {
	const char *path; /* as it can be opened */
	pid_t process; /* that executes it, in whose eyes files are what they are; 0: none does */
	bool running;  /* and has done so for a while: libraries are mapped */
	bool whole; /* a pattern that names nothing is an error; it may not be in another program */
};

/* The program, of which perhaps nothing is measured. It lives as long as @programs. */
struct program *programs_find(struct programs *programs, const struct program_source *source);

/* @program has the number @image; the profile's own one or not. */
void programs_measure(struct programs *programs, struct program *program, unsigned image, bool own);

/*
 * The catalogue of what @source says by the patterns that the options have now. The caller owns it,
 * and gives it to programs_replace() if it is to take the place of @program's, which lives on.
 * Errors of catalogue_build().
 */
bool programs_read_again(struct programs *programs, const struct program_source *source,
			 struct catalogue **ret, struct err *err);
void programs_replace(struct programs *programs, struct program *program,
		      struct catalogue *catalogue);

/* Nothing is measured of @program in spite of its catalogue. */
void programs_give_up(struct programs *programs, struct program *program, const struct err *why);

/* Those that are measured, by number; and all. */
size_t programs_measured(const struct programs *programs, struct program *const **ret);
size_t programs_all(const struct programs *programs, struct program *const **ret);

/* A pattern that named nothing so far; NULL: all did. *@at: where to go on, 0 at first. */
const char *programs_unfound(const struct programs *programs, size_t *at);

/* Are they samples of a function that is measured? */
bool programs_have(const struct programs *programs, const struct samples *samples);
