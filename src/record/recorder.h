/*
 * The recorder: carries a session's calls into a profile, period by period.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "profile/profile.h"
#include "trace/session.h"

struct recorder;

struct recorder_options {
	unsigned metrics;   /* bits 1 << enum metric: columns of the samples, beside time */
	size_t samples;     /* of a function and period, taken by chance; 0: all */
	unsigned period_ms; /* how often samples are added to the profile; 0: at the end */
	uint64_t seed;      /* of the chance */
	/* that are in memory, of all functions; 0: so many that it is about 600 MB */
	size_t max_cells;
};

/* Writing has a thread of its own, which begins with the first batch: see record/writer.h. */
struct recorder *recorder_create(struct profile *profile, const struct recorder_options *options);
void recorder_destroy(struct recorder *recorder); /* NULL is fine; what was not flushed is lost */

/*
 * Calls of the image @number are of @catalogue's functions; @modules[i] is what samples of its
 * module i name. Both are borrowed. Numbers count from 0; one that is known already is not changed.
 */
void recorder_add_image(struct recorder *recorder, unsigned number,
			const struct catalogue *catalogue, const char *const *modules);

/*
 * From now on calls of the image @number are of @catalogue's functions. What was flushed before is
 * not lost, and counts of functions that are in both go on. The recorder was flushed, and its
 * looped branches added.
 */
void recorder_replace_image(struct recorder *recorder, unsigned number,
			    const struct catalogue *catalogue, const char *const *modules);

/*
 * Take a call, which is kept by chance: of all calls of a function that come in a period each with
 * the same. What was kept goes to the writer with the first call behind the period's end, or
 * recorder_tend(); until the writer is done with the period before, that one goes on. ERR_IO: the
 * profile could not be added to of late; the samples are kept and tried again. A call that was
 * adopted is no sample: only a part of it was measured; nor is one that was halted in its middle:
 * its own time is not known.
 */
bool recorder_add(struct recorder *recorder, const struct call_record *call, struct err *err);

/* The call is no sample, as a condition does not hold for it: it is only counted. */
void recorder_leave_out(struct recorder *recorder, const struct call_record *call);

/* The same without a call: time has passed. ERR_IO. */
bool recorder_tend(struct recorder *recorder, struct err *err);

/*
 * Add all that is kept to the profile, and wait for it. ERR_IO: what could not be added is still
 * kept.
 */
bool recorder_flush(struct recorder *recorder, struct err *err);

/*
 * Wait until the profile is the caller's, to do with it what it likes, up to the next
 * recorder_add().
 */
void recorder_pause(struct recorder *recorder);

/* From now on add to @profile. */
void recorder_redirect(struct recorder *recorder, struct profile *profile);

/*
 * Calls that were to be kept and were not, because the profile could not be added to for too long.
 */
uint64_t recorder_lost(const struct recorder *recorder);

/* So many calls of a function are in the profile, or will be. */
uint64_t recorder_kept(const struct recorder *recorder, unsigned image, unsigned function);

/* So many calls of a function are no samples: left out by a condition; halted in their middle. */
uint64_t recorder_left_out(const struct recorder *recorder, unsigned image, unsigned function);
uint64_t recorder_halted(const struct recorder *recorder, unsigned image, unsigned function);

/*
 * What calls of the run told of branches holds for those of others, too: branches that some call
 * came to more than once are to be left out. The profile is the caller's.
 */
bool recorder_add_looped(const struct recorder *recorder, struct err *err);
