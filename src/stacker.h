/*
 * Making the stack of a process: joins what the debug information knows with what a held process has.
 *
 * Reading debug information takes long, and the process may be held for a moment only. So it is held several
 * times: after each hold everything that it would have taken to read it whole is found out, and in the
 * next one is at hand. What is told comes from the last hold alone.
 */
#ifndef FATHOM_STACKER_H
#define FATHOM_STACKER_H

#include "base/err.h"
#include "core/stack.h"
#include "dwarf/build.h"
#include "trace/snapshot.h"

struct stacker;

/*
 * For the process @pid. Of @request, which is borrowed, the limits, globals, wishes and debuginfo_path are used. @times: find out
 * how long calls have been open.
 */
struct stacker *stacker_create(pid_t pid, const struct catalogue_request *request, bool times);

/* What is known already of the program's code is not read again. Errors as snapshot_take(); then @stacker must not be used or destroyed any more. */
bool stacker_take(struct stacker *stacker, struct stack **ret, struct err *err);

/* The same of a process that somebody else holds, as long as it takes; nothing is known of times. */
struct stack *stacker_take_halted(struct stacker *stacker, struct snapshot *snapshot);

void stacker_destroy(struct stacker *stacker); /* NULL is fine */

#endif
