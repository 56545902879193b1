/*
 * Counters in the inferior of those who listen to USDT probes, which <sys/sdt.h> calls semaphores:
 * a program may ask one before it comes by the probe. They are one higher while it is measured.
 */
#pragma once

#include "trace/target/recovery.h"
#include "trace/target/target.h"

struct semaphore {
	uint64_t address; /* run-time */
	unsigned guarded; /* its number in the guard's table; 0: none */
};

struct semaphores {
	const struct target *target;
	struct recovery *guard;
	pid_t pid;
	struct semaphore *list;
	size_t n, capacity;
};

/* Once, however often it is asked for. ERR_TARGET: it cannot be read or written. */
bool semaphores_raise(struct semaphores *semaphores, pid_t tid, uint64_t address, struct err *err);

/* All, by @tid, which need not be stopped. */
void semaphores_lower(struct semaphores *semaphores, pid_t tid);

/* In the memory of @tid, a child with a copy from its birth; nothing is forgotten. */
void semaphores_lower_in(const struct semaphores *semaphores, pid_t tid);

/* Those of a child with a copy of the memory, into @ret, which has no list yet. */
void semaphores_copy(const struct semaphores *semaphores, struct semaphores *ret);

/* Forget those in [low, high), and leave the memory alone. */
void semaphores_forget(struct semaphores *semaphores, uint64_t low, uint64_t high);
