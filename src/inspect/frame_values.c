/* Values in frames: of the functions' features, and of registers as callers passed them. */
#include "frame_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Registers that callees preserve: rbx, rbp, r12 to r15. */
#define PRESERVED UINT64_C(0xf048)

enum { TEXT_MAX = 200, PAGE = 4096 }; /* bytes shown of a string */

void frame_values_context(const struct stack_capture *capture, const struct found_thread *thread,
			  const struct found_frame *frame, struct plan_context *ret)
{
	const struct stopped_thread *stopped = thread->stopped;
	const bool is_top = frame == &thread->frames[0];

	*ret = (struct plan_context){
		.classes = frame->opened->classes,
		.load_bias = frame->opened->load_bias,
		.memory = capture->snapshot->memory,
	};
	memcpy(ret->registers, frame->frame.registers.value, sizeof(frame->frame.registers.value));
	memcpy(ret->registers + PLAN_XMM0, stopped->registers + PLAN_XMM0,
	       (PLAN_REGISTERS - PLAN_XMM0) * sizeof(*ret->registers));
	memcpy(ret->registers + PLAN_ENTRY, frame->passed, sizeof(frame->passed));
	/* Of callers, only preserved registers are known. */
	ret->unknown = frame->frame.registers.unknown;
	for (unsigned i = PLAN_ENTRY; i < PLAN_FS_BASE; i++)
		ret->unknown |= (~frame->is_passed >> (i - PLAN_ENTRY) & 1) << i;
	if (is_top)
		ret->unknown |= stopped->unknown;
	else
		ret->unknown |= (stopped->unknown & UINT64_C(1) << PLAN_FS_BASE) |
				((UINT64_C(1) << PLAN_ENTRY) - (UINT64_C(1) << UNWIND_REGISTERS));
}

/* Does @caller's call site call the function at @frame's site? */
static bool is_called(const struct found_frame *frame, const struct call_site *site,
		      const struct found_frame *caller, const struct call_passing *passing,
		      const struct word *target)
{
	const char *linkage = site->places[site->n_places - 1].linkage;

	if (passing->callee_addr && frame->opened == caller->opened)
		return passing->callee_addr == site->entry_addr;
	if (passing->callee)
		return linkage && !strcmp(linkage, passing->callee);
	return target->absence == PRESENT && site->entry_addr &&
	       target->bits == module_runtime(frame->opened->load_bias, site->entry_addr);
}

/* Where plans of @frame find what its caller passes; PLAN_REGISTERS: none of them asks for it. */
static size_t slot_of(const struct call_value *value, const struct call_asked *asked)
{
	if (!value->parameter)
		return value->reg;
	for (size_t i = 0; i < asked->n; i++)
		if (asked->parameters[i] == value->parameter)
			return PLAN_PASSED_IN + i;
	return PLAN_REGISTERS;
}

/* Where that begins which @caller's call site calls, in @frame's file; 0: it is not known. */
static uint64_t called_addr(const struct found_frame *frame, const struct found_frame *caller,
			    const struct call_passing *passing, const struct word *target)
{
	if (frame->opened != caller->opened && !passing->target.n_steps)
		return 0;
	if (passing->callee)
		return passing->callee_addr;
	return target->absence == PRESENT ? target->bits - frame->opened->load_bias : 0;
}

/* The tail calls between what @caller called and @frame's function; NULL: none are known. */
static const struct call_chain *chain_of(struct stack_capture *capture,
					 const struct found_frame *frame,
					 const struct call_site *site, uint64_t called)
{
	const struct call_chain *chain;

	if (!called || !site->entry_addr)
		return NULL;
	if (!capture->is_stopped)
		return call_chain_find(frame->opened->chains, called, site->entry_addr);
	chain = call_chain_known(frame->opened->chains, called, site->entry_addr);
	capture->is_complete &= chain != NULL;
	return chain;
}

