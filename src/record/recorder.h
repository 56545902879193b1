/* The recorder: carries a session's calls into a profile, period by period. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "profile/profile.h"
#include "trace/session.h"

struct recorder;

struct recorder_options {
	unsigned metrics; /* bits 1 << enum metric: columns of the samples, beside time */
	size_t samples;   /* per function and period, those of lowest rank; 0: all */
	/* expression of a feature whose values choose the calls, and how many of these; or NULL */
	const char *sample_by;
	double sample_share;
	bool adapts;                /* some calls may not be asked for all features */
	bool sites;                 /* columns of what is allocated where, by lines of code */
	const char *debuginfo_path; /* where these are found, as in struct catalogue_request */
	unsigned period_ms;         /* how often samples are added to the profile; 0: at the end */
	/* in memory, of all functions; 0: about 600 MB */
	size_t max_cells;
};

/* A thread writes, from the first batch on: see record/writer.h. */
struct recorder *recorder_create(struct profile *profile, const struct recorder_options *options);
void recorder_destroy(struct recorder *recorder); /* NULL is fine; unflushed samples are lost */

/*
 * Calls of the image @number are of @catalogue's functions; @modules[i] is the name of its module i
 * in samples. Both are borrowed. Numbers count from 0; a known one is not changed.
 */
void recorder_add_image(struct recorder *recorder, unsigned number,
			const struct catalogue *catalogue, const char *const *modules);

/*
 * From now on calls of the image @number are of @catalogue's functions. Functions in both
 * catalogues keep their counts. Call recorder_flush() and recorder_add_looped() first: unwritten
 * samples and looped branches of the image are dropped.
 */
void recorder_replace_image(struct recorder *recorder, unsigned number,
			    const struct catalogue *catalogue, const char *const *modules);

/*
 * Take a call; all calls of a function in a period are kept with the same probability. The first
 * call after the period's end, or recorder_tend(), passes the kept ones to the writer; while it is
 * busy, the period goes on. Adopted calls, measured only in part, and calls halted midway, whose
 * own time is unknown, become no samples. Errors of profile_add_batch(), once for each failed
 * write; its samples are kept and tried again.
 */
bool recorder_add(struct recorder *recorder, const struct call_record *call, struct err *err);

/*
 * From now on calls of that function with a rank at or above @limit may be missing. If a number of
 * samples was asked for, that makes them fewer, but all calls of a period keep the same chance; if
 * all were, those that are seen are kept.
 */
void recorder_limit(struct recorder *recorder, unsigned image, unsigned function, uint64_t limit);

/* Only count the call: its condition does not hold. */
void recorder_leave_out(struct recorder *recorder, const struct call_record *call);

/* End a period that is over. Errors of profile_add_batch(). */
bool recorder_tend(struct recorder *recorder, struct err *err);

/* Write all kept samples and wait. Errors of profile_add_batch(): the unwritten ones are kept. */
bool recorder_flush(struct recorder *recorder, struct err *err);

/* Wait until the profile is the caller's, up to the next recorder_add(). */
void recorder_pause(struct recorder *recorder);

/* From now on add to @profile. */
void recorder_redirect(struct recorder *recorder, struct profile *profile);

/* Kept calls that were lost because writing failed for too long. */
uint64_t recorder_lost(const struct recorder *recorder);

/* Calls of a function that are in the profile, or will be. */
uint64_t recorder_kept(const struct recorder *recorder, unsigned image, unsigned function);

/* Calls of a function that are no samples: left out by a condition or sample_by; halted midway. */
uint64_t recorder_left_out(const struct recorder *recorder, unsigned image, unsigned function);
/* Has a function that was called the feature of sample_by? */
bool recorder_has_key(const struct recorder *recorder);
uint64_t recorder_halted(const struct recorder *recorder, unsigned image, unsigned function);

/* Was a limit ever so low that calls may be missing? */
bool recorder_was_limited(const struct recorder *recorder, unsigned image, unsigned function);

/*
 * Mark in the profile the branches that some call reached more than once: profile_load() leaves
 * them out. The writer is idle. Errors of profile_add_looped().
 */
bool recorder_add_looped(const struct recorder *recorder, struct err *err);
