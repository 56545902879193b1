/*
 * The rounds of making a stack. How a process is held is trace/'s, what is known of its code
 * dwarf/'s.
 */
#include "stack_capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack_build.h"
#include "trace/wait_reason.h"

enum {
	ROUNDS_MAX = 5,
	FRAMES_MAX = 4096,
	VALUED_MAX = 256, /* frames of one thread of which features are read */
};

static struct opened_file *opened_find(const struct stack_capture *stacker,
				       const struct mapped_module *module)
{
	for (size_t i = 0; i < stacker->n_opened; i++)
		if (stacker->opened[i]->low == module->low &&
		    !strcmp(stacker->opened[i]->path, module->opens ? module->opens : module->path))
			return stacker->opened[i];
	return NULL;
}

static struct opened_file *open_module(struct stack_capture *stacker,
				       const struct mapped_module *module)
{
	struct opened_file *opened = arena_new(stacker->arena, struct opened_file);
	struct err err;

	opened->low = module->low;
	opened->path = arena_strdup(stacker->arena, module->opens ? module->opens : module->path);
	if (!module->opens)
		opened->why_not = "the file of its code is gone, or cannot be reached from here";
	else if (!call_sites_open(module->opens, stacker->request, &opened->sites, &err))
		opened->why_not = arena_strdup(stacker->arena, err.text);
	else
		opened->load_bias = module->low - call_sites_base(opened->sites);
	stacker->opened = mem_grow(stacker->opened, &stacker->capacity, stacker->n_opened + 1,
				   sizeof(*stacker->opened));
	stacker->opened[stacker->n_opened++] = opened;
	return opened;
}

