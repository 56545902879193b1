/*
 * The rounds of a capture: stop the process (trace/snapshot.h), unwind and read values with what is
 * known of its code, then learn what was missing (dwarf/call_sites.h). stack_build.c copies the
 * result.
 */
#include "stack_capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "frame_values.h"
#include "trace/wait_reason.h"

enum {
	ROUNDS_MAX = 5,
	FRAMES_MAX = 4096,
	VALUED_MAX = 256, /* frames of one thread of which features are read */
};

/* Find the frame's module. False: none, or it must be opened first, or cannot be. */
static bool place_frame(struct stack_capture *capture, struct found_frame *frame,
			const char **ret_why)
{
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];
	const struct mapped_module *module =
		mapped_modules_find(&capture->modules, pc - (frame->is_exact ? 0 : 1));

	if (!module) {
		capture->is_complete &= !capture->is_stopped;
		*ret_why = "its code is in no file: it was made at run time, or the stack is "
			   "overwritten";
		return false;
	}
	frame->path = module->path;
	frame->opened = opened_files_find(&capture->opened, module);
	if (!frame->opened && !capture->is_stopped)
		frame->opened = opened_files_open(&capture->opened, module);
	if (!frame->opened) {
		capture->is_complete = false;
		*ret_why = NULL;
		return false;
	}
	frame->frame.load_bias = frame->opened->load_bias;
	*ret_why = frame->opened->why_not;
	return frame->opened->sites != NULL;
}

static struct found_frame *frame_add(struct found_thread *thread)
{
	thread->frames =
		mem_grow(thread->frames, &thread->capacity, thread->n + 1, sizeof(*thread->frames));
	return &thread->frames[thread->n++];
}

/* The innermost frame. */
static void frame_first(struct found_thread *thread)
{
	struct found_frame *frame = frame_add(thread);

	*frame = (struct found_frame){.is_exact = true};
	memcpy(frame->frame.registers.value, thread->stopped->registers,
	       sizeof(frame->frame.registers.value));
	frame->frame.registers.unknown =
		thread->stopped->unknown & ((UINT64_C(1) << UNWIND_REGISTERS) - 1);
}

static const struct unwind_frame *inner_of(const struct found_thread *thread,
					   const struct unwind_row *row)
{
	const struct found_frame *inner = thread->n > 1 ? &thread->frames[thread->n - 2] : NULL;

	(void)row;
	/* A signal handler may run on another stack than what it interrupted. */
	return inner && !thread->frames[thread->n - 1].is_exact ? &inner->frame : NULL;
}

/* False: the stack ends here, or goes on in another round. */
static bool unwind_frame(struct stack_capture *capture, struct found_thread *thread)
{
	struct found_frame *frame = &thread->frames[thread->n - 1], *caller;
	struct unwind_registers registers;
	const struct unwind_row *row;
	enum unwind_end end;

	thread->is_whole = false;
	if (!place_frame(capture, frame, &thread->end)) {
		thread->is_whole = thread->end != NULL;
		return false;
	}
	thread->is_whole = true;
	row = call_sites_row(frame->opened->sites, stack_build_addr(frame));
	thread->end = row->why_not;
	if (row->why_not)
		return false;
	end = unwind_step(capture->runner, &capture->snapshot->memory, row, inner_of(thread, row),
			  &frame->frame, &registers);
	thread->end = unwind_end_phrase(end);
	if (end != UNWIND_CALLER)
		return false;
	if (thread->n == FRAMES_MAX) {
		thread->end = "there are more frames than are shown";
		return false;
	}
	caller = frame_add(thread);
	*caller =
		(struct found_frame){.frame = {.registers = registers}, .is_exact = row->is_signal};
	return true;
}

static void unwind_thread(struct stack_capture *capture, struct found_thread *thread)
{
	if (!thread->n)
		frame_first(thread);
	if (thread->stopped->unknown >> UNWIND_PC & 1) {
		thread->n = 0;
		thread->is_whole = true;
		thread->end = "the kernel does not tell where it is";
		return;
	}
	while (!(capture->is_stopped && snapshot_is_late(capture->snapshot)))
		if (!unwind_frame(capture, thread))
			return;
	thread->is_whole = false;
	capture->is_complete = false;
}

static void value_thread(struct stack_capture *capture, struct found_thread *thread)
{
	const size_t n = thread->n < VALUED_MAX ? thread->n : VALUED_MAX;

	for (size_t i = n; i-- > 0;)
		frame_values_pass(capture, thread, i);
	for (size_t i = 0; i < n; i++) {
		if (capture->is_stopped && snapshot_is_late(capture->snapshot)) {
			capture->is_complete = false;
			return;
		}
		frame_values_read(capture, thread, &thread->frames[i]);
	}
}

static bool is_stopped_if_possible(const struct stopped_thread *thread)
{
	return thread->is_held || thread->state == 'D';
}

static void threads_create(struct stack_capture *capture)
{
	const struct snapshot *snapshot = capture->snapshot;

	capture->threads = mem_alloc((snapshot->n_threads + 1) * sizeof(*capture->threads));
	for (size_t i = 0; i < snapshot->n_threads; i++)
		capture->threads[i] = (struct found_thread){.stopped = &snapshot->threads[i]};
}

static void threads_value(struct stack_capture *capture)
{
	for (size_t i = 0; i < capture->snapshot->n_threads; i++) {
		wait_reason_describe(capture->snapshot, capture->threads[i].stopped, capture->arena,
				     &capture->threads[i].wait);
		value_thread(capture, &capture->threads[i]);
	}
}

