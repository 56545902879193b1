/*
 * The target: all that the session requests of a process under ptrace, in one table.
 *
 * The seam for tests: ptrace_target.c does it with the kernel, tests/scripted_target.c from a
 * script.
 *
 * Tracees must be stopped for most calls. These return false when the tracee is gone (a SIGKILL
 * ends even stopped ones); a later wait() reports its end, so the caller just abandons its work.
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
#include "debug_registers.h"
#include "trace/kernel/proc.h"
#include "trace/kernel/stream_position.h"
#include "trace/kernel/wait_status.h"
#include "trace/kernel/sigtrap.h"
#include "recovery.h"

struct remote_call {
	uint64_t number; /* of the system call */
	uint64_t arguments[6];
	uint64_t code;                /* three code bytes that may be overwritten meanwhile */
	enum recovery_area_kind area; /* mmap(2), munmap(2): what the memory is for */
};

struct memory_write {
	uint64_t address; /* run-time */
	const void *from;
	size_t size;
};

enum wait_result {
	WAIT_STOP,    /* a tracee stopped, or it or a child of ours ended */
	WAIT_NOTHING, /* a signal interrupted us, or the time is over */
	WAIT_NOBODY,  /* there is nothing to wait for */
};

/* The sender of the signal that stopped a tracee. */
enum signal_sender {
	SENDER_OTHER,
	SENDER_TERMINAL,
	SENDER_US,
	SENDER_FAULT, /* the instruction at the PC */
};

