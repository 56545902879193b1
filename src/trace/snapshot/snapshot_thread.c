/*
 * What a snapshot says of a thread: its registers, and the system call it waits in. snapshot.c
 * stops it.
 */
#include "snapshot_thread.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "trace/kernel/proc_file.h"
#include "trace/kernel/registers.h"
#include "snapshot_pages.h"

enum {
	STACK_AT_ONCE = 32768, /* bytes of each stack copied before any is read */
	RESTART_FIRST = 512,   /* ERESTARTSYS and the like, seen only by tracers */
	RESTART_LAST = 516,
	MOVE_EAX = 0xb8, /* opcode, followed by a 4-byte number */
	SHARE_FROM_NS = 500000000,
};

static bool is_interrupted_call(const struct user_regs_struct *registers)
{
	const int64_t result = (int64_t)registers->rax;

	return (int64_t)registers->orig_rax >= 0 &&
	       (result == -EINTR || (result <= -RESTART_FIRST && result >= -RESTART_LAST));
}

/* The number loaded into eax before the system call at @pc. */
static bool number_from_code(struct memory *memory, uint64_t pc, uint64_t *ret)
{
	uint8_t code[5];
	struct memory_read read = {pc - sizeof(code), code, sizeof(code), false};
	uint32_t number;

	memory->read(memory->self, &read, 1);
	if (!read.ok || code[0] != MOVE_EAX)
		return false;
	memcpy(&number, code + 1, sizeof(number));
	*ret = number;
	return true;
}

/*
 * Is it about to make a system call? Mostly one restarted after an earlier snapshot interrupted it,
 * and only waiting for a processor since.
 */
static bool is_next_call(struct memory *memory, const struct user_regs_struct *registers)
{
	uint8_t code[2];
	struct memory_read read = {registers->rip, code, sizeof(code), false};

	memory->read(memory->self, &read, 1);
	return read.ok && code[0] == 0x0f && code[1] == 0x05;
}

/*
 * A call interrupted and restarted before appears as restart_syscall; an earlier snapshot, or the
 * code, tells which it was.
 */
static uint64_t number_of_call(struct snapshot *snapshot, const struct snapshot *earlier,
			       const struct stopped_thread *thread)
{
	const bool is_next = !is_interrupted_call(&thread->raw);
	uint64_t number = is_next ? thread->raw.rax : thread->raw.orig_rax;

	if (number != SYS_restart_syscall)
		return number;
	if (number_from_code(&snapshot->memory, thread->raw.rip - (is_next ? 0 : 2), &number))
		return number;
	for (size_t i = 0; earlier && i < earlier->n_threads; i++) {
		const struct stopped_thread *before = &earlier->threads[i];

		if (before->tid == thread->tid && before->is_calling &&
		    before->raw.rip == thread->raw.rip && before->raw.rsp == thread->raw.rsp)
			return before->call;
	}
	return number;
}

static void stopped_take_call(struct snapshot *snapshot, const struct snapshot *earlier,
			      struct stopped_thread *thread)
{
	const struct user_regs_struct *raw = &thread->raw;
	const uint64_t arguments[6] = {raw->rdi, raw->rsi, raw->rdx, raw->r10, raw->r8, raw->r9};

	thread->is_calling = is_interrupted_call(raw) || is_next_call(&snapshot->memory, raw);
	if (!thread->is_calling)
		return;
	thread->call = number_of_call(snapshot, earlier, thread);
	memcpy(thread->arguments, arguments, sizeof(arguments));
	thread->unknown |= 1; /* rax: what the kernel put there is between it and tracers */
}

/* /proc/TID/schedstat: ns on a processor, and waiting for one. */
static double share_of_processor(pid_t tid)
{
	unsigned long long ran, waited;
	char text[128];

	proc_read(tid, "schedstat", text, sizeof(text));
	if (sscanf(text, "%llu %llu", &ran, &waited) != 2 || ran + waited < SHARE_FROM_NS)
		return NAN;
	return (double)ran / (double)(ran + waited);
}

void snapshot_thread_held(struct snapshot *snapshot, const struct snapshot *earlier,
			  const uint64_t xmm[16], struct stopped_thread *thread)
{
	registers_by_number(&thread->raw, thread->registers);
	thread->registers[PLAN_FS_BASE] = thread->raw.fs_base;
	thread->is_held = true;
	thread->processor_share = share_of_processor(thread->tid);
	thread->unknown = xmm ? 0 : UINT64_C(0xffff) << PLAN_XMM0;
	for (int i = 0; xmm && i < 16; i++)
		thread->registers[PLAN_XMM0 + i] = xmm[i];
	snapshot_pages_copy(snapshot->pages, thread->raw.rsp, STACK_AT_ONCE);
	stopped_take_call(snapshot, earlier, thread);
}

void snapshot_thread_unstopped(struct stopped_thread *thread)
{
	uint64_t *arguments = thread->arguments, sp, pc;
	char text[512];
	unsigned long number;

	thread->unknown = ~UINT64_C(0);
	thread->processor_share = NAN;
	thread->state = proc_state(thread->tid);
	proc_read(thread->tid, "syscall", text, sizeof(text));
	if (sscanf(text, "%lu %lx %lx %lx %lx %lx %lx %lx %lx", &number, &arguments[0],
		   &arguments[1], &arguments[2], &arguments[3], &arguments[4], &arguments[5], &sp,
		   &pc) != 9)
		return;
	thread->is_calling = true;
	thread->call = number;
	thread->registers[7] = sp;
	thread->registers[16] = pc;
	thread->unknown &= ~(UINT64_C(1) << 7 | UINT64_C(1) << 16);
}

void snapshot_thread_name(struct stopped_thread *thread)
{
	proc_read(thread->tid, "comm", thread->name, sizeof(thread->name));
	thread->name[strcspn(thread->name, "\n")] = '\0';
}
