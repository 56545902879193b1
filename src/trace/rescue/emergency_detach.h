/*
 * The rescue: what a tracer that dies leaves behind is put right, by the guard's table alone.
 *
 * Every function here is async-signal-safe: it asks for no memory and trusts nothing but the table.
 * What cannot be done is left out; there is nobody left to tell.
 */
#pragma once

#include "trace/target/recovery.h"

/*
 * By the tracer itself, whose heap and session may be broken: everything that it traces is let go.
 */
void emergency_detach_by_tracer(struct recovery_table *table);

/*
 * By another process, when @tracer is about to die, or has died. Between the parts @tracer must be
 * reaped: only then its tracees can be traced again.
 *
 * The first part restores the text, and sees to it that threads which the kernel releases do not
 * run on before the second part put them right: every thread has a SIGSTOP pending. What was
 * stopped by a breakpoint that the tracer had not been told of dies of its SIGTRAP nevertheless.
 */
void emergency_detach_before(struct recovery_table *table, pid_t tracer);
void emergency_detach_after(struct recovery_table *table);

/*
 * Restore the text of the process @pid with the breakpoints of @owner, of which it may be a copy.
 */
void emergency_detach_text(struct recovery_table *table, pid_t pid, pid_t owner);
