/*
 * A word in the inferior's memory that says whether its tracer lives: the kernel itself changes it
 * when the thread that made it dies, of whatever, before any of its tracees runs on. It is the lock
 * of a robust mutex, see get_robust_list(2), in memory that both share.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum { LIFELINE_SIZE = 4096 };

struct lifeline;

/*
 * Of the new memfd that is open in the stopped tracee @tid as @fd and may be sealed: from then on
 * it can only be mapped for reading. Its first word is *@ret_alive while the calling thread lives.
 * NULL: impossible.
 */
struct lifeline *lifeline_create(pid_t tid, int fd, int32_t *ret_alive);

/* For one user more; the last _destroy() ends it. NULL is fine. The thread is that of _create(). */
struct lifeline *lifeline_share(struct lifeline *line);
void lifeline_destroy(struct lifeline *line);

/*
 * Tell now of all lines of the calling thread what the kernel would tell at its death, which is
 * near: it allocates nothing.
 */
void lifeline_cut_all(void);
