/* Inferiors: from the program's first instruction, or the attach, to exec or the end. */
#include "inferior.h"

#include <elf.h>
#include <signal.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "trace/probe/breakpoint.h"
#include "trace/call/call_stack.h"
#include "trace/call/calls_abandon.h"
#include "trace/cost/cost_probes.h"
#include "trace/call/probe_control.h"
#include "trace/target/recovery.h"
#include "trace/cost/heap.h"
#include "trace/cost/lock_calls.h"
#include "trace/kernel/proc.h"
#include "trace/state/event_queue.h"
#include "inferior_modules.h"
#include "trace/ring/pad_thread.h"
#include "trace/ring/pads.h"
#include "trace/ring/ring_frames.h"
#include "trace/call/feature_reading.h"

/* Rings that are open for less time may be missed. */
#define RINGS_LOOK_NS UINT64_C(250000000)

struct inferior *inferior_create(struct session *session, pid_t pid)
{
	const struct target *target = &session->target;
	struct inferior *inferior = mem_alloc(sizeof(*inferior));

	inferior->session = session;
	inferior->pid = pid;
	inferior->ignores_trap = target->ops->action(target->self, pid, SIGTRAP) == TRAP_IGNORED;
	inferior->arena = arena_create();
	inferior->fetch_calls = ring_frames_fetch;
	inferior->next = session->inferiors;
	session->inferiors = inferior;
	recovery_add_process(session->options.guard, pid);
	return inferior;
}

/* The supervisor must know the first int3, too. */
static bool guard_start(struct inferior *inferior, uint64_t pc)
{
	struct insn insn = {.address = pc, .bytes = {inferior->start_byte}, .size = 1};

	return recovery_plant(inferior->session->options.guard, inferior->pid, &insn, 0,
			      &inferior->start_guarded);
}

static void copy_classes(const struct inferior *inferior, struct inferior *copy)
{
	if (!inferior->class_ranges)
		return;
	copy->class_ranges =
		arena_copy(copy->arena, inferior->class_ranges,
			   inferior->image->catalogue->n_vtables * sizeof(*copy->class_ranges));
	copy->class_map.ranges = copy->class_ranges;
}

/* Paths live in the session's arena, so modules of both share them. */
static void copy_measured(const struct inferior *inferior, struct inferior *copy)
{
	copy->modules = arena_copy(copy->arena, inferior->modules,
				   inferior->image->catalogue->n_modules * sizeof(*copy->modules));
	copy_classes(inferior, copy);
	if (inferior->breakpoints)
		copy->breakpoints = breakpoint_table_copy(inferior->breakpoints, copy->pid);
	if (copy->breakpoints)
		breakpoint_table_restore_lifted(copy->breakpoints, copy->pid);
	pads_copy(inferior, copy);
	cost_probes_copy(inferior, copy);
	copy->unhooked = inferior->unhooked;
}

struct inferior *inferior_copy(const struct inferior *inferior, pid_t pid)
{
	struct recovery *guard = inferior->session->options.guard;
	struct inferior *copy;

	recovery_begin_copy(guard, inferior->pid, pid);
	copy = inferior_create(inferior->session, pid);
	copy->start_pc = inferior->start_pc;
	copy->start_byte = inferior->start_byte;
	copy->stack_mark = inferior->stack_mark;
	copy->ignores_trap = inferior->ignores_trap;
	if (copy->start_pc)
		guard_start(copy, copy->start_pc);
	copy->loader = inferior->loader;
	copy->class_map = inferior->class_map;
	copy->image = inferior->image;
	if (inferior->image)
		copy_measured(inferior, copy);
	recovery_end_copy(guard, pid);
	return copy;
}

static const struct image *find_image(struct session *session, const struct catalogue *catalogue)
{
	struct image *image;
	size_t i;

	for (i = 0; i < session->n_images; i++)
		if (session->images[i]->catalogue == catalogue)
			return session->images[i];
	image = arena_new(session->arena, struct image);
	*image = (struct image){.index = session->n_images, .catalogue = catalogue};
	feature_reading_set_up(session, image);
	session->images = mem_grow(session->images, &session->images_capacity,
				   session->n_images + 1, sizeof(struct image *));
	session->images[session->n_images++] = image;
	probe_control_add(session, image);
	return image;
}

static void set_image(struct inferior *inferior, const struct catalogue *catalogue)
{
	inferior->image = find_image(inferior->session, catalogue);
	inferior_modules_init(inferior);
}