/* What @passing's plans say, by the slots of who is called, which asks for @asked. */
static void pass_values(struct stack_capture *capture, const struct plan_context *context,
			const struct call_passing *passing, const struct call_asked *asked,
			struct found_frame *frame)
{
	const struct read_plan *plans[CALL_PASSING_MAX];
	struct word words[CALL_PASSING_MAX];

	for (size_t i = 0; i < passing->n; i++)
		plans[i] = &passing->values[i].plan;
	plan_runner_run_words(capture->runner, plans, passing->n, context, words);
	frame->is_passed = 0;
	for (size_t i = 0; i < passing->n; i++) {
		const size_t reg = slot_of(&passing->values[i], asked);

		if (reg == PLAN_REGISTERS)
			continue;
		frame->passed[reg] = words[i].bits;
		frame->is_passed |= (uint64_t)(words[i].absence == PRESENT) << reg;
	}
}

/* Before it jumps away a function has given back those registers that are preserved. */
static void pass_on(struct stack_capture *capture, const struct plan_context *of_caller,
		    const struct call_hop *hop, const struct call_asked *asked,
		    struct found_frame *frame)
{
	struct plan_context context = *of_caller;

	memcpy(context.registers + PLAN_ENTRY, frame->passed, sizeof(frame->passed));
	context.unknown |= ~PRESERVED;
	for (unsigned i = PLAN_ENTRY; i < PLAN_FS_BASE; i++)
		if (frame->is_passed >> (i - PLAN_ENTRY) & 1)
			context.unknown &= ~(UINT64_C(1) << i);
	pass_values(capture, &context, &hop->passing, asked, frame);
}

void frame_values_pass(struct stack_capture *capture, const struct found_thread *thread,
		       size_t index)
{
	struct found_frame *frame = &thread->frames[index], *caller = frame + 1;
	const struct call_site *site = stack_build_site(capture, frame), *from;
	const struct call_chain *chain = NULL;
	const struct read_plan *target;
	struct plan_context context;
	struct word called;
	size_t n;

	if (!site || site->calls_itself || index + 1 >= thread->n || caller->is_exact)
		return;
	from = stack_build_site(capture, caller);
	if (!from || (!from->passing.callee && !from->passing.target.n_steps))
		return;
	frame_values_context(capture, thread, caller, &context);
	target = &from->passing.target;
	plan_runner_run_words(capture->runner, &target, 1, &context, &called);
	if (!is_called(frame, site, caller, &from->passing, &called)) {
		chain = chain_of(capture, frame, site,
				 called_addr(frame, caller, &from->passing, &called));
		if (!chain || !chain->n)
			return;
	}
	n = chain ? chain->n : 0;
	pass_values(capture, &context, &from->passing, n ? &chain->hops[0]->asked : &site->asked,
		    frame);
	for (size_t i = 0; i < n; i++) {
		if (chain->goes_round[i])
			frame->is_passed = 0;
		pass_on(capture, &context, chain->hops[i],
			i + 1 < n ? &chain->hops[i + 1]->asked : &site->asked, frame);
	}
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
		.object = feature->object,
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

/* What could not be read because the process runs again was not measured. */
static void mark_refused(struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].absence == ABSENT_UNREADABLE)
			values[i].absence = ABSENT_NOT_MEASURED;
}

/* A plan of where @feature or its text is, or of what it points to; without steps: neither. */
static struct read_plan plan_of_pointer(const struct feature *feature)
{
	struct read_plan plan = feature->plan;
	const enum plan_op last = plan.n_steps ? plan.steps[plan.n_steps - 1].op : PLAN_OP_COUNT;

	if (feature->absence != PRESENT)
		return (struct read_plan){.n_steps = 0};
	if (feature->text.n_steps)
		return feature->text;
	if (plan.result == PLAN_BOOL && plan.size == 8)
		;
	else if (last == PLAN_LOAD)
		plan.n_steps--;
	else
		return (struct read_plan){.n_steps = 0};
	plan.result = PLAN_UNSIGNED;
	plan.size = 8;
	return plan;
}

