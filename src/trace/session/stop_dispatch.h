/* What a stop leads to. */
#pragma once

#include "trace/state/engine.h"

void stop_dispatch(struct session *session, const struct stop *stop);
