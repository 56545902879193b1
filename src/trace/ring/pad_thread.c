/* Giving blocks to threads, and keeping their clocks. */
#include "pad_thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ring_counts.h"
#include "ring_locks.h"
#include "trace/probe/governor.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"
#include "trace/state/stack_regions.h"

bool pad_thread_write(const struct tracee *tracee, size_t offset, const void *bytes, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;
	const struct memory_write write = {tracee->pad->address + offset, bytes, n};

	return target->ops->write_many(target->self, tracee->tid, &write, 1);
}

static bool write_at(const struct tracee *tracee, uint64_t address, const void *bytes, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;

	return target->ops->write(target->self, tracee->tid, address, bytes, n);
}

/* So that pads cause no page faults. */
static bool touch_block(const struct tracee *tracee, uint64_t address)
{
	void *zeros = mem_alloc(PAD_BLOCK_SIZE);
	const bool ok = write_at(tracee, address, zeros, PAD_BLOCK_SIZE);

	free(zeros);
	return ok;
}

static bool read_registers(const struct tracee *tracee, struct user_regs_struct *ret)
{
	const struct target *target = &tracee->inferior->session->target;

	*ret = tracee->registers;
	return tracee->registers_changed ||
	       target->ops->get_registers(target->self, tracee->tid, ret);
}

/* As pads find it before the first call: every call is chosen, nothing is open. */
static bool write_block(const struct tracee *tracee, uint64_t address, bool idle)
{
	const struct inferior *inferior = tracee->inferior;
	const size_t n = inferior->image->catalogue->n_functions;
	struct ring *ring = inferior->session->ring;
	const uint64_t sentinel = address + PAD_FRAMES_END - PAD_FRAME_SIZE;
	const struct pad_frame outermost = {.cfa = UINT64_MAX, .function = UINT32_MAX};
	struct user_regs_struct registers;
	struct pad_sums *sums = mem_alloc((n + 1) * sizeof(*sums));
	struct pad_block block = {
		.magic = PAD_MAGIC,
		.address = address,
		.top = sentinel,
		.patient = 1,
		.mem = tracee->allocations.bytes,
		.chance = tsc_clock_ticks_now() * UINT64_C(6364136223846793005) + address,
		.last_id = idle ? 0 : (uint64_t)call_ids_begin(&inferior->session->ids),
	};
	bool ok;

	for (size_t i = 0; i < n && i < PAD_FUNCTIONS_MAX; i++)
		sums[i] = (struct pad_sums){
			.limit = PAD_RANK_ALL,
			.end = inferior->pads->ends[i],
			.left = ring->keep_all                                   ? INT64_MAX
				: governor_is_spent(inferior->session->governor) ? PAD_BUDGET
										 : PAD_BURST,
			.strings = inferior->image->functions[i].strings,
			.closed = idle || measured_is_shut(&inferior->image->functions[i])};
	if (read_registers(tracee, &registers))
		block.stack_size = stack_regions_own(tracee, &registers, &block.stack);
	ok = (!(ring->counts & 1 << PAD_PFAULTS) || touch_block(tracee, address)) &&
	     write_at(tracee, address, &block, sizeof(block)) &&
	     write_at(tracee, address + PAD_SUMS_OFFSET, sums,
		      (n < PAD_FUNCTIONS_MAX ? n : PAD_FUNCTIONS_MAX) * sizeof(*sums)) &&
	     write_at(tracee, sentinel, &outermost, sizeof(outermost));
	if (tracee->pad) {
		memcpy(tracee->pad->sums, sums, n * sizeof(*sums));
		memcpy(tracee->pad->granted, sums, n * sizeof(*sums));
		tracee->pad->block = block;
	}
	free(sums);
	return ok;
}

static bool set_gs(struct tracee *tracee, uint64_t base)
{
	const struct target *target = &tracee->inferior->session->target;
	struct user_regs_struct registers;

	if (!read_registers(tracee, &registers))
		return false;
	registers.gs_base = base;
	if (tracee->registers_changed)
		tracee->registers.gs_base = base;
	return target->ops->set_registers(target->self, tracee->tid, &registers);
}

/* The spare one is lent until the jumps are lifted, before any other thread is resumed. */
static void begin_idle(struct tracee *tracee)
{
	struct pads *pads = tracee->inferior->pads;
	uint64_t address;

	if (!pads_find_block(tracee, &address)) {
		pads_give_up(tracee->inferior, "there is no memory for another thread's records");
		pads->urgent = true;
		address = pads->spare_block;
		pads->spare_block = 0;
	}
	if (address && write_block(tracee, address, true) && set_gs(tracee, address))
		tracee->pad_idle = address;
}

