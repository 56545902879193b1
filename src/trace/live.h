/*
 * The live target behind target.h: its state, shared by target_live.c (requests), live_wait.c (stops),
 * live_memory.c and live_call.c (system calls that a tracee makes for us). Private to them.
 */
#ifndef FATHOM_TRACE_LIVE_H
#define FATHOM_TRACE_LIVE_H

#include "trace/counters.h"
#include "base/clock.h"
#include "trace/guard.h"
#include "trace/machine.h"
#include "trace/processor.h"
#include "trace/register_cache.h"
#include "trace/run_clock.h"
#include "trace/target.h"

/* A signal that arrived while a remote system call ran; delivered with the next resume. */
struct held_signal {
	pid_t tid;
	int signal;
};

struct live {
	pid_t pid; /* of the first process */
	bool launched;
	bool alone;       /* there is one tracee */
	pid_t memory_tid; /* whose /proc/TID/mem is open */
	int memory_fd;    /* -1: not open */
	int first_fd;     /* the same of the first process, open from the start; -1: not open */
	struct processor_share share;
	struct register_cache registers;
	struct guard *guard; /* NULL: none */
	struct machine *machine;
	struct run_clock *run_clock;
	struct counters *counters;
	struct clock_timer alarm;
	struct stop *stops; /* seen, and not told yet */
	size_t n_stops, stops_capacity;
	struct held_signal *held;
	size_t n_held, held_capacity;
};

/* As in struct target_ops; @self is a struct live. */
bool live_send(void *self, pid_t pid, int signal);
enum signal_sender live_sender(void *self, pid_t tid);
bool live_is_fatal(void *self, pid_t tid, int signal);
uint64_t live_now_ns(void *self);
enum wait_result live_wait(void *self, uint64_t until_ns, struct stop *ret);
unsigned live_read(void *self, pid_t tid, struct memory_read *reads, size_t n);
bool live_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size);
bool live_system_call(void *self, pid_t tid, const struct remote_call *call, int64_t *ret);
uint64_t live_forbidden(void *self, pid_t tid);

/* An int3 reports SI_KERNEL on x86; a SIGTRAP that somebody sent does not. */
bool live_is_breakpoint(const struct stop *stop);
/* A stop that was seen, and is told by live_wait(). */
void live_keep_stop(struct live *live, const struct stop *stop);
/* The file through which memory is written is stale; open that of the first process for good. */
void live_forget_memory(struct live *live);
void live_open_first(struct live *live);

#endif
