/*
 * Hooks in unwinders and longjmp(): planting them, and which frames they say are gone. The calls of
 * these frames are ended by call_matching.c.
 */
#include "non_local_exits.h"

#include <stdlib.h>

#include "base/mem.h"
#include "call_stack.h"
#include "migrated_calls.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/measured.h"
#include "trace/state/stack_regions.h"

/* Indices of words in a jmp_buf of glibc and musl, and where glibc has its pointer guard. */
enum { JUMP_SP = 6, JUMP_PC = 7, POINTER_GUARD = 0x30 };

static void hook_plant(struct inferior *inferior, pid_t tid, uint64_t pc, enum exit_hook hook)
{
	struct breakpoint *breakpoint;
	struct err ignored;

	if (!breakpoint_plant(inferior->breakpoints, tid, pc, &breakpoint, &ignored))
		return;
	breakpoint->hook = hook;
	inferior->hooked = true;
}

static enum exit_hook hook_at_entry(enum cost_call_kind kind)
{
	return kind == COST_JUMP     ? HOOK_JUMP
	       : kind == COST_CHANGE ? HOOK_CHANGE
	       : kind == COST_UNWIND ? HOOK_UNWIND
				     : HOOK_UNWIND_FORCED;
}

void non_local_exits_plant(struct inferior *inferior, pid_t tid, unsigned module)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	const uint64_t bias = inferior->modules[module].load_bias;
	size_t i, j;

	if (inferior->session->options.probes == PROBES_HARDWARE)
		return; /* its addresses are for what is measured */
	for (i = 0; i < catalogue->n_cost_functions; i++) {
		const struct cost_function *function = &catalogue->cost_functions[i];

		if (function->module != module || !cost_call_is_hooked(function->kind))
			continue;
		if (function->kind == COST_CHANGE && !inferior->session->ring)
			continue;
		for (j = 0; cost_call_leaves(function->kind) && function->kind != COST_JUMP &&
			    j < function->n_exits;
		     j++)
			hook_plant(inferior, tid, module_runtime(bias, function->exits[j]),
				   HOOK_UNWOUND);
		hook_plant(inferior, tid, module_runtime(bias, function->entry_addr),
			   hook_at_entry(function->kind));
	}
}

struct hooking {
	struct inferior *inferior;
	pid_t tid;
};

static void hook_again(void *self, struct breakpoint *breakpoint)
{
	const struct hooking *hooking = self;

	if (breakpoint->hook)
		breakpoint_replant(hooking->inferior->breakpoints, hooking->tid, breakpoint);
}

static void hook_lift(void *self, struct breakpoint *breakpoint)
{
	const struct hooking *hooking = self;

	if (breakpoint->hook && !measured_wants(hooking->inferior, breakpoint))
		breakpoint_lift(hooking->inferior->breakpoints, hooking->tid, breakpoint);
}

void non_local_exits_watch(struct inferior *inferior, pid_t tid)
{
	struct hooking hooking = {inferior, tid};

	if (!inferior->unhooked)
		return;
	inferior->unhooked = false;
	breakpoint_table_each(inferior->breakpoints, hook_again, &hooking);
}

void non_local_exits_lift(struct inferior *inferior, pid_t tid)
{
	struct hooking hooking = {inferior, tid};

	if (inferior->unhooked)
		return;
	inferior->unhooked = true;
	breakpoint_table_each(inferior->breakpoints, hook_lift, &hooking);
}

/* glibc's PTR_DEMANGLE. */
static uint64_t demangle(uint64_t word, uint64_t guard)
{
	return (word >> 17 | word << 47) ^ guard;
}

/*
 * Where longjmp() with the buffer at @buffer goes on. musl stores addresses as they are; what glibc
 * stores is no address of a stack until it is demangled.
 */
static bool read_target(const struct tracee *tracee, uint64_t buffer, uint64_t *ret_pc,
			uint64_t *ret_sp)
{
	const struct target *target = &tracee->inferior->session->target;
	uint64_t words[JUMP_PC - JUMP_SP + 1], guard = 0;
	struct memory_read reads[] = {
		{.address = buffer + JUMP_SP * 8, .to = words, .size = sizeof(words)},
		{.address = tracee->registers.fs_base + POINTER_GUARD,
		 .to = &guard,
		 .size = sizeof(guard)}};

	target->ops->read(target->self, tracee->tid, reads, 2);
	if (!reads[0].ok)
		return false;
	stack_regions_identity(tracee, tracee->registers.rsp); /* so that the stack is known */
	if (!stack_regions_known(tracee->inferior, words[0]) && reads[1].ok) {
		words[0] = demangle(words[0], guard);
		words[JUMP_PC - JUMP_SP] = demangle(words[JUMP_PC - JUMP_SP], guard);
	}
	*ret_sp = words[0];
	*ret_pc = words[JUMP_PC - JUMP_SP];
	return true;
}

/* Is it upwards on one stack? */
static bool leads_up(const struct tracee *tracee, uint64_t from, uint64_t to)
{
	const uint64_t stack = from && from < to ? stack_regions_identity(tracee, from) : 0;

	return stack && stack == stack_regions_identity(tracee, to - 1);
}

/*
 * pthread_exit() and cancellation unwind to a buffer of the thread's, the last argument here, to
 * which they jump by a longjmp() without a symbol.
 */
static void plant_landing(struct tracee *tracee)
{
	uint64_t pc, sp;

	if (read_target(tracee, tracee->registers.rdx, &pc, &sp) &&
	    leads_up(tracee, tracee->registers.rsp, sp) &&
	    !breakpoint_find(tracee->inferior->breakpoints, pc))
		hook_plant(tracee->inferior, tracee->tid, pc, HOOK_LANDING);
}