uint64_t *pad_thread_elsewhere(const struct tracee *tracee, size_t *ret_size)
{
	const struct image *image = tracee->inferior->image;
	const size_t n_all = image->catalogue->n_functions;
	const size_t n = n_all < PAD_FUNCTIONS_MAX ? n_all : PAD_FUNCTIONS_MAX;
	uint64_t *elsewhere = mem_alloc((n + 1) * sizeof(*elsewhere));

	for (size_t i = 0; i < n; i++)
		elsewhere[i] = image->functions[i].begun - tracee->pad->sums[i].begun;
	*ret_size = n * sizeof(*elsewhere);
	return elsewhere;
}

bool pad_thread_tell_elsewhere(const struct tracee *tracee)
{
	size_t size;
	uint64_t *elsewhere = pad_thread_elsewhere(tracee, &size);
	const bool ok = pad_thread_write(tracee, PAD_ELSEWHERE_OFFSET, elsewhere, size);

	free(elsewhere);
	return ok;
}

void pad_thread_begin(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;
	const struct target *target = &inferior->session->target;
	const size_t n_sums = inferior->image ? inferior->image->catalogue->n_functions + 1 : 1;
	uint64_t address;

	if (tracee->pad || tracee->pad_idle || tracee->exiting)
		return;
	if (tracee->role == TRACEE_BORROWER || inferior->pads->why ||
	    !pads_find_block(tracee, &address)) {
		begin_idle(tracee);
		return;
	}
	tracee->pad = mem_alloc(sizeof(*tracee->pad));
	tracee->pad->address = address;
	tracee->pad->sums = mem_alloc(n_sums * sizeof(*tracee->pad->sums));
	tracee->pad->granted = mem_alloc(n_sums * sizeof(*tracee->pad->granted));
	if (!write_block(tracee, address, false) || !pad_thread_tell_elsewhere(tracee) ||
	    !set_gs(tracee, address)) {
		pad_thread_forget(tracee);
		return;
	}
	tracee->last_id = (int64_t)tracee->pad->block.last_id;
	ring_locks_begin(tracee);
	tracee->frames_taken = tracee->pad->known =
		tracee->calls.n > 0 || tracee->lock_calls.locks.watched;
	pad_thread_look(tracee);
	target->ops->tell_exits(target->self, tracee->tid);
	target->ops->waited_ns(target->self, tracee->tid, 0, 0); /* from now on it is known */
}

void pad_thread_forget(struct tracee *tracee)
{
	struct pad_thread *thread = tracee->pad;
	struct pads *pads = tracee->inferior ? tracee->inferior->pads : NULL;

	if (pads && (thread || tracee->pad_idle))
		pads_keep_block(pads, thread ? thread->address : tracee->pad_idle);
	tracee->pad_idle = 0;
	if (!thread)
		return;
	free(thread->sums);
	free(thread->granted);
	free(thread->frames);
	for (size_t i = 0; i < thread->heap.n_ended; i++)
		free(thread->heap.ended[i].sites);
	free(thread->heap.ended);
	free(thread->streams.known);
	free(thread->streams.ended);
	free(thread);
	tracee->pad = NULL;
	tracee->allocations.n_framed = 0;
	tracee->framed_transfers.n = 0;
}

void pad_thread_tell_gs(const struct tracee *tracee)
{
	struct user_regs_struct registers;

	if (tracee->pad && !tracee->inferior->pads->why && read_registers(tracee, &registers) &&
	    registers.gs_base != tracee->pad->address)
		event_queue_note(tracee->inferior->session,
				 "thread %d has set the gs register itself: its calls after that "
				 "were not measured; --probes stops measures them",
				 (int)tracee->tid);
}

void pad_thread_end(struct tracee *tracee)
{
	const struct inferior *inferior = tracee->inferior;
	struct user_regs_struct registers;

	if (!inferior || !inferior->pads)
		return;
	pad_thread_tell_gs(tracee);
	if (read_registers(tracee, &registers) &&
	    pad_area_is_block(inferior->pads->area, registers.gs_base))
		set_gs(tracee, 0);
	pad_thread_forget(tracee);
}

void pad_thread_leave_copy(struct tracee *tracee)
{
	if (tracee->inferior && tracee->inferior->pads && tracee->inferior->pads->planted)
		set_gs(tracee, 0);
}

void pad_thread_look(struct tracee *tracee)
{
	const struct target *target = &tracee->inferior->session->target;
	const uint64_t careful = target->ops->holds_faults(target->self, tracee->tid,
							   pads_guarded(tracee->inferior));

	if (tracee->pad->careful == careful)
		return;
	tracee->pad->careful = careful;
	pad_thread_write(tracee, offsetof(struct pad_block, careful), &careful, sizeof(careful));
}

void pad_thread_read_clock(struct tracee *tracee, const struct pad_block *block)
{
	tracee->pad->stolen = block->stolen;
	tracee->pad->asked = block->asked[0] - block->asked[1];
}

