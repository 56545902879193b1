/* Measuring by the processor's debug registers: what they suffice for. */
#pragma once

#include "trace/session.h"

/*
 * Do the debug registers suffice for all functions of @catalogue (NULL: none), and can @options be
 * had with them? True unless @options asks for them. ERR_USAGE.
 */
bool hardware_fits(const struct catalogue *catalogue, const struct session_options *options,
		   struct err *err);
