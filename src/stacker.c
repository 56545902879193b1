/* The rounds of making a stack. How a process is held is trace/'s, what is known of its code dwarf/'s. */
#include "stacker.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/call_sites.h"
#include "host.h"
#include "trace/snapshot.h"
#include "trace/waits.h"

enum {
	ROUNDS_MAX = 5,
	FRAMES_MAX = 4096,
	VALUED_MAX = 256, /* frames of one thread of which features are read */
	CIRCLE_MAX = 64,
	NOTES_MAX = 64,
};

/* A file of the process that was opened, or could not be. */
struct opened {
	const char *path; /* as held_module's `opens` */
	uint64_t low;
	struct call_sites *sites; /* NULL: `why_not` */
	const char *why_not;
	uint64_t load_bias;
	const struct class_map *classes;
	const struct class_type *class_types;
	size_t n_class_types;
};

/* A frame while it is found: what is printed, and how it was found. */
struct found_frame {
	struct unwind_frame frame;
	const char *path;            /* of the module; NULL: none */
	struct opened *opened;       /* NULL: none, or not opened yet */
	bool is_exact;               /* the PC is that of an instruction, not behind a call */
	bool is_valued;              /* the values are there, or need not be */
	struct stack_value **values; /* one list for each place */
};

struct found_thread {
	const struct held_thread *held;
	struct found_frame *frames;
	size_t n, capacity;
	const char *end;
	bool is_whole; /* the last frame was reached */
	struct stack_wait wait;
};

struct stacker {
	pid_t pid;
	const struct catalogue_request *request;
	struct arena *arena; /* of all rounds */
	struct plan_runner *runner;
	struct opened **opened;
	size_t n_opened, capacity;
	struct held_modules modules;
	/* Of this round. */
	struct snapshot *snapshot;
	struct found_thread *threads;
	bool is_held;     /* nothing may take long */
	bool is_complete; /* nothing was unknown */
	double longest_ms;
	unsigned rounds;
};

static struct opened *opened_find(const struct stacker *stacker, const struct held_module *module)
{
	for (size_t i = 0; i < stacker->n_opened; i++)
		if (stacker->opened[i]->low == module->low &&
		    !strcmp(stacker->opened[i]->path, module->opens ? module->opens : module->path))
			return stacker->opened[i];
	return NULL;
}

static struct opened *open_module(struct stacker *stacker, const struct held_module *module)
{
	struct opened *opened = arena_new(stacker->arena, struct opened);
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

static uint64_t site_addr(const struct found_frame *frame)
{
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];

	return pc - frame->opened->load_bias - (frame->is_exact ? 0 : 1);
}

/* The site of @frame; NULL: it is not known, and may not be looked for now. */
static const struct call_site *site_of(const struct stacker *stacker,
				       const struct found_frame *frame)
{
	if (!frame->opened || !frame->opened->sites)
		return NULL;
	if (stacker->is_held)
		return call_sites_known(frame->opened->sites, site_addr(frame));
	return call_sites_find(frame->opened->sites, site_addr(frame));
}

/* Which module it is in. False: it is in none, or in one that has to be opened first. */
static bool place_frame(struct stacker *stacker, struct found_frame *frame, const char **ret_why)
{
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];
	const struct held_module *module =
		held_modules_find(&stacker->modules, pc - (frame->is_exact ? 0 : 1));

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
static bool unwind_frame(struct stacker *stacker, struct found_thread *thread)
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
	row = call_sites_row(frame->opened->sites, site_addr(frame));
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

static void unwind_thread(struct stacker *stacker, struct found_thread *thread)
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

static void fill_context(const struct stacker *stacker, const struct found_thread *thread,
			 const struct found_frame *frame, struct plan_context *ret)
{
	const struct held_thread *held = thread->held;
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

static const char *label_of(const struct feature *feature, double number,
			    const struct opened *opened)
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
		       const struct opened *opened, struct stack_value *ret)
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
		ret->label = label_of(feature, value.number, opened);
	} else {
		ret->why = value.absence == ABSENT_NOT_MEASURED ? "there was no time to read it"
								: absence_meaning(value.absence);
	}
}

/* While a process runs on, what was not copied is not there. */
static void mark_refused(struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].absence == ABSENT_UNREADABLE)
			values[i].absence = ABSENT_NOT_MEASURED;
}

