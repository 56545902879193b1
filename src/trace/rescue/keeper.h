/*
 * The keeper: a third process, which does the supervisor's work if that is killed together with the
 * tracer, or while it does it. Until then it sleeps.
 */
#pragma once

#include "trace/target/recovery.h"

/*
 * By the supervisor. The keeper ends after it and @tracer; if @table has not `ended` then, it has
 * freed what was traced. Without it, which is no error, threads go on by lifeline_trap.h alone.
 */
void keeper_start(struct recovery_table *table, pid_t tracer);
