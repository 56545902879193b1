/* The copy of this process whose functions calibration measures. */
#pragma once

#include <sched.h>

#include "calibrate_inferior.h"
#include "trace/session.h"

struct calibrate_copy;

/*
 * Launch it, to call the functions as @calls does, and measure them: those for stops, if @options
 * say so, else those for pads. NULL: ERR_TARGET.
 */
struct calibrate_copy *calibrate_copy_launch(const struct session_options *options,
					     void (*calls)(void), struct err *err);
struct session *calibrate_copy_session(const struct calibrate_copy *copy);
enum role calibrate_copy_role(const struct calibrate_copy *copy, const struct call_record *call);
void calibrate_copy_destroy(struct calibrate_copy *copy);

/* Keep this process, and copies launched from now on, to @processor; @ret_before: what it had. */
bool calibrate_keep_to(int processor, cpu_set_t *ret_before);
