/* What pads cost. */
#pragma once

#include "trace/session.h"

/* For a session with @options. All 0 if that cannot have pads. Takes some 20 ms. */
void calibrate_pads(const struct session_options *options, struct pad_calibration *ret);
