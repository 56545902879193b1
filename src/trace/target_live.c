/*
 * The target over ptrace(2), process_vm_readv(2) and /proc. How tracing begins is launch.c's matter.
 */
#include "trace/target.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/guard.h"
#include "trace/attach.h"
#include "trace/interrupted.h"
#include "trace/machine.h"
#include "trace/proc.h"
#include "trace/processor.h"
#include "trace/register_cache.h"
#include "trace/run_clock.h"

enum { READS_AT_ONCE = 1024 /* IOV_MAX, the most that the kernel takes */ };

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
	struct stop *stops; /* seen, and not told yet */
	size_t n_stops, stops_capacity;
	struct held_signal *held;
	size_t n_held, held_capacity;
};

static unsigned live_read(void *self, pid_t tid, struct memory_read *reads, size_t n);

#ifndef PTRACE_O_SUSPEND_SECCOMP
#define PTRACE_O_SUSPEND_SECCOMP \
	(1 << 21) /* as in <linux/ptrace.h>, which does not go with <sys/ptrace.h> */
#endif

static uint64_t live_now_ns(void *self)
{
	struct timespec now;

	(void)self;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/* An int3 reports SI_KERNEL on x86; a SIGTRAP that somebody sent does not. */
static bool is_breakpoint(const struct stop *stop)
{
	siginfo_t info;

	if (stop->kind != STOP_SIGNAL || stop->number != SIGTRAP)
		return false;
	return ptrace(PTRACE_GETSIGINFO, stop->tid, NULL, &info) == 0 && info.si_code == SI_KERNEL;
}

/*
 * The flags of the clone(2) that @tid is in. What the events of ptrace(2) are called tells the signal
 * at the child's end, not whether it shares the memory.
 */
static bool clone_flags(struct live *live, pid_t tid, uint64_t *ret)
{
	struct user_regs_struct registers;
	struct memory_read read = {.to = ret, .size = sizeof(*ret)};

	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
		return false;
	switch (registers.orig_rax) {
	case SYS_clone:
		*ret = registers.rdi;
		return true;
	case SYS_clone3: /* the first member of what its first argument points to */
		read.address = registers.rdi;
		live_read(live, tid, &read, 1);
		return read.ok;
	default:
		return false;
	}
}

static enum stop_kind birth_kind(struct live *live, const struct stop *stop)
{
	uint64_t flags;

	if (!clone_flags(live, stop->tid, &flags))
		return stop->kind;
	if (!(flags & CLONE_VM))
		return STOP_FORK;
	return flags & CLONE_THREAD ? STOP_CLONE : STOP_VFORK;
}

/*
 * Only a tracer lets a signal that is ignored wake a thread. The call that it was in must not fail for it.
 */
static void call_again(struct live *live, const struct stop *stop)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, stop->tid, NULL, &registers) != 0 ||
	    !interrupted_is(&registers) || !interrupted_is_ignored(stop->tid, stop->number) ||
	    !interrupted_repeat(stop->tid, &registers))
		return;
	register_cache_forget(&live->registers);
	ptrace(PTRACE_SETREGS, stop->tid, NULL, &registers);
}

static void complete(struct live *live, struct stop *stop)
{
	unsigned long message = 0;

	if (is_breakpoint(stop))
		stop->kind = STOP_BREAKPOINT;
	switch (stop->kind) {
	case STOP_SIGNAL:
		call_again(live, stop);
		break;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		stop->kind = birth_kind(live, stop);
		ptrace(PTRACE_GETEVENTMSG, stop->tid, NULL, &message);
		stop->child = message;
		break;
	case STOP_EXEC:
		ptrace(PTRACE_GETEVENTMSG, stop->tid, NULL, &message);
		stop->child = message;
		break;
	default:
		break;
	}
}

static void forget_memory(struct live *live)
{
	if (live->memory_fd >= 0)
		close(live->memory_fd);
	live->memory_fd = -1;
}

static void open_first(struct live *live)
{
	if (live->first_fd >= 0)
		close(live->first_fd);
	if (!proc_open(live->pid, "mem", O_RDWR, &live->first_fd))
		live->first_fd = -1;
}

/* What was seen of that tracee before does not hold any more. */
static void drop_stops(struct live *live, pid_t tid)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < live->n_stops; i++)
		if (live->stops[i].tid != tid)
			live->stops[kept++] = live->stops[i];
	live->n_stops = kept;
}

static void keep_stop(struct live *live, const struct stop *stop)
{
	drop_stops(live, stop->tid);
	live->stops = mem_grow(live->stops, &live->stops_capacity, live->n_stops + 1,
			       sizeof(*live->stops));
	live->stops[live->n_stops++] = *stop;
}

