/*
 * Open calls that will never end. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/* @call of @stack will never end. @tid: any stopped tracee, or one that is gone. */
void calls_abandon(struct inferior *inferior, pid_t tid, struct call_stack *stack,
		   struct open_call *call);
/* All open calls of @tracee will never end. */
void calls_abandon_all(struct tracee *tracee);
/* Nor will those of @inferior that wait for a return to @pc. */
void calls_abandon_return(struct inferior *inferior, pid_t tid, uint64_t pc);
/* So will those of functions of @module, and those that wait for a return to it. */
void calls_abandon_module(struct inferior *inferior, unsigned module);

/* Nothing waits for @call any more; one open call less returns to @pc. */
void calls_abandon_release(struct inferior *inferior, pid_t tid, const struct open_call *call);
void calls_abandon_release_return(struct inferior *inferior, pid_t tid, uint64_t pc);
