/*
 * The profile: samples on disk, in one SQLite database that people can query.
 *
 * Written in transactions: whatever crashes, the file opens and holds all batches that were added.
 * A profile belongs to one build of one executable, its own program, and of every other program and
 * library of which it has samples. The layout is described in doc/profile.md. Profiles of older
 * versions are read, and become ones of today when runs are added.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/run.h"
#include "core/samples/samples.h"

enum { PROFILE_APPLICATION_ID = 0x6674686d /* "fthm" */, PROFILE_VERSION = 4 };

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
void profile_close(struct profile *profile); /* NULL is fine */

/*
 * Write a copy of @profile to the file @path, which is replaced as a whole if it is there. ERR_IO;
 * @path is as before then.
 */
bool profile_save(struct profile *profile, const char *path, struct err *err);

/*
 * How long a call waits for another process that uses the profile before it fails; 10,000 ms unless
 * told.
 */
void profile_set_patience(struct profile *profile, int ms);

/*
 * A run begins; rows that are added from now on belong to it. ERR_USAGE if it measures a library of
 * which the profile holds samples of another build. A run without a build id measures nothing of
 * the program that it begins with.
 */
bool profile_begin_run(struct profile *profile, const struct run *run, struct err *err);

/*
 * The current run measures @program, too, and @libraries that it uses. *@ret_own: it is the
 * profile's own program, whose functions have no module; that is the one that was measured first.
 * Else its path is its module. ERR_USAGE as above.
 */
bool profile_add_program(struct profile *profile, const struct run_library *program,
			 const struct run_library *libraries, size_t n_libraries, bool *ret_own,
			 struct err *err);

/*
 * Add all rows of @samples to the current run, in one transaction. Columns are matched by name; new
 * ones are added, and so are labels. Ids and parents count from 1 within the run and are moved so
 * that they are unique in the profile.
 */
bool profile_add(struct profile *profile, const struct samples *samples, struct err *err);

/* The same with @n tables: all of them, or none. */
bool profile_add_batch(struct profile *profile, struct samples *const *tables, size_t n,
		       struct err *err);

/*
 * Some call of the current run came to the branch @name of a function more than once, whatever its
 * samples say; profile_load() leaves it out. Nothing if the profile has no such branch.
 */
bool profile_add_looped(struct profile *profile, const struct function *function,
			const char *module, const char *name, struct err *err);

/*
 * The account of one function in the current run (several calls add up); that of a function without
 * samples in the profile is dropped. @module: as in struct samples.
 */
bool profile_add_account(struct profile *profile, const struct function *function,
			 const char *module, const struct function_account *account,
			 struct err *err);
bool profile_end_run(struct profile *profile, const struct ending *ending,
		     const struct account *account, struct err *err);

/*
 * Others read the profile while it is added to, without waiting and without being waited for:
 * batches go to a write-ahead log until profile_end_sharing(), or the next profile_open_to_add() if
 * nobody comes to that. Where that cannot be, as on file systems of other machines, readers and
 * writer wait for each other.
 */
void profile_begin_sharing(struct profile *profile);
/* It is one file again. Nobody else has it open, or the log stays. */
void profile_end_sharing(struct profile *profile);

/* The current run, to go back to it later. */
int64_t profile_run(const struct profile *profile);
void profile_set_run(struct profile *profile, int64_t run);

size_t profile_runs(const struct profile *profile);

/*
 * How long all runs took, in seconds, without the time in which threads were stopped, unless that
 * is longer, as of many threads that wait at once it may be; of one that has not ended it is not
 * known.
 */
bool profile_duration(struct profile *profile, double *ret, struct err *err);

/*
 * The keys of the functions, sorted by display name. A key is the linkage name; where a name is
 * taken by a function defined elsewhere (static ones in C), "@file:line" follows, or "@path" and
 * perhaps "@file:line" for a function of a library or another program. The array is
 * valid until the profile is added to, the strings until it is closed.
 */
size_t profile_functions(const struct profile *profile, const char *const **ret);

/* How many samples the function with the key @function has. ERR_NOT_FOUND. */
bool profile_count(struct profile *profile, const char *function, size_t *ret, struct err *err);

/*
 * Load the samples of the function with the key @function, from all runs, ordered by id. Where rows
 * times columns exceed @max_cells, evenly spaced rows are taken; n_calls of the result counts all
 * calls that were seen, and its resolution is the worst of the runs. ERR_NOT_FOUND, and as above.
 */
bool profile_load(struct profile *profile, const char *function, size_t max_cells,
		  struct samples **ret, struct err *err);

/*
 * Look up the callers of @samples, which profile_load() has; no rows are added to them afterwards.
 * Where there are so many rows and functions that it would take long, some stay unknown. Errors as
 * profile_load().
 */
bool profile_callers(struct profile *profile, struct samples *samples, struct err *err);