/* Which module it is in. False: it is in none, or in one that has to be opened first. */
static bool place_frame(struct stack_capture *stacker, struct found_frame *frame,
			const char **ret_why)
{
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];
	const struct mapped_module *module =
		mapped_modules_find(&stacker->modules, pc - (frame->is_exact ? 0 : 1));

	if (!module) {
		stacker->is_complete &= !stacker->is_held;
		*ret_why = "its code is in no file: it was made at run time, or the stack is "
			   "overwritten";
		return false;
	}
	frame->path = module->path;
	frame->opened = opened_find(stacker, module);
	if (!frame->opened && !stacker->is_held)
		frame->opened = open_module(stacker, module);
	if (!frame->opened) {
		stacker->is_complete = false;
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

/* The frame that the thread itself is in. */
static void frame_first(struct found_thread *thread)
{
	struct found_frame *frame = frame_add(thread);

	*frame = (struct found_frame){.is_exact = true};
	memcpy(frame->frame.registers.value, thread->held->registers,
	       sizeof(frame->frame.registers.value));
	frame->frame.registers.unknown =
		thread->held->unknown & ((UINT64_C(1) << UNWIND_REGISTERS) - 1);
}

static const struct unwind_frame *inner_of(const struct found_thread *thread,
					   const struct unwind_row *row)
{
	const struct found_frame *inner = thread->n > 1 ? &thread->frames[thread->n - 2] : NULL;

	(void)row;
	/* What a signal interrupted may have been on another stack. */
	return inner && !thread->frames[thread->n - 1].is_exact ? &inner->frame : NULL;
}

/* False: the stack ends here, or has to wait for another round. */
static bool unwind_frame(struct stack_capture *stacker, struct found_thread *thread)
{
	struct found_frame *frame = &thread->frames[thread->n - 1], *caller;
	struct unwind_registers registers;
	const struct unwind_row *row;
	enum unwind_end end;

	thread->is_whole = false;
	if (!place_frame(stacker, frame, &thread->end)) {
		thread->is_whole = thread->end != NULL;
		return false;
	}
	thread->is_whole = true;
	row = call_sites_row(frame->opened->sites, stack_build_addr(frame));
	thread->end = row->why_not;
	if (row->why_not)
		return false;
	end = unwind_step(stacker->runner, &stacker->snapshot->memory, row, inner_of(thread, row),
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

static void unwind_thread(struct stack_capture *stacker, struct found_thread *thread)
{
	if (!thread->n)
		frame_first(thread);
	if (thread->held->unknown >> UNWIND_PC & 1) {
		thread->n = 0;
		thread->is_whole = true;
		thread->end = "the kernel does not tell where it is";
		return;
	}
	while (!(stacker->is_held && snapshot_is_late(stacker->snapshot)))
		if (!unwind_frame(stacker, thread))
			return;
	thread->is_whole = false;
	stacker->is_complete = false;
}

static void fill_context(const struct stack_capture *stacker, const struct found_thread *thread,
			 const struct found_frame *frame, struct plan_context *ret)
{
	const struct stopped_thread *held = thread->held;
	const bool is_top = frame == &thread->frames[0];

	*ret = (struct plan_context){
		.classes = frame->opened->classes,
		.load_bias = frame->opened->load_bias,
		.memory = stacker->snapshot->memory,
	};
	memcpy(ret->registers, frame->frame.registers.value, sizeof(frame->frame.registers.value));
	memcpy(ret->registers + PLAN_XMM0, held->registers + PLAN_XMM0,
	       (PLAN_REGISTERS - PLAN_XMM0) * sizeof(*ret->registers));
	/* Of callers, only the registers that functions keep are known. */
	ret->unknown = frame->frame.registers.unknown;
	if (is_top)
		ret->unknown |= held->unknown;
	else
		ret->unknown |= (held->unknown & UINT64_C(1) << PLAN_FS_BASE) |
				((UINT64_C(1) << PLAN_FS_BASE) - (UINT64_C(1) << UNWIND_REGISTERS));
}

static const char *capture_label_of(const struct feature *feature, double number,
				    const struct opened_file *opened)
{
	for (size_t i = 0; i < feature->n_labels; i++)
		if (feature->labels[i].number == number)
			return feature->labels[i].name;
	for (size_t i = 0; feature->type == FEATURE_CLASS && i < opened->n_class_types; i++)
		if ((double)opened->class_types[i].number == number)
			return opened->class_types[i].name;
	return NULL;
}

static void take_value(const struct feature *feature, struct value value,
		       const struct opened_file *opened, struct stack_value *ret)
{
	*ret = (struct stack_value){
		.expression = feature->expression,
		.type = feature->type,
		.provenance = feature->provenance,
		.value = value,
	};
	if (feature->absence != PRESENT) {
		ret->value = (struct value){.absence = feature->absence};
		ret->why = feature->explanation;
	} else if (value.absence == PRESENT) {
		ret->label = capture_label_of(feature, value.number, opened);
	} else {
		ret->why = value.absence == ABSENT_NOT_MEASURED
				   ? "there was no time to read it"
				   : value_absence_meaning(value.absence);
	}
}

/* While a process runs on, what was not copied is not there. */
static void mark_refused(struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].absence == ABSENT_UNREADABLE)
			values[i].absence = ABSENT_NOT_MEASURED;
}

static struct stack_value *read_place(struct stack_capture *stacker,
				      const struct plan_context *context,
				      const struct opened_file *opened,
				      const struct call_place *place)
{
	static const struct read_plan nothing = {.n_steps = 0};
	const size_t n = place->n_features;
	const struct read_plan **plans = mem_alloc((n + 1) * sizeof(struct read_plan *));
	struct value *values = mem_alloc((n + 1) * sizeof(*values));
	struct stack_value *ret = arena_array(stacker->arena, struct stack_value, n + 1);
	const size_t refused = snapshot_refused(stacker->snapshot);

	for (size_t i = 0; i < n; i++)
		plans[i] =
			place->features[i].absence == PRESENT ? &place->features[i].plan : &nothing;
	plan_runner_run(stacker->runner, plans, n, context, values);
	if (snapshot_refused(stacker->snapshot) != refused)
		mark_refused(values, n);
	for (size_t i = 0; i < n; i++)
		take_value(&place->features[i], values[i], opened, &ret[i]);
	free(plans);
	free(values);
	return ret;
}

/* Read the features of the functions in @frame, if they are known. */
static void value_frame(struct stack_capture *stacker, const struct found_thread *thread,
			struct found_frame *frame)
{
	const struct call_site *site = stack_build_site(stacker, frame);
	struct plan_context context;

	if (frame->is_valued || !frame->opened || !frame->opened->sites)
		return;
	if (!site) {
		stacker->is_complete = false;
		return;
	}
	fill_context(stacker, thread, frame, &context);
	frame->values = arena_array(stacker->arena, struct stack_value *, site->n_places);
	for (size_t i = 0; i < site->n_places; i++)
		frame->values[i] = read_place(stacker, &context, frame->opened, &site->places[i]);
	frame->is_valued = true;
}

static void value_thread(struct stack_capture *stacker, struct found_thread *thread)
{
	for (size_t i = 0; i < thread->n && i < VALUED_MAX; i++) {
		if (stacker->is_held && snapshot_is_late(stacker->snapshot)) {
			stacker->is_complete = false;
			return;
		}
		value_frame(stacker, thread, &thread->frames[i]);
	}
}

static bool is_as_held_as_can_be(const struct stopped_thread *thread)
{
	return thread->is_held || thread->state == 'D';
}

static void threads_create(struct stack_capture *stacker)
{
	const struct snapshot *snapshot = stacker->snapshot;

	stacker->threads = mem_alloc((snapshot->n_threads + 1) * sizeof(*stacker->threads));
	for (size_t i = 0; i < snapshot->n_threads; i++)
		stacker->threads[i] = (struct found_thread){.held = &snapshot->threads[i]};
}

static void threads_value(struct stack_capture *stacker)
{
	for (size_t i = 0; i < stacker->snapshot->n_threads; i++) {
		wait_reason_describe(stacker->snapshot, stacker->threads[i].held, stacker->arena,
				     &stacker->threads[i].wait);
		value_thread(stacker, &stacker->threads[i]);
	}
}

/*
 * In the hold: everything that is at hand. All stacks first, since their memory is what is copied.
 */
static void capture_look(void *self, struct snapshot *snapshot)
{
	struct stack_capture *stacker = self;

	stacker->snapshot = snapshot;
	threads_create(stacker);
	stacker->is_held = true;
	stacker->is_complete = true;
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		stacker->is_complete &= is_as_held_as_can_be(&snapshot->threads[i]);
		unwind_thread(stacker, &stacker->threads[i]);
	}
	if (stack_build_since(stacker))
		stack_since_held(stacker->since, snapshot);
	threads_value(stacker);
	stacker->is_held = false;
}

