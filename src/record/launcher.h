/* Measures a program from launch to end, for `run` and `check` of a program. */
#pragma once

#include "measure.h"

/*
 * Find the program `name` of @m: its path, and the interpreter if it is a script. Rights that it
 * will not have are said. ERR_IO: none can be executed.
 */
bool launcher_find(struct measurement *m, struct err *err);

/*
 * Launch the command line in the arguments of @m's options, forward signals to it, and
 * measure_to_end(). ERR_IO: there is no such program; errors of record/measure.h; ERR_TARGET.
 */
bool launcher_measure(struct measurement *m, struct err *err);
