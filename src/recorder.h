/*
 * The recorder: carries a session's calls into a profile, batch by batch.
 */
#ifndef FATHOM_RECORDER_H
#define FATHOM_RECORDER_H

#include <stdbool.h>

#include "base/err.h"
#include "core/catalogue.h"
#include "profile/profile.h"
#include "trace/session.h"

struct recorder;

struct recorder_options {
	unsigned metrics;   /* bits 1 << enum metric: columns of the samples, beside time */
	size_t samples;     /* of a function and period, taken by chance; 0: all */
	unsigned period_ms; /* how often samples are added to the profile; 0: at the end */
};

struct recorder *recorder_create(struct profile *profile, const struct recorder_options *options);
void recorder_destroy(struct recorder *recorder); /* NULL is fine; what was not flushed is lost */

/*
 * Calls of the image @number are of @catalogue's functions; @modules[i] is what samples of its module i
 * name. Both are borrowed. Numbers count from 0; one that is known already is not changed.
 */
void recorder_add_image(struct recorder *recorder, unsigned number,
			const struct catalogue *catalogue, const char *const *modules);

/*
 * Keep a call; it reaches the profile within a second while calls go on. ERR_IO: the profile could
 * not be added to; the call and its batch are kept and tried again.
 */
bool recorder_add(struct recorder *recorder, const struct call_record *call, struct err *err);

/* Add all that is kept to the profile. ERR_IO: what could not be added is still kept. */
bool recorder_flush(struct recorder *recorder, struct err *err);

/* From now on add to @profile. */
void recorder_redirect(struct recorder *recorder, struct profile *profile);

/* Calls that were not kept, because the profile could not be added to for too long. */
uint64_t recorder_lost(const struct recorder *recorder);

#endif
