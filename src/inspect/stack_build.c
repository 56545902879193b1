/*
 * Copies what the rounds of stack_capture.c found into a stack; nothing is read from the stopped
 * process any more.
 */
#include "stack_build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/host.h"
#include "shown_objects.h"
#include "trace/wait_reason.h"

enum { CIRCLE_MAX = 64, NOTES_MAX = 64 };

const struct stack_since *stack_build_since(const struct stack_capture *capture)
{
	return capture->source ? NULL : capture->since;
}

uint64_t stack_build_addr(const struct found_frame *frame)
{
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];

	return pc - frame->opened->load_bias - (frame->is_exact ? 0 : 1);
}

const struct call_site *stack_build_site(const struct stack_capture *capture,
					 const struct found_frame *frame)
{
	if (!frame->opened || !frame->opened->sites)
		return NULL;
	if (capture->is_stopped)
		return call_sites_known(frame->opened->sites, stack_build_addr(frame));
	return call_sites_find(frame->opened->sites, stack_build_addr(frame));
}

static size_t count_places(const struct stack_capture *capture, const struct found_frame *frame)
{
	const struct call_site *site = stack_build_site(capture, frame);

	return site ? site->n_places : 1;
}

static const char *stack_copy_text(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

/* "<f>" for the function that @pointer points to; NULL: to no code that is known by name. */
static const char *name_function(const struct stack_capture *capture, uint64_t pointer,
				 struct arena *arena)
{
	const struct mapped_module *module =
		pointer ? mapped_modules_find(&capture->modules, pointer) : NULL;
	const struct opened_file *opened =
		module ? opened_files_find(&capture->opened, module) : NULL;
	const struct call_site *site;
	const struct call_place *place;

	if (!opened || !opened->sites)
		return NULL;
	site = call_sites_find(opened->sites, pointer - opened->load_bias);
	place = &site->places[site->n_places - 1];
	if (!place->function)
		return NULL;
	if (site->entry_addr && site->entry_addr != pointer - opened->load_bias)
		return arena_printf(arena, "<%s+%" PRIu64 ">", place->function,
				    pointer - opened->load_bias - site->entry_addr);
	return arena_printf(arena, "<%s>", place->function);
}

/* The file with the variable that spans @address, which is *@ret_offset behind its symbol @ret. */
static const struct opened_file *find_variable_file(const struct stack_capture *capture,
						    uint64_t address, struct arena *arena,
						    const char **ret, uint64_t *ret_offset)
{
	for (size_t i = 0; i < capture->opened.n; i++) {
		const struct opened_file *opened = capture->opened.list[i];

		if (opened->sites &&
		    (*ret = call_sites_variable(opened->sites, address - opened->load_bias, arena,
						ret_offset)))
			return opened;
	}
	return NULL;
}

/*
 * A variable that is at @address, or has it in itself; @whole: as of variable_path_find(). NULL:
 * none has a symbol.
 */
static const char *name_variable(const struct stack_capture *capture, uint64_t address, bool whole,
				 struct arena *arena)
{
	const char *name, *path;
	uint64_t offset;
	const struct opened_file *opened =
		find_variable_file(capture, address, arena, &name, &offset);

	if (!opened)
		return NULL;
	path = call_sites_variable_path(opened->sites, address - opened->load_bias, whole, arena);
	if (path)
		return path;
	return offset ? arena_printf(arena, "%s+%" PRIu64, name, offset)
		      : arena_strdup(arena, name);
}

const char *stack_build_name(const struct stack_capture *capture, uint64_t pointer,
			     struct arena *arena)
{
	const char *function = name_function(capture, pointer, arena);
	const char *variable = function ? NULL : name_variable(capture, pointer, true, arena);

	return variable ? arena_printf(arena, "<%s>", variable) : function;
}

static void name_pointer(const struct stack_capture *capture, struct arena *arena,
			 struct stack_value *value)
{
	const int n = (int)strlen(value->expression) - (int)strlen(" != 0");

	if (!value->pointer || n <= 0)
		return;
	value->text = stack_build_name(capture, value->pointer, arena);
	if (value->text)
		value->object = arena_printf(arena, "%.*s", n, value->expression);
}

/*
 * The variable that a parameter refers to: `ann`, if its member from.cents is ann.cents. *@ret: the
 * value of `&from`. False: @value is no such member.
 */
static bool find_referred(const struct stack_capture *capture, const struct stack_value *value,
			  struct arena *arena, struct stack_value *ret)
{
	const int root = (int)strcspn(value->expression, ".-[( *&");
	const char *member = value->expression + root, *path, *name;
	uint64_t offset;

	if (value->provenance != FROM_PARAMETER || !value->address || !root || *member != '.' ||
	    strpbrk(member, "-[(") ||
	    !find_variable_file(capture, value->address, arena, &name, &offset))
		return false;
	path = name_variable(capture, value->address, false, arena);
	name = arena_printf(arena, "%.*s", (int)strcspn(path, "."), path);
	if (strcmp(path + strlen(name), member) != 0)
		return false;
	*ret = (struct stack_value){
		.expression = arena_printf(arena, "&%.*s", root, value->expression),
		.type = FEATURE_INT,
		.provenance = FROM_PARAMETER,
		.value = {.number = (double)(value->address - offset)},
		.text = name,
		.object = arena_printf(arena, "%.*s", root, value->expression),
		.pointer = value->address - offset,
	};
	return true;
}

/* References come first: what people call an object is told before what it has in itself. */
static const struct stack_value *add_referred(const struct stack_capture *capture,
					      struct arena *arena, const struct stack_value *values,
					      size_t *n)
{
	struct stack_value *all = arena_array(arena, struct stack_value, 2 * *n + 1);
	size_t found = 0;

	for (size_t i = 0; i < *n; i++) {
		bool is_new = find_referred(capture, &values[i], arena, &all[found]);

		for (size_t j = 0; j < found && is_new; j++)
			is_new = strcmp(all[j].expression, all[found].expression) != 0;
		found += is_new;
	}
	for (size_t i = 0; i < *n; i++)
		all[found + i] = values[i];
	*n += found;
	return all;
}

static const struct stack_value *copy_values(const struct stack_capture *capture,
					     struct arena *arena, const struct stack_value *values,
					     size_t *n_values)
{
	const size_t n = *n_values;
	struct stack_value *copies = arena_copy(arena, values, n * sizeof(*values));

	for (size_t i = 0; i < n; i++) {
		copies[i].expression = stack_copy_text(arena, values[i].expression);
		copies[i].label = stack_copy_text(arena, values[i].label);
		copies[i].why = stack_copy_text(arena, values[i].why);
		copies[i].object = stack_copy_text(arena, values[i].object);
		copies[i].text = stack_copy_text(arena, values[i].text);
		if (!copies[i].text)
			name_pointer(capture, arena, &copies[i]);
	}
	shown_objects_write(copies, n, arena);
	return add_referred(capture, arena, copies, n_values);
}

/* Write @frame as one frame for each function open there, inlined ones included. */
static struct stack_frame *write_frame(const struct stack_capture *capture,
				       const struct found_frame *frame, struct arena *arena,
				       struct stack_frame *to)
{
	const struct call_site *site = stack_build_site(capture, frame);
	const uint64_t pc = frame->frame.registers.value[UNWIND_PC];
	const struct stack_frame plain = {
		.pc = pc,
		.module = stack_copy_text(arena, frame->path),
		.addr = frame->opened && frame->opened->sites ? pc - frame->opened->load_bias : 0,
		.cfa = frame->frame.cfa,
		.is_signal = site && site->row.is_signal,
	};

	if (!site) {
		*to = plain;
		return to + 1;
	}
	for (size_t i = 0; i < site->n_places; i++) {
		const struct call_place *place = &site->places[i];

		*to = plain;
		to->function = stack_copy_text(arena, place->function);
		to->linkage = stack_copy_text(arena, place->linkage);
		to->declared_file = stack_copy_text(arena, place->declared_file);
		to->declared_line = place->declared_line;
		to->file = stack_copy_text(arena, place->file);
		to->line = place->line;
		to->is_inlined = place->is_inlined;
		to->is_header = !catalogue_is_own(NULL, place->declared_file);
		to->values_cut = place->features_cut;
		if (frame->is_valued) {
			to->n_values = place->n_features;
			to->values = copy_values(capture, arena, frame->values[i], &to->n_values);
		}
		to++;
	}
	return to;
}

static enum stack_activity activity_of(const struct stopped_thread *stopped)
{
	if (!stopped->is_held)
		return stopped->state == 'D' ? STACK_ASLEEP : STACK_MISSED;
	if (stopped->is_stopped)
		return STACK_STOPPED;
	return stopped->is_calling ? STACK_WAITS : STACK_RUNS;
}

/* The length of a lock's expression without the members of the library's own. */
static int lock_length(const char *expression)
{
	static const char *const inner[] = {"._M_mutex", "._M_impl", "._M_cond", ".__m_",
					    ".__data",   "->__data", ".__align", "->__align",
					    ".__size",   "->__size", " != 0"};
	size_t n = strlen(expression);

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++) {
		const char *at = strstr(expression, inner[i]);

		n = at && (size_t)(at - expression) < n ? (size_t)(at - expression) : n;
	}
	return (int)n;
}