/* The stack pointer behind the last instruction of an unwinder. */
static uint64_t unwound_to(const struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct insn *insn = &breakpoint->displaced.insn;

	return tracee->registers.rsp + (insn->kind == INSN_RETURN ? 8 + insn->return_pop : 0);
}

static bool unwinds_to(struct tracee *tracee, uint64_t to, struct non_local_exit *ret)
{
	const uint64_t from = tracee->unwinds_from;

	*ret = (struct non_local_exit){{{from, to}}, CALL_THROWN};
	tracee->unwinds_from = 0;
	return leads_up(tracee, from, to);
}

/* Words that the kernel pushes for a handler: its return address and a context. */
enum {
	FRAME_LINK = 2,
	FRAME_STACK = 3, /* the alternate stack: its lowest address and its size */
	FRAME_STACK_SIZE = 5,
	FRAME_SP = 21, /* of what was interrupted */
	FRAME_SEGMENTS = 24,
	FRAME_WORDS,
	SIGNAL_STACK_MAX = 1 << 16, /* bytes that are searched */
	USER_CODE = 0x33,           /* the code segment */
};

/* Is @frame, at @address, of a handler on an alternate stack that @tracee is on? */
static bool is_signal_frame(const struct tracee *tracee, const uint64_t *frame, uint64_t address)
{
	const uint64_t low = frame[FRAME_STACK];

	return !frame[FRAME_LINK] && (frame[FRAME_SEGMENTS] & 0xffff) == USER_CODE &&
	       tracee->registers.rsp >= low && address - low < frame[FRAME_STACK_SIZE];
}

/* The frame on this stack of the handler that interrupted what is below @to. */
static bool find_signal_frame(const struct tracee *tracee, const uint64_t *words, size_t n,
			      uint64_t to, struct non_local_exit *ret)
{
	const uint64_t rsp = tracee->registers.rsp;
	size_t i;

	for (i = 0; i + FRAME_WORDS <= n; i++) {
		const uint64_t address = rsp + i * sizeof(*words);
		const uint64_t from = words[i + FRAME_SP];

		if (!is_signal_frame(tracee, &words[i], address) || !leads_up(tracee, from, to))
			continue;
		*ret = (struct non_local_exit){{{from, to}, {rsp, address + 8}}, CALL_JUMPED};
		return true;
	}
	return false;
}

static bool leaves_handler(const struct tracee *tracee, uint64_t to, struct non_local_exit *ret)
{
	const struct target *target = &tracee->inferior->session->target;
	const uint64_t rsp = tracee->registers.rsp;
	const uint64_t end = stack_regions_identity(tracee, rsp);
	const size_t size = end - rsp < SIGNAL_STACK_MAX ? end - rsp : SIGNAL_STACK_MAX;
	uint64_t *words;
	struct memory_read read;
	bool found;

	if (!end || rsp % sizeof(*words))
		return false;
	words = mem_alloc(size);
	read = (struct memory_read){.address = rsp, .to = words, .size = size};
	target->ops->read(target->self, tracee->tid, &read, 1);
	found = read.ok && find_signal_frame(tracee, words, size / sizeof(*words), to, ret);
	free(words);
	return found;
}

static bool jumps_to(const struct tracee *tracee, uint64_t to, struct non_local_exit *ret)
{
	const uint64_t rsp = tracee->registers.rsp;

	*ret = (struct non_local_exit){{{rsp, to}}, CALL_JUMPED};
	return leads_up(tracee, rsp, to) || leaves_handler(tracee, to, ret);
}

/* Calls that pads follow are known only while their thread is stopped. */
static bool may_be_open(const struct inferior *inferior)
{
	return inferior->n_open || inferior->orphans.n || inferior->pads;
}

bool non_local_exits_hit(struct tracee *tracee, const struct breakpoint *breakpoint,
			 struct non_local_exit *ret)
{
	const uint64_t rsp = tracee->registers.rsp;
	uint64_t pc, sp;

	if (!may_be_open(tracee->inferior)) {
		non_local_exits_lift(tracee->inferior, tracee->tid);
		return false;
	}
	switch (breakpoint->hook) {
	case HOOK_UNWIND_FORCED:
		plant_landing(tracee);
		tracee->unwinds_from = rsp;
		return false;
	case HOOK_UNWIND:
		tracee->unwinds_from = rsp;
		return false;
	case HOOK_UNWOUND:
		return unwinds_to(tracee, unwound_to(tracee, breakpoint), ret);
	case HOOK_LANDING:
		return unwinds_to(tracee, rsp, ret);
	case HOOK_JUMP:
		return read_target(tracee, tracee->registers.rdi, &pc, &sp) &&
		       jumps_to(tracee, sp, ret);
	case HOOK_CHANGE:
	case HOOK_NONE:
		break;
	}
	return false;
}

static struct open_call *find_left(struct tracee *tracee, const struct non_local_exit *left)
{
	const struct call_stack *calls = &tracee->calls;
	size_t last = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct stack_part *part = &left->parts[i];
		const size_t at = call_stack_among(calls, calls->n, part->from, part->to);

		last = at > last ? at : last;
	}
	return last ? &calls->calls[last - 1] : NULL;
}

struct open_call *non_local_exits_next(struct tracee *tracee, const struct non_local_exit *left)
{
	struct open_call *call = find_left(tracee, left);
	size_t i;

	for (i = 0; !call && i < 2; i++)
		call = migrated_calls_find_between(tracee, left->parts[i].from, left->parts[i].to);
	return call;
}
