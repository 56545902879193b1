/*
 * What /proc says of a tracee beyond proc_file.h: its memory, program, threads and children; see proc(5).
 */
#ifndef FATHOM_TRACE_PROC_H
#define FATHOM_TRACE_PROC_H

#include "trace/proc_file.h"
#include "trace/target.h"

/* As in struct target_ops. */
size_t proc_regions(pid_t tid, struct region **ret);
size_t proc_files(pid_t tid, struct arena *arena, struct mapped_file **ret);
uint64_t proc_auxiliary(pid_t tid, uint64_t type);

const char *proc_executable(pid_t tid, struct arena *arena);

/* The thread ids of process @pid, ascending; the caller frees *@ret. 0: there is no such process. */
size_t proc_threads(pid_t pid, pid_t **ret);

/* The processes that the thread @tid of @pid started, while they live, as above. */
size_t proc_children(pid_t pid, pid_t tid, pid_t **ret);

#endif
