/* Frames in turn: of two, one is the caller's, the other the callee's. */
#include "stack_walk.h"

#include <string.h>

enum { FRAMES_MOST = 256 };

static void sampled_read(void *self, struct memory_read *reads, size_t n)
{
	const struct sampled_stack *sampled = self;
	const uint64_t low = sampled->registers[UNWIND_SP];

	for (size_t i = 0; i < n; i++) {
		const uint64_t at = reads[i].address - low;

		reads[i].ok = reads[i].address >= low && at < sampled->size &&
			      reads[i].size <= sampled->size - at;
		if (reads[i].ok)
			memcpy(reads[i].to, (const char *)sampled->bytes + at, reads[i].size);
	}
}

struct stack_walk stack_walk_begin(struct plan_runner *runner, const struct memory *memory,
				   const struct unwind_registers *registers)
{
	return (struct stack_walk){.runner = runner,
				   .memory = *memory,
				   .frames = {{.registers = *registers}},
				   .is_exact = true};
}

struct stack_walk stack_walk_sampled(struct plan_runner *runner, struct sampled_stack *sampled)
{
	const struct memory memory = {sampled_read, sampled};
	struct unwind_registers registers = {.unknown = 0};

	memcpy(registers.value, sampled->registers, sizeof(registers.value));
	return stack_walk_begin(runner, &memory, &registers);
}

uint64_t stack_walk_pc(const struct stack_walk *walk)
{
	return walk->frames[walk->depth % 2].registers.value[UNWIND_PC] - (walk->is_exact ? 0 : 1);
}

enum unwind_end stack_walk_out(struct stack_walk *walk, struct opened_file *opened)
{
	struct unwind_frame *frame = &walk->frames[walk->depth % 2];
	struct unwind_frame *other = &walk->frames[(walk->depth + 1) % 2];
	const struct unwind_frame *inner = walk->depth && !walk->is_exact ? other : NULL;
	struct unwind_registers caller;
	const struct unwind_row *row;
	enum unwind_end end;

	if (!opened || !opened->sites || walk->depth + 1 >= FRAMES_MOST)
		return UNWIND_UNKNOWN;
	frame->load_bias = opened->load_bias;
	row = call_sites_row(opened->sites, stack_walk_pc(walk) - opened->load_bias);
	if (row->why_not)
		return UNWIND_UNKNOWN;
	end = unwind_step(walk->runner, &walk->memory, row, inner, frame, &caller);
	if (end != UNWIND_CALLER)
		return end;
	walk->is_exact = row->is_signal;
	*other = (struct unwind_frame){.registers = caller};
	walk->depth++;
	return UNWIND_CALLER;
}
