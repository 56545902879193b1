/*
 * Which modules of the catalogue are mapped in an inferior, and where. Private to trace/ and its
 * tests.
 */
#pragma once

#include "trace/state/engine.h"

/*
 * When the image is set; when the program starts, or was found running; when the loader has done
 * something.
 */
void inferior_modules_init(struct inferior *inferior);
void inferior_modules_start(struct inferior *inferior, pid_t tid);
void inferior_modules_changed(struct inferior *inferior, pid_t tid);
/*
 * The image has another catalogue, whose module i is @before[i] (NULL: a new one): what is mapped
 * already is looked for.
 */
void inferior_modules_replace(struct inferior *inferior,
			      const struct inferior_module *const *before);
void inferior_modules_find(struct inferior *inferior, pid_t tid);
