/*
 * Who else runs in the memory of a process that is attached to: children of vfork(2) and the like.
 */
#ifndef FATHOM_TRACE_ATTACH_H
#define FATHOM_TRACE_ATTACH_H

#include "trace/target.h"

/* As borrowers() in struct target_ops. */
size_t attach_borrowers(pid_t pid, pid_t **ret);

#endif
