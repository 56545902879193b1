/*
 * The records of a ring: where they are read from, and the calls that they are.
 *
 * Everything read here is the inferior's memory, which it may overwrite.
 */
#pragma once

#include "pads.h"

/*
 * What to read of @tracee's ring beside its head, so that its records are there without another
 * read: @reads into @pieces, whose `n` the caller sets. Returns how many.
 */
size_t ring_records_read_ahead(const struct tracee *tracee, struct ring_piece pieces[2],
			       struct memory_read reads[2]);

/* Tell the calls up to @head, of which @pieces may have been read. False: no pad wrote them. */
bool ring_records_take(struct tracee *tracee, struct ring_piece pieces[2], uint64_t head);

/*
 * The values of the system's features as of the last draining, for calls of about then, of the
 * call that @before others were before.
 */
void ring_records_system(const struct tracee *tracee, const struct measured_function *measured,
			 uint64_t before, struct value *values);
