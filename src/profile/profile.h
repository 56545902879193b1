/*
 * The profile: samples on disk, in one SQLite database that users can query.
 *
 * Batches are transactions: after any crash the file opens and has all batches that were added. A
 * profile belongs to one build of its own program, and to one build of each other program and
 * library with samples. doc/profile.md describes the layout. Older versions are read, and migrated
 * when runs are added. All that can fail sets ERR_IO or ERR_FORMAT (damaged); other errors are
 * listed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/run.h"
#include "core/samples/samples.h"

enum { PROFILE_APPLICATION_ID = 0x6674686d /* "fthm" */, PROFILE_VERSION = 8 };

/* Metrics, features and branches of one function, over all runs. */
enum { PROFILE_COLUMNS_MAX = 1990 };

struct profile;

/*
 * Open the profile @path for reading. ERR_IO, ERR_FORMAT (empty, not SQLite, another application's,
 * damaged), ERR_UNSUPPORTED (a newer version).
 */
bool profile_open(const char *path, struct profile **ret, struct err *err);

/*
 * Open the profile @path for adding runs; a file that does not exist, or has size 0, becomes an
 * empty profile. NULL: a temporary one, gone when it is closed. Errors as above; also ERR_USAGE if
 * it holds samples of a build other than @build_id (NULL: not known yet).
 */
bool profile_open_to_add(const char *path, const char *build_id, struct profile **ret,
			 struct err *err);
/* A temporary one, with what @profile has, whose run goes on; @profile need not be writable. */
bool profile_open_copy(struct profile *profile, struct profile **ret, struct err *err);
void profile_close(struct profile *profile); /* NULL is fine */

/*
 * Take command lines, folders, hosts and texts of the program out, for good. The profile was opened
 * to add. ERR_IO; ERR_FORMAT.
 */
bool profile_scrub(struct profile *profile, struct err *err);

/*
 * Write a copy of @profile to the file @path, which is replaced as a whole if it is there. ERR_IO;
 * @path is as before then.
 */
bool profile_save(struct profile *profile, const char *path, struct err *err);

/* How long a call waits for another process with the profile before it fails; default 10 s. */
void profile_set_patience(struct profile *profile, int ms);

/*
 * Begin a run; rows added from now on belong to it. ERR_USAGE if it measures a library whose
 * samples in the profile are of another build. A run without a build id measures nothing in its
 * first program.
 */
bool profile_begin_run(struct profile *profile, const struct run *run, struct err *err);

/*
 * Add @program and the @libraries that it uses to the current run. *@ret_own: it is the profile's
 * own program, the first one measured, whose functions have no module; else its path is its module.
 * ERR_USAGE as above.
 */
bool profile_add_program(struct profile *profile, const struct run_library *program,
			 const struct run_library *libraries, size_t n_libraries, bool *ret_own,
			 struct err *err);

/*
 * Add all rows of @samples to the current run, in one transaction. Columns are matched by name; new
 * columns and labels are added. Ids and parents count from 1 within the run and are shifted to be
 * unique in the profile. ERR_UNSUPPORTED: too many columns, too long names or too large ids.
 */
bool profile_add(struct profile *profile, const struct samples *samples, struct err *err);

/* The same with @n tables: all of them, or none. */
bool profile_add_batch(struct profile *profile, struct samples *const *tables, size_t n,
		       struct err *err);

/*
 * What is added between these is one transaction, which many small batches need: each transaction
 * waits for the disk. Keeps it if @ok, else undoes it. False: it is not kept.
 */
bool profile_begin_whole(struct profile *profile, struct err *err);
bool profile_end_whole(struct profile *profile, bool ok, struct err *err);

/*
 * Mark the branch @name of a function as one that a call of the current run reached more than once,
 * or the loop as one that turned too often to be counted;
 * profile_load() leaves such branches out. Does nothing if the profile has no such branch.
 */
bool profile_add_looped(struct profile *profile, const struct function *function,
			const char *module, const char *name, struct err *err);

/*
 * Add @account to that of one function in the current run; dropped if the profile has no samples of
 * it. @module: as in struct samples.
 */
