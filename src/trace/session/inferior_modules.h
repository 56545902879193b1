/* Which modules of the catalogue are mapped in an inferior, and where. */
#pragma once

#include "trace/state/engine.h"

/* When the image is set; when the program starts or was found running; when the loader reports. */
void inferior_modules_init(struct inferior *inferior);
void inferior_modules_start(struct inferior *inferior, pid_t tid);
void inferior_modules_changed(struct inferior *inferior, pid_t tid);
/* Before probes are lifted or the memory ends: say which functions have lost theirs. */
void inferior_modules_say_replaced(struct inferior *inferior, pid_t tid);
/*
 * The image has a new catalogue, whose module i is @before[i] (NULL: new): find those already
 * mapped.
 */
void inferior_modules_replace(struct inferior *inferior,
			      const struct inferior_module *const *before);
void inferior_modules_find(struct inferior *inferior, pid_t tid);
