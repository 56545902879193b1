/*
 * The target over ptrace(2): requests to tracees, and what /proc says of them. How tracing begins is
 * launch.c's and attach.c's matter.
 */
#include "trace/live.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/attach.h"
#include "trace/interrupted.h"
#include "trace/proc.h"

static int take_held(struct live *live, pid_t tid)
{
	size_t i;

	for (i = 0; i < live->n_held; i++) {
		int signal = live->held[i].signal;

		if (live->held[i].tid != tid)
			continue;
		live->held[i] = live->held[--live->n_held];
		return signal;
	}
	return 0;
}

static bool live_resume(void *self, pid_t tid, int signal, uint64_t *ret_ns)
{
	struct live *live = self;
	bool shared = processor_share_before(&live->share, tid, live_now_ns(self));
	bool resumed;

	if (!signal && live->n_held)
		signal = take_held(live, tid);
	register_cache_forget(&live->registers);
	*ret_ns = live_now_ns(self);
	run_clock_resumed(live->run_clock, tid, *ret_ns);
	resumed = ptrace(PTRACE_CONT, tid, NULL, (long)signal) == 0;
	if (shared)
		processor_share_after(&live->share, tid);
	return resumed;
}

static void live_counters(void *self, pid_t tid, unsigned metrics, struct thread_counts *ret)
{
	struct live *live = self;

	counters_read(live->counters, tid, metrics, ret);
}

static void live_share_processor(void *self, pid_t tid)
{
	struct live *live = self;

	live->alone = tid != 0;
	if (tid)
		processor_share_begin(&live->share, tid, live_now_ns(self));
	else
		processor_share_end(&live->share);
	if (!tid) {
		run_clock_several(live->run_clock);
		clock_timer_set(&live->alarm, 0, 0);
	}
}

static bool live_listen(void *self, pid_t tid)
{
	struct live *live = self;

	register_cache_forget(&live->registers);
	return ptrace(PTRACE_LISTEN, tid, NULL, NULL) == 0;
}

static size_t live_borrowers(void *self, pid_t pid, pid_t **ret)
{
	(void)self;
	return attach_borrowers(pid, ret);
}

static bool live_interrupt(void *self, pid_t tid)
{
	(void)self;
	return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
}

static bool live_detach(void *self, pid_t tid, int signal)
{
	struct live *live = self;

	if (!signal && live->n_held)
		signal = take_held(live, tid);
	register_cache_forget(&live->registers);
	counters_forget(live->counters, tid);
	return ptrace(PTRACE_DETACH, tid, NULL, (long)signal) == 0;
}

static bool live_get_registers(void *self, pid_t tid, struct user_regs_struct *ret)
{
	struct live *live = self;

	return register_cache_get(&live->registers, tid, ret);
}

static bool live_set_registers(void *self, pid_t tid, const struct user_regs_struct *registers)
{
	struct live *live = self;

	return register_cache_set(&live->registers, tid, registers);
}

static bool live_get_xmm(void *self, pid_t tid, uint64_t ret[16])
{
	struct user_fpregs_struct fp;
	int i;

	(void)self;
	if (ptrace(PTRACE_GETFPREGS, tid, NULL, &fp) != 0)
		return false;
	for (i = 0; i < 16; i++)
		memcpy(&ret[i], &fp.xmm_space[4 * i], sizeof(ret[i]));
	return true;
}

static size_t live_regions(void *self, pid_t tid, struct region **ret)
{
	(void)self;
	return proc_regions(tid, ret);
}

static size_t live_files(void *self, pid_t tid, struct arena *arena, struct mapped_file **ret)
{
	(void)self;
	return proc_files(tid, arena, ret);
}

static uint64_t live_auxiliary(void *self, pid_t tid, uint64_t type)
{
	(void)self;
	return proc_auxiliary(tid, type);
}

static struct value live_machine(void *self, pid_t tid, enum system_value which, uint64_t now_ns)
{
	struct live *live = self;

	return machine_value(live->machine, tid, which, now_ns);
}

