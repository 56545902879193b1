/*
 * The target: everything that the engine asks of a process under ptrace, behind one table.
 *
 * The seam for tests: ptrace_target.c does it with the kernel, tests/scripted_target.c from a
 * script.
 *
 * Calls on a tracee want it stopped. They return false when it is gone meanwhile (a SIGKILL takes
 * even stopped tracees); a later wait() reports its end, so the caller just drops what it was
 * doing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"
#include "base/arena.h"
#include "core/feature.h"
#include "core/plan/plan_runner.h"
#include "trace/counters.h"
#include "trace/kernel/proc.h"
#include "trace/kernel/wait_status.h"
#include "trace/kernel/sigtrap.h"

struct remote_call {
	uint64_t number; /* of the system call */
	uint64_t arguments[6];
	uint64_t code; /* where three bytes of code may be overwritten meanwhile */
};

enum wait_result {
	WAIT_STOP,    /* a tracee stopped, or it or a child of ours is gone */
	WAIT_NOTHING, /* a signal came to this process, or the time is over */
	WAIT_NOBODY,  /* there is nobody to wait for */
};

/* Who sent the signal that a tracee has stopped for. */
enum signal_sender { SENDER_OTHER, SENDER_TERMINAL, SENDER_US };

struct target_ops {
	/*
	 * The next stop of any tracee, in the order in which they were noticed, so that none has to
	 * wait for ever. @until_ns: no longer than that; 0: as long as it takes.
	 */
	enum wait_result (*wait)(void *self, uint64_t until_ns, struct stop *ret);
	/* @ret_ns is when: the last thing that was done before. */
	bool (*resume)(void *self, pid_t tid, int signal, uint64_t *ret_ns);
	bool (*listen)(void *self, pid_t tid);
	/*
	 * Seize the children that run in the memory of process @pid, while its threads are held
	 * (one may just be giving birth otherwise). Their ids are the caller's to free.
	 */
	size_t (*borrowers)(void *self, pid_t pid, pid_t **ret);
	/* A signal for a process. */
	bool (*send)(void *self, pid_t pid, int signal);
	enum signal_sender (*sender)(void *self, pid_t tid);
	/* Would @signal, which is about to be delivered to @tid, end its process? */
	bool (*is_fatal)(void *self, pid_t tid, int signal);
	/* Have a running tracee stop soon. This and detach() with a signal are for leaving. */
	bool (*interrupt)(void *self, pid_t tid);
	/* @signal is delivered then; 0: none. */
	bool (*detach)(void *self, pid_t tid, int signal);
	bool (*get_registers)(void *self, pid_t tid, struct user_regs_struct *ret);
	bool (*set_registers)(void *self, pid_t tid, const struct user_regs_struct *registers);
	bool (*get_xmm)(void *self, pid_t tid, uint64_t ret[16]); /* low halves */
	/*
	 * As in struct memory. Breakpoints are seen in what is read. Returns how many system calls
	 * it took: one for up to 1024 pieces that can be read, and one more for each that cannot.
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
	 * Which system calls the tracee has forbidden itself, as a number that only changes when
	 * that does.
	 */
	uint64_t (*forbidden)(void *self, pid_t tid);
	/* SYSTEM_CPU_CLOCK, SYSTEM_LOAD or SYSTEM_FREE_MEMORY at @now_ns; see system_values.h. */
	struct value (*machine)(void *self, pid_t tid, enum system_value which, uint64_t now_ns);
	/* As counters_read(). */
	void (*counters)(void *self, pid_t tid, unsigned metrics, struct thread_counts *ret);
	/*
	 * Have the tracer run where @tid runs, the only measured tracee; 0: not any more, and no
	 * signal of a wait's comes.
	 */
	void (*share_processor)(void *self, pid_t tid);
	pid_t (*process)(void *self,
			 pid_t tid); /* the process that a tracee belongs to; 0: unknown */
	pid_t (*parent)(void *self, pid_t tid); /* of that process; 0: unknown */
	/* The file that the process runs, in @arena; NULL: unknown. */
	const char *(*executable)(void *self, pid_t tid, struct arena *arena);
	/*
	 * Does it sleep so that nothing but what it waits for wakes it, or has it ended before its
	 * process?
	 */
	bool (*is_uninterruptible)(void *self, pid_t tid);
	/* Has it executed an int3 and not said so yet? */
	bool (*has_trap)(void *self, pid_t tid);
	/* Is a signal about to be delivered that would interrupt a system call? */
	bool (*has_signal)(void *self, pid_t tid);
	/*
	 * The tracee, which hit a breakpoint, blocks SIGTRAP again if it did before; see sigtrap.h.
	 */
	void (*block_trap)(void *self, pid_t tid);
	/* What its process does about SIGTRAP. */
	enum sigtrap_action (*trap_action)(void *self, pid_t tid);
	/* The first process was let go: it is not killed any more when this is destroyed. */
	void (*spare)(void *self);
	uint64_t (*now_ns)(void *self);
	void (*destroy)(void *self); /* what is still traced of a launched target is killed */
};

struct recovery;

struct target {
	const struct target_ops *ops;
	void *self;
};

/*
 * The process @pid, whose threads are seized. One that was launched is killed, if it still runs,
 * when this is destroyed.
 */
struct target ptrace_target(pid_t pid, bool launched);

/* What threads are made to do or be for a moment is noted for @guard, which may be NULL. */
void ptrace_target_set_recovery(struct target *target, struct recovery *guard);

/*
 * Seize all threads of the running process @pid, without stopping any. Their ids are the caller's
 * to free. ERR_TARGET, with what to do; then nothing is seized.
 */
bool ptrace_target_attach(pid_t pid, struct target *ret, pid_t **ret_tids, size_t *ret_n,
			  struct err *err);