/* All that can be seen now, so that nobody is served first again and again. */
static enum wait_result see_stops(struct live *live, int flags)
{
	bool seen = false;
	struct stop stop;
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | flags)) > 0) {
		stop = stop_decode(tid, status);
		stop.when_ns = live_now_ns(live);
		keep_stop(live, &stop);
		seen = true;
		flags = WNOHANG;
		if (live->alone)
			break;
	}
	if (seen)
		return WAIT_STOP;
	return tid < 0 && errno == ECHILD ? WAIT_NOBODY : WAIT_NOTHING;
}

static enum wait_result see_stops_until(struct live *live, uint64_t until_ns)
{
	const struct timespec nap = {.tv_nsec = 200000};
	enum wait_result result;

	if (!until_ns)
		return see_stops(live, 0);
	while ((result = see_stops(live, WNOHANG)) == WAIT_NOTHING && live_now_ns(live) < until_ns)
		nanosleep(&nap, NULL);
	return result;
}

static enum wait_result live_wait(void *self, uint64_t until_ns, struct stop *ret)
{
	struct live *live = self;
	enum wait_result result;

	if (!live->n_stops) {
		result = see_stops_until(live, until_ns);
		if (result != WAIT_STOP)
			return result;
	}
	*ret = live->stops[0];
	drop_stops(live, ret->tid);
	complete(live, ret);
	if (ret->kind == STOP_BREAKPOINT)
		ret->idle_ns = run_clock_stopped(live->run_clock, ret->tid, ret->when_ns);
	if (ret->kind == STOP_EXEC || ret->kind == STOP_EXITED || ret->kind == STOP_KILLED)
		forget_memory(self);
	if (ret->kind == STOP_EXEC && ret->tid == live->pid)
		open_first(live);
	return WAIT_STOP;
}

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

static void live_share_processor(void *self, pid_t tid)
{
	struct live *live = self;

	live->alone = tid != 0;
	if (tid)
		processor_share_begin(&live->share, tid, live_now_ns(self));
	else
		processor_share_end(&live->share);
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

/*
 * A process that is not dumpable any more lets nobody without privileges look into its memory, not
 * even who traces it, but by a file that was open before.
 */
static int first_memory(const struct live *live, pid_t tid)
{
	return tid == live->pid || proc_status(tid, "Tgid:") == live->pid ? live->first_fd : -1;
}

static bool read_first(const struct live *live, pid_t tid, const struct memory_read *read)
{
	const int fd = first_memory(live, tid);

	return fd >= 0 && pread(fd, read->to, read->size, read->address) == (ssize_t)read->size;
}

/* Word by word, by ptrace itself, which some other protections do not overrule. */
static bool peek(pid_t tid, const struct memory_read *read)
{
	size_t done;

	for (done = 0; done < read->size;) {
		uint64_t address = read->address + done;
		size_t skip = address % sizeof(long);
		size_t size = sizeof(long) - skip;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, tid, (void *)(address - skip), NULL);
		if (errno)
			return false;
		size = size < read->size - done ? size : read->size - done;
		memcpy((char *)read->to + done, (char *)&word + skip, size);
		done += size;
	}
	return true;
}

/*
 * A few reads in one call. Returns how many were settled: all before the first that failed, and it.
 */
static size_t read_some(const struct live *live, pid_t tid, struct memory_read *reads, size_t n)
{
	struct iovec local[READS_AT_ONCE], remote[READS_AT_ONCE];
	ssize_t got;
	size_t i;

	if (n == 0)
		return 0;
	n = n < READS_AT_ONCE ? n : READS_AT_ONCE;
	for (i = 0; i < n; i++) {
		local[i] = (struct iovec){reads[i].to, reads[i].size};
		remote[i] = (struct iovec){(void *)reads[i].address, reads[i].size};
		reads[i].ok = false;
	}
	got = process_vm_readv(tid, local, n, remote, n, 0);
	if (got < 0 && errno == EPERM) { /* not dumpable any more */
		reads[0].ok = read_first(live, tid, &reads[0]) || peek(tid, &reads[0]);
		return 1;
	}
	for (i = 0; i < n && got >= (ssize_t)reads[i].size; i++) {
		got -= reads[i].size;
		reads[i].ok = true;
	}
	return i < n ? i + 1 : n;
}

static unsigned live_read(void *self, pid_t tid, struct memory_read *reads, size_t n)
{
	unsigned calls = 0;

	while (n) {
		size_t settled = read_some(self, tid, reads, n);

		reads += settled;
		n -= settled;
		calls++;
	}
	return calls;
}

