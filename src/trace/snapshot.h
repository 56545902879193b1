/*
 * Snapshots: all threads of a process are stopped for a moment, and looked at.
 *
 * Its memory is never written: threads are seized, interrupted, and detached, which the kernel does
 * by itself if we die. A helper thread of ours traces them and ends with the snapshot, so that also
 * threads which did not stop in time are released.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"
#include "base/arena.h"
#include "core/plan/plan_runner.h"

/* A process is stopped for less than 100 ms; what is unknown by then stays unknown. */
enum {
	SNAPSHOT_STOP_MS = 55,  /* to stop the threads */
	SNAPSHOT_LOOK_MS = 80,  /* from the start; nothing is read afterwards */
	SNAPSHOT_STUCK_MS = 95, /* a stuck read is given up */
	SNAPSHOT_NAME = 16,
};

struct stopped_thread {
	pid_t tid;
	char name[SNAPSHOT_NAME];
	char state;             /* proc(5); of threads that did not stop */
	bool is_held;           /* the rest is known */
	bool is_stopped;        /* by a signal, before */
	int signal;             /* about to be delivered; 0: none */
	double processor_share; /* as in struct stack_thread */
	bool is_calling;        /* in system call `call` */
	uint64_t call;          /* its number */
	uint64_t arguments[6];
	uint64_t registers[PLAN_REGISTERS];
	uint64_t unknown; /* bit N: register N is unknown */
	struct user_regs_struct raw;
};

/* A file that is mapped, or what the kernel maps ("[vdso]"). */
struct mapped_module {
	uint64_t low;      /* address of its first byte */
	const char *path;  /* as the process names it */
	const char *opens; /* as we can open it; NULL: deleted, or unreachable */
};

struct mapped_modules {
	const struct mapped_module *list;
	size_t n;
	const struct mapped_code {
		uint64_t low, high; /* [low, high) */
		size_t module;      /* index */
	} * code;
	size_t n_code;
	int vdso_fd; /* private */
};

struct snapshot {
	pid_t pid;
	struct stopped_thread *threads; /* in the kernel's order, the first thread first */
	size_t n_threads;
	struct memory memory; /* of the process, through copied pages */
	bool is_halted;       /* by a session, which keeps it stopped */
	uint64_t began_ns, held_ns;
	struct snapshot_pages *pages; /* private */
};

/*
 * Stop @pid, call @look (NULL: nothing), and resume it. @look runs in another thread than the
 * caller, and must end when snapshot_is_late(). @ret keeps what was read while stopped; other
 * memory is read from the running process. @earlier (NULL: none): the snapshot before. ERR_TARGET,
 * ERR_NOT_FOUND and ERR_UNSUPPORTED as in ptrace_access.h. After a failure @look may still be stuck
 * in a read: then free neither what it uses nor @earlier.
 */
bool snapshot_take(pid_t pid, const struct snapshot *earlier,
		   void (*look)(void *self, struct snapshot *snapshot), void *self,
		   struct snapshot **ret, struct err *err);
/* One without threads, for a caller that has stopped them itself. */
struct snapshot *snapshot_create(pid_t pid);
void snapshot_destroy(struct snapshot *snapshot); /* NULL is fine */

/*
 * From now on, read memory that was not copied in the stop as it is now. Otherwise that fails, and
 * snapshot_refused() counts it.
 */
void snapshot_unlimit(struct snapshot *snapshot);
size_t snapshot_refused(const struct snapshot *snapshot);

/* Is the time to look over? */
bool snapshot_is_late(const struct snapshot *snapshot);

/* The modules of @pid as of now, in @arena. A file mapped at two places is two modules. */
void mapped_modules_read(pid_t pid, struct arena *arena, struct mapped_modules *ret);
void mapped_modules_deinit(struct mapped_modules *modules);

/* The module that has @address as code; NULL: none. */
const struct mapped_module *mapped_modules_find(const struct mapped_modules *modules,
						uint64_t address);
