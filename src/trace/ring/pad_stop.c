/*
 * What a stop in a pad means: a question, a feature that cannot be read, a fault of the program's
 * own instruction, or nothing, and then the pad is run to its end. No signal handler ever begins
 * inside of a pad.
 */
#include "pad_stop.h"

#include <signal.h>
#include <sys/prctl.h>

#include "base/mem.h"
#include "pad_thread.h"
#include "ring_counts.h"
#include "ring_drain.h"
#include "ring_frames.h"
#include "trace/call/call_matching.h"
#include "trace/call/probe_control.h"
#include "trace/call/stop_cost.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/measured.h"

/* Pads that read long strings or arrays take that many steps. */
enum { STEPS_MAX = 1 << 22 };

static struct pad_patch *find_patch(const struct tracee *tracee, uint64_t pc)
{
	const struct inferior *inferior = tracee->inferior;

	return inferior && inferior->pads ? pad_patch_by_pc(inferior->pads->patches, pc) : NULL;
}

static bool has_block(const struct tracee *tracee)
{
	return tracee->pad || tracee->pad_idle;
}

/* A thread in a gap, on its way to a pad, is taken to be there. */
static bool read_registers(struct tracee *tracee)
{
	const struct inferior *inferior = tracee->inferior;
	const struct target *target = &inferior->session->target;
	const struct pad_patch *patch;

	if (!tracee->registers_changed &&
	    !target->ops->get_registers(target->self, tracee->tid, &tracee->registers))
		return false;
	patch = inferior->pads ? pad_patch_by_gap(inferior->pads->patches, tracee->registers.rip)
			       : NULL;
	if (patch) {
		tracee->registers.rip = patch->pad;
		tracee->registers_changed = true;
	}
	return true;
}

static bool write_registers(struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;

	tracee->registers_changed = false;
	return target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
}

static const struct pad_question *find_question(const struct pad_patch *patch, uint64_t pc)
{
	for (size_t i = 0; i < patch->code.n_questions; i++)
		if (patch->pad + patch->code.questions[i].at == pc)
			return &patch->code.questions[i];
	return NULL;
}

/* That of the probe that asks; NULL: none does, or it is gone. */
static struct breakpoint *question_breakpoint(struct inferior *inferior,
					      const struct pad_patch *patch,
					      const struct pad_question *question)
{
	return question->probe < PAD_NOTHING ? pads_breakpoint(inferior, patch, question->probe)
					     : NULL;
}

/* The instruction of the program that is at @pc in its pad; -1: none. */
static int find_moved(const struct pad_patch *patch, uint64_t pc)
{
	const uint64_t offset = pc - patch->pad;

	for (size_t i = 0; i < patch->n_insns; i++)
		if (offset >= patch->code.moved[i] &&
		    offset < patch->code.moved[i] + patch->code.moved_size[i])
			return (int)i;
	return -1;
}

/* Where its records cannot be read, they are left out. */
static void make_room(struct tracee *tracee)
{
	const uint64_t impatient = 0;

	tracee->inferior->session->account.stops++;
	tracee->inferior->session->ring->full = true;
	tracee->made_room = true;
	if (!ring_drain_thread(tracee))
		pad_thread_write(tracee, offsetof(struct pad_block, patient), &impatient,
				 sizeof(impatient));
}

/* What is @at a PAD_NOTHING: PAD_INT3 or PAD_NOP. */
static bool write_nothing(const struct tracee *tracee, const struct pad_patch *patch, uint32_t at,
			  uint8_t byte)
{
	const struct target *target = &tracee->inferior->session->target;

	return target->ops->write(target->self, tracee->tid, patch->pad + at, &byte, sizeof(byte));
}

static bool only_asks(const struct pad_site *site)
{
	return site->kind == PAD_ASK || site->kind == PAD_ASK_IF_OPEN;
}

