/*
 * The live target behind target.h: its state, shared by ptrace_target.c (requests), ptrace_fetch.c
 * and ptrace_wait.c (stops), ptrace_memory.c, ptrace_signal.c, ptrace_step.c and ptrace_syscall.c
 * (injected system calls). Private to them.
 */
#pragma once

#include <signal.h>

#include "trace/counters.h"
#include "base/clock.h"
#include "recovery.h"
#include "trace/kernel/system_values.h"
#include "cpu_affinity.h"
#include "register_cache.h"
#include "trace/kernel/tracee_run_time.h"
#include "target.h"

/* A signal that arrived while a remote system call ran; delivered with the next resume. */
struct deferred_signal {
	pid_t tid;
	int signal;
};

enum { RECENT_MOST = 64 };

/* A tracee that has stopped lately. */
struct recent_tracee {
	pid_t tid;
	unsigned missed; /* how often it was asked in vain since */
};

/* How stops of many tracees become known (ptrace_fetch.c). */
struct tracee_news {
	pid_t *tids; /* the tracees */
	size_t n, capacity;
	bool on; /* SIGCHLD tells us; what was before: */
	bool was_blocked;
	struct sigaction action;
	struct recent_tracee recent[RECENT_MOST];
	size_t n_recent;
	uint64_t walk_ns; /* what walking through all takes */
	uint64_t gap_ns;  /* between the last two walks */
	uint64_t due_ns;  /* the next one */
};

struct ptrace_target {
	pid_t pid; /* first process */
	bool launched;
	bool alone;       /* one tracee only */
	bool tells_exits; /* by STOP_EXITING */
	pid_t memory_tid; /* whose /proc/TID/mem is open */
	int memory_fd;    /* -1: not open */
	int first_fd;     /* the same of the first process, open from the start; -1: not open */
	struct cpu_affinity share;
	struct register_cache registers;
	struct recovery *guard; /* NULL: none */
	struct system_values *machine;
	struct tracee_run_time *run_clock;
	struct counters *counters;
	struct clock_timer alarm;
	struct stop *stops; /* seen, not yet returned: n_stops from first_stop on */
	size_t first_stop, n_stops, stops_capacity;
	struct tracee_news news;
	struct deferred_signal *held;
	size_t n_held, held_capacity;
};

/* As in struct target_ops; @self is a struct ptrace_target. */
bool ptrace_signal_send(void *self, pid_t pid, int signal);
enum signal_sender ptrace_signal_sender(void *self, pid_t tid);
bool ptrace_signal_is_fatal(void *self, pid_t tid, int signal);
bool ptrace_signal_is_stop(void *self, pid_t tid, int signal);
uint64_t ptrace_wait_now_ns(void *self);
enum wait_result ptrace_wait(void *self, uint64_t until_ns, struct stop *ret);
unsigned ptrace_memory_read(void *self, pid_t tid, struct memory_read *reads, size_t n);
bool ptrace_memory_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size);
bool ptrace_memory_write_many(void *self, pid_t pid, const struct memory_write *writes, size_t n);
bool ptrace_step(void *self, pid_t tid, int *ret_signal);
bool ptrace_step_run(void *self, pid_t tid, int *ret_signal);
bool ptrace_syscall(void *self, pid_t tid, const struct remote_call *call, int64_t *ret);
uint64_t ptrace_syscall_forbidden(void *self, pid_t tid);

/* The ptrace options of its tracees. */
long ptrace_wait_options(const struct ptrace_target *live);

/* An int3 reports SI_KERNEL on x86; a sent SIGTRAP does not. */
bool ptrace_wait_is_breakpoint(const struct stop *stop);
/*
 * If @stop is for a signal that a tracee was about to get while a remote call or a step ran:
 * deliver it with the next resume. Returns the signal that it must get at once: SIGSTOP, as a
 * SIGCONT that comes before it would be lost, and the process stopped for ever. 0: none.
 */
int ptrace_wait_hold_signal(struct ptrace_target *live, const struct stop *stop);
/* Wait for the next stop or end of @tid alone. False: it is not ours. */
bool ptrace_wait_for_one(struct ptrace_target *live, pid_t tid, struct stop *ret);
/* Close the file for writing memory, which is stale; open that of the first process for good. */
void ptrace_memory_forget(struct ptrace_target *live);
void ptrace_memory_open(struct ptrace_target *live);

/* Another tracee; one that has ended, or is let go. */
void ptrace_fetch_add(struct ptrace_target *live, pid_t tid);
void ptrace_fetch_remove(struct ptrace_target *live, pid_t tid);
/* Queue a seen stop; earlier ones of its tracee are obsolete. */
void ptrace_fetch_keep_stop(struct ptrace_target *live, const struct stop *stop);
/* Queue the stops that there are, or the first one until @until_ns (as in struct target_ops). */
enum wait_result ptrace_fetch(struct ptrace_target *live, uint64_t until_ns);
/* Stops are to be expected of any tracee. */
void ptrace_fetch_soon(struct ptrace_target *live);
void ptrace_fetch_deinit(struct ptrace_target *live);
