/*
 * The target over ptrace(2): requests to tracees, and what /proc says of them. ptrace_launch.c and
 * ptrace_attach.c begin tracing.
 */
#include "ptrace_target.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "ptrace_attach.h"
#include "trace/kernel/syscall_restart.h"
#include "trace/kernel/proc.h"
#include "trace/kernel/proc_file.h"

static bool live_has_held(void *self, pid_t tid)
{
	const struct ptrace_target *live = self;

	for (size_t i = 0; i < live->n_held; i++)
		if (live->held[i].tid == tid)
			return true;
	return false;
}

static int target_take_held(struct ptrace_target *live, pid_t tid)
{
	for (size_t i = 0; i < live->n_held; i++) {
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
	struct ptrace_target *live = self;
	bool shared = cpu_affinity_share_before(&live->share, tid, ptrace_wait_now_ns(self));
	bool resumed;

	if (!signal && live->n_held)
		signal = target_take_held(live, tid);
	register_cache_forget(&live->registers);
	*ret_ns = ptrace_wait_now_ns(self);
	tracee_run_time_resumed(live->run_clock, tid, *ret_ns);
	recovery_set_stopped_otherwise(live->guard, tid, false);
	resumed = ptrace(PTRACE_CONT, tid, NULL, (long)signal) == 0;
	if (shared)
		cpu_affinity_share_after(&live->share, tid);
	return resumed;
}

static void live_counters(void *self, pid_t tid, unsigned metrics, struct thread_counts *ret)
{
	struct ptrace_target *live = self;

	counters_read(live->counters, tid, metrics, ret);
}

static void live_share_processor(void *self, pid_t tid)
{
	struct ptrace_target *live = self;

	live->alone = tid != 0;
	if (tid)
		cpu_affinity_share_begin(&live->share, tid, ptrace_wait_now_ns(self));
	else
		cpu_affinity_share_end(&live->share);
	if (!tid) {
		tracee_run_time_several(live->run_clock);
		clock_timer_set(&live->alarm, 0, 0);
	}
}

static bool live_listen(void *self, pid_t tid)
{
	struct ptrace_target *live = self;

	register_cache_forget(&live->registers);
	return ptrace(PTRACE_LISTEN, tid, NULL, NULL) == 0;
}

static size_t live_borrowers(void *self, pid_t pid, pid_t **ret)
{
	const size_t n = ptrace_attach_borrowers(pid, ret);

	for (size_t i = 0; i < n; i++)
		ptrace_fetch_add(self, (*ret)[i]);
	return n;
}

static bool live_interrupt(void *self, pid_t tid)
{
	ptrace_fetch_soon(self);
	return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
}

static bool live_detach(void *self, pid_t tid, int signal)
{
	struct ptrace_target *live = self;

	if (!signal && live->n_held)
		signal = target_take_held(live, tid);
	register_cache_forget(&live->registers);
	counters_forget(live->counters, tid);
	ptrace_fetch_remove(live, tid);
	return ptrace(PTRACE_DETACH, tid, NULL, (long)signal) == 0;
}

static bool live_get_registers(void *self, pid_t tid, struct user_regs_struct *ret)
{
	struct ptrace_target *live = self;

	return register_cache_get(&live->registers, tid, ret);
}

static bool live_set_registers(void *self, pid_t tid, const struct user_regs_struct *registers)
{
	struct ptrace_target *live = self;

	return register_cache_set(&live->registers, tid, registers);
}

static bool live_set_debug(void *self, pid_t tid, const struct debug_registers *wanted)
{
	(void)self;
	return debug_registers_set(tid, wanted);
}

static bool live_get_xmm(void *self, pid_t tid, uint64_t ret[16])
{
	struct user_fpregs_struct fp;

	(void)self;
	if (ptrace(PTRACE_GETFPREGS, tid, NULL, &fp) != 0)
		return false;
	for (int i = 0; i < 16; i++)
		memcpy(&ret[i], &fp.xmm_space[4 * i], sizeof(ret[i]));
	return true;
}

static size_t live_regions(void *self, pid_t tid, struct region **ret)
{
	(void)self;
	return proc_regions(tid, ret);
}

static bool live_region_at(void *self, pid_t tid, uint64_t address, struct region *ret)
{
	(void)self;
	return proc_region_at(tid, address, ret);
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
	struct ptrace_target *live = self;

	return system_values_value(live->machine, tid, which, now_ns);
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
	return syscall_restart_by_signal(tid);
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
	return sigtrap_is_owed(tid);
}

static void live_block_trap(void *self, pid_t tid)
{
	(void)self;
	sigtrap_block(tid);
}

static void live_block_fault(void *self, pid_t tid, int signal)
{
	(void)self;
	sigtrap_block_fault(tid, signal);
}

static bool live_holds_faults(void *self, pid_t tid, uint64_t ours)
{
	(void)self;
	return sigtrap_holds_faults(tid, ours);
}

static enum sigtrap_action live_action(void *self, pid_t tid, int signal)
{
	(void)self;
	return sigtrap_action(tid, signal);
}

static bool live_tell_exits(void *self, pid_t tid)
{
	struct ptrace_target *live = self;

	live->tells_exits = true;
	return ptrace(PTRACE_SETOPTIONS, tid, NULL, ptrace_wait_options(live)) == 0;
}

static uint64_t live_waited_ns(void *self, pid_t tid, uint64_t from_ns, uint64_t to_ns)
{
	struct ptrace_target *live = self;

	return tracee_run_time_waited(live->run_clock, tid, from_ns, to_ns);
}

static void live_certain_waits(void *self)
{
	struct ptrace_target *live = self;

	tracee_run_time_certain(live->run_clock);
}

static bool live_stream(void *self, pid_t pid, int fd, struct stream_position *ret)
{
	(void)self;
	return stream_position_read_any(pid, fd, ret);
}

static void live_spare(void *self)
{
	struct ptrace_target *live = self;

	live->launched = false;
	cpu_affinity_share_end(&live->share);
}

static void go_on_to_end(void *unused, pid_t tid)
{
	(void)unused;
	ptrace(PTRACE_CONT, tid, NULL, NULL);
}

/*
 * The leader is reaped after its other threads, so its end is the process's. Some stop once more
 * before they end, if that was asked for: no signal wakes those that are there already.
 */
static void kill_and_reap(pid_t pid)
{
	pid_t ended;
	int status;

	kill(pid, SIGKILL);
	proc_each_thread(pid, go_on_to_end, NULL);
	do {
		ended = waitpid(-1, &status, __WALL);
		if (ended > 0 && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, ended, NULL, NULL);
	} while ((ended > 0 && (ended != pid || WIFSTOPPED(status))) ||
		 (ended < 0 && errno == EINTR));
}

static void ptrace_target_destroy(void *self)
{
	struct ptrace_target *live = self;
	int status;

	/* Kill only an inferior that was not reaped yet. */
	if (live->launched && waitpid(live->pid, &status, WNOHANG | __WALL) >= 0)
		kill_and_reap(live->pid);
	cpu_affinity_share_end(&live->share);
	if (live->first_fd >= 0)
		close(live->first_fd);
	ptrace_memory_forget(live);
	system_values_destroy(live->machine);
	tracee_run_time_destroy(live->run_clock);
	counters_destroy(live->counters);
	clock_timer_deinit(&live->alarm);
	ptrace_fetch_deinit(live);
	free(live->stops);
	free(live->held);
	free(live);
}

static const struct target_ops live_ops = {
	.wait = ptrace_wait,
	.resume = live_resume,
	.listen = live_listen,
	.borrowers = live_borrowers,
	.send = ptrace_signal_send,
	.sender = ptrace_signal_sender,
	.is_fatal = ptrace_signal_is_fatal,
	.is_stop = ptrace_signal_is_stop,
	.interrupt = live_interrupt,
	.detach = live_detach,
	.get_registers = live_get_registers,
	.set_registers = live_set_registers,
	.set_debug = live_set_debug,
	.get_xmm = live_get_xmm,
	.read = ptrace_memory_read,
	.write = ptrace_memory_write,
	.write_many = ptrace_memory_write_many,
	.step = ptrace_step,
	.run = ptrace_step_run,
	.tell_exits = live_tell_exits,
	.system_call = ptrace_syscall,
	.regions = live_regions,
	.region_at = live_region_at,
	.files = live_files,
	.auxiliary = live_auxiliary,
	.forbidden = ptrace_syscall_forbidden,
	.machine = live_machine,
	.waited_ns = live_waited_ns,
	.certain_waits = live_certain_waits,
	.stream = live_stream,
	.counters = live_counters,
	.share_processor = live_share_processor,
	.process = live_process,
	.parent = live_parent,
	.executable = live_executable,
	.is_uninterruptible = live_is_uninterruptible,
	.has_trap = live_has_trap,
	.has_held = live_has_held,
	.has_signal = live_has_signal,
	.block_trap = live_block_trap,
	.block_fault = live_block_fault,
	.holds_faults = live_holds_faults,
	.action = live_action,
	.spare = live_spare,
	.now_ns = ptrace_wait_now_ns,
	.destroy = ptrace_target_destroy,
};

struct target ptrace_target(pid_t pid, bool launched)
{
	struct ptrace_target *live = mem_alloc(sizeof(*live));

	live->pid = pid;
	live->launched = launched;
	live->memory_fd = -1;
	live->first_fd = -1;
	ptrace_memory_open(live);
	live->machine = system_values_create();
	live->run_clock = tracee_run_time_create();
	live->counters = counters_create();
	ptrace_fetch_add(live, pid);
	return (struct target){&live_ops, live};
}

bool ptrace_target_attach(pid_t pid, struct target *ret, pid_t **ret_tids, size_t *ret_n,
			  struct err *err)
{
	if (!ptrace_attach_threads(pid, ret_tids, ret_n, err))
		return false;
	*ret = ptrace_target(pid, false);
	for (size_t i = 0; i < *ret_n; i++)
		if ((*ret_tids)[i] != pid)
			ptrace_fetch_add(ret->self, (*ret_tids)[i]);
	return true;
}

void ptrace_target_set_recovery(struct target *target, struct recovery *guard)
{
	struct ptrace_target *live = target->self;

	live->guard = guard;
	live->share.guard = guard;
}
