/*
 * A word in the inferior's memory that says whether its tracer lives: the kernel itself changes it
 * when the thread that made it dies, of whatever, before any of its tracees runs on. It is the lock
 * of a robust mutex, see get_robust_list(2), in memory that both share.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum { LIFELINE_SIZE = 4096 };

struct lifeline;

/*
 * Of the new memfd that is open in the stopped tracee @tid as @fd and may be sealed: from then on
 * it can be mapped, but not for writing. Its first word is *@ret_alive while the calling thread
 * lives. NULL: impossible.
 */
struct lifeline *lifeline_create(pid_t tid, int fd, int32_t *ret_alive);

/* For one user more; the last _destroy() ends it. NULL is fine. The thread is that of _create(). */
struct lifeline *lifeline_share(struct lifeline *line);
void lifeline_destroy(struct lifeline *line);

/* As if the calling thread had died already, for all. Async-signal-safe; none is used any more. */
void lifeline_let_go(void);

/*
 * The page is at @address in the inferior: make its handler of SIGTRAP, see lifeline_trap.h; and
 * tell that of memory for pads.
 */
void lifeline_place(struct lifeline *line, uint64_t address);
void lifeline_add_pads(struct lifeline *line, uint64_t address, uint64_t size);

/*
 * Of the one thread that is made to do something: what lifeline_trap_note_call() and _mask() want,
 * in all pages.
 */
void lifeline_note_call(const struct user_regs_struct *own, uint64_t end);
void lifeline_note_mask(const uint64_t *own);
