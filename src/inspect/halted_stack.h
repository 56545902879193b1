/*
 * The stacks of a process that a session has halted.
 */
#pragma once

#include "base/err.h"
#include "cli/options.h"
#include "core/verdict/stack.h"
#include "stack_capture.h"
#include "trace/session.h"

/*
 * With few values, as a prompt shows them. Errors as stack_capture_take(); ERR_TARGET: the process
 * has no threads any more.
 */
bool halted_stack_take(struct session *session, const struct options *options, struct stack **ret,
		       struct err *err);

/* What is read of frames then. */
struct catalogue_request halted_stack_request(const struct options *options);
/* Snapshots of @session's process, for stack_capture_take(). */
struct stack_capture_source halted_stack_source(struct session *session);

/* NULL: no such thread. */
const struct stack_thread *halted_stack_thread(const struct stack *stack, pid_t tid);

/* The innermost frame of @function in thread @tid; NULL: none. */
const struct stack_frame *halted_stack_frame(const struct stack *stack, pid_t tid,
					     const char *function);
