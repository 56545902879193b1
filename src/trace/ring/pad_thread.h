/* A thread's block: who has one, and what the tracer writes into it. */
#pragma once

#include "pads.h"

/*
 * Before the stopped @tracee is resumed for the first time, and never later: give it a block, or
 * one in which nothing is noted if it only borrows the memory. Sets its gs base. Its calls count
 * as taken from its frames. Without memory for a block its inferior gives up pads.
 */
void pad_thread_begin(struct tracee *tracee);

/* Its block is free, without touching it: the thread is gone or has other memory now. */
void pad_thread_forget(struct tracee *tracee);

/* Take the block from the stopped @tracee, if it has one of ours: its gs base is 0 again. */
void pad_thread_end(struct tracee *tracee);

/* @tracee is a fork child, which has its parent's gs base, and is let go. */
void pad_thread_leave_copy(struct tracee *tracee);

/*
 * @tracee is about to take steps: the time since its int3 was stolen from it. Returns the ticks of
 * its own clock, which stands still all through a stop. The second is for its resume: it goes on by
 * way of the PAD_RESUME, if it can.
 */
uint64_t pad_thread_steal(struct tracee *tracee);
uint64_t pad_thread_resume(struct tracee *tracee);

/* What @block, read from the stopped @tracee, tells of its own clock. */
void pad_thread_read_clock(struct tracee *tracee, const struct pad_block *block);

/* Its own clock, and that of the processor, as they are for it all through a stop. */
uint64_t pad_thread_moment(struct tracee *tracee);
uint64_t pad_thread_ticks(struct tracee *tracee);

/* The stopped @tracee is about to end or to be let go: say so if it has set its gs base itself. */
void pad_thread_tell_gs(const struct tracee *tracee);

/* Have its pads ask instead of reading what may fault, while that would change its signals. */
void pad_thread_look(struct tracee *tracee);

/*
 * [size / 8] what pads of @tracee have not counted, see pad_block_elsewhere(); owned by the caller.
 * *@ret_size: in bytes. The second writes it. False: its block is gone.
 */
uint64_t *pad_thread_elsewhere(const struct tracee *tracee, size_t *ret_size);
bool pad_thread_tell_elsewhere(const struct tracee *tracee);

/* Write @n bytes at @offset of its block. False: it is gone. */
bool pad_thread_write(const struct tracee *tracee, size_t offset, const void *bytes, size_t n);
