/*
 * What /proc says of a tracee beyond proc_file.h: memory, program, threads and children. Source:
 * proc(5).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "proc_file.h"

struct region {
	uint64_t low, high; /* [low, high) */
	bool code;          /* can be executed */
};

/* A mapped piece of a file. */
struct mapped_file {
	uint64_t low, high; /* [low, high) */
	uint64_t offset;    /* of `low` in the file */
	uint64_t device, inode;
	bool code; /* can be executed */
	const char *path;
};

/* As in struct target_ops. */
size_t proc_regions(pid_t tid, struct region **ret);
bool proc_region_at(pid_t tid, uint64_t address, struct region *ret);
size_t proc_files(pid_t tid, struct arena *arena, struct mapped_file **ret);
uint64_t proc_auxiliary(pid_t tid, uint64_t type);

const char *proc_executable(pid_t tid, struct arena *arena);

/* The thread ids of process @pid, ascending; the caller frees *@ret. 0: no such process. */
size_t proc_threads(pid_t pid, pid_t **ret);

/* The living child processes of the thread @tid of @pid; the caller frees *@ret. */
size_t proc_children(pid_t pid, pid_t tid, pid_t **ret);

/*
 * The processor that a thread ran on last; -1: unknown. Of one that is asked for often, by its
 * open stat, which is the caller's; -1: it cannot be opened.
 */
int proc_processor(pid_t tid);
int proc_open_own(pid_t tid);
int proc_processor_by(int fd);

/* Has the process a ring of io_uring? What it transfers by that passes all functions by. */
bool proc_has_ring(pid_t pid);