bool profile_add_account(struct profile *profile, const struct function *function,
			 const char *module, const struct function_account *account,
			 struct err *err);
bool profile_end_run(struct profile *profile, const struct ending *ending,
		     const struct account *account, struct err *err);

/*
 * Let other processes read the profile without waiting while it is written: batches go to a
 * write-ahead log until profile_end_sharing(), or, after a crash, the next profile_open_to_add().
 * Where that is impossible, as on network file systems, readers and writer wait for each other.
 */
void profile_begin_sharing(struct profile *profile);
/* Make it one file again; while another process has it open, the log stays. */
void profile_end_sharing(struct profile *profile);

/* The current run, to return to it later. */
int64_t profile_run(const struct profile *profile);
void profile_set_run(struct profile *profile, int64_t run);

size_t profile_runs(const struct profile *profile);

/*
 * What the run with the id @run (0: the last one) was of, in @ret: command to `started`, strings in
 * @arena. Untouched if there is no such run.
 */
bool profile_describe_run(struct profile *profile, int64_t run, struct arena *arena,
			  struct run *ret, struct err *err);

/*
 * The duration of all ended runs, in seconds, each less the time in which threads were stopped,
 * unless that is longer (many threads that wait at once).
 */
bool profile_duration(struct profile *profile, double *ret, struct err *err);

/* The time of all calls of a function that were seen, in seconds; NAN: not known of any run. */
bool profile_function_time(struct profile *profile, const char *function, double *ret,
			   struct err *err);

/*
 * The time of its calls relative to the time in which its probes were in place, whose calls stand
 * for all; above 1 if several threads are in it. NAN: not known.
 */
bool profile_function_share(struct profile *profile, const char *function, double *ret,
			    struct err *err);

/*
 * The keys of the functions, sorted by display name. A key is the linkage name; if another function
 * has it already (static functions in C), "@file:line" is appended, or "@path" and perhaps
 * "@file:line" for a function of a library or another program. The array is valid until the profile
 * is added to, the strings until it is closed.
 */
size_t profile_functions(const struct profile *profile, const char *const **ret);

/*
 * The same, and behind each the places whose part of its costs is known apart
 * (core/samples/part_columns.h): profile_load() loads these like functions. Valid until the next
 * call.
 */
bool profile_subjects(struct profile *profile, const char *const **ret, size_t *ret_n,
		      struct err *err);

/* Have several of its functions the display name @name? */
bool profile_has_namesakes(const struct profile *profile, const char *name);

/* How many samples the function with the key @function has. ERR_NOT_FOUND. */
bool profile_count(struct profile *profile, const char *function, size_t *ret, struct err *err);

/*
 * Load the samples of the function with the key @function, from all runs, ordered by id. If rows
 * times columns exceed @max_cells, evenly spaced rows are taken. n_calls counts all calls seen,
 * total_us is their time if it is known of all; the resolution is the worst of the runs.
 * ERR_NOT_FOUND, and as above.
 */
bool profile_load(struct profile *profile, const char *function, size_t max_cells,
		  struct samples **ret, struct err *err);

/* So many samples of time were at @line of @file. */
struct line_samples {
	const char *file;
	unsigned line;
	size_t samples;
};

/* Add @lines [@n] to what the profile has, and @all: samples of time, wherever they were. */
bool profile_add_lines(struct profile *profile, const struct line_samples *lines, size_t n,
		       size_t all, struct err *err);

/* Give @take each line of @file that has samples, and their part of all. Also ERR_FORMAT. */
bool profile_visit_lines(struct profile *profile, const char *file,
			 void (*take)(void *self, unsigned line, double share), void *self,
			 struct err *err);

/* Remove the rows @rows[@n] of the function with the key @function. */
bool profile_forget(struct profile *profile, const char *function, const struct sample_key *rows,
		    size_t n, struct err *err);

/*
 * Set the callers of @samples, which profile_load() returned; add no rows to them afterwards. Some
 * stay unknown if there are too many rows and functions to search. Errors as for profile_load().
 */
bool profile_callers(struct profile *profile, struct samples *samples, struct err *err);
