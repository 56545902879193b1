/* Playing a script of stops. */
#include "scripted_target.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct scripted_target *target, const char *what, pid_t tid, uint64_t number)
{
	size_t n = strlen(target->log);

	snprintf(target->log + n, sizeof(target->log) - n, "%s %d %lx\n", what, (int)tid, number);
}

static void scripted_counters(void *self, pid_t tid, unsigned metrics, struct thread_counts *ret)
{
	struct scripted_target *target = self;
	const struct thread_counts *counts = target->script[target->next - 1].counts;

	note(target, "counters", tid, metrics);
	*ret = counts ? *counts : (struct thread_counts){.opening = 0};
}

static enum wait_result scripted_wait(void *self, uint64_t until_ns, struct stop *ret)
{
	struct scripted_target *target = self;
	const struct scripted_stop *now = &target->script[target->next];

	(void)until_ns;
	if (target->next == target->n)
		return WAIT_NOBODY;
	target->next++;
	target->now_ns = now->now_ns;
	target->registers = (struct user_regs_struct){.rip = now->rip,
						      .rsp = now->rsp,
						      .rdi = now->rdi,
						      .rax = now->rax,
						      .rsi = now->rsi,
						      .rdx = now->rdx,
						      .rcx = now->rcx,
						      .orig_rax = now->orig_rax,
						      .eflags = now->eflags,
						      .cs = 0x33, /* 64-bit code */
						      .fs_base = now->fs_base};
	*ret = now->stop;
	ret->when_ns = now->now_ns;
	return now->is_signal ? WAIT_NOTHING : WAIT_STOP;
}

static bool scripted_resume(void *self, pid_t tid, int signal, uint64_t *ret_ns)
{
	struct scripted_target *target = self;

	note(target, "resume", tid, signal);
	*ret_ns = target->now_ns + target->resume_delay_ns;
	return !target->gone;
}

static bool scripted_listen(void *self, pid_t tid)
{
	note(self, "listen", tid, 0);
	return true;
}

static size_t scripted_borrowers(void *self, pid_t pid, pid_t **ret)
{
	struct scripted_target *target = self;

	(void)pid;
	*ret = malloc(sizeof(**ret));
	**ret = target->borrower;
	return target->borrower != 0;
}

static bool scripted_send(void *self, pid_t pid, int signal)
{
	note(self, "send", pid, signal);
	return true;
}

static enum signal_sender scripted_sender(void *self, pid_t tid)
{
	struct scripted_target *target = self;

	(void)tid;
	return target->script[target->next - 1].sender;
}

static bool scripted_is_fatal(void *self, pid_t tid, int signal)
{
	struct scripted_target *target = self;

	(void)tid;
	(void)signal;
	return target->script[target->next - 1].is_fatal;
}

static bool scripted_is_stop(void *self, pid_t tid, int signal)
{
	(void)self;
	(void)tid;
	return signal == SIGSTOP;
}

static bool scripted_interrupt(void *self, pid_t tid)
{
	note(self, "interrupt", tid, 0);
	return true;
}

static bool scripted_detach(void *self, pid_t tid, int signal)
{
	note(self, "detach", tid, signal);
	return true;
}

static bool scripted_get_registers(void *self, pid_t tid, struct user_regs_struct *ret)
{
	struct scripted_target *target = self;

	(void)tid;
	*ret = target->registers;
	return !target->gone;
}

static bool scripted_set_registers(void *self, pid_t tid, const struct user_regs_struct *registers)
{
	note(self, "rip", tid, registers->rip);
	return true;
}

/* The low half of xmm0 is what the script says of rax. */
static bool scripted_get_xmm(void *self, pid_t tid, uint64_t ret[16])
{
	struct scripted_target *target = self;

	note(target, "xmm", tid, target->registers.rip);
	memset(ret, 0, 16 * sizeof(*ret));
	ret[0] = target->registers.rax;
	return true;
}