/* Word by word; the bytes beyond the end of the last word stay as they are. */
static bool poke(pid_t tid, uint64_t address, const uint8_t *bytes, size_t size)
{
	for (; size; size -= size < 8 ? size : 8, address += 8, bytes += 8) {
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, tid, (void *)address, NULL);
		if (errno)
			return false;
		memcpy(&word, bytes, size < 8 ? size : 8);
		if (ptrace(PTRACE_POKEDATA, tid, (void *)address, word) != 0)
			return false;
	}
	return true;
}

/* One process is written to again and again, so its file stays open; an exec makes it stale. */
static ssize_t write_memory(struct live *live, pid_t tid, uint64_t address, const void *bytes,
			    size_t size)
{
	if (live->memory_fd < 0 || live->memory_tid != tid) {
		forget_memory(live);
		if (!proc_open(tid, "mem", O_WRONLY, &live->memory_fd)) {
			live->memory_fd = -1;
			return -1;
		}
		live->memory_tid = tid;
	}
	return pwrite(live->memory_fd, bytes, size, address);
}

static bool write_first(const struct live *live, pid_t tid, uint64_t address, const void *bytes,
			size_t size)
{
	const int fd = first_memory(live, tid);

	return fd >= 0 && pwrite(fd, bytes, size, address) == (ssize_t)size;
}

/* /proc/PID/mem is quick; where the kernel was told to refuse it, ptrace still works. */
static bool live_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
	return write_memory(self, tid, address, bytes, size) == (ssize_t)size ||
	       write_first(self, tid, address, bytes, size) || poke(tid, address, bytes, size);
}

static void hold_signal(struct live *live, pid_t tid, int signal)
{
	live->held =
		mem_grow(live->held, &live->held_capacity, live->n_held + 1, sizeof(*live->held));
	live->held[live->n_held++] = (struct held_signal){tid, signal};
}

/* Signals to this process must not have it leave a tracee behind in code that is ours. */
static bool wait_for_one(pid_t tid, int *ret)
{
	pid_t ended;

	do
		ended = waitpid(tid, ret, __WALL);
	while (ended < 0 && errno == EINTR);
	return ended == tid;
}

/*
 * Run the tracee until its int3. Of signals only those come in between that cannot be blocked. A
 * group stop is told again when the tracee goes on.
 */
static bool run_to_trap(struct live *live, pid_t tid)
{
	bool again = false;

	for (;;) {
		struct stop stop;
		int status;

		register_cache_forget(&live->registers);
		if (ptrace(PTRACE_CONT, tid, NULL, NULL) != 0 || !wait_for_one(tid, &status))
			return false;
		stop = stop_decode(tid, status);
		stop.when_ns = live_now_ns(live);
		if (stop.kind == STOP_EXITED || stop.kind == STOP_KILLED) {
			keep_stop(live, &stop);
			return false;
		}
		if (is_breakpoint(&stop))
			break;
		if (stop.kind == STOP_SIGNAL)
			hold_signal(live, tid, stop.number);
		again |= stop.kind == STOP_GROUP;
	}
	if (again)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return true;
}

/* The int3 of a remote call must not be blocked: the kernel would forget how SIGTRAP is handled. */
static bool set_mask(pid_t tid, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask) == 0;
}

static void load_call(struct user_regs_struct *registers, const struct remote_call *call)
{
	registers->rip = call->code;
	registers->rax = call->number;
	registers->orig_rax = -1; /* not in a system call that could be restarted */
	registers->rdi = call->arguments[0];
	registers->rsi = call->arguments[1];
	registers->rdx = call->arguments[2];
	registers->r10 = call->arguments[3];
	registers->r8 = call->arguments[4];
	registers->r9 = call->arguments[5];
}

static void note_call(struct live *live, pid_t tid, const struct remote_call *call,
		      const struct user_regs_struct *own, const uint8_t *original)
{
	struct guard_call noted = {.registers = *own, .code = call->code};

	memcpy(noted.bytes, original, sizeof(noted.bytes));
	guard_set_call(live->guard, tid, &noted);
}

static bool make_call(struct live *live, pid_t tid, const struct remote_call *call, int64_t *ret)
{
	static const uint8_t code[] = {0x0f, 0x05, 0xcc}; /* syscall; int3 */
	struct user_regs_struct saved, registers;
	uint8_t original[sizeof(code)];
	struct memory_read read = {.address = call->code, .to = original, .size = sizeof(original)};
	bool done;

	live_read(live, tid, &read, 1);
	if (!read.ok || !live_get_registers(live, tid, &saved))
		return false;
	registers = saved;
	load_call(&registers, call);
	note_call(live, tid, call, &saved, original);
	done = live_write(live, tid, call->code, code, sizeof(code)) &&
	       live_set_registers(live, tid, &registers) && run_to_trap(live, tid) &&
	       live_get_registers(live, tid, &registers);
	*ret = registers.rax;
	return live_write(live, tid, call->code, original, sizeof(original)) &&
	       live_set_registers(live, tid, &saved) && done;
}

