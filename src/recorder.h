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

struct recorder *recorder_create(const struct catalogue *catalogue, struct profile *profile);
void recorder_destroy(struct recorder *recorder); /* NULL is fine; what was not flushed is lost */

/* Keep a call; it reaches the profile within a second while calls go on. ERR_IO */
bool recorder_add(struct recorder *recorder, const struct call_record *call, struct err *err);
bool recorder_flush(struct recorder *recorder, struct err *err);

#endif
