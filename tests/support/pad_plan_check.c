/* Registers and memory are drawn from a seed, plans from bytes. */
#include "pad_plan_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/pad/pad_block.h"

enum { FRAME_WORDS = 32, FIRST_WORD = 8, ABSENT_WORD = 3, SIZE = PAD_CHECK_PAGES * PAD_CHECK_PAGE };

static const uint64_t load_bias = PAD_CHECK_BASE, pc = PAD_CHECK_BASE + 0x700;

struct pad_check {
	uint8_t *memory;
	struct plan_runner *runner;
	uint64_t random;
	uint64_t registers[16]; /* as the program has them */
	uint64_t xmm[16][2];
	struct pad_block block;
	uint64_t frame[FRAME_WORDS];
};

/* xorshift64* */
static uint64_t draw(struct pad_check *check)
{
	check->random ^= check->random >> 12;
	check->random ^= check->random << 25;
	check->random ^= check->random >> 27;
	return check->random * UINT64_C(0x2545f4914f6cdd1d);
}

static const struct class_map *check_classes(void)
{
	enum { A = PAD_CHECK_BASE };
	static const struct class_map_range ranges[] = {
		{A + 0x010, A + 0x100, 2},  {A + 0x100, A + 0x180, 0}, {A + 0x180, A + 0x200, 1},
		{A + 0x280, A + 0x300, 3},  {A + 0x400, A + 0x408, 1}, {A + 0x500, A + 0x900, 2},
		{A + 0x1000, A + 0x7000, 0}};
	static const struct class_type types[] = {{"A", 1}, {"B", 20}, {"C", 300}, {"D", 4000}};
	static const struct class_cast_entry a[] = {{0, 0}, {1, 16}, {3, -8}}, b[] = {{2, 256}};
	static const struct class_cast casts[] = {{"A", a, 3}, {"B", b, 1}, {"C", NULL, 0}};
	static const struct class_map map = {ranges, 7, types, casts, 3};

	return &map;
}

struct pad_check *pad_check_create(void)
{
	struct pad_check *check = mem_alloc(sizeof(*check));

	check->memory = mmap((void *)(uintptr_t)PAD_CHECK_BASE, SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (check->memory == MAP_FAILED)
		abort();
	check->runner = plan_runner_create();
	pad_check_draw(check, 1);
	return check;
}

void pad_check_destroy(struct pad_check *check)
{
	munmap(check->memory, SIZE);
	plan_runner_destroy(check->runner);
	free(check);
}

static void set_holes(struct pad_check *check, int protection)
{
	if (mprotect(check->memory + PAD_CHECK_HOLE * PAD_CHECK_PAGE, PAD_CHECK_PAGE, protection) ||
	    mprotect(check->memory + SIZE - PAD_CHECK_PAGE, PAD_CHECK_PAGE, protection))
		abort();
}

/* Pointers into the memory, small numbers and any. */
static uint64_t draw_word(struct pad_check *check)
{
	static const uint64_t edges[] = {0,         1,          UINT64_MAX,          1ull << 63,
					 INT64_MAX, UINT32_MAX, 0x8000000000001000u, 64};
	const uint64_t any = draw(check);

	switch (any % 8) {
	case 0:
	case 1:
	case 2:
		return PAD_CHECK_BASE + (any >> 8) % SIZE;
	case 3:
		return PAD_CHECK_BASE + (any >> 8) % 0x800;
	case 4:
	case 5:
		return (any >> 8) % 256;
	case 6:
		return edges[(any >> 8) % 8];
	default:
		return any;
	}
}

void pad_check_draw(struct pad_check *check, uint64_t seed)
{
	check->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	set_holes(check, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < SIZE; i += 8) {
		const uint64_t word = draw_word(check);

		memcpy(check->memory + i, &word, 8);
	}
	/* The highest bits of an exponent: without these bytes it cannot be all ones. */
	for (size_t i = 0; i < SIZE; i++)
		if ((check->memory[i] & 0x7f) == 0x7f)
			check->memory[i]--;
	set_holes(check, PROT_NONE);
	for (unsigned i = 0; i < 16; i++) {
		check->registers[i] = draw_word(check);
		check->xmm[i][0] = draw_word(check);
		check->xmm[i][1] = draw(check);
	}
	/* A user's address, as every stack has: some virtual machines end who faults with others. */
	check->registers[7] &= UINT64_C(0x7fffffffffff);
}

void pad_check_set_register(struct pad_check *check, unsigned reg, uint64_t number)
{
	if (reg < 16)
		check->registers[reg] = number;
	else
		check->xmm[reg - PLAN_XMM0][0] = number;
}

void pad_check_set_memory(struct pad_check *check, uint64_t address, const void *bytes, size_t n)
{
	memcpy(check->memory + (address - PAD_CHECK_BASE), bytes, n);
}

/* errno is memory, too, which both ways shall find the same. */
static void read_own_memory(void *self, struct memory_read *reads, size_t n)
{
	(void)self;
	for (size_t i = 0; i < n; i++) {
		const struct iovec local = {reads[i].to, reads[i].size};
		const struct iovec remote = {(void *)(uintptr_t)reads[i].address, reads[i].size};
		const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

		reads[i].ok = got == (ssize_t)reads[i].size;
	}
	errno = 0;
}

static struct plan_context context_of(const struct pad_check *check)
{
	struct plan_context context = {.classes = check_classes(),
				       .load_bias = load_bias,
				       .memory = {read_own_memory, NULL}};

