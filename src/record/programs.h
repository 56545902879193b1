/* The programs that measured processes execute, each with its catalogue, read once per file. */
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
	const char *path;              /* name for messages */
	struct catalogue *catalogue;   /* NULL: nothing to measure */
	struct err why;                /* without a catalogue */
	const char *reason;            /* `why` without the program's path */
	bool has_function;             /* that a pattern names, measurable or not */
	const char **modules;          /* of the catalogue, as samples name them */
	struct run_library *libraries; /* with functions to measure */
	size_t n_libraries;
	bool is_measured; /* has a number, known to the profile */
	unsigned image;
	bool said;        /* its notes were printed */
	bool lost_rights; /* that it runs without those of its owner was printed */
};

struct programs;

/* @options, of which patterns and limits are used, are borrowed. */
struct programs *programs_create(const struct options *options);
void programs_destroy(struct programs *programs); /* NULL is fine */

struct program_source {
	const char *path; /* as it can be opened */
	pid_t process;    /* that executes it, for its view of files; 0: none */
	bool running;     /* for a while: libraries are mapped */
	bool whole;       /* an unmatched pattern is an error */
};

/* Find or read it; perhaps nothing of it is measured. Lives as long as @programs. */
struct program *programs_find(struct programs *programs, const struct program_source *source);

/* Number @program @image; @own: it is the profile's own. */
void programs_measure(struct programs *programs, struct program *program, unsigned image, bool own);

/*
 * The catalogue of @source by the current patterns. The caller owns it, or passes it to
 * programs_replace() to supersede @program's, which lives on. Errors of catalogue_build().
 */
bool programs_read_again(struct programs *programs, const struct program_source *source,
			 struct catalogue **ret, struct err *err);
void programs_replace(struct programs *programs, struct program *program,
		      struct catalogue *catalogue);

/*
 * May nothing of @program at @path be measurable, as what it starts is meant? Only with
 * --follow-fork. Of scripts the interpreter always may.
 */
bool programs_may_start_others(const struct programs *programs, const struct program *program,
			       const char *path);

/* Is @why ordinary for one program of many (it has no such function, for instance)? */
bool programs_is_ordinary(const struct err *why);

/* Measure nothing of @program in spite of its catalogue. */
void programs_give_up(struct programs *programs, struct program *program, const struct err *why);

/* Keep the call graph of the first program in its profile (select/selection.h). */
void programs_keep_code(const struct programs *programs, struct profile *profile);

/* The measured ones, by number; and all. */
size_t programs_measured(const struct programs *programs, struct program *const **ret);
size_t programs_all(const struct programs *programs, struct program *const **ret);

/* The next pattern without a match so far, or NULL. *@at: iterator, 0 at first. */
const char *programs_unfound(const struct programs *programs, size_t *at);

/* Are @samples of a measured function? */
bool programs_have(const struct programs *programs, const struct samples *samples);
/* Of this one, of the program @ret_program; false: of none. */
bool programs_find_function(const struct programs *programs, const struct samples *samples,
			    const struct program **ret_program, unsigned *ret);
