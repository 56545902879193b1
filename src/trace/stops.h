/*
 * What a stop leads to. Private to trace/ and its tests.
 */
#ifndef FATHOM_TRACE_STOPS_H
#define FATHOM_TRACE_STOPS_H

#include "trace/engine.h"

void stop_dispatch(struct session *session, const struct stop *stop);

#endif
