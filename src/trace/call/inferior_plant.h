/*
 * The breakpoints of the functions of a module. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/* Plant all in the stopped @tid; failures become notes. */
void inferior_plant(struct inferior *inferior, pid_t tid, unsigned module);
void inferior_plant_function(struct inferior *inferior, pid_t tid, unsigned index);
