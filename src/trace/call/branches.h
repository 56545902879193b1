/* Where branches of calls lead. */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/*
 * Probes of function @index are planted after its entry's and lifted after them; @tid: any stopped
 * tracee. Calls open then do not report branches without a hit as not reached.
 */
void branches_set_up(struct session *session, struct measured_function *measured);
void branches_plant(struct inferior *inferior, pid_t tid, unsigned index);
void branches_lift(struct inferior *inferior, pid_t tid, unsigned index);
void branches_begin(const struct tracee *tracee, struct open_call *call);
/* @tracee has hit the branch probe @breakpoint. */
void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/* Undo this: the instruction has not run and will hit again. */
void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint);
/*
 * [branches of its function] values of the ending @call, owned by the caller; NULL: not measured.
 */
struct value *branches_end(const struct tracee *tracee, const struct open_call *call);
