/*
 * Which call a tracee is in. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/*
 * The innermost measured call that @tracee, whose registers were read, is in; one that waits after
 * a tail call is not. It may have begun in another thread. NULL: none.
 */
struct open_call *frame_lookup_find(struct tracee *tracee);
