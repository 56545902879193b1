/*
 * The writer: a thread that adds tables to a profile while the tracer goes on.
 *
 * One batch at a time. From writer_give() until writer_is_idle() or writer_wait() reports it idle,
 * the thread owns the batch's tables and the profile. Only writer_wait() and writer_destroy()
 * block, and writer_give() if no thread can be created. The thread starts with the first batch, so
 * that a process that forks early has one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/samples/samples.h"
#include "profile/profile.h"

struct writer;

/* The thread, created later, gets the CPU affinity that the caller has now. */
struct writer *writer_create(struct profile *profile);
void writer_destroy(struct writer *writer); /* waits for the batch; NULL is fine */

/* From now on batches are added to @profile. The writer is idle. */
void writer_redirect(struct writer *writer, struct profile *profile);

/*
 * Add @tables in one transaction and empty them; one by one if the profile has no room for some. On
 * failure, nonempty ones are not in the profile. The array is borrowed until the writer is idle
 * again. The writer is idle.
 */
void writer_give(struct writer *writer, struct samples *const *tables, size_t n);

bool writer_is_idle(struct writer *writer);
void writer_wait(struct writer *writer);

/* Was the last batch stored? Errors of profile_add_batch(). The writer is idle. */
bool writer_succeeded(const struct writer *writer, struct err *err);