/* The registers are the program's, at the probed instruction. */
static void answer(struct tracee *tracee, const struct pad_patch *patch,
		   const struct pad_question *question)
{
	struct inferior *inferior = tracee->inferior;
	struct breakpoint *breakpoint = question_breakpoint(inferior, patch, question);

	if (tracee->pad && tracee->pad->careful)
		pad_thread_look(tracee);
	if (question->probe == PAD_FULL && tracee->pad)
		make_room(tracee);
	if (question->probe == PAD_NOTHING) /* in a copy of the memory it is still there */
		write_nothing(tracee, patch, question->at, PAD_NOP);
	if (breakpoint && tracee->pad && !inferior->session->leaving) {
		tracee->registers.rip = breakpoint->address;
		ring_frames_take(tracee);
		ring_drain_function(tracee, breakpoint->entry_of);
		inferior->session->account.stops++;
		inferior->session->account.far_stops += tracee->stop_is_far;
		stop_cost_hit(tracee, breakpoint);
		call_matching_hit(inferior->session, tracee, breakpoint);
		if (breakpoint->hook == HOOK_CHANGE)
			pad_stop_change(tracee);
		probe_control_after_hit(tracee, breakpoint);
		/* An int3 can be lifted, this cannot. */
		if (only_asks(&patch->sites[question->probe]) &&
		    !measured_wants(inferior, breakpoint))
			pads_spoil(inferior, patch);
	}
	tracee->registers.rip = patch->pad + question->at + 1;
	tracee->registers_changed = true;
}

bool pad_stop_question(struct tracee *tracee)
{
	const uint64_t pc = tracee->registers.rip - 1;
	const struct pad_patch *patch = find_patch(tracee, pc);
	const struct pad_question *question = patch ? find_question(patch, pc) : NULL;

	if (question && tracee->pad)
		tracee->pad->question_stop = tracee->stops;
	if (question)
		answer(tracee, patch, question);
	return question;
}

bool pad_stop_is_question(const struct tracee *tracee, uint64_t pc)
{
	const struct pad_patch *patch = find_patch(tracee, pc);

	return patch && find_question(patch, pc);
}

static uint64_t home_in(const struct tracee *tracee, const struct pad_patch *patch, uint64_t pc)
{
	const struct pad_question *question = find_question(patch, pc - 1);
	const int moved = find_moved(patch, pc);
	const struct breakpoint *breakpoint =
		question ? question_breakpoint(tracee->inferior, patch, question) : NULL;

	if (breakpoint)
		return breakpoint->address;
	return moved >= 0 ? patch->insns[moved].address : patch->run;
}

uint64_t pad_stop_home(const struct tracee *tracee, uint64_t pc)
{
	const struct pads *pads = tracee->inferior->pads;
	const struct pad_patch *gap = pads ? pad_patch_by_gap(pads->patches, pc) : NULL;
	const struct pad_patch *patch = gap ? gap : find_patch(tracee, pc);

	if (patch && patch->pad == pads->resume && tracee->pad)
		return pad_stop_home(tracee, tracee->pad->resume);
	return patch ? home_in(tracee, patch, pc) : pc;
}
void pad_stop_rewind(struct tracee *tracee)
{
	const struct pad_patch *patch;

	if (!has_block(tracee) || !read_registers(tracee) ||
	    !(patch = find_patch(tracee, tracee->registers.rip)))
		return;
	for (size_t i = 0; i < patch->code.n_windows; i++) {
		const uint64_t low = patch->pad + patch->code.windows[i].low;
		const uint64_t high = patch->pad + patch->code.windows[i].high;

		if (tracee->registers.rip <= low || tracee->registers.rip >= high)
			continue;
		tracee->registers.rip = low;
		tracee->registers_changed = true;
	}
}

/* Where the program's own instructions end, and what was put off begins. */
static uint64_t rest_of(const struct pad_patch *patch)
{
	const size_t last = patch->n_insns - 1;

	return patch->pad + patch->code.moved[last] + patch->code.moved_size[last];
}

/*
 * The probe is skipped, which takes a few steps. Then the program goes on in its own code, where an
 * int3 is instead of the jump before it runs.
 */