/* What the thread waits for, by a variable, or by an expression in one of its frames. */
static const char *name_lock(const struct stack_capture *capture, const struct stack *stack,
			     const struct stack_thread *thread)
{
	struct arena *arena = stack->arena;
	const uint64_t address = thread->wait.address;
	const char *name = address ? name_variable(capture, address, false, arena) : NULL;

	if (name)
		return arena_printf(arena, "%.*s", lock_length(name), name);
	for (size_t i = 0; !name && address && i < thread->n_frames; i++)
		for (size_t j = 0; j < thread->frames[i].n_values && !name; j++) {
			const struct stack_value *value = &thread->frames[i].values[j];

			if (!stack_is_own(stack, &thread->frames[i]))
				break;
			if (value->address == address || value->pointer == address)
				name = arena_printf(arena, "%.*s", lock_length(value->expression),
						    value->expression);
		}
	return name;
}

/* Say what it waits for by that name, not by its address. */
static void name_in_words(struct stack_wait *wait, struct arena *arena)
{
	static const char futex[] = "futex";
	const char *address, *end;
	size_t n;

	if (!wait->object || !wait->what)
		return;
	address = arena_printf(arena, " 0x%" PRIx64, wait->address);
	end = strstr(wait->what, address);
	if (!end)
		return;
	n = (size_t)(end - wait->what);
	end += strlen(address);
	if (n > strlen(futex) && !strncmp(wait->what + n - strlen(futex), futex, strlen(futex)))
		n -= strlen(futex) + 1;
	wait->what = arena_printf(arena, "%.*s %s%s", (int)n, wait->what, wait->object, end);
}