/* In a group stop it stays stopped afterwards: it is told so again. */
static bool is_in_group_stop(pid_t tid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
	       info.si_code >> 8 == PTRACE_EVENT_STOP && info.si_signo != SIGTRAP;
}

/* Memory of ours: noted before it can be there, until it surely is not. */
static void note_memory(struct live *live, pid_t tid, const struct remote_call *call, bool before)
{
	pid_t pid = live->guard ? proc_status(tid, "Tgid:") : 0;

	if (call->number == SYS_mmap && before)
		guard_add_area(live->guard, pid, call->arguments[0]);
	else
		guard_remove_area(live->guard, pid, call->arguments[0]);
}

/* The mode of seccomp(2), and how many filters there are where the kernel tells (Linux 5.9). */
static uint64_t live_forbidden(void *self, pid_t tid)
{
	(void)self;
	return (uint64_t)proc_status(tid, "Seccomp:") << 32 |
	       (uint32_t)proc_status(tid, "Seccomp_filters:");
}

/*
 * What a tracee has forbidden itself, beyond what is forbidden to us as well (containers), might kill
 * it. Those who may (CAP_SYS_ADMIN) have the kernel look away meanwhile.
 */
static bool permit_calls(const struct live *live, pid_t tid, bool permitted)
{
	const long options = target_options(live->launched);

	return ptrace(PTRACE_SETOPTIONS, tid, NULL,
		      options | (permitted ? PTRACE_O_SUSPEND_SECCOMP : 0)) == 0;
}

static bool call_unblocked(struct live *live, pid_t tid, const struct remote_call *call,
			   int64_t *ret)
{
	const uint64_t all_but_trap = ~(UINT64_C(1) << (SIGTRAP - 1));
	bool group = is_in_group_stop(tid);
	uint64_t mask;
	bool done;

	if (ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) != 0)
		return false;
	guard_set_mask(live->guard, tid, mask);
	if (call->number == SYS_mmap)
		note_memory(live, tid, call, true);
	done = set_mask(tid, all_but_trap) && make_call(live, tid, call, ret);
	if (done && (call->number == SYS_munmap || *ret != (int64_t)call->arguments[0]))
		note_memory(live, tid, call, false);
	if (group)
		live_interrupt(live, tid);
	done = set_mask(tid, mask) && done;
	guard_set_call(live->guard, tid, NULL);
	return done;
}

static bool live_system_call(void *self, pid_t tid, const struct remote_call *call, int64_t *ret)
{
	bool sealed = live_forbidden(self, tid) != live_forbidden(self, gettid());
	bool done;

	if (sealed && !permit_calls(self, tid, true))
		return false;
	done = call_unblocked(self, tid, call, ret);
	if (sealed)
		permit_calls(self, tid, false);
	return done;
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
	(void)self;
	return proc_state(tid) == 'D';
}

/* An interrupt is told before the signal that the kernel has queued for an int3. */
static bool live_has_trap(void *self, pid_t tid)
{
	enum { AT_ONCE = 8 };
	struct __ptrace_peeksiginfo_args args = {.nr = AT_ONCE};
	siginfo_t infos[AT_ONCE];
	long n, i;

	(void)self;
	while ((n = ptrace(PTRACE_PEEKSIGINFO, tid, &args, infos)) > 0) {
		for (i = 0; i < n; i++)
			if (infos[i].si_signo == SIGTRAP && infos[i].si_code == SI_KERNEL)
				return true;
		args.off += n;
	}
	return false;
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
	forget_memory(live);
	machine_destroy(live->machine);
	run_clock_destroy(live->run_clock);
	free(live->stops);
	free(live->held);
	free(live);
}

static const struct target_ops live_ops = {
	.wait = live_wait,
	.resume = live_resume,
	.listen = live_listen,
	.borrowers = live_borrowers,
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
	.share_processor = live_share_processor,
	.process = live_process,
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

long target_options(bool launched)
{
	return PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
	       (launched ? PTRACE_O_EXITKILL : 0);
}

struct target target_live(pid_t pid, bool launched)
{
	struct live *live = mem_alloc(sizeof(*live));

	live->pid = pid;
	live->launched = launched;
	live->memory_fd = -1;
	live->first_fd = -1;
	open_first(live);
	live->machine = machine_create();
	live->run_clock = run_clock_create();
	return (struct target){&live_ops, live};
}

void target_live_set_guard(struct target *target, struct guard *guard)
{
	struct live *live = target->self;

	live->guard = guard;
	live->share.guard = guard;
}
