/*
 * Snapshots: all threads of a process are held for a moment, and looked at.
 *
 * Its memory is never written to: threads are seized, interrupted, and let go, and the kernel does
 * that by itself if we die. The threads are held by a thread of ours that ends with the hold, so
 * that also those that could not be stopped in time are surely let go.
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

/* A process is held for less than 100 ms; what is not known by then stays unknown. */
enum {
	SNAPSHOT_STOP_MS = 55,  /* to stop the threads */
	SNAPSHOT_LOOK_MS = 80,  /* from the start of the hold: nothing is read any more */
	SNAPSHOT_STUCK_MS = 95, /* a read that does not come back is given up */
	SNAPSHOT_NAME = 16,
};

struct stopped_thread {
	pid_t tid;
	char name[SNAPSHOT_NAME];
	char state;      /* proc(5); of threads that did not stop */
	bool is_held;    /* the rest is known */
	bool is_stopped; /* it was stopped before, by a signal */
	int signal;      /* that is about to be delivered; 0: none */
	bool is_calling; /* it waits in the system call `call` */
	uint64_t call;   /* its number */
	uint64_t arguments[6];
	uint64_t registers[PLAN_REGISTERS];
	uint64_t unknown; /* bit N: register N is not known */
	struct user_regs_struct raw;
};

/* A file that is mapped, or what the kernel maps ("[vdso]"). */
struct mapped_module {
	uint64_t low;      /* where its first byte is */
	const char *path;  /* as the process names it */
	const char *opens; /* as we can open it; NULL: its file is gone, or cannot be reached */
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
	struct stopped_thread
		*threads; /* sorted as the kernel lists them, the first thread first */
	size_t n_threads;
	struct memory memory; /* of the process, through copied pages */
	bool is_halted;       /* by a session: it is held as long as anybody looks */
	uint64_t began_ns, held_ns;
	struct snapshot_pages *pages; /* private */
};

/*
 * Hold @pid, call @look (NULL: nothing), and let it go. @look runs in another thread than the
 * caller, and shall end when snapshot_is_late(). What @ret has been filled with stays: its memory
 * is that of the hold for what was read, and beyond that of the running process. @earlier (NULL:
 * none): the hold before. ERR_TARGET, ERR_NOT_FOUND and ERR_UNSUPPORTED as ptrace_access.h says.
 * After a failure @look may still be at work, stuck in a read: nothing that it uses, nor @earlier,
 * may be freed then.
 */
bool snapshot_take(pid_t pid, const struct snapshot *earlier,
		   void (*look)(void *self, struct snapshot *snapshot), void *self,
		   struct snapshot **ret, struct err *err);
/* One without threads, for who holds them himself. */
struct snapshot *snapshot_create(pid_t pid);
void snapshot_destroy(struct snapshot *snapshot); /* NULL is fine */

/*
 * From now on, memory that was not copied while the process was held is read as it is now.
 * Otherwise that fails, and snapshot_refused() counts it.
 */
void snapshot_unlimit(struct snapshot *snapshot);
size_t snapshot_refused(const struct snapshot *snapshot);

/* Has the process been held as long as it may be? */
bool snapshot_is_late(const struct snapshot *snapshot);

/* The modules of @pid as of now, in @arena. Of one that is mapped twice each place is one. */
void mapped_modules_read(pid_t pid, struct arena *arena, struct mapped_modules *ret);
void mapped_modules_deinit(struct mapped_modules *modules);

/* The module that has @address as code; NULL: none. */
const struct mapped_module *mapped_modules_find(const struct mapped_modules *modules,
						uint64_t address);
