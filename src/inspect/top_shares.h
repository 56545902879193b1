/*
 * Which functions and lines of a process, and of those that it has started, have how much of the
 * time on processors: by samples (trace/sampler.h), or, where the kernel does not permit these, by
 * short stops.
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "hot_functions.h"

/* A sample of a thread's time on a processor; or of that of all, where it is stopped for them. */
enum { TOP_SHARES_PERIOD_US = 1000, TOP_SHARES_LOOK_MS = 20 };

struct top_shares;

/*
 * Of @pid. *@ret_why: why it is stopped for each sample; NULL: it is not; as @ret. ERR_NOT_FOUND:
 * there is no such process.
 */
bool top_shares_open(pid_t pid, const char *debuginfo_path, struct top_shares **ret,
		     const char **ret_why, struct err *err);
void top_shares_close(struct top_shares *top); /* NULL is fine */

/* Take what has come, often; false: none of the processes is left. */
bool top_shares_tend(struct top_shares *top);

size_t top_shares_samples(const struct top_shares *top);
size_t top_shares_processes(const struct top_shares *top); /* seen so far */

/* Functions and lines of all, in most samples first; the caller frees both. */
size_t top_shares_functions(struct top_shares *top, struct hot_function **ret);
size_t top_shares_lines(struct top_shares *top, struct hot_line **ret);
