/*
 * What the kernel counts: one or two system calls at each end of a chosen call. They are made
 * anew after a stop within them, and never wait.
 */
#include "pad_draft.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

_Static_assert(sizeof(((struct pad_block *)0)->clock) == sizeof(struct timespec), "the clock");
_Static_assert(sizeof(((struct pad_block *)0)->usage) == sizeof(struct rusage), "the usage");

#define USAGE(field) \
	((struct asm_place){-1, offsetof(struct pad_block, usage) + offsetof(struct rusage, field)})

static struct asm_place counting_count(enum pad_count count)
{
	return (struct asm_place){-1, (int32_t)(offsetof(struct pad_block, counts) + 8 * count)};
}

static struct asm_place counting_aside(enum pad_count count)
{
	return (struct asm_place){-1, (int32_t)(offsetof(struct pad_block, aside) + 8 * count)};
}

static struct asm_place held(unsigned index)
{
	return (struct asm_place){-1, (int32_t)(offsetof(struct pad_block, held) + 8 * index)};
}

/* A field of the counts of the frame in @frame. */
static struct asm_place counting_word(int frame, size_t offset)
{
	return (struct asm_place){frame, (int32_t)(PAD_FRAME_SIZE + offset)};
}

#define COUNTS(frame, field) counting_word(frame, offsetof(struct pad_counts, field))
#define NUMBERS(frame, i)    counting_word(frame, offsetof(struct pad_counts, numbers) + 8 * (i))
#define INNER(frame, i)      counting_word(frame, offsetof(struct pad_counts, inner) + 8 * (i))

/* rax = 0, or an error. Changes rcx, rsi, rdi and r11. */
static void counting_ask(struct assembler *code, uint64_t number, uint64_t of, size_t result)
{
	static const uint8_t syscall_instruction[] = {0x0f, 0x05};

	assembler_constant(code, PAD_RAX, number);
	assembler_constant(code, PAD_RDI, of);
	assembler_load(code, PAD_RSI, PAD_BLOCK(address), 8);
	assembler_alu_constant(code, ASM_ADD, PAD_RSI, (int32_t)result);
	assembler_bytes(code, syscall_instruction, sizeof(syscall_instruction));
	assembler_alu_store(code, ASM_OR, PAD_BLOCK(failed), PAD_RAX);
}

/* The count is in rax. */
static void counting_keep(struct assembler *code, enum pad_count count)
{
	assembler_alu_load(code, ASM_SUB, PAD_RAX, counting_aside(count));
	assembler_store(code, counting_count(count), PAD_RAX, 8);
}

static void counting_read_cpu(struct assembler *code)
{
	counting_ask(code, SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID,
		     offsetof(struct pad_block, clock));
	assembler_load(code, PAD_RAX, PAD_BLOCK(clock[0]), 8);
	assembler_constant(code, PAD_RDX, 1000000000);
	assembler_multiply(code, PAD_RAX, PAD_RDX);
	assembler_alu_load(code, ASM_ADD, PAD_RAX, PAD_BLOCK(clock[1]));
	counting_keep(code, PAD_CPU);
}

static void counting_read_usage(struct assembler *code)
{
	counting_ask(code, SYS_getrusage, (uint64_t)RUSAGE_THREAD,
		     offsetof(struct pad_block, usage));
	assembler_load(code, PAD_RAX, USAGE(ru_minflt), 8);
	counting_keep(code, PAD_PFAULTS);
	assembler_load(code, PAD_RAX, USAGE(ru_majflt), 8);
	counting_keep(code, PAD_MAJOR_PFAULTS);
	assembler_load(code, PAD_RAX, USAGE(ru_nvcsw), 8);
	assembler_alu_load(code, ASM_ADD, PAD_RAX, USAGE(ru_nivcsw));
	counting_keep(code, PAD_SWITCHES);
}

/* The block's counts, now. As near to the call as can be: time on a processor. */
static void counting_read(struct pad_draft *draft, const struct pad_function *function, bool begins)
{
	const bool cpu = function->counts & 1 << PAD_CPU;
	struct assembler *code = &draft->code;
	size_t low;

	assembler_store(code, held(0), PAD_RCX, 8);
	low = code->size;
	assembler_store_constant(code, PAD_BLOCK(failed), 0, 8);
	if (cpu && !begins)
		counting_read_cpu(code);
	if (function->counts & ~(1u << PAD_CPU))
		counting_read_usage(code);
	if (cpu && begins)
		counting_read_cpu(code);
	pad_draft_window(draft, low);
	assembler_load(code, PAD_RCX, held(0), 8);
}