/*
 * During the stop: take what needs no debug information to be read. All stacks first, so that their
 * memory gets copied.
 */
static void capture_look(void *self, struct snapshot *snapshot)
{
	struct stack_capture *capture = self;

	capture->snapshot = snapshot;
	threads_create(capture);
	capture->is_stopped = true;
	capture->is_complete = true;
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		capture->is_complete &= is_stopped_if_possible(&snapshot->threads[i]);
		unwind_thread(capture, &capture->threads[i]);
	}
	if (stack_build_since(capture))
		stack_since_held(capture->since, snapshot);
	threads_value(capture);
	capture->is_stopped = false;
}

/* After the stop: read the debug information that was missing. */
static void capture_learn(struct stack_capture *capture)
{
	for (size_t i = 0; i < capture->snapshot->n_threads; i++) {
		struct found_thread *thread = &capture->threads[i];

		if (!thread->is_whole)
			unwind_thread(capture, thread);
		for (size_t j = 0; j < thread->n; j++)
			stack_build_site(capture, &thread->frames[j]);
		for (size_t j = thread->n < VALUED_MAX ? thread->n : VALUED_MAX; j-- > 0;)
			frame_values_pass(capture, thread, j);
	}
	for (size_t i = 0; i < capture->opened.n; i++) {
		struct opened_file *opened = capture->opened.list[i];

		if (opened->sites)
			opened->classes =
				call_sites_classes(opened->sites, opened->load_bias,
						   &opened->class_types, &opened->n_class_types);
	}
}

static void forget_round(struct stack_capture *capture)
{
	for (size_t i = 0; capture->threads && i < capture->snapshot->n_threads; i++)
		free(capture->threads[i].frames);
	free(capture->threads);
	capture->threads = NULL;
	mapped_modules_deinit(&capture->modules);
	capture->modules = (struct mapped_modules){.vdso_fd = -1};
}

static bool capture_take(struct stack_capture *capture, const struct snapshot *earlier,
			 struct snapshot **ret, struct err *err)
{
	const struct stack_capture_source *source = capture->source;

	if (!source)
		return snapshot_take(capture->pid, earlier, capture_look, capture, ret, err);
	if (!source->take(source->self, capture->pid, ret, err))
		return false;
	capture_look(capture, *ret);
	return true;
}

static bool run_round(struct stack_capture *capture, struct err *err)
{
	struct snapshot *earlier = capture->snapshot, *snapshot;
	double ms;

	forget_round(capture);
	capture->snapshot = NULL;
	mapped_modules_read(capture->pid, capture->arena, &capture->modules);
	if (stack_build_since(capture))
		stack_since_before(capture->since);
	if (!capture_take(capture, earlier, &snapshot, err))
		return false;
	snapshot_destroy(earlier);
	if (stack_build_since(capture))
		stack_since_after(capture->since, snapshot);
	ms = (double)snapshot->held_ns / 1e6;
	capture->longest_ms = ms > capture->longest_ms ? ms : capture->longest_ms;
	capture->rounds++;
	return true;
}

/* Until nothing was missing during a stop. */
static bool run_rounds(struct stack_capture *capture, struct err *err)
{
	for (int i = 0; i < ROUNDS_MAX; i++) {
		const bool is_last = i + 1 == ROUNDS_MAX;

		if (!run_round(capture, err))
			return false;
		if (capture->is_complete)
			return true;
		if (!is_last)
			snapshot_unlimit(capture->snapshot);
		capture_learn(capture);
	}
	/* Only what the last stop has copied can still be read. */
	for (size_t i = 0; i < capture->snapshot->n_threads; i++)
		value_thread(capture, &capture->threads[i]);
	return true;
}

struct stack_capture *stack_capture_create(pid_t pid, const struct catalogue_request *request,
					   bool times)
{
	struct stack_capture *capture = mem_alloc(sizeof(*capture));

	*capture = (struct stack_capture){
		.pid = pid,
		.arena = arena_create(),
		.runner = plan_runner_create(),
		.modules = {.vdso_fd = -1},
		.since = times ? stack_since_create(pid) : NULL,
	};
	capture->opened = (struct opened_files){.request = request, .arena = capture->arena};
	return capture;
}

bool stack_capture_take(struct stack_capture *capture, const struct stack_capture_source *source,
			struct stack **ret, struct err *err)
{
	bool ok;

	capture->source = source;
	/* After an error, a stuck stop may still use all of this; the command ends soon. */
	ok = run_rounds(capture, err);
	if (ok)
		*ret = stack_build(capture);
	capture->source = NULL;
	return ok;
}

void stack_capture_destroy(struct stack_capture *capture)
{
	if (!capture)
		return;
	forget_round(capture);
	snapshot_destroy(capture->snapshot);
	opened_files_deinit(&capture->opened);
	plan_runner_destroy(capture->runner);
	stack_since_destroy(capture->since);
	arena_destroy(capture->arena);
	free(capture);
}

bool stack_capture_run_with(pid_t pid, const struct catalogue_request *request,
			    const struct stack_capture_source *source, struct stack **ret,
			    struct err *err)
{
	struct stack_capture *capture = stack_capture_create(pid, request, false);
	const bool ok = stack_capture_take(capture, source, ret, err);

	if (ok || source)
		stack_capture_destroy(capture);
	return ok;
}

bool stack_capture_run(pid_t pid, const struct catalogue_request *request, struct stack **ret,
		       struct err *err)
{
	return stack_capture_run_with(pid, request, NULL, ret, err);
}
