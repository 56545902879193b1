/*
 * Moves the stack and the heap of a program that has just been executed, before its first
 * instruction. Private to trace/ and its tests.
 */
#pragma once

#include "core/run.h"
#include "target.h"

/*
 * Have the process @pid, stopped behind exec, begin with its stack and its heap (the break, where
 * malloc's first pieces lie) as much further on as @layout says. *@ret: where they begin now.
 * ERR_TARGET.
 */
bool launch_layout_arrange(struct target *target, pid_t pid, const struct run_layout *layout,
			   struct run_layout *ret, struct err *err);