static void go_without(struct tracee *tracee, const struct pad_patch *patch)
{
	enum { SKIP_MAX = 16 };
	const struct target *target = &tracee->inferior->session->target;
	int signal = 0;

	for (int i = 0; i < SKIP_MAX && !signal && tracee->registers.rip >= rest_of(patch); i++)
		if (!write_registers(tracee) ||
		    !target->ops->step(target->self, tracee->tid, &signal) ||
		    !read_registers(tracee))
			return;
	for (size_t i = 0; i < patch->n_insns; i++)
		if (tracee->registers.rip <= patch->pad + patch->code.moved[i]) {
			tracee->registers.rip = patch->insns[i].address;
			tracee->registers_changed = true;
			break;
		}
	pads_spoil(tracee->inferior, patch);
	pads_give_up(tracee->inferior, "the program uses the gs register itself");
}

/* Many a second, or a few in about as many calls: of a busy machine one must not wait for many. */
static bool are_too_many(struct measured_function *measured, uint64_t now_ns, bool handled)
{
	enum { SECOND_NS = 1000000000, MANY = 100, FEW = 4 };

	if (now_ns - measured->faults_ns > SECOND_NS) {
		measured->faults_ns = now_ns;
		measured->faults = 0;
		measured->begun_before_faults = measured->begun;
	}
	measured->faults++;
	return handled || measured->faults >= MANY ||
	       (measured->faults >= FEW &&
		measured->begun - measured->begun_before_faults <= 2 * measured->faults);
}

/*
 * A stop for a question costs no more than one for a fault, and if the tracer dies then the program
 * is not harmed; nor does it lose a handler, as by a fault while the signal is blocked.
 */
static void count_fault(struct tracee *tracee, const struct pad_patch *patch, int signal)
{
	struct inferior *inferior = tracee->inferior;
	const struct target *target = &inferior->session->target;
	const bool handled = !target->ops->is_fatal(target->self, tracee->tid, signal) &&
			     !(pads_guarded(inferior) >> (signal - 1) & 1);

	for (size_t i = 0; i < patch->n_probes; i++) {
		const unsigned number = patch->probes[i].function->number;
		struct measured_function *measured = &inferior->image->functions[number];

		if (measured->asks)
			continue;
		if (tracee->pad)
			ring_drain_function(tracee, (int)number);
		if (!are_too_many(measured, tracee->stop_ns, handled))
			continue;
		measured->asks = true;
		pads_renew(inferior);
	}
}

struct array_loads {
	const struct pad_fault *of;
	unsigned n;
};

/* The load at the PC; NULL: none that may fault. */
static const struct pad_fault *find_fault(const struct tracee *tracee,
					  const struct pad_patch *patch)
{
	for (size_t i = 0; i < patch->code.faults.n; i++)
		if (tracee->registers.rip == patch->pad + patch->code.faults.list[i].at)
			return &patch->code.faults.list[i];
	return NULL;
}

/*
 * A load of a feature: its value is absent then; or of what no probe can do without: it is skipped.
 * If the signal was blocked, the kernel has unblocked it, and reset its action; later loads ask.
 */
static bool skip_fault(struct tracee *tracee, const struct pad_patch *patch, int signal)
{
	const struct target *target = &tracee->inferior->session->target;
	const struct pad_fault *fault = find_fault(tracee, patch);

	if (!fault)
		return false;
	tracee->registers.rip = patch->pad + fault->resume;
	tracee->registers_changed = true;
	if (fault->foreign)
		go_without(tracee, patch);
	else
		count_fault(tracee, patch, signal);
	target->ops->block_fault(target->self, tracee->tid, signal);
	if (tracee->pad)
		pad_thread_look(tracee);
	return true;
}

/* If it is about to read the clock: that is @now. */
static bool give_clock(struct tracee *tracee, uint64_t now)
{
	static const uint8_t rdtsc[] = {0x0f, 0x31};
	const struct target *target = &tracee->inferior->session->target;
	uint8_t bytes[sizeof(rdtsc)];
	struct memory_read read = {
		.address = tracee->registers.rip, .to = bytes, .size = sizeof(bytes)};

	target->ops->read(target->self, tracee->tid, &read, 1);
	if (!read.ok || bytes[0] != rdtsc[0] || bytes[1] != rdtsc[1])
		return false;
	tracee->registers.rax = (uint32_t)now;
	tracee->registers.rdx = now >> 32;
	tracee->registers.rip += sizeof(rdtsc);
	tracee->registers_changed = true;
	return true;
}

