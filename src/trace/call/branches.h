/*
 * Where branches of calls lead. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/*
 * Probes of function @index are planted after its entry's and lifted after them; @tid is any
 * stopped tracee. Calls that are open then do not say of branches that they did not come to them.
 */
void branches_set_up(struct session *session, struct measured_function *measured);
void branches_plant(struct inferior *inferior, pid_t tid, unsigned index);
void branches_lift(struct inferior *inferior, pid_t tid, unsigned index);
void branches_begin(const struct tracee *tracee, struct open_call *call);
/* @tracee has hit @breakpoint, a branch's. */
void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/* It will be hit again: the instruction has not run. */
void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint);
/*
 * What @call, which ends, says of all branches of its function; the caller frees it. NULL: nothing.
 */
struct value *branches_end(const struct tracee *tracee, const struct open_call *call);
