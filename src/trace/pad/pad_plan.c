/* Splitting read plans, and writing their heads step by step. */
#include "pad_plan.h"

#include "pad_words.h"

/* Does the step need the program's registers or memory? */
static bool needs_thread(const struct plan_step *step)
{
	return step->op == PLAN_REG || step->op == PLAN_LOAD || step->op == PLAN_STRLEN ||
	       step->op == PLAN_STRNLEN || step->op == PLAN_SUM;
}

static bool is_integer_conversion(int64_t arg)
{
	return arg == plan_convert_pack(PLAN_FORMAT_SIGNED, PLAN_FORMAT_UNSIGNED) ||
	       arg == plan_convert_pack(PLAN_FORMAT_UNSIGNED, PLAN_FORMAT_SIGNED) ||
	       arg == plan_convert_pack(PLAN_FORMAT_SIGNED, PLAN_FORMAT_SIGNED) ||
	       arg == plan_convert_pack(PLAN_FORMAT_UNSIGNED, PLAN_FORMAT_UNSIGNED);
}

/* NULL, or what the step does that pads cannot do. */
static const char *why_not(const struct plan_step *step)
{
	switch (step->op) {
	case PLAN_REG:
		return step->arg >= PLAN_ENTRY && step->arg < PLAN_FS_BASE
			       ? "it uses what a register had at the call"
			       : NULL;
	case PLAN_INT128:
		return "it uses a 128-bit integer to find memory";
	case PLAN_X87:
		return "it uses a long double to find memory";
	case PLAN_CLASS:
	case PLAN_TEXT:
		return "it uses the number of a class or text to find memory";
	case PLAN_DOUBLE:
		return "it uses a float to find memory";
	case PLAN_CONVERT:
		return is_integer_conversion(step->arg) ? NULL : "it uses a float to find memory";
	default:
		return NULL;
	}
}

static unsigned steps_that_need_thread(const struct read_plan *plan)
{
	unsigned n = plan->n_steps;

	while (n && !needs_thread(&plan->steps[n - 1]))
		n--;
	return n;
}

/* A few steps more, if fewer words are left then: `load 8; ...; load 8; minus`. */
static unsigned with_fewest_words(const struct read_plan *plan, unsigned head)
{
	unsigned best = head, least = read_plan_depth(plan, head);

	for (unsigned n = head; n < plan->n_steps && least > 1; n++) {
		if (why_not(&plan->steps[n]))
			break;
		if (read_plan_depth(plan, n + 1) >= least)
			continue;
		least = read_plan_depth(plan, n + 1);
		best = n + 1;
	}
	return best;
}

/* Those of the first @n steps of the plan. */
static bool count_loads(struct pad_plan *plan, unsigned n, const char **ret_why)
{
	for (unsigned i = 0; i < n; i++) {
		const struct plan_step *step = &plan->plan->steps[i];

		if ((*ret_why = why_not(step)))
			return false;
		plan->loads += needs_thread(step) && step->op != PLAN_REG;
	}
	return true;
}

bool pad_plan_whole(const struct read_plan *plan, struct pad_plan *ret, const char **ret_why)
{
	struct pad_plan whole = {.plan = plan, .head = plan->n_steps, .words = 1};

	if (!count_loads(&whole, plan->n_steps, ret_why))
		return false;
	*ret = whole;
	return true;
}

bool pad_plan_split(const struct read_plan *plan, struct pad_plan *ret, const char **ret_why)
{
	struct pad_plan split = {.plan = plan};
	unsigned needed = steps_that_need_thread(plan);

	if (!count_loads(&split, needed, ret_why))
		return false;
	split.head = with_fewest_words(plan, needed);
	split.words = split.head ? read_plan_depth(plan, split.head) : 1;
	*ret = split;
	return true;
}

uint32_t pad_plan_changes(const struct pad_plan *plan)
{
	const uint8_t *homes = pad_words_homes(plan);
	uint32_t changes = 0;
	unsigned most = 0;

	for (unsigned n = 1; n <= plan->head; n++) {
		const unsigned depth = read_plan_depth(plan->plan, n);

		most = depth > most ? depth : most;
	}
	for (unsigned i = 0; i < most; i++)
		changes |= UINT32_C(1) << homes[i];
	if (pad_words_scratch(plan))
		changes |= 1 << PAD_RAX | 1 << PAD_RDX | 1 << PAD_RCX;
	return changes;
}