/* After the hold: find out what was not known. */
static void capture_learn(struct stack_capture *stacker)
{
	for (size_t i = 0; i < stacker->snapshot->n_threads; i++) {
		struct found_thread *thread = &stacker->threads[i];

		if (!thread->is_whole)
			unwind_thread(stacker, thread);
		for (size_t j = 0; j < thread->n; j++)
			stack_build_site(stacker, &thread->frames[j]);
	}
	for (size_t i = 0; i < stacker->n_opened; i++) {
		struct opened_file *opened = stacker->opened[i];

		if (opened->sites)
			opened->classes =
				call_sites_classes(opened->sites, opened->load_bias,
						   &opened->class_types, &opened->n_class_types);
	}
}

static void forget_round(struct stack_capture *stacker)
{
	for (size_t i = 0; stacker->threads && i < stacker->snapshot->n_threads; i++)
		free(stacker->threads[i].frames);
	free(stacker->threads);
	stacker->threads = NULL;
	mapped_modules_deinit(&stacker->modules);
	stacker->modules = (struct mapped_modules){.vdso_fd = -1};
}

static bool capture_take(struct stack_capture *stacker, const struct snapshot *earlier,
			 struct snapshot **ret, struct err *err)
{
	const struct stack_capture_source *source = stacker->source;