static uint8_t *at(struct scripted_target *target, uint64_t address, size_t size)
{
	if (target->closed)
		return NULL;
	if (address >= CODE && address + size <= CODE + AREA)
		return target->code + (address - CODE);
	if (address >= STACK && address + size <= STACK + AREA)
		return target->stack + (address - STACK);
	return NULL;
}

static unsigned scripted_read(void *self, pid_t tid, struct memory_read *reads, size_t n)
{
	size_t i;

	(void)tid;
	for (i = 0; i < n; i++) {
		const uint8_t *from = at(self, reads[i].address, reads[i].size);

		reads[i].ok = from != NULL;
		if (from)
			memcpy(reads[i].to, from, reads[i].size);
	}
	return 1;
}

/* Single bytes are breakpoints; they are written down unless the memory is that of a child. */
static bool scripted_write(void *self, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
	struct scripted_target *target = self;
	uint8_t *to = at(target, address, size);

	if (target->closed)
		return false;
	if (size == 1)
		note(target, *(const uint8_t *)bytes == 0xcc ? "plant" : "lift", tid, address);
	if (to && tid == 1)
		memcpy(to, bytes, size);
	return true;
}

static bool scripted_write_many(void *self, pid_t pid, const struct memory_write *writes, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= scripted_write(self, pid, writes[i].address, writes[i].from, writes[i].size);
	return all;
}

/* Every instruction has one byte. */
static bool scripted_step(void *self, pid_t tid, int *ret_signal)
{
	struct scripted_target *target = self;

	note(target, "step", tid, target->registers.rip);
	target->registers.rip++;
	*ret_signal = 0;
	return !target->gone;
}

static bool scripted_run(void *self, pid_t tid, int *ret_signal)
{
	struct scripted_target *target = self;

	note(target, "run", tid, target->registers.rip);
	*ret_signal = 0;
	return false;
}

static bool scripted_tell_exits(void *self, pid_t tid)
{
	note(self, "exits", tid, 0);
	return true;
}

static bool scripted_system_call(void *self, pid_t tid, const struct remote_call *call,
				 int64_t *ret)
{
	note(self, "call", tid, call->number);
	*ret = call->arguments[0];
	return true;
}

static size_t scripted_regions(void *self, pid_t tid, struct region **ret)
{
	static const struct region map[] = {{CODE, CODE + AREA, true},
					    {STACK, STACK + AREA, false}};

	(void)self;
	(void)tid;
	*ret = malloc(sizeof(map));
	memcpy(*ret, map, sizeof(map));
	return 2;
}

static size_t scripted_files(void *self, pid_t tid, struct arena *arena, struct mapped_file **ret)
{
	struct scripted_target *target = self;
	const struct scripted_stop *now = &target->script[target->next ? target->next - 1 : 0];

	(void)tid;
	note(target, "maps", tid, now->n_files);
	*ret = arena_copy(arena, now->files, now->n_files * sizeof(*now->files));
	return now->n_files;
}

static uint64_t scripted_auxiliary(void *self, pid_t tid, uint64_t type)
{
	struct scripted_target *target = self;

	(void)tid;
	switch (type) {
	case AT_ENTRY:
		return ENTRY;
	case AT_PHDR:
		return target->headers;
	case AT_PHNUM:
		return target->n_headers;
	default:
		return 0;
	}
}

static uint64_t scripted_forbidden(void *self, pid_t tid)
{
	struct scripted_target *target = self;

	(void)tid;
	return target->forbidden;
}

static struct value scripted_machine(void *self, pid_t tid, enum system_value which,
				     uint64_t now_ns)
{
	(void)self;
	(void)tid;
	if (which == SYSTEM_CPU_CLOCK)
		return (struct value){.absence = ABSENT_UNREADABLE};
	return (struct value){.number = 1000 * which + now_ns};
}

static void scripted_certain_waits(void *self)
{
	(void)self;
}

static uint64_t scripted_waited_ns(void *self, pid_t tid, uint64_t from_ns, uint64_t to_ns)
{
	const struct scripted_target *target = self;

	(void)tid;
	return from_ns < target->waited_at_ns && target->waited_at_ns < to_ns ? target->waited_ns
									      : 0;
}