static void push_register(struct pad_words *words, unsigned reg)
{
	if (reg < 16)
		pad_words_push_register(words, (int)reg);
	else if (reg == 16)
		pad_words_push_constant(words, words->place->pc);
	else if (reg == PLAN_FS_BASE)
		assembler_thread_pointer(words->code, pad_words_push_home(words));
	else
		assembler_move_xmm(words->code, pad_words_push_home(words), (int)reg - PLAN_XMM0);
}

static void load(struct pad_words *words, unsigned size)
{
	struct pad_word *top = pad_words_top(words);
	struct asm_place from;

	if (top->reg == PAD_NO_REGISTER)
		pad_words_own(words, top);
	from = (struct asm_place){top->reg, (int32_t)top->number};
	pad_words_may_fault(words);
	assembler_load(words->code, top->home, from, size);
	pad_words_in_home(top);
}

/* Pointers below lead into the first page, if the @n @steps follow them. 1: it is not known. */
static int32_t lowest_good(const struct plan_step *steps, unsigned n)
{
	enum { FIRST_PAGE = 4096, LOAD_MAX = 8 };
	int64_t offset = 0;

	for (; n && steps->op == PLAN_ADD && steps->arg >= 0 && steps->arg < FIRST_PAGE; n--)
		offset += steps++->arg;
	if (!n || (steps->op != PLAN_LOAD && steps->op != PLAN_STRLEN) ||
	    offset >= FIRST_PAGE - LOAD_MAX)
		return 1;
	return FIRST_PAGE - LOAD_MAX - (int32_t)offset;
}

/*
 * A pointer must not be null. Nothing is ever in the first page: most bad pointers need no fault to
 * be found. The @n @steps come next.
 */
static void exit_if_null(struct pad_words *words, const struct plan_step *steps, unsigned n)
{
	const int reg = pad_words_read(words, pad_words_top(words));
	const int32_t lowest = lowest_good(steps, n);
	struct asm_fixup is_good = {0};

	if (lowest > 1) {
		assembler_alu_constant(words->code, ASM_CMP, reg, lowest);
		is_good = assembler_jump_if(words->code, ASM_NOT_BELOW);
	}
	assembler_alu_constant(words->code, ASM_CMP, reg, 0);
	pad_words_exit_if(words, ASM_EQUAL, ABSENT_NULL);
	if (lowest > 1)
		pad_words_exit_if(words, ASM_NOT_EQUAL, ABSENT_UNREADABLE);
	assembler_fix(words->code, is_good);
}

/* Pop b, compare the top with it. */
static struct pad_word *compare(struct pad_words *words)
{
	struct pad_word *b = pad_words_pop(words);
	struct pad_word *a = pad_words_top(words);
	const int right = pad_words_read(words, b);

	assembler_alu(words->code, ASM_CMP, pad_words_read(words, a), right);
	return a;
}

static void require(struct pad_words *words, enum absence absence)
{
	assembler_alu_constant(words->code, ASM_CMP, pad_words_read(words, pad_words_top(words)),
			       0);
	pad_words_pop(words);
	pad_words_exit_if(words, ASM_EQUAL, absence);
}

static void set_if(struct pad_words *words, enum asm_condition condition)
{
	struct pad_word *a = compare(words);

	assembler_set(words->code, condition, a->home);
	pad_words_in_home(a);
}

static void binary(struct pad_words *words, enum asm_alu op)
{
	struct pad_word *b = pad_words_pop(words);
	struct pad_word *a = pad_words_top(words);
	const bool is_short = b->number == (uint64_t)(int64_t)(int32_t)b->number;

	pad_words_own(words, a);
	if (b->reg == PAD_NO_REGISTER && is_short)
		assembler_alu_constant(words->code, op, a->home, (int32_t)b->number);
	else
		assembler_alu(words->code, op, a->home, pad_words_read(words, b));
}

static void multiply(struct pad_words *words)
{
	struct pad_word *b = pad_words_pop(words);
	const int a = pad_words_own(words, pad_words_top(words));

	assembler_multiply(words->code, a, pad_words_read(words, b));
}

static void swap(struct pad_word *a, struct pad_word *b)
{
	const struct pad_word word = *a;

	*a = *b;
	*b = word;
}

