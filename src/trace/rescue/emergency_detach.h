/*
 * The rescue: it frees the tracees of a dying tracer, by the guard's table alone.
 *
 * Every function is async-signal-safe: it allocates nothing and trusts only the table. What fails
 * is skipped; there is nothing left to report to.
 */
#pragma once

#include "trace/target/recovery.h"

/* By the tracer itself, whose heap and session may be broken: free all its tracees. */
void emergency_detach_by_tracer(struct recovery_table *table);

/*
 * By another process, when @tracer is dying or dead. Reap @tracer between the two: only then can
 * its tracees be traced again.
 *
 * The first restores the text, and leaves every thread a pending SIGSTOP, so that threads which the
 * kernel releases do not run before the second puts them right. A thread stopped at a breakpoint
 * that the tracer had not seen yet dies of its SIGTRAP nevertheless.
 */
void emergency_detach_before(struct recovery_table *table, pid_t tracer);
void emergency_detach_after(struct recovery_table *table);

/*
 * By another process, when the tracer is gone, and whoever was to do that. Threads run: what has
 * executed something else meanwhile is left alone.
 */
void emergency_detach_late(struct recovery_table *table);

/*
 * Restore the text of process @pid with the breakpoints of @owner, whose memory it may be a copy
 * of, and have its pads do nothing.
 */
void emergency_detach_text(struct recovery_table *table, pid_t pid, pid_t owner);

/* The same of jumps to pads; all threads of @pid are stopped. */
void emergency_detach_jumps(struct recovery_table *table, pid_t pid, pid_t owner);
