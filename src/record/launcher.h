/*
 * Measuring a program from its launch to its end: what `run`, and `check` of a program, have in
 * common.
 */
#pragma once

#include "measure.h"

/*
 * Find the program `name` of @m: its path, and the interpreter if it is a script. ERR_IO: there is
 * none that can be executed.
 */
bool launcher_find(struct measurement *m, struct err *err);

/*
 * Launch the program that the arguments of @m's options are the command line of, and measure it to
 * its end, as measure_to_end() has it. Signals to us are forwarded to it meanwhile. ERR_IO: there
 * is no such program; errors of record/measure.h; ERR_TARGET.
 */
bool launcher_measure(struct measurement *m, struct err *err);