/* @left: steps behind it. */
static void emit_step(struct pad_words *words, const struct plan_step *step, unsigned left)
{
	struct pad_word *top = words->depth ? pad_words_top(words) : NULL;
	struct plan_array array;

	switch (step->op) {
	case PLAN_REG:
		push_register(words, (unsigned)step->arg);
		break;
	case PLAN_CONST:
		pad_words_push_constant(words, (uint64_t)step->arg);
		break;
	case PLAN_ADDRESS:
		pad_words_push_constant(words, words->place->load_bias + (uint64_t)step->arg);
		break;
	case PLAN_ADD:
		pad_words_add(words, top, (uint64_t)step->arg);
		break;
	case PLAN_LOAD:
		load(words, (unsigned)step->arg);
		break;
	case PLAN_NONNULL:
		exit_if_null(words, step + 1, left);
		break;
	case PLAN_STRLEN:
		pad_step_string(words, PLAN_STRING_MAX);
		break;
	case PLAN_STRNLEN:
		pad_step_string(words, (uint32_t)step->arg);
		break;
	case PLAN_SUM:
		array = read_plan_unpack_array(step->arg);
		pad_step_sum(words, &array);
		break;
	case PLAN_BOUND:
		compare(words);
		pad_words_exit_if(words, ASM_ABOVE, ABSENT_UNREADABLE);
		break;
	case PLAN_REQUIRE:
		require(words, (enum absence)step->arg);
		break;
	case PLAN_CAST:
		pad_step_cast(words, (uint64_t)step->arg);
		break;
	case PLAN_SEXT:
		assembler_sign_extend(words->code, pad_words_own(words, top), (unsigned)step->arg);
		break;
	case PLAN_DUP:
		pad_words_push_copy(words, top);
		break;
	case PLAN_DROP:
		pad_words_pop(words);
		break;
	case PLAN_SWAP:
		swap(top, top - 1);
		break;
	case PLAN_PICK:
		pad_words_push_copy(words, top - step->arg);
		break;
	case PLAN_PLUS:
		binary(words, ASM_ADD);
		break;
	case PLAN_MINUS:
		binary(words, ASM_SUB);
		break;
	case PLAN_MUL:
		multiply(words);
		break;
	case PLAN_DIV:
	case PLAN_MOD:
		pad_step_divide(words, step->op);
		break;
	case PLAN_AND:
		binary(words, ASM_AND);
		break;
	case PLAN_OR:
		binary(words, ASM_OR);
		break;
	case PLAN_XOR:
		binary(words, ASM_XOR);
		break;
	case PLAN_SHL:
	case PLAN_SHR:
	case PLAN_SHRA:
		pad_step_shift(words, step->op);
		break;
	case PLAN_EQUAL:
		set_if(words, ASM_EQUAL);
		break;
	case PLAN_LESS:
		set_if(words, ASM_LESS);
		break;
	case PLAN_BELOW:
		set_if(words, ASM_BELOW);
		break;
	case PLAN_NEG:
		assembler_unary(words->code, ASM_NEG, pad_words_own(words, top));
		break;
	case PLAN_NOT:
		assembler_unary(words->code, ASM_NOT, pad_words_own(words, top));
		break;
	case PLAN_ROT:
		swap(top, top - 1);
		swap(top - 1, top - 2);
		break;
	case PLAN_CONVERT: /* between integers: nothing to do; a head has no other */
	case PLAN_INT128:  /* no head has these */
	case PLAN_X87:
	case PLAN_DOUBLE:
	case PLAN_CLASS:
	case PLAN_TEXT:
	case PLAN_OP_COUNT:
		break;
	}
}

void pad_plan_emit(struct assembler *code, const struct pad_plan *plan,
		   const struct pad_plan_place *place, struct pad_faults *faults)
{
	struct pad_words words = {
		.code = code, .place = place, .faults = faults, .first_fault = faults->n};
	const uint8_t *homes = pad_words_homes(plan);

	for (unsigned i = 0; i < PLAN_STACK; i++)
		words.words[i].home = homes[i];
	for (unsigned i = 0; i < plan->head; i++)
		emit_step(&words, &plan->plan->steps[i], plan->head - i - 1);
	pad_words_end(&words);
}

struct value pad_plan_finish(const struct pad_plan *plan, const uint64_t *words,
			     enum absence absence, const struct plan_context *context)
{
	if (absence != PRESENT)
		return (struct value){.absence = absence};
	return plan_runner_finish(plan->plan, plan->head, words, context);
}