static void write_thread(const struct stack_capture *capture, const struct found_thread *thread,
			 struct arena *arena, struct stack_thread *to)
{
	const struct stack_since *since = stack_build_since(capture);
	struct stack_frame *frames, *end;
	size_t n = 0;

	for (size_t i = 0; i < thread->n; i++)
		n += count_places(capture, &thread->frames[i]);
	frames = end = arena_array(arena, struct stack_frame, n + 1);
	for (size_t i = 0; i < thread->n; i++)
		end = write_frame(capture, &thread->frames[i], arena, end);
	*to = (struct stack_thread){
		.tid = thread->stopped->tid,
		.name = arena_strdup(arena, thread->stopped->name),
		.activity = activity_of(thread->stopped),
		.wait = thread->wait,
		.frames = frames,
		.n_frames = n,
		.end = stack_copy_text(arena, thread->end),
		.at_least_us = since ? stack_since_at_least(since, thread->stopped->tid) : NAN,
		.at_most_us = since ? stack_since_at_most(since, thread->stopped->tid) : NAN,
		.processor_share = thread->stopped->processor_share,
	};
	to->wait.call = stack_copy_text(arena, thread->wait.call);
	to->wait.what = wait_reason_name_sockets(capture->pid,
						 stack_copy_text(arena, thread->wait.what), arena);
}

static const char *circle_note(const struct stack *stack, const pid_t *circle, size_t n)
{
	const char *text = arena_printf(stack->arena, "deadlock: thread %d", (int)circle[0]);

	for (size_t i = 1; i <= n; i++)
		text = arena_printf(stack->arena, "%s waits for %d%s", text, (int)circle[i],
				    i < n ? ", which" : "");
	return text;
}

/* Note each circle once, from its thread with the lowest number. */
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

struct stack *stack_build(const struct stack_capture *capture)
{
	struct arena *arena = arena_create();
	struct stack *stack = arena_new(arena, struct stack);
	const size_t n = capture->snapshot->n_threads;
	struct stack_thread *threads = arena_array(arena, struct stack_thread, n);

	for (size_t i = 0; i < n; i++)
		write_thread(capture, &capture->threads[i], arena, &threads[i]);
	*stack = (struct stack){
		.arena = arena,
		.pid = capture->pid,
		.program =
			host_process_program(arena, arena_printf(arena, "%d", (int)capture->pid)),
		.threads = threads,
		.n_threads = n,
		.stopped_ms = (double)capture->snapshot->held_ns / 1e6,
		.longest_ms = capture->longest_ms,
		.holds = capture->rounds,
	};
	for (size_t i = 0; i < n; i++) {
		threads[i].wait.object = name_lock(capture, stack, &threads[i]);
		name_in_words(&threads[i].wait, arena);
	}
	write_notes(stack);
	return stack;
}