/* The loader runs first; at the program's start all it was linked with is mapped. */
bool inferior_measure(struct inferior *inferior, const struct catalogue *catalogue, struct err *err)
{
	static const uint8_t int3 = 0xcc;
	const struct target *target = &inferior->session->target;
	uint64_t pc = target->ops->auxiliary(target->self, inferior->pid, AT_ENTRY);
	struct memory_read read = {.address = pc, .to = &inferior->start_byte, .size = 1};

	if (!catalogue)
		return true;
	target->ops->read(target->self, inferior->pid, &read, 1);
	if (!pc || !read.ok || !guard_start(inferior, pc) ||
	    !target->ops->write(target->self, inferior->pid, pc, &int3, 1))
		return err_set(err, ERR_TARGET,
			       "the start of the program cannot be found in its memory");
	set_image(inferior, catalogue);
	inferior->start_pc = pc;
	inferior->modules[0].load_bias = pc - catalogue->modules[0].entry_addr;
	return true;
}

/* @entry is code not executed any more: remote calls may overwrite it for a moment. */
static void inferior_begin(struct inferior *inferior, uint64_t entry, pid_t tid)
{
	struct session *session = inferior->session;

	inferior->stack_mark = session->target.ops->auxiliary(session->target.self, tid, AT_RANDOM);
	inferior->breakpoints =
		breakpoint_table_create(&session->target, session->decoder, inferior->pid, entry);
	breakpoint_table_set_guard(inferior->breakpoints, session->options.guard);
	if (session->options.probes == PROBES_HARDWARE)
		breakpoint_table_use_registers(inferior->breakpoints);
	pads_create(inferior, entry);
	inferior_modules_start(inferior, tid);
}

void inferior_measure_running(struct inferior *inferior, const struct catalogue *catalogue,
			      pid_t tid)
{
	const struct target *target = &inferior->session->target;
	uint64_t entry = target->ops->auxiliary(target->self, tid, AT_ENTRY);

	set_image(inferior, catalogue);
	inferior->modules[0].load_bias = entry - catalogue->modules[0].entry_addr;
	inferior_begin(inferior, entry, tid);
}

void inferior_start(struct inferior *inferior, struct tracee *tracee)
{
	const struct target *target = &inferior->session->target;
	uint64_t pc = inferior->start_pc;

	target->ops->write(target->self, tracee->tid, pc, &inferior->start_byte, 1);
	tracee->registers.rip = pc;
	tracee->registers_changed = true;
	target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
	inferior->start_pc = 0;
	recovery_lift(inferior->session->options.guard, inferior->start_guarded);
	inferior_begin(inferior, pc, tracee->tid);
	if (inferior->n_tracees == 1)
		pads_update(inferior, tracee);
	if (inferior->cost.open)
		lock_calls_born(tracee);
}

static bool has_remote(const struct session *session)
{
	return metric_totals(session->options.metrics) & 1u << METRIC_REMOTE;
}

static void look_for_ring_of(struct inferior *inferior)
{
	if (has_remote(inferior->session) && !inferior->has_ring)
		inferior->has_ring = proc_has_ring(inferior->pid);
}

void inferior_look_for_rings(struct session *session, uint64_t now_ns)
{
	if (now_ns < session->rings_due_ns)
		return;
	session->rings_due_ns = now_ns + RINGS_LOOK_NS;
	for (struct inferior *inferior = session->inferiors; inferior; inferior = inferior->next)
		look_for_ring_of(inferior);
}

void inferior_say_unmeasured(struct inferior *inferior)
{
	inferior_modules_say_replaced(inferior, inferior->pid);
	look_for_ring_of(inferior);
	if (inferior->has_ring)
		event_queue_note(inferior->session,
				 "the program has io_uring, by which it may send and receive "
				 "unnoticed: calls that do so have no remote time, and are not "
				 "matched");
}

void inferior_forget(struct inferior *inferior)
{
	while (inferior->orphans.n)
		calls_abandon(inferior, inferior->pid, &inferior->orphans, inferior->orphans.calls);
	cost_probes_forget(inferior);
	pads_destroy(inferior);
	heap_clear(&inferior->heap);
	breakpoint_table_destroy(inferior->breakpoints);
	inferior->breakpoints = NULL;
	inferior->image = NULL;
	inferior->modules = NULL;
	inferior->class_ranges = NULL;
	inferior->class_map = (struct class_map){.n_ranges = 0};
	inferior->start_pc = 0;
	inferior->unhooked = false;
	recovery_forget(inferior->session->options.guard, inferior->start_guarded);
	inferior->start_guarded = 0;
	free(inferior->regions);
	inferior->regions = NULL;
	inferior->n_regions = 0;
}

void inferior_destroy(struct inferior *inferior)
{
	struct session *session = inferior->session;
	struct inferior **at = &session->inferiors;

	while (*at != inferior)
		at = &(*at)->next;
	*at = inferior->next;
	if (session->started == inferior)
		session->started = NULL;
	inferior_forget(inferior);
	call_stack_deinit(&inferior->orphans);
	recovery_remove_process(session->options.guard, inferior->pid);
	arena_destroy(inferior->arena);
	free(inferior);
}
