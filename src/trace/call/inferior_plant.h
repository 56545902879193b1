/* Planting the breakpoints of a module's functions. */
#pragma once

#include "trace/state/engine.h"

/* @tid: any stopped tracee. Failures become notes. */
void inferior_plant(struct inferior *inferior, pid_t tid, unsigned module);
void inferior_plant_function(struct inferior *inferior, pid_t tid, unsigned index);
/* The stops at lines of a function that is mapped; lifting is of those that it has. */
void inferior_plant_lines(struct inferior *inferior, pid_t tid, unsigned index);
void inferior_lift_lines(struct inferior *inferior, pid_t tid, unsigned index);