struct target_ops {
	/*
	 * Wait for the next stop of any tracee, in the order seen, so that none starves. @until_ns:
	 * the deadline on now_ns()'s clock; 0: none.
	 */
	enum wait_result (*wait)(void *self, uint64_t until_ns, struct stop *ret);
	/* @ret_ns: the time just before it was resumed. */
	bool (*resume)(void *self, pid_t tid, int signal, uint64_t *ret_ns);
	bool (*listen)(void *self, pid_t tid);
	/*
	 * Seize the children that run in the memory of process @pid, while its threads are stopped
	 * (else one may just be forking). The caller frees the ids.
	 */
	size_t (*borrowers)(void *self, pid_t pid, pid_t **ret);
	/* Send a signal to a process. */
	bool (*send)(void *self, pid_t pid, int signal);
	enum signal_sender (*sender)(void *self, pid_t tid);
	/* Would @signal, about to be delivered to @tid, end its process? */
	bool (*is_fatal)(void *self, pid_t tid, int signal);
	/* Would it stop the process, and so be void if that is continued first? */
	bool (*is_stop)(void *self, pid_t tid, int signal);
	/* Have a running tracee stop soon. Used for halts and for leaving. */
	bool (*interrupt)(void *self, pid_t tid);
	/* @signal is delivered then; 0: none */
	bool (*detach)(void *self, pid_t tid, int signal);
	bool (*get_registers)(void *self, pid_t tid, struct user_regs_struct *ret);
	bool (*set_registers)(void *self, pid_t tid, const struct user_regs_struct *registers);
	bool (*set_debug)(void *self, pid_t tid, const struct debug_registers *wanted);
	bool (*get_xmm)(void *self, pid_t tid, uint64_t ret[16]); /* low halves */
	/*
	 * See struct memory. What is read includes our int3s. Returns the number of system calls:
	 * one for up to 1024 readable pieces, and one more for each unreadable one.
	 */
	unsigned (*read)(void *self, pid_t tid, struct memory_read *reads, size_t n);
	/* Also where the inferior may not write. */
	bool (*write)(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size);
	/*
	 * All at once, where the inferior itself may write; its threads may run. False: not all
	 * could be written.
	 */
	bool (*write_many)(void *self, pid_t pid, const struct memory_write *writes, size_t n);
	/*
	 * Have the tracee execute one instruction (one turn of a repeated one), with all signals
	 * kept back meanwhile, and stop as it was stopped before. *@ret_signal: 0, or the signal
	 * that the instruction itself raised, which is dropped. False: it ended, or it would be in
	 * a system call, which may last.
	 */
	bool (*step)(void *self, pid_t tid, int *ret_signal);
	/* The same, until an instruction raises a signal: of code that makes no system calls. */
	bool (*run)(void *self, pid_t tid, int *ret_signal);
	/* Have the tracee, and the threads that it starts, stop before they end: STOP_EXITING. */
	bool (*tell_exits)(void *self, pid_t tid);
	/*
	 * Have the tracee make a system call; @ret is its result. Registers and code are restored.
	 */
	bool (*system_call)(void *self, pid_t tid, const struct remote_call *call, int64_t *ret);
	/* The mapped regions, sorted; the caller frees *@ret. 0: unknown. */
	size_t (*regions)(void *self, pid_t tid, struct region **ret);
	/* The one that holds @address, without reading all. False: none, or the kernel cannot. */
	bool (*region_at)(void *self, pid_t tid, uint64_t address, struct region *ret);
	/* The mapped pieces of files, by address, in @arena. 0: unknown. */
	size_t (*files)(void *self, pid_t tid, struct arena *arena, struct mapped_file **ret);
	/* A value of the auxiliary vector, AT_…; 0: unknown. */
	uint64_t (*auxiliary)(void *self, pid_t tid, uint64_t type);
	/* The tracee's seccomp state, as a number that changes only when that does. */
	uint64_t (*forbidden)(void *self, pid_t tid);
	/* Any but SYSTEM_THREADS and SYSTEM_CALL, at @now_ns; see system_values.h. */
	struct value (*machine)(void *self, pid_t tid, enum system_value which, uint64_t now_ns);
	/*
	 * How long, between these times of now_ns(), @tid had no processor though it could have
	 * run, as far as is known: from the first call for it on.
	 */
	uint64_t (*waited_ns)(void *self, pid_t tid, uint64_t from_ns, uint64_t to_ns);
	/* See tracee_run_time_certain(). */
	void (*certain_waits)(void *self);
	/* Of the descriptor @fd of process @pid; see stream_position.h. */
	bool (*stream)(void *self, pid_t pid, int fd, struct stream_position *ret);
	void (*counters)(void *self, pid_t tid, unsigned metrics, struct thread_counts *ret);
	/*
	 * Have the tracer share the processor of @tid, the only measured tracee; 0: no longer, and
	 * no timer signals come from waits.
	 */
	void (*share_processor)(void *self, pid_t tid);
	pid_t (*process)(void *self, pid_t tid); /* of a tracee; 0: unknown */
	pid_t (*parent)(void *self, pid_t tid);  /* of that process; 0: unknown */
	/* The executable of the process, in @arena; NULL: unknown. */
	const char *(*executable)(void *self, pid_t tid, struct arena *arena);
	/* Is it in uninterruptible sleep, or a zombie? */
	bool (*is_uninterruptible)(void *self, pid_t tid);
	/* Is the SIGTRAP of an int3 pending? */
	bool (*has_trap)(void *self, pid_t tid);
	/* Does a signal begin as soon as it is resumed, which came while we worked in it? */
	bool (*has_held)(void *self, pid_t tid);
	/* Is a signal about to be delivered that would interrupt a system call? */
	bool (*has_signal)(void *self, pid_t tid);
	/* Have the tracee, at a breakpoint, block SIGTRAP again if it did before; see sigtrap.h. */
	void (*block_trap)(void *self, pid_t tid);
	/* The same of @signal, which a fault in a pad has raised. */
	void (*block_fault)(void *self, pid_t tid, int signal);
	/* Would a fault change actions of its process that are not in @ours? See sigtrap.h. */
	bool (*holds_faults)(void *self, pid_t tid, uint64_t ours);
	/* Its process's action for @signal. */
	enum sigtrap_action (*action)(void *self, pid_t tid, int signal);
	/* The first process was detached: do not kill it in destroy(). */
	void (*spare)(void *self);
	uint64_t (*now_ns)(void *self);
	void (*destroy)(void *self); /* kills what is still traced of a launched target */
};

struct target {
	const struct target_ops *ops;
	void *self;
};

/*
 * The process @pid, whose threads are seized. destroy() kills it if it was launched and still runs.
 */
struct target ptrace_target(pid_t pid, bool launched);

/* Record temporary changes to threads in @guard, which may be NULL. */
void ptrace_target_set_recovery(struct target *target, struct recovery *guard);

/*
 * Seize all threads of the running process @pid, without stopping any. The caller frees the ids.
 * ERR_TARGET, with what to do; then nothing is seized.
 */
bool ptrace_target_attach(pid_t pid, struct target *ret, pid_t **ret_tids, size_t *ret_n,
			  struct err *err);
