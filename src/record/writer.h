/*
 * The writer: a thread that adds tables to a profile, while the one that traces goes on.
 *
 * It takes a batch at a time. From writer_give() until writer_is_idle() or writer_wait() says that
 * it is idle, the batch's tables and the profile are the thread's, and nobody else may touch them.
 * None of these functions but writer_wait() and writer_destroy() waits for it. There is no thread
 * before the first batch, so that a process that forks in the beginning has one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/samples/samples.h"
#include "profile/profile.h"

struct writer;

/*
 * The thread will run on the processors that the caller may use now, whatever becomes of the
 * caller.
 */
struct writer *writer_create(struct profile *profile);
void writer_destroy(struct writer *writer); /* waits for the batch; NULL is fine */

/* From now on batches are added to @profile. The writer is idle. */
void writer_redirect(struct writer *writer, struct profile *profile);

/*
 * Add @tables, whose array is borrowed until the writer is idle, in one transaction; they are empty
 * then. If that failed, those that are not empty are not in the profile. The writer is idle.
 */
void writer_give(struct writer *writer, struct samples *const *tables, size_t n);

/* Has it nothing to do? */
bool writer_is_idle(struct writer *writer);
void writer_wait(struct writer *writer);

/* What became of the last batch; @err says why it is not in the profile. The writer is idle. */
bool writer_succeeded(const struct writer *writer, struct err *err);
