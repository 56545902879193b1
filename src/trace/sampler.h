/*
 * Sampling: where the threads of a process spend their time on processors.
 *
 * The kernel counts the time of each thread (perf_event_open(2), task clock) and notes registers
 * and the top of the stack at each period's end, in a ring per thread. The program gets no signal
 * and is not stopped; time in the kernel is not sampled. Threads that begin later are found by
 * sampler_follow(). Of a full ring the newest samples are lost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { SAMPLE_REGISTERS = 17, SAMPLE_STACK = 8192 };

struct stack_sample {
	pid_t thread;
	uint64_t when_ns;                     /* CLOCK_MONOTONIC */
	uint64_t registers[SAMPLE_REGISTERS]; /* by DWARF number; the last is the PC */
	const void *stack;                    /* from the stack pointer on; valid until the next */
	uint64_t stack_size;                  /* bytes of it */
};

struct sampler;

/*
 * Sample each thread of @pid every @period_us of its time on a processor. ERR_UNSUPPORTED: the
 * kernel does not permit it, with what would.
 */
bool sampler_open(pid_t pid, unsigned period_us, struct sampler **ret, struct err *err);
void sampler_close(struct sampler *sampler); /* NULL is fine */

/* Sample threads that have begun since, too, and no longer those that ended. */
void sampler_follow(struct sampler *sampler);

/* The next sample, those of one thread in order. False: no more for now. */
bool sampler_take(struct sampler *sampler, struct stack_sample *ret);

/* Samples of which there was no room. */
uint64_t sampler_lost(const struct sampler *sampler);