static struct stack_value *read_place(struct stacker *stacker, const struct plan_context *context,
				      const struct opened *opened, const struct call_place *place)
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
static void value_frame(struct stacker *stacker, const struct found_thread *thread,
			struct found_frame *frame)
{
	const struct call_site *site = site_of(stacker, frame);
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

static void value_thread(struct stacker *stacker, struct found_thread *thread)
{
	for (size_t i = 0; i < thread->n && i < VALUED_MAX; i++) {
		if (stacker->is_held && snapshot_is_late(stacker->snapshot)) {
			stacker->is_complete = false;
			return;
		}
		value_frame(stacker, thread, &thread->frames[i]);
	}
}

static bool is_as_held_as_can_be(const struct held_thread *thread)
{
	return thread->is_held || thread->state == 'D';
}

/* In the hold: everything that is at hand. All stacks first, since their memory is what is copied. */
static void look(void *self, struct snapshot *snapshot)
{
	struct stacker *stacker = self;

	stacker->snapshot = snapshot;
	stacker->threads = mem_alloc(snapshot->n_threads * sizeof(*stacker->threads));
	stacker->is_held = true;
	stacker->is_complete = true;
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		stacker->threads[i] = (struct found_thread){.held = &snapshot->threads[i]};
		stacker->is_complete &= is_as_held_as_can_be(&snapshot->threads[i]);
		unwind_thread(stacker, &stacker->threads[i]);
	}
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		waits_describe(snapshot, stacker->threads[i].held, stacker->arena,
			       &stacker->threads[i].wait);
		value_thread(stacker, &stacker->threads[i]);
	}
	stacker->is_held = false;
}

/* After the hold: find out what was not known. */
static void learn(struct stacker *stacker)
{
	for (size_t i = 0; i < stacker->snapshot->n_threads; i++) {
		struct found_thread *thread = &stacker->threads[i];

		if (!thread->is_whole)
			unwind_thread(stacker, thread);
		for (size_t j = 0; j < thread->n; j++)
			site_of(stacker, &thread->frames[j]);
	}
	for (size_t i = 0; i < stacker->n_opened; i++) {
		struct opened *opened = stacker->opened[i];

		if (opened->sites)
			opened->classes =
				call_sites_classes(opened->sites, opened->load_bias,
						   &opened->class_types, &opened->n_class_types);
	}
}

static void forget_round(struct stacker *stacker)
{
	for (size_t i = 0; stacker->snapshot && i < stacker->snapshot->n_threads; i++)
		free(stacker->threads[i].frames);
	free(stacker->threads);
	stacker->threads = NULL;
	held_modules_deinit(&stacker->modules);
}

static bool run_round(struct stacker *stacker, struct err *err)
{
	struct snapshot *earlier = stacker->snapshot, *snapshot;
	double ms;

	forget_round(stacker);
	stacker->snapshot = NULL;
	held_modules_read(stacker->pid, stacker->arena, &stacker->modules);
	if (!snapshot_take(stacker->pid, earlier, look, stacker, &snapshot, err))
		return false;
	snapshot_destroy(earlier);
	ms = (double)snapshot->held_ns / 1e6;
	stacker->longest_ms = ms > stacker->longest_ms ? ms : stacker->longest_ms;
	stacker->rounds++;
	return true;
}

/* Until a hold found everything at hand. */
static bool run_rounds(struct stacker *stacker, struct err *err)
{
	for (int i = 0; i < ROUNDS_MAX; i++) {
		const bool is_last = i + 1 == ROUNDS_MAX;

		if (!run_round(stacker, err))
			return false;
		if (stacker->is_complete)
			return true;
		if (!is_last)
			snapshot_unlimit(stacker->snapshot);
		learn(stacker);
	}
	/* What the last hold has copied is all that is left to read. */
	for (size_t i = 0; i < stacker->snapshot->n_threads; i++)
		value_thread(stacker, &stacker->threads[i]);
	return true;
}

static size_t count_places(const struct stacker *stacker, const struct found_frame *frame)
{
	const struct call_site *site = site_of(stacker, frame);

	return site ? site->n_places : 1;
}

static const char *copy_text(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static const struct stack_value *copy_values(struct arena *arena, const struct stack_value *values,
					     size_t n)
{
	struct stack_value *copies = arena_copy(arena, values, n * sizeof(*values));

	for (size_t i = 0; i < n; i++) {
		copies[i].expression = copy_text(arena, values[i].expression);
		copies[i].label = copy_text(arena, values[i].label);
		copies[i].why = copy_text(arena, values[i].why);
	}
	return copies;
}

/* Write @frame as one frame for each function that is open there. */
static struct stack_frame *write_frame(const struct stacker *stacker,
				       const struct found_frame *frame, struct arena *arena,
				       struct stack_frame *to)
{
	const struct call_site *site = site_of(stacker, frame);
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];
	const struct stack_frame plain = {
		.pc = pc,
		.module = copy_text(arena, frame->path),
		.addr = frame->opened && frame->opened->sites ? pc - frame->opened->load_bias : 0,
		.is_signal = site && site->row.is_signal,
	};

	if (!site) {
		*to = plain;
		return to + 1;
	}
	for (size_t i = 0; i < site->n_places; i++) {
		const struct call_place *place = &site->places[i];

		*to = plain;
		to->function = copy_text(arena, place->function);
		to->file = copy_text(arena, place->file);
		to->line = place->line;
		to->is_inlined = place->is_inlined;
		to->values_cut = place->features_cut;
		if (frame->is_valued) {
			to->values = copy_values(arena, frame->values[i], place->n_features);
			to->n_values = place->n_features;
		}
		to++;
	}
	return to;
}