static bool scripted_stream(void *self, pid_t pid, int fd, struct stream_position *ret)
{
	struct scripted_target *target = self;

	(void)pid;
	if (fd < 0 || (size_t)fd >= target->n_streams || !target->streams[fd].sending)
		return false;
	*ret = target->streams[fd];
	return true;
}

static void scripted_share_processor(void *self, pid_t tid)
{
	note(self, "share", tid, 0);
}

/* Tids below 10 are threads of process 1. */
static pid_t scripted_process(void *self, pid_t tid)
{
	(void)self;
	return tid < 10 ? 1 : tid;
}

static const char *scripted_executable(void *self, pid_t tid, struct arena *arena)
{
	(void)self;
	(void)tid;
	(void)arena;
	return "/scripted/other";
}

static bool scripted_is_uninterruptible(void *self, pid_t tid)
{
	(void)self;
	(void)tid;
	return true; /* the script says when somebody stops */
}

static bool scripted_has_trap(void *self, pid_t tid)
{
	struct scripted_target *target = self;
	bool has = target->has_trap;

	(void)tid;
	target->has_trap = false;
	return has;
}

static bool scripted_has_signal(void *self, pid_t tid)
{
	(void)self;
	(void)tid;
	return false;
}

static void scripted_block_trap(void *self, pid_t tid)
{
	note(self, "block", tid, 0);
}

static void scripted_block_fault(void *self, pid_t tid, int signal)
{
	(void)self, (void)tid, (void)signal;
}

static bool scripted_holds_faults(void *self, pid_t tid, uint64_t ours)
{
	(void)self, (void)tid, (void)ours;
	return false;
}

static enum sigtrap_action scripted_action(void *self, pid_t tid, int signal)
{
	struct scripted_target *target = self;

	(void)tid, (void)signal;
	return target->next < target->n ? target->script[target->next].trap : TRAP_DEFAULT;
}

static void scripted_spare(void *self)
{
	note(self, "spare", 0, 0);
}

/* Tids from 20 on are threads and children of the process 20. */
static pid_t scripted_parent(void *self, pid_t tid)
{
	(void)self;
	return tid > 20 ? 20 : 1;
}

static uint64_t scripted_now_ns(void *self)
{
	struct scripted_target *target = self;

	return target->now_ns + target->resume_delay_ns;
}

static void scripted_destroy(void *self)
{
	(void)self;
}

const struct target_ops scripted_ops = {
	.wait = scripted_wait,
	.counters = scripted_counters,
	.resume = scripted_resume,
	.listen = scripted_listen,
	.borrowers = scripted_borrowers,
	.send = scripted_send,
	.sender = scripted_sender,
	.is_fatal = scripted_is_fatal,
	.is_stop = scripted_is_stop,
	.interrupt = scripted_interrupt,
	.detach = scripted_detach,
	.get_registers = scripted_get_registers,
	.set_registers = scripted_set_registers,
	.get_xmm = scripted_get_xmm,
	.read = scripted_read,
	.write = scripted_write,
	.write_many = scripted_write_many,
	.step = scripted_step,
	.run = scripted_run,
	.tell_exits = scripted_tell_exits,
	.system_call = scripted_system_call,
	.regions = scripted_regions,
	.files = scripted_files,
	.auxiliary = scripted_auxiliary,
	.forbidden = scripted_forbidden,
	.machine = scripted_machine,
	.waited_ns = scripted_waited_ns,
	.certain_waits = scripted_certain_waits,
	.stream = scripted_stream,
	.share_processor = scripted_share_processor,
	.process = scripted_process,
	.parent = scripted_parent,
	.executable = scripted_executable,
	.is_uninterruptible = scripted_is_uninterruptible,
	.has_trap = scripted_has_trap,
	.has_held = scripted_has_signal,
	.has_signal = scripted_has_signal,
	.block_trap = scripted_block_trap,
	.block_fault = scripted_block_fault,
	.holds_faults = scripted_holds_faults,
	.action = scripted_action,
	.spare = scripted_spare,
	.now_ns = scripted_now_ns,
	.destroy = scripted_destroy,
};
