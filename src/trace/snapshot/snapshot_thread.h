/*
 * One thread of a snapshot: what is known of it. Private to trace/.
 */
#pragma once

#include "trace/snapshot.h"

/*
 * It is held, and its `raw` registers were taken: fill in what follows from them. @xmm: the low
 * halves; NULL: not known. @earlier as in snapshot_take().
 */
void snapshot_thread_held(struct snapshot *snapshot, const struct snapshot *earlier,
			  const uint64_t xmm[16], struct stopped_thread *thread);
/* It did not stop: the kernel tells of those that wait where they do. */
void snapshot_thread_unstopped(struct stopped_thread *thread);
void snapshot_thread_name(struct stopped_thread *thread);
