/* Open calls that will never end. */
#pragma once

#include "trace/state/engine.h"

/* @call of @stack. @tid: any stopped tracee, or one that is gone. */
void calls_abandon(struct inferior *inferior, pid_t tid, struct call_stack *stack,
		   struct open_call *call);
void calls_abandon_all(struct tracee *tracee);
/* The same as @tracee has ended, or is measured no longer. */
void calls_abandon_at_end(struct tracee *tracee);
/* Those of @inferior that wait for a return to @pc. */
void calls_abandon_return(struct inferior *inferior, pid_t tid, uint64_t pc);
/* Those of @module's functions, and those that wait for a return into it. */
void calls_abandon_module(struct inferior *inferior, unsigned module);

/* Release @call's return breakpoints, or one at @pc; a breakpoint without users is lifted. */
void calls_abandon_release(struct inferior *inferior, pid_t tid, const struct open_call *call);
void calls_abandon_release_return(struct inferior *inferior, pid_t tid, uint64_t pc);
