/*
 * Open calls that pads follow, as the engine's own, while a thread is stopped for what pads cannot
 * decide alone.
 *
 * Between stops a thread's open calls are frames in its block; of those that need more than a frame
 * has (a return breakpoint, what a prompt knows) the tracee keeps its struct open_call, and the
 * frame only holds their place.
 */
#pragma once

#include "pads.h"

/* The address of the outermost frame, which is no call's. */
static inline uint64_t ring_frames_sentinel(const struct pad_thread *thread)
{
	return thread->address + PAD_FRAMES_END - PAD_FRAME_SIZE;
}

/* The thread's ring is drained, and its frames become its calls, outermost first. */
void ring_frames_take(struct tracee *tracee);

/*
 * As inferior's fetch_calls: pads of other threads, which may run, follow calls that go on in
 * @tracee, whose frames were taken.
 */
void ring_frames_fetch(struct tracee *tracee, uint64_t low, uint64_t high);

/*
 * The reverse, directly before the resume; @now is pad_thread_steal()'s. A call that began in this
 * stop starts now, but not if the tracee keeps it.
 */
void ring_frames_give(struct tracee *tracee, uint64_t now);

/* @tracee is about to end: take what its pads have noted, and its block. */
void ring_frames_end(struct tracee *tracee);