static enum stack_activity activity_of(const struct held_thread *held)
{
	if (!held->is_held)
		return held->state == 'D' ? STACK_ASLEEP : STACK_MISSED;
	if (held->is_stopped)
		return STACK_STOPPED;
	return held->is_calling ? STACK_WAITS : STACK_RUNS;
}

static void write_thread(const struct stacker *stacker, const struct found_thread *thread,
			 struct arena *arena, struct stack_thread *to)
{
	struct stack_frame *frames, *end;
	size_t n = 0;

	for (size_t i = 0; i < thread->n; i++)
		n += count_places(stacker, &thread->frames[i]);
	frames = end = arena_array(arena, struct stack_frame, n + 1);
	for (size_t i = 0; i < thread->n; i++)
		end = write_frame(stacker, &thread->frames[i], arena, end);
	*to = (struct stack_thread){
		.tid = thread->held->tid,
		.name = arena_strdup(arena, thread->held->name),
		.activity = activity_of(thread->held),
		.wait = thread->wait,
		.frames = frames,
		.n_frames = n,
		.end = copy_text(arena, thread->end),
	};
	to->wait.call = copy_text(arena, thread->wait.call);
	to->wait.what =
		waits_name_sockets(stacker->pid, copy_text(arena, thread->wait.what), arena);
}

static const char *circle_note(const struct stack *stack, const pid_t *circle, size_t n)
{
	const char *text = arena_printf(stack->arena, "deadlock: thread %d", (int)circle[0]);

	for (size_t i = 1; i <= n; i++)
		text = arena_printf(stack->arena, "%s waits for %d%s", text, (int)circle[i],
				    i < n ? ", which" : "");
	return text;
}

/* Each circle is told once, from its thread with the lowest number. */
static void write_notes(struct stack *stack)
{
	const char **notes = arena_array(stack->arena, const char *, NOTES_MAX);
	pid_t circle[CIRCLE_MAX];

	for (size_t i = 0; i < stack->n_threads && stack->n_notes < NOTES_MAX; i++) {
		const size_t n = stack_circle(stack, i, circle, CIRCLE_MAX);
		bool is_lowest = n > 0;

		for (size_t j = 1; j < n; j++)
			is_lowest &= circle[j] > circle[0];
		if (is_lowest)
			notes[stack->n_notes++] = circle_note(stack, circle, n);
	}
	stack->notes = notes;
}

static struct stack *write_stack(const struct stacker *stacker)
{
	struct arena *arena = arena_create();
	struct stack *stack = arena_new(arena, struct stack);
	const size_t n = stacker->snapshot->n_threads;
	struct stack_thread *threads = arena_array(arena, struct stack_thread, n);

	for (size_t i = 0; i < n; i++)
		write_thread(stacker, &stacker->threads[i], arena, &threads[i]);
	*stack = (struct stack){
		.arena = arena,
		.pid = stacker->pid,
		.program =
			host_process_program(arena, arena_printf(arena, "%d", (int)stacker->pid)),
		.threads = threads,
		.n_threads = n,
		.held_ms = (double)stacker->snapshot->held_ns / 1e6,
		.longest_ms = stacker->longest_ms,
		.holds = stacker->rounds,
	};
	write_notes(stack);
	return stack;
}

bool stacker_run(pid_t pid, const struct catalogue_request *request, struct stack **ret,
		 struct err *err)
{
	struct stacker *stacker = mem_alloc(sizeof(*stacker));

	*stacker = (struct stacker){
		.pid = pid,
		.request = request,
		.arena = arena_create(),
		.runner = plan_runner_create(),
		.modules = {.vdso_fd = -1},
	};
	/* A hold that is stuck goes on to use all of this; the command ends soon. */
	if (!run_rounds(stacker, err))
		return false;
	*ret = write_stack(stacker);
	forget_round(stacker);
	snapshot_destroy(stacker->snapshot);
	for (size_t i = 0; i < stacker->n_opened; i++)
		call_sites_close(stacker->opened[i]->sites);
	free(stacker->opened);
	plan_runner_destroy(stacker->runner);
	arena_destroy(stacker->arena);
	free(stacker);
	return true;
}