static pid_t live_process(void *self, pid_t tid)
{
	(void)self;
	return proc_status(tid, "Tgid:");
}

static pid_t live_parent(void *self, pid_t tid)
{
	(void)self;
	return proc_status(tid, "PPid:");
}

static const char *live_executable(void *self, pid_t tid, struct arena *arena)
{
	(void)self;
	return proc_executable(tid, arena);
}

static bool live_has_signal(void *self, pid_t tid)
{
	(void)self;
	return interrupted_by_signal(tid);
}

static bool live_is_uninterruptible(void *self, pid_t tid)
{
	const char state = proc_state(tid);

	(void)self;
	return state == 'D' || state == 'Z';
}

static bool live_has_trap(void *self, pid_t tid)
{
	(void)self;
	return trap_is_owed(tid);
}

static void live_block_trap(void *self, pid_t tid)
{
	(void)self;
	trap_block(tid);
}

static enum trap_action live_trap_action(void *self, pid_t tid)
{
	(void)self;
	return trap_action(tid);
}

static void live_spare(void *self)
{
	struct live *live = self;

	live->launched = false;
	processor_share_end(&live->share);
}

/* The leader of a process is reaped after its other threads, so its end is the end. */
static void kill_and_reap(pid_t pid)
{
	pid_t ended;
	int status;

	kill(pid, SIGKILL);
	do
		ended = waitpid(-1, &status, __WALL);
	while ((ended > 0 && (ended != pid || WIFSTOPPED(status))) ||
	       (ended < 0 && errno == EINTR));
}

static void live_destroy(void *self)
{
	struct live *live = self;
	int status;

	/* Only an inferior that was not reaped yet is ours to kill. */
	if (live->launched && waitpid(live->pid, &status, WNOHANG | __WALL) >= 0)
		kill_and_reap(live->pid);
	processor_share_end(&live->share);
	if (live->first_fd >= 0)
		close(live->first_fd);
	live_forget_memory(live);
	machine_destroy(live->machine);
	run_clock_destroy(live->run_clock);
	counters_destroy(live->counters);
	clock_timer_deinit(&live->alarm);
	free(live->stops);
	free(live->held);
	free(live);
}

static const struct target_ops live_ops = {
	.wait = live_wait,
	.resume = live_resume,
	.listen = live_listen,
	.borrowers = live_borrowers,
	.send = live_send,
	.sender = live_sender,
	.is_fatal = live_is_fatal,
	.interrupt = live_interrupt,
	.detach = live_detach,
	.get_registers = live_get_registers,
	.set_registers = live_set_registers,
	.get_xmm = live_get_xmm,
	.read = live_read,
	.write = live_write,
	.system_call = live_system_call,
	.regions = live_regions,
	.files = live_files,
	.auxiliary = live_auxiliary,
	.forbidden = live_forbidden,
	.machine = live_machine,
	.counters = live_counters,
	.share_processor = live_share_processor,
	.process = live_process,
	.parent = live_parent,
	.executable = live_executable,
	.is_uninterruptible = live_is_uninterruptible,
	.has_trap = live_has_trap,
	.has_signal = live_has_signal,
	.block_trap = live_block_trap,
	.trap_action = live_trap_action,
	.spare = live_spare,
	.now_ns = live_now_ns,
	.destroy = live_destroy,
};

struct target target_live(pid_t pid, bool launched)
{
	struct live *live = mem_alloc(sizeof(*live));

	live->pid = pid;
	live->launched = launched;
	live->memory_fd = -1;
	live->first_fd = -1;
	live_open_first(live);
	live->machine = machine_create();
	live->run_clock = run_clock_create();
	live->counters = counters_create();
	return (struct target){&live_ops, live};
}

bool target_attach(pid_t pid, struct target *ret, pid_t **ret_tids, size_t *ret_n, struct err *err)
{
	if (!attach_threads(pid, ret_tids, ret_n, err))
		return false;
	*ret = target_live(pid, false);
	return true;
}

void target_live_set_guard(struct target *target, struct guard *guard)
{
	struct live *live = target->self;

	live->guard = guard;
	live->share.guard = guard;
}
