/* Which call a tracee is in. */
#pragma once

#include "trace/state/engine.h"

/*
 * The innermost open call that @tracee is in; its registers must have been read. It may have begun
 * in another thread. Calls waiting after a tail call are skipped. NULL: none.
 */
struct open_call *frame_lookup_find(struct tracee *tracee);