	for (unsigned i = 0; i < 16; i++) {
		context.registers[i] = check->registers[i];
		context.registers[PLAN_XMM0 + i] = check->xmm[i][0];
	}
	context.registers[16] = pc;
	context.registers[PLAN_FS_BASE] = (uintptr_t)__builtin_thread_pointer();
	return context;
}

/* One run of a plan's code. */
struct check_run {
	struct pad_plan plan;
	struct pad_plan_place place;
	struct code_state before, after;
	struct pad_block block;
	uint64_t frame[FRAME_WORDS];
};

/* As a pad does: registers that the code may change, and some more, are in the block. */
static void run_prepare(struct pad_check *check, struct check_run *run)
{
	static const int frames[] = {3, 6, 14, 15};
	const uint64_t any = draw(check);
	const uint32_t more = any % 2 ? (uint32_t)(any >> 8) & 0xff7f : 0;

	run->place = (struct pad_plan_place){
		.load_bias = load_bias,
		.pc = pc,
		.frame = frames[(any >> 32) % 4],
		.words = 8 * FIRST_WORD,
		.absent = 8 * ABSENT_WORD,
		.bit = (any >> 40) % 64,
		.classes = check_classes(),
	};
	run->place.saved = pad_plan_changes(&run->plan) | UINT32_C(1) << run->place.frame | more;
	for (unsigned i = 0; i < 16; i++) {
		const bool saved = run->place.saved >> i & 1;

		run->before.registers[i] = saved ? draw(check) : check->registers[i];
		check->block.save[i] = saved ? check->registers[i] : draw(check);
	}
	run->before.registers[run->place.frame] = (uintptr_t)check->frame;
	memcpy(run->before.xmm, check->xmm, sizeof(check->xmm));
	run->before.control = 0x7f80; /* rounds towards zero */
	for (unsigned i = 0; i < FRAME_WORDS; i++)
		check->frame[i] = i == ABSENT_WORD ? 0 : draw(check);
	run->block = check->block;
	memcpy(run->frame, check->frame, sizeof(run->frame));
	run->after = run->before;
}

static const char *changed(struct pad_check *check, const struct check_run *run)
{
	const uint32_t changes = pad_plan_changes(&run->plan);
	const uint64_t bit = UINT64_C(1) << run->place.bit;

	for (unsigned i = 0; i < 16; i++)
		if (!(changes >> i & 1) && run->after.registers[i] != run->before.registers[i])
			return "a register changed that is not said to";
	if (memcmp(run->after.xmm, run->before.xmm, sizeof(run->after.xmm)) != 0)
		return "an xmm register changed";
	if (run->after.control != run->before.control)
		return "MXCSR changed";
	if (memcmp(&check->block, &run->block, offsetof(struct pad_block, scratch)) != 0)
		return "the block changed";
	for (unsigned i = 0; i < FRAME_WORDS; i++) {
		const bool own = i >= FIRST_WORD && i < FIRST_WORD + run->plan.words;

		if (!own && i != ABSENT_WORD && check->frame[i] != run->frame[i])
			return "another word of the frame changed";
	}
	if (check->frame[ABSENT_WORD] & ~bit)
		return "another absent bit was set";
	return NULL;
}

/* The code's own memory, too, is there for both ways. */
static void run_both(struct pad_check *check, struct check_run *run, const struct read_plan *plan,
		     const struct plan_context *context, struct value *ret)
{
	struct assembler code = code_runner_start(&check->block);
	struct pad_faults faults = {0};

	/* Offsets are of the pad's code, in which a plan is not the first. */
	assembler_bytes(&code, "\x90\x90\x90", 3);
	pad_plan_emit(&code, &run->plan, &run->place, &faults);
	errno = 0;
	plan_runner_run(check->runner, &plan, 1, context, ret);
	errno = 0;
	code_runner_run(&code, &faults, &run->after);
	code_runner_stop(&code);
	free(faults.list);
}

const char *pad_check_run(struct pad_check *check, const struct read_plan *plan, struct value *ret)
{
	const struct plan_context context = context_of(check);
	struct check_run run = {0};
	const char *why = NULL;
	enum absence absence;
	struct value value;

	if (!pad_plan_split(plan, &run.plan, &why)) {
		plan_runner_run(check->runner, &plan, 1, &context, ret);
		return why ? NULL : "no reason why a pad cannot run it";
	}
	run_prepare(check, &run);
	run_both(check, &run, plan, &context, ret);
	absence = check->frame[ABSENT_WORD] ? check->frame[FIRST_WORD] : PRESENT;
	value = pad_plan_finish(&run.plan, check->frame + FIRST_WORD, absence, &context);
	why = changed(check, &run);
	if (why)
		return why;
	if (value.absence != ret->absence)
		return "it is absent for another reason, or only one way";
	if (value.absence == PRESENT && memcmp(&value.number, &ret->number, 8) != 0)
		return "the numbers differ";
	return NULL;
}

static int64_t argument(enum plan_op op, uint64_t any)
{
	static const int64_t numbers[] = {0,
					  1,
					  -1,
					  3,
					  8,
					  16,
					  63,
					  64,
					  255,
					  -8,
					  INT32_MAX,
					  INT32_MIN,
					  INT64_MIN,
					  INT64_MAX,
					  PAD_CHECK_BASE + 0x120,
					  PAD_CHECK_BASE + 0x2ff8};
	const enum plan_result element = any / 4 % PLAN_RESULT_COUNT;
	const unsigned size = 1u << any % 4;
	const struct plan_array array = {(uint32_t)(1 + any / 16 % 200),
					 element == PLAN_FLOAT && size < 4 ? 8 : size, element};

	switch (op) {
	case PLAN_REG:
		return any % 40 < 33 ? any % 40 : any % 40 < 36 ? PLAN_FS_BASE : any % 16;
	case PLAN_LOAD:
		return 1 << any % 4;
	case PLAN_SEXT:
		return 1 << any % 3;
	case PLAN_PICK:
		return any % PLAN_STACK;
	case PLAN_STRNLEN:
		return 1 + any * any / 64;
	case PLAN_SUM:
		return read_plan_pack_array(&array);
	case PLAN_INT128:
		return any % 2;
	case PLAN_CAST:
		return any % 4;
	case PLAN_CONVERT:
		return any % (PLAN_FORMAT_COUNT * PLAN_FORMAT_COUNT);
	case PLAN_ADD:
		return any < 192 ? (int64_t)(any % 64) - 8 : numbers[any % 16];
	case PLAN_ADDRESS:
		return any * 64;
	default:
		return numbers[any % 16];
	}
}

/* Is the plan in order, but for words that are left too many? */
static bool plan_begins(const struct read_plan *plan)
{
	struct plan_step steps[PLAN_STEPS_MAX];
	struct read_plan whole = *plan;
	struct err err;

	memcpy(steps, plan->steps, plan->n_steps * sizeof(*steps));
	whole.steps = steps;
	for (unsigned n = 0; n < PLAN_STACK && whole.n_steps < PLAN_STEPS_MAX; n++) {
		if (read_plan_verify(&whole, &err))
			return true;
		steps[whole.n_steps++] = (struct plan_step){PLAN_XOR, 0};
	}
	return false;
}

/* Three bytes: a step, if it fits there; the last steps make one word of all. */
struct read_plan pad_check_plan(const uint8_t *bytes, size_t n, struct arena *arena)
{
	static const enum plan_op joins[] = {PLAN_XOR, PLAN_PLUS,  PLAN_MINUS, PLAN_INT128,
					     PLAN_X87, PLAN_BOUND, PLAN_MUL,   PLAN_AND};
	static const enum plan_op starts[] = {PLAN_REG, PLAN_LOAD, PLAN_REG, PLAN_NONNULL};
	struct plan_step steps[PLAN_STEPS_MAX];
	struct read_plan plan = {.steps = steps, .result = PLAN_UNSIGNED, .size = 8};
	size_t at;

	for (at = 0; at + 3 <= n && plan.n_steps < PLAN_STEPS_MAX - PLAN_STACK; at += 3) {
		const enum plan_op op =
			bytes[at] < 160 ? bytes[at] % PLAN_OP_COUNT : starts[bytes[at] % 4];

		steps[plan.n_steps++] = (struct plan_step){op, argument(op, bytes[at + 1])};
		if (!plan_begins(&plan))
			plan.n_steps--;
		else if (op == PLAN_REG)
			plan.result = bytes[at + 2] % PLAN_RESULT_COUNT;
	}
	if (!plan.n_steps)
		steps[plan.n_steps++] = (struct plan_step){PLAN_REG, 5};
	while (read_plan_depth(&plan, plan.n_steps) > 1)
		steps[plan.n_steps++] = (struct plan_step){joins[bytes[plan.n_steps % n] % 8], 1};
	plan.steps = arena_copy(arena, steps, plan.n_steps * sizeof(*steps));
	return plan;
}