/* The clock cannot be read in this process: it has forbidden itself that (PR_SET_TSC). */
static bool skip_clock(struct tracee *tracee)
{
	if (!give_clock(tracee, tsc_clock_ticks_now()))
		return false;
	pads_give_up(tracee->inferior, "it has forbidden itself to read the time stamp counter");
	return true;
}

/* The call that began at the run's first instruction begins again with that. */
static void take_back(struct tracee *tracee, const struct pad_patch *patch)
{
	struct open_call *call;

	if (!tracee->pad || !patch->n_probes || patch->sites[0].kind != PAD_ENTRY ||
	    patch->probes[0].insn != 0)
		return;
	ring_frames_take(tracee);
	call = tracee->calls.n ? &tracee->calls.calls[tracee->calls.n - 1] : NULL;
	if (call && call->function == patch->sites[0].function->number)
		call_matching_take_back(tracee, call);
}

/*
 * An instruction of the program itself faults, in the pad it was moved to: it must see its own PC,
 * and the code as it was, as its handler may return there.
 */
static void show_own(struct tracee *tracee, const struct pad_patch *patch)
{
	const int moved = find_moved(patch, tracee->registers.rip);

	if (moved < 0)
		return;
	if (!moved)
		take_back(tracee, patch);
	tracee->registers.rip = patch->insns[moved].address;
	tracee->registers_changed = true;
	pads_spoil(tracee->inferior, patch);
}

/* @tracee is about to get a signal by its instruction, in a pad. Returns what it gets. */
static int fault(struct tracee *tracee, const struct pad_patch *patch, int signal)
{
	if (skip_fault(tracee, patch, signal) || skip_clock(tracee))
		return 0;
	show_own(tracee, patch);
	return signal;
}

/* The stretch at @pc; NULL: it is in none. */
static const struct pad_window *find_stretch(const struct pad_patch *patch, uint64_t pc)
{
	const uint64_t at = pc - patch->pad;

	for (size_t i = 0; i < patch->code.n_stretches; i++)
		if (at >= patch->code.stretches[i].low && at < patch->code.stretches[i].high)
			return &patch->code.stretches[i];
	return NULL;
}

/*
 * To the end of a stretch, where single steps would take longer than all else. False: they have to
 * be taken, or the thread ended, perhaps as its process executes another program: then there is
 * nothing to restore. Other threads that come there meanwhile are asked nothing.
 */
static bool run_stretch(const struct tracee *tracee, const struct pad_patch *patch, int *ret_signal)
{
	const struct target *target = &tracee->inferior->session->target;
	const struct pad_window *stretch = find_stretch(patch, tracee->registers.rip);

	if (!stretch || !write_nothing(tracee, patch, stretch->high, PAD_INT3) ||
	    !target->ops->run(target->self, tracee->tid, ret_signal))
		return false;
	write_nothing(tracee, patch, stretch->high, PAD_NOP);
	if (*ret_signal == SIGTRAP)
		*ret_signal = 0;
	return true;
}

/* One step, for which its own clock stands still; what it meets on the way is handled. */
static bool step(struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;
	const struct pad_patch *patch = find_patch(tracee, tracee->registers.rip);
	const struct pad_question *question = find_question(patch, tracee->registers.rip);
	int signal = 0;

	if (question) {
		answer(tracee, patch, question);
		if (tracee->pad)
			ring_frames_give(tracee, pad_thread_steal(tracee));
		return write_registers(tracee);
	}
	if (tracee->pad && give_clock(tracee, pad_thread_ticks(tracee)))
		return write_registers(tracee);
	if ((!run_stretch(tracee, patch, &signal) &&
	     !target->ops->step(target->self, tracee->tid, &signal)) ||
	    !read_registers(tracee))
		return false;
	/* The program's own fault will be raised again where it is brought to. */
	if (signal)
		fault(tracee, patch, signal);
	return !signal || write_registers(tracee);
}

