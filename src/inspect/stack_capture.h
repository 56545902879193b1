/*
 * Captures the stack of a process: joins debug information with the memory of the stopped process.
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
 * Takes a snapshot of a process that stays stopped until the snapshot is destroyed. Errors as
 * snapshot_take().
 */
struct stack_capture_source {
	bool (*take)(void *self, pid_t pid, struct snapshot **ret, struct err *err);
	void *self;
};

/*
 * For the process @pid. Uses the limits, globals, required features and debuginfo_path of @request,
 * which is borrowed. @times: find out how long calls have been open.
 */
struct stack_capture *stack_capture_create(pid_t pid, const struct catalogue_request *request,
					   bool times);
void stack_capture_destroy(struct stack_capture *capture); /* NULL is fine */

/*
 * Debug information that is known already is not read again. @source: stops the process, and then
 * no times are known; NULL: we stop it. Errors as snapshot_take(); after one without a source,
 * @capture must not be used or destroyed any more.
 */
bool stack_capture_take(struct stack_capture *capture, const struct stack_capture_source *source,
			struct stack **ret, struct err *err);

/* All of that at once, without times. */
bool stack_capture_run_with(pid_t pid, const struct catalogue_request *request,
			    const struct stack_capture_source *source, struct stack **ret,
			    struct err *err);
bool stack_capture_run(pid_t pid, const struct catalogue_request *request, struct stack **ret,
		       struct err *err);