void pad_counting_begin(struct pad_draft *draft, const struct pad_function *function)
{
	struct assembler *code = &draft->code;

	counting_read(draft, function, true);
	for (enum pad_count i = 0; i < PAD_COUNTS; i++) {
		assembler_load(code, PAD_RAX, counting_count(i), 8);
		assembler_store(code, NUMBERS(PAD_RCX, i), PAD_RAX, 8);
	}
	assembler_load(code, PAD_RAX, PAD_BLOCK(failed), 8);
	assembler_store(code, COUNTS(PAD_RCX, unknown), PAD_RAX, 8);
}

/* The pads of callees ran on a processor, but for what is known. */
static void leave_pads_out(struct pad_draft *draft)
{
	const struct pad_costs *costs = &draft->request->costs;
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RAX, PAD_FRAME(PAD_RCX, ticks), 8);
	assembler_alu_load(code, ASM_SUB, PAD_RAX, COUNTS(PAD_RCX, driven));
	assembler_constant(code, PAD_RDX, (uint64_t)costs->rate);
	assembler_multiply(code, PAD_RAX, PAD_RDX);
	assembler_shift(code, ASM_SAR, PAD_RAX, PAD_RATE_BITS);
	assembler_alu_constant(code, ASM_ADD, PAD_RAX, costs->cpu);
	assembler_alu_store(code, ASM_SUB, NUMBERS(PAD_RCX, PAD_CPU), PAD_RAX);
}

/* held[1] becomes what counting took. */
void pad_counting_end(struct pad_draft *draft, const struct pad_function *function)
{
	struct assembler *code = &draft->code;

	assembler_store(code, held(1), PAD_RAX, 8);
	counting_read(draft, function, false);
	for (enum pad_count i = 0; i < PAD_COUNTS; i++) {
		assembler_load(code, PAD_RAX, counting_count(i), 8);
		assembler_alu_load(code, ASM_SUB, PAD_RAX, NUMBERS(PAD_RCX, i));
		assembler_store(code, NUMBERS(PAD_RCX, i), PAD_RAX, 8);
	}
	leave_pads_out(draft);
	assembler_load(code, PAD_RAX, PAD_BLOCK(failed), 8);
	assembler_alu_store(code, ASM_OR, COUNTS(PAD_RCX, unknown), PAD_RAX);
	pad_draft_clock(draft);
	assembler_load(code, PAD_RDX, held(1), 8);
	assembler_alu(code, ASM_SUB, PAD_RAX, PAD_RDX);
	assembler_store(code, held(1), PAD_RAX, 8);
	assembler_move(code, PAD_RAX, PAD_RDX);
}

/* rax = the ticks of the pads at both ends: without a processor, if they are very many. */
static void add_driven(struct assembler *code)
{
	struct asm_fixup few;

	assembler_load_signed(code, PAD_RDX, PAD_FRAME(PAD_RCX, cost));
	assembler_alu(code, ASM_ADD, PAD_RAX, PAD_RDX);
	assembler_alu_constant(code, ASM_SUB, PAD_RAX, PAD_DRIVEN);
	few = assembler_jump_if(code, ASM_LESS);
	assembler_alu_store(code, ASM_ADD, COUNTS(PAD_RCX, driven), PAD_RAX);
	assembler_fix(code, few);
	assembler_load(code, PAD_RAX, COUNTS(PAD_RCX, driven), 8);
	assembler_alu_store(code, ASM_ADD, COUNTS(PAD_RDI, driven), PAD_RAX);
}

void pad_counting_charge(struct pad_draft *draft)
{
	struct assembler *code = &draft->code;
	struct asm_fixup no_room, unknown, done;

	assembler_load(code, PAD_RAX, held(1), 8);
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RDI, ticks), PAD_RAX);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RDI, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_CHOSEN | PAD_ADOPTED);
	no_room = assembler_jump_if(code, ASM_EQUAL);
	add_driven(code);
	assembler_alu_store_constant(code, ASM_CMP, COUNTS(PAD_RCX, unknown), 0, 8);
	unknown = assembler_jump_if(code, ASM_NOT_EQUAL);
	for (enum pad_count i = 0; i < PAD_COUNTS; i++) {
		assembler_load(code, PAD_RAX, NUMBERS(PAD_RCX, i), 8);
		assembler_alu_store(code, ASM_ADD, INNER(PAD_RDI, i), PAD_RAX);
	}
	done = assembler_jump(code);
	assembler_fix(code, no_room);
	assembler_fix(code, unknown);
	assembler_alu_store_constant(code, ASM_ADD, PAD_FRAME(PAD_RDI, uncounted), 1, 8);
	assembler_fix(code, done);
}
