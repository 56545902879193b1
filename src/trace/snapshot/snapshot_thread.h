/* One thread of a snapshot. */
#pragma once

#include "trace/snapshot.h"

/*
 * A stopped thread whose `raw` registers were taken: derive the rest. @xmm: the low halves; NULL:
 * unknown. @earlier as in snapshot_take().
 */
void snapshot_thread_held(struct snapshot *snapshot, const struct snapshot *earlier,
			  const uint64_t xmm[16], struct stopped_thread *thread);
/* It did not stop: /proc knows where it waits, if it does. */
void snapshot_thread_unstopped(struct stopped_thread *thread);
void snapshot_thread_name(struct stopped_thread *thread);
