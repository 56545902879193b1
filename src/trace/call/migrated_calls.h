/*
 * Calls that go on in another thread than the one they began in. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/*
 * The open call of @function at @cfa that began in another thread of the process, or the one
 * that waits for a return to @pc there; @tracee's from now on. NULL: none.
 */
struct open_call *migrated_calls_find(struct tracee *tracee, unsigned function, uint64_t cfa);
struct open_call *migrated_calls_find_waiting(struct tracee *tracee, uint64_t pc, uint64_t cfa);
/* @tracee is gone, its process is not: calls on other stacks than its own may go on elsewhere. */
void migrated_calls_keep(struct tracee *tracee);
