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

/* How the process is held; a snapshot of it while it is, and stays so until that is destroyed. Errors as snapshot_take(). */
struct stacker_source {
	bool (*take)(void *self, pid_t pid, struct snapshot **ret, struct err *err);
	void *self;
};

/* The same of a process that somebody else holds. */
bool stacker_run_with(pid_t pid, const struct catalogue_request *request,
		      const struct stacker_source *source, struct stack **ret, struct err *err);

/* Of @request the limits, globals and debuginfo_path are used. Errors as snapshot_take(). */
bool stacker_run(pid_t pid, const struct catalogue_request *request, struct stack **ret,
		 struct err *err);

#endif