/*
 * A stop is the dearer the longer its thread has run: the tracer sleeps by then, and caches are
 * others'. The cost rises with the logarithm of the time, from some 10 µs to what is calibrated.
 */
static double dearer_us(const struct tracee *tracee, uint64_t moment)
{
	static const double soon_us = 10;
	const struct session *session = tracee->inferior->session;
	const double ran_us =
		tsc_clock_ns(&session->ring->clock, (int64_t)(moment - tracee->pad->moment)) / 1000;
	const double part =
		log(fmax(ran_us, soon_us) / soon_us) / log(CALIBRATED_LATE_US / soon_us);

	return session->account.calibration.pads.late * fmin(part, 1);
}

/*
 * Its own clock stands still from the int3 on, which is before the stop was noticed: a pad that
 * asks tells when, else that is calibrated.
 */
static uint64_t own_moment(const struct tracee *tracee)
{
	const struct session *session = tracee->inferior->session;
	const struct calibration *calibration = &session->account.calibration;
	const struct tsc_clock *clock = &session->ring->clock;
	const double before_us = calibration->pads.ended[METRIC_TIME] +
				 (tracee->stop_is_far ? calibration->far[METRIC_TIME] : 0);
	uint64_t moment;

	if (tracee->pad->question_stop == tracee->stops)
		return tracee->pad->asked;
	moment = tsc_clock_moment_ticks(clock, tracee->stop_ns - tracee->late_ns) -
		 (uint64_t)tsc_clock_ticks(clock, before_us * 1000) - tracee->pad->stolen;
	return moment - (uint64_t)tsc_clock_ticks(clock, dearer_us(tracee, moment) * 1000);
}

/* What the kernel takes until it runs is not known before. */
static uint64_t stolen_until_it_runs(const struct tracee *tracee)
{
	const struct session *session = tracee->inferior->session;
	const struct calibration *calibration = &session->account.calibration;
	const double after_us =
		fmax(calibration->stop[METRIC_TIME] - calibration->pads.ended[METRIC_TIME], 0);

	return tsc_clock_ticks_now() +
	       (uint64_t)tsc_clock_ticks(&session->ring->clock, after_us * 1000) -
	       tracee->pad->moment;
}

static void stop_clock(struct tracee *tracee)
{
	struct pad_thread *thread = tracee->pad;
	uint64_t moment;

	if (thread->moment_stop == tracee->stops)
		return;
	moment = own_moment(tracee);
	/* It took less until this stop was noticed than is calibrated: no clock runs backwards. */
	if (!thread->moment_stop || (int64_t)(moment - thread->moment) > 0)
		thread->moment = moment;
	thread->moment_stop = tracee->stops;
}

uint64_t pad_thread_moment(struct tracee *tracee)
{
	stop_clock(tracee);
	return tracee->pad->moment;
}

uint64_t pad_thread_ticks(struct tracee *tracee)
{
	stop_clock(tracee);
	return tracee->pad->moment + tracee->pad->stolen;
}

uint64_t pad_thread_steal(struct tracee *tracee)
{
	const struct ring *ring = tracee->inferior->session->ring;
	struct pad_thread *thread = tracee->pad;

	stop_clock(tracee);
	thread->stolen = stolen_until_it_runs(tracee);
	if (!tracee->frames_taken) { /* else it is written with the frames */
		const uint64_t words[] = {thread->stolen, -thread->moment, thread->resume};

		pad_thread_write(tracee, offsetof(struct pad_block, stolen), words, sizeof(words));
	}
	if (ring->counts) {
		ring_counts_leave_out(tracee);
		pad_thread_write(tracee, offsetof(struct pad_block, aside), thread->aside,
				 sizeof(thread->aside));
	}
	return thread->moment;
}

/* A handler that began in the PAD_RESUME would be stopped, too, and spoil where that goes on. */
static bool can_go_by_resume(const struct tracee *tracee)
{
	const struct inferior *inferior = tracee->inferior;
	const struct target *target = &inferior->session->target;

	return inferior->pads->resume && inferior->pads->planted && !inferior->pads->why &&
	       (!tracee->frames_taken || tracee->pad->known) && tracee->at_breakpoint &&
	       tracee->registers_changed && !tracee->signal &&
	       tracee->registers.gs_base == tracee->pad->address && !inferior->session->leaving &&
	       !target->ops->has_held(target->self, tracee->tid);
}

uint64_t pad_thread_resume(struct tracee *tracee)
{
	if (can_go_by_resume(tracee)) {
		tracee->pad->resume = tracee->registers.rip;
		tracee->registers.rip = tracee->inferior->pads->resume;
	}
	return pad_thread_steal(tracee);
}
