/* What a stop costs that ends a call that a pad began. */
#pragma once

#include "trace/session.h"

/*
 * For a session with @options, whose stops and pads are calibrated: sets `ended`, and makes the
 * resolutions worse where its are. Takes some 20 ms.
 */
void calibrate_mixed(const struct session_options *options, struct calibration *calibration);
