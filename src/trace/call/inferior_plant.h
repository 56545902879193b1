/* Planting the breakpoints of a module's functions. */
#pragma once

#include "trace/state/engine.h"

/* @tid: any stopped tracee. Failures become notes. */
void inferior_plant(struct inferior *inferior, pid_t tid, unsigned module);
void inferior_plant_function(struct inferior *inferior, pid_t tid, unsigned index);
