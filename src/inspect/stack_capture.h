/*
 * Making the stack of a process: joins what the debug information knows with what a held process
 * has.
 *
 * Reading debug information takes long, and the process may be stopped for a moment only. So it is
 * stopped several times: between stops the debug information found missing is read. The result
 * comes from the last stop alone.
 */
#pragma once

#include "base/err.h"
#include "core/verdict/stack.h"
#include "dwarf/catalogue_build.h"
#include "trace/snapshot.h"

struct stack_capture;

/*
 * How the process is held; a snapshot of it while it is, and stays so until that is destroyed.
 * Errors as snapshot_take().
 */
struct stack_capture_source {
	bool (*take)(void *self, pid_t pid, struct snapshot **ret, struct err *err);
	void *self;
};

/*
 * For the process @pid. Of @request, which is borrowed, the limits, globals, required features and
 * debuginfo_path are used. @times: find out how long calls have been open.
 */
struct stack_capture *stack_capture_create(pid_t pid, const struct catalogue_request *request,
					   bool times);
void stack_capture_destroy(struct stack_capture *stacker); /* NULL is fine */

/*
 * What is known already of the program's code is not read again. @source: who holds the process, of
 * whose calls no times are known then; NULL: nobody does. Errors as snapshot_take(): after them a
 * stacker without a source must not be used or destroyed any more.
 */
bool stack_capture_take(struct stack_capture *stacker, const struct stack_capture_source *source,
			struct stack **ret, struct err *err);

/* All of that at once, without times. */
bool stack_capture_run_with(pid_t pid, const struct catalogue_request *request,
			    const struct stack_capture_source *source, struct stack **ret,
			    struct err *err);
bool stack_capture_run(pid_t pid, const struct catalogue_request *request, struct stack **ret,
		       struct err *err);
