/*
 * The known general registers of a stopped tracee, so that only changes are written: most stops
 * change the PC alone, which takes a fraction of setting all.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

struct register_cache {
	pid_t tid; /* 0: unknown */
	struct user_regs_struct registers;
};

bool register_cache_get(struct register_cache *cache, pid_t tid, struct user_regs_struct *ret);
bool register_cache_set(struct register_cache *cache, pid_t tid,
			const struct user_regs_struct *registers);

/* Call when a tracee runs again. */
void register_cache_forget(struct register_cache *cache);