/* The bytes of @code in UTF-8 at @to; returns how many. */
static size_t utf8_write(uint32_t code, char *to)
{
	const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; --i; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(first[n] | code);
	return n;
}

/* @n bytes of UTF-16 at @bytes as UTF-8 at @to, which has half as many more; returns how many. */
static size_t narrow(const char *bytes, size_t n, char *to)
{
	uint16_t unit[2];
	size_t size = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		memcpy(unit, bytes + i, i + 3 < n ? 4 : 2);
		if (i + 3 < n && unit[0] >> 10 == 0x36 && unit[1] >> 10 == 0x37) {
			size += utf8_write(0x10000 + ((unit[0] & 0x3ffU) << 10) + (unit[1] & 0x3ff),
					   to + size);
			i += 2;
		} else {
			size += utf8_write(unit[0] >> 11 == 0x1b ? 0xfffd : unit[0], to + size);
		}
	}
	return size;
}

/* @n bytes at @bytes, which there were @all of, in quotes. */
static const char *quote(struct arena *arena, const char *bytes, size_t n, double all)
{
	const char *text = NULL;
	char *quoted = NULL;
	size_t size;
	FILE *out = open_memstream(&quoted, &size);

	if (!out)
		return NULL;
	text_print_quoted(out, bytes, n);
	if ((double)n < all)
		fputs("...", out);
	fclose(out);
	text = arena_strdup(arena, quoted);
	free(quoted);
	return text;
}

const char *frame_values_string(const struct stack_capture *capture, uint64_t address,
				uint64_t size, struct arena *arena)
{
	const struct memory *memory = &capture->snapshot->memory;
	const uint64_t wanted = size < TEXT_MAX ? size : TEXT_MAX;
	const uint64_t in_page = PAGE - address % PAGE;
	const uint64_t first = wanted < in_page ? wanted : in_page;
	char bytes[TEXT_MAX + 1] = "";
	struct memory_read reads[] = {
		{.address = address, .to = bytes, .size = first},
		{.address = address + first, .to = bytes + first, .size = wanted - first}};
	const size_t n_reads = wanted > first ? 2 : 1;
	uint64_t n;

	if (!wanted)
		return arena_strdup(arena, "\"\"");
	memory->read(memory->self, reads, n_reads);
	if (!reads[0].ok)
		return NULL;
	if (n_reads > 1 && !reads[1].ok)
		bytes[first] = '\0';
	n = strnlen(bytes, wanted);
	return quote(arena, bytes, n, n == TEXT_MAX && size > TEXT_MAX ? INFINITY : (double)n);
}

const char *frame_values_text(const struct stack_capture *capture, uint64_t address, double all,
			      unsigned unit, struct arena *arena)
{
	char bytes[TEXT_MAX] = "", utf8[TEXT_MAX / 2 * 3];
	struct memory_read read = {.address = address, .to = bytes};

	read.size = all * unit < TEXT_MAX ? (size_t)all * unit : TEXT_MAX;
	if (read.size)
		capture->snapshot->memory.read(capture->snapshot->memory.self, &read, 1);
	if (read.size && !read.ok)
		return NULL;
	if (unit == 1)
		return quote(arena, bytes, read.size, all);
	return quote(arena, utf8, narrow(bytes, read.size, utf8),
		     (double)read.size < all * unit ? INFINITY : 0);
}

/* Read the string at @address of which @value is the length, of characters of @unit bytes. */
static void read_text(struct stack_capture *capture, const struct plan_step *length,
		      uint64_t address, unsigned unit, struct stack_value *value)
{
	const char *text;
	const bool is_endless = value->value.absence == ABSENT_TOO_LONG;
	const double all = is_endless ? length->op == PLAN_STRNLEN ? (double)length->arg : INFINITY
				      : value->value.number;

	if (value->value.absence != PRESENT && !is_endless)
		return;
	text = frame_values_text(capture, address, all, unit, capture->arena);
	if (!text)
		return;
	value->value.absence = PRESENT;
	value->value.number = all;
	value->text = text;
}

