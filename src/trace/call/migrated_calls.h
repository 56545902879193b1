/* Calls that go on in another thread than they began in. */
#pragma once

#include "trace/state/engine.h"

/*
 * The open call of @function at @cfa, or the one waiting for a return to @pc, that began in another
 * thread of the process; moved to @tracee. NULL: none.
 */
struct open_call *migrated_calls_find(struct tracee *tracee, unsigned function, uint64_t cfa);
struct open_call *migrated_calls_find_waiting(struct tracee *tracee, uint64_t pc, uint64_t cfa);
/* One with a CFA in (@low, @high], likewise. */
struct open_call *migrated_calls_find_between(struct tracee *tracee, uint64_t low, uint64_t high);
/* @tracee is gone, its process is not: make its calls on other stacks orphans. */
void migrated_calls_keep(struct tracee *tracee);
