/*
 * The target: everything that the engine asks of a process under ptrace, behind one table.
 *
 * The seam for tests: target_live.c does it with the kernel, tests/scripted_target.c from a script.
 *
 * Calls on a tracee want it stopped. They return false when it is gone meanwhile (a SIGKILL takes
 * even stopped tracees); a later wait() reports its end, so the caller just drops what it was
 * doing.
 */
#ifndef FATHOM_TRACE_TARGET_H
#define FATHOM_TRACE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"
#include "base/mem.h"
#include "core/feature.h"
#include "core/plan_run.h"
#include "trace/stop.h"

struct region {
	uint64_t low, high; /* [low, high) */
	bool code;          /* can be executed */
};

/* A piece of a file that is mapped. */
struct mapped_file {
	uint64_t low, high; /* [low, high) */
	uint64_t offset;    /* of `low` in the file */
	uint64_t device, inode;
	bool code; /* can be executed */
	const char *path;
};

struct remote_call {
	uint64_t number; /* of the system call */
	uint64_t arguments[6];
	uint64_t code; /* where three bytes of code may be overwritten meanwhile */
};

struct target_ops {
	/* The next stop of any tracee. False: there are no tracees any more. */
	bool (*wait)(void *self, struct stop *ret);
	/* @ret_ns is when: the last thing that was done before. */
	bool (*resume)(void *self, pid_t tid, int signal, uint64_t *ret_ns);
	bool (*listen)(void *self, pid_t tid);
	bool (*detach)(void *self, pid_t tid);
	bool (*get_registers)(void *self, pid_t tid, struct user_regs_struct *ret);
	bool (*set_registers)(void *self, pid_t tid, const struct user_regs_struct *registers);
	bool (*get_xmm)(void *self, pid_t tid, uint64_t ret[16]); /* low halves */
	/*
	 * As in struct memory. Breakpoints are seen in what is read. Returns how many system calls it
	 * took: one for up to 1024 pieces that can be read, and one more for each that cannot.
	 */
	unsigned (*read)(void *self, pid_t tid, struct memory_read *reads, size_t n);
	/* Also where the inferior itself may not write. */
	bool (*write)(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size);
	/*
	 * Have the tracee make a system call; @ret is what it returned. Registers and code are as
	 * before.
	 */
	bool (*system_call)(void *self, pid_t tid, const struct remote_call *call, int64_t *ret);
	/* The mapped regions, sorted; the caller frees *@ret. 0: unknown. */
	size_t (*regions)(void *self, pid_t tid, struct region **ret);
	/* The pieces of files that are mapped, by address, in @arena. 0: unknown. */
	size_t (*files)(void *self, pid_t tid, struct arena *arena, struct mapped_file **ret);
	/* A value of the auxiliary vector, AT_…; 0: unknown. */
	uint64_t (*auxiliary)(void *self, pid_t tid, uint64_t type);
	/*
	 * Which system calls the tracee has forbidden itself, as a number that only changes when that
	 * does.
	 */
	uint64_t (*forbidden)(void *self, pid_t tid);
	/* SYSTEM_CPU_CLOCK, SYSTEM_LOAD or SYSTEM_FREE_MEMORY at @now_ns; see machine.h. */
	struct value (*machine)(void *self, pid_t tid, enum system_value which, uint64_t now_ns);
	/* Have the tracer run where @tid runs, the only measured tracee; 0: not any more. */
	void (*share_processor)(void *self, pid_t tid);
	pid_t (*process)(void *self,
			 pid_t tid); /* the process that a tracee belongs to; 0: unknown */
	uint64_t (*now_ns)(void *self);
	void (*destroy)(void *self); /* what is still traced of a launched target is killed */
};

struct target {
	const struct target_ops *ops;
	void *self;
};

/*
 * The process @pid, whose leader was seized and is stopped. Killed, if it still runs, when it is
 * destroyed.
 */
struct target target_live(pid_t pid);

/*
 * Launch @path with @argv, stopped right after exec; @ret_tid is its first tracee. The first stop
 * has been waited for. ERR_TARGET.
 */
bool target_launch(const char *path, char *const argv[], struct target *ret, pid_t *ret_tid,
		   struct err *err);

#endif