/* Look at what @values' strings say, and where pointers point to. */
static void read_pointers(struct stack_capture *capture, const struct plan_context *context,
			  const struct call_place *place, struct stack_value *values)
{
	const size_t n = place->n_features;
	struct read_plan *plans = mem_alloc((n + 1) * sizeof(*plans));
	const struct read_plan **list = mem_alloc((n + 1) * sizeof(struct read_plan *));
	struct word *words = mem_alloc((n + 1) * sizeof(*words));

	for (size_t i = 0; i < n; i++) {
		plans[i] = plan_of_pointer(&place->features[i]);
		list[i] = &plans[i];
	}
	plan_runner_run_words(capture->runner, list, n, context, words);
	for (size_t i = 0; i < n; i++) {
		const struct read_plan *whole = &place->features[i].plan;

		if (words[i].absence != PRESENT)
			continue;
		if (place->features[i].text.n_steps)
			read_text(capture, &whole->steps[whole->n_steps - 1], words[i].bits,
				  plans[i].size, &values[i]);
		else if (plans[i].n_steps == whole->n_steps)
			values[i].pointer = words[i].bits;
		else
			values[i].address = words[i].bits;
	}
	free(words);
	free(list);
	free(plans);
}

/* The digits of integers that no double holds. */
static void read_digits(struct stack_capture *capture, const struct plan_context *context,
			const struct call_place *place, struct stack_value *values)
{
	for (size_t i = 0; i < place->n_features; i++) {
		const struct read_plan *plan = &place->features[i].plan;
		struct word word;

		if (values[i].value.absence != PRESENT || fabs(values[i].value.number) < 0x1p53 ||
		    values[i].text || values[i].type != FEATURE_INT || plan->size != 8)
			continue;
		plan_runner_run_words(capture->runner, &plan, 1, context, &word);
		if (word.absence != PRESENT)
			continue;
		values[i].object = values[i].expression;
		values[i].text =
			plan->result == PLAN_SIGNED
				? arena_printf(capture->arena, "%" PRId64, (int64_t)word.bits)
				: arena_printf(capture->arena, "%" PRIu64, word.bits);
	}
}

static struct stack_value *read_place(struct stack_capture *capture,
				      const struct plan_context *context,
				      const struct opened_file *opened,
				      const struct call_place *place)
{
	static const struct read_plan nothing = {.n_steps = 0};
	const size_t n = place->n_features;
	const struct read_plan **plans = mem_alloc((n + 1) * sizeof(struct read_plan *));
	struct value *values = mem_alloc((n + 1) * sizeof(*values));
	struct stack_value *ret = arena_array(capture->arena, struct stack_value, n + 1);
	const size_t refused = snapshot_refused(capture->snapshot);

	for (size_t i = 0; i < n; i++)
		plans[i] =
			place->features[i].absence == PRESENT ? &place->features[i].plan : &nothing;
	plan_runner_run(capture->runner, plans, n, context, values);
	if (snapshot_refused(capture->snapshot) != refused)
		mark_refused(values, n);
	for (size_t i = 0; i < n; i++)
		take_value(&place->features[i], values[i], opened, &ret[i]);
	read_pointers(capture, context, place, ret);
	read_digits(capture, context, place, ret);
	free(plans);
	free(values);
	return ret;
}

void frame_values_read(struct stack_capture *capture, const struct found_thread *thread,
		       struct found_frame *frame)
{
	const struct call_site *site = stack_build_site(capture, frame);
	struct plan_context context;

	if (frame->is_valued || !frame->opened || !frame->opened->sites)
		return;
	if (!site) {
		capture->is_complete = false;
		return;
	}
	frame_values_context(capture, thread, frame, &context);
	frame->values = arena_array(capture->arena, struct stack_value *, site->n_places);
	for (size_t i = 0; i < site->n_places; i++)
		frame->values[i] = read_place(capture, &context, frame->opened, &site->places[i]);
	frame->is_valued = true;
}