bool pad_stop_must_stay(struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;

	return tracee->signal && has_block(tracee) &&
	       target->ops->is_stop(target->self, tracee->tid, tracee->signal) &&
	       read_registers(tracee) && find_patch(tracee, tracee->registers.rip);
}

void pad_stop_change(struct tracee *tracee)
{
	struct session *session = tracee->inferior->session;
	const uint64_t operation = tracee->registers.rdi; /* of execve() an address */
	struct tracee *other, *next;

	HASH_ITER (hh, session->tracees, other, next)
		if (other->inferior == tracee->inferior && other->pad)
			ring_drain_thread(other);
	if (pads_make_calls(session->ring) &&
	    (operation == PR_SET_NO_NEW_PRIVS || operation == PR_SET_SECCOMP))
		pads_give_up(tracee->inferior, "it is about to forbid itself system calls");
}

static bool has_probe(const struct pad_patch *patch, size_t insn)
{
	for (size_t i = 0; i < patch->n_probes; i++)
		if (patch->probes[i].insn == insn)
			return true;
	return false;
}

/*
 * A closed run may loop for long, but it can be run where it stands: behind the jump there are its
 * own bytes, and int3s.
 */
static bool go_home(struct tracee *tracee)
{
	const struct pad_patch *patch = find_patch(tracee, tracee->registers.rip);

	for (size_t i = 0; patch->closed && i < patch->n_insns; i++) {
		const uint64_t home = patch->insns[i].address;

		if (tracee->registers.rip != patch->pad + patch->code.moved[i] ||
		    home - patch->run < patch->jumps[0].bytes.size || has_probe(patch, i))
			continue;
		tracee->registers.rip = home;
		return write_registers(tracee);
	}
	return false;
}

/*
 * An array that is being read is not read to its end in single steps, which would take seconds: as
 * if the next load of its loop faulted. @last: the load before, and how often in turn.
 */
static bool skip_array(struct tracee *tracee, struct array_loads *last)
{
	enum { LOADS_MAX = 256 };
	const struct pad_patch *patch = find_patch(tracee, tracee->registers.rip);
	const struct pad_fault *fault = find_fault(tracee, patch);

	if (!fault || fault->foreign)
		return false;
	last->n = fault == last->of ? last->n + 1 : 0;
	last->of = fault;
	if (last->n >= LOADS_MAX)
		tracee->registers.rip = patch->pad + fault->resume;
	return last->n >= LOADS_MAX && write_registers(tracee);
}

static bool step_out(struct tracee *tracee)
{
	struct array_loads last = {.of = NULL};
	struct thread_counts before;
	bool out = true;

	tracee->at_breakpoint = false;
	if (tracee->pad)
		ring_drain_stopped(tracee);
	ring_counts_steps_begin(tracee, &before);
	for (int i = 0; out && find_patch(tracee, tracee->registers.rip) && !go_home(tracee); i++)
		out = skip_array(tracee, &last) || (i < STEPS_MAX && step(tracee));
	if (tracee->pad)
		ring_counts_steps_end(tracee, &before);
	return out;
}

bool pad_stop_leave(struct tracee *tracee)
{
	if (!has_block(tracee) || !read_registers(tracee))
		return true;
	pad_stop_rewind(tracee);
	if (tracee->registers_changed && find_patch(tracee, tracee->registers.rip) &&
	    !write_registers(tracee))
		return false;
	return !find_patch(tracee, tracee->registers.rip) || step_out(tracee);
}

void pad_stop_signal(struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;
	const struct pad_patch *patch;

	if (!has_block(tracee) || !read_registers(tracee) ||
	    !(patch = find_patch(tracee, tracee->registers.rip)))
		return;
	if (tracee->signal == SIGSYS) { /* the call was not made, which the pad sees */
		tracee->signal = 0;
		pads_give_up(tracee->inferior, "it has forbidden itself system calls");
		return;
	}
	if (target->ops->is_stop(target->self, tracee->tid, tracee->signal))
		pad_stop_rewind(tracee); /* no handler begins */
	else if (target->ops->sender(target->self, tracee->tid) != SENDER_FAULT)
		pad_stop_leave(tracee);
	else
		tracee->signal = fault(tracee, patch, tracee->signal);
}