	if (!source)
		return snapshot_take(stacker->pid, earlier, capture_look, stacker, ret, err);
	if (!source->take(source->self, stacker->pid, ret, err))
		return false;
	capture_look(stacker, *ret);
	return true;
}

static bool run_round(struct stack_capture *stacker, struct err *err)
{
	struct snapshot *earlier = stacker->snapshot, *snapshot;
	double ms;

	forget_round(stacker);
	stacker->snapshot = NULL;
	mapped_modules_read(stacker->pid, stacker->arena, &stacker->modules);
	if (stack_build_since(stacker))
		stack_since_before(stacker->since);
	if (!capture_take(stacker, earlier, &snapshot, err))
		return false;
	snapshot_destroy(earlier);
	if (stack_build_since(stacker))
		stack_since_after(stacker->since, snapshot);
	ms = (double)snapshot->held_ns / 1e6;
	stacker->longest_ms = ms > stacker->longest_ms ? ms : stacker->longest_ms;
	stacker->rounds++;
	return true;
}

/* Until a hold found everything at hand. */
static bool run_rounds(struct stack_capture *stacker, struct err *err)
{
	for (int i = 0; i < ROUNDS_MAX; i++) {
		const bool is_last = i + 1 == ROUNDS_MAX;

		if (!run_round(stacker, err))
			return false;
		if (stacker->is_complete)
			return true;
		if (!is_last)
			snapshot_unlimit(stacker->snapshot);
		capture_learn(stacker);
	}
	/* What the last hold has copied is all that is left to read. */
	for (size_t i = 0; i < stacker->snapshot->n_threads; i++)
		value_thread(stacker, &stacker->threads[i]);
	return true;
}

struct stack_capture *stack_capture_create(pid_t pid, const struct catalogue_request *request,
					   bool times)
{
	struct stack_capture *stacker = mem_alloc(sizeof(*stacker));

	*stacker = (struct stack_capture){
		.pid = pid,
		.request = request,
		.arena = arena_create(),
		.runner = plan_runner_create(),
		.modules = {.vdso_fd = -1},
		.since = times ? stack_since_create(pid) : NULL,
	};
	return stacker;
}

bool stack_capture_take(struct stack_capture *stacker, const struct stack_capture_source *source,
			struct stack **ret, struct err *err)
{
	bool ok;

	stacker->source = source;
	/* A hold of ours that is stuck goes on to use all of this; the command ends soon. */
	ok = run_rounds(stacker, err);
	if (ok)
		*ret = stack_build(stacker);
	stacker->source = NULL;
	return ok;
}

void stack_capture_destroy(struct stack_capture *stacker)
{
	if (!stacker)
		return;
	forget_round(stacker);
	snapshot_destroy(stacker->snapshot);
	for (size_t i = 0; i < stacker->n_opened; i++)
		call_sites_close(stacker->opened[i]->sites);
	free(stacker->opened);
	plan_runner_destroy(stacker->runner);
	stack_since_destroy(stacker->since);
	arena_destroy(stacker->arena);
	free(stacker);
}

bool stack_capture_run_with(pid_t pid, const struct catalogue_request *request,
			    const struct stack_capture_source *source, struct stack **ret,
			    struct err *err)
{
	struct stack_capture *stacker = stack_capture_create(pid, request, false);
	const bool ok = stack_capture_take(stacker, source, ret, err);

	if (ok || source)
		stack_capture_destroy(stacker);
	return ok;
}

bool stack_capture_run(pid_t pid, const struct catalogue_request *request, struct stack **ret,
		       struct err *err)
{
	return stack_capture_run_with(pid, request, NULL, ret, err);
}
