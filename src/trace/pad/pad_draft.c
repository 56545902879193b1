/* What all probes do: saving, restoring, reading the clock and features, asking. */
#include "pad_draft.h"

#include "base/mem.h"

enum { REGISTERS = 16, FLAGS = 33, RED_ZONE = 128 };

int32_t pad_draft_frame_size(const struct pad_function *function)
{
	return (int32_t)(PAD_FRAME_SIZE + function->n_words * sizeof(uint64_t));
}

struct asm_place pad_draft_saved(int reg)
{
	return (struct asm_place){
		-1, (int32_t)(offsetof(struct pad_block, save) + reg * sizeof(uint64_t))};
}

void pad_draft_save(struct pad_draft *draft, uint32_t registers)
{
	for (int i = 0; i < REGISTERS; i++)
		if (registers >> i & 1)
			assembler_store(&draft->code, pad_draft_saved(i), i, 8);
}

void pad_draft_restore(struct pad_draft *draft, uint32_t registers)
{
	for (int i = 0; i < REGISTERS; i++)
		if (registers >> i & 1)
			assembler_load(&draft->code, i, pad_draft_saved(i), 8);
}

/* lahf has all but the overflow flag, which is behind it: 1 + 127 overflows; sahf leaves that. */
static const uint8_t lahf_seto_al[] = {0x9f, 0x0f, 0x90, 0xc0};
static const uint8_t add_al_127_sahf[] = {0x04, 0x7f, 0x9e};
static const uint8_t push_rax[] = {0x50}, pop_rax[] = {0x58};

void pad_draft_restore_flags(struct pad_draft *draft)
{
	assembler_load(&draft->code, PAD_RAX, pad_draft_saved(FLAGS), 8);
	assembler_bytes(&draft->code, add_al_127_sahf, sizeof(add_al_127_sahf));
}

struct asm_fixup pad_draft_jump_if_gone(struct pad_draft *draft)
{
	const struct pad_life *life = &draft->request->life;

	assembler_alu_store_constant(&draft->code, ASM_CMP,
				     (struct asm_place){ASM_ABSOLUTE, life->address}, life->alive,
				     4);
	return assembler_jump_if(&draft->code, ASM_NOT_EQUAL);
}

struct asm_fixup pad_draft_jump_if_careful(struct pad_draft *draft,
					   const struct pad_function *function)
{
	if (function->asks)
		return assembler_jump(&draft->code);
	assembler_alu_store_constant(&draft->code, ASM_CMP, PAD_BLOCK(careful), 0, 8);
	return assembler_jump_if(&draft->code, ASM_NOT_EQUAL);
}

static void draft_expect_fault(struct pad_draft *draft, struct pad_fault fault)
{
	struct pad_faults *faults = &draft->lists->faults;

	faults->list =
		mem_grow(faults->list, &faults->capacity, faults->n + 1, sizeof(*faults->list));
	faults->list[faults->n++] = fault;
}

/* gs may lead nowhere. */
static struct asm_fixup draft_jump_if_foreign(struct pad_draft *draft, struct pad_template *ret)
{
	ret->look = draft->code.size;
	assembler_alu_store_constant(&draft->code, ASM_CMP, PAD_BLOCK(magic), (int32_t)PAD_MAGIC,
				     4);
	return assembler_jump_if(&draft->code, ASM_NOT_EQUAL);
}

void pad_draft_begin(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;
	const bool flags = ret->probe->flags_live;

	if (flags) {
		assembler_address(code, PAD_RSP, PAD_RSP, -RED_ZONE);
		ret->push = code->size;
		assembler_bytes(code, push_rax, sizeof(push_rax));
		assembler_bytes(code, lahf_seto_al, sizeof(lahf_seto_al));
	}
	ret->skips[0] = pad_draft_jump_if_gone(draft);
	ret->skips[1] = draft_jump_if_foreign(draft, ret);
	if (!flags)
		return;
	assembler_store(code, pad_draft_saved(FLAGS), PAD_RAX, 8);
	assembler_bytes(code, pop_rax, sizeof(pop_rax));
	assembler_address(code, PAD_RSP, PAD_RSP, RED_ZONE);
}

/*
 * gs is the program's: the tracer learns of it by a fault, wherever gs leads to. (Where the program
 * has mapped the first page, the probe is skipped, and nobody learns of it.)
 */
static void draft_tell_foreign(struct pad_draft *draft, const struct pad_template *template)
{
	enum { NOWHERE = 16 };
	struct assembler *code = &draft->code;
	const size_t tell = code->size;
	size_t skip = template->resume;

	assembler_fix(code, template->skips[1]);
	assembler_alu_store_constant(code, ASM_CMP, (struct asm_place){ASM_ABSOLUTE, NOWHERE}, 0,
				     4);
	if (template->probe->flags_live)
		skip = code->size;
	else
		pad_draft_go_on(draft, skip);
	assembler_fix_to(code, template->skips[0], skip);
	draft_expect_fault(draft, (struct pad_fault){.at = (uint32_t)tell,
						     .resume = (uint32_t)skip,
						     .foreign = true});
	draft_expect_fault(draft, (struct pad_fault){.at = (uint32_t) template->look,
						     .resume = (uint32_t)skip,
						     .foreign = true});
}

void pad_draft_skip(struct pad_draft *draft, const struct pad_template *template)
{
	struct assembler *code = &draft->code;

	if (!template->skips[0].at)
		return;
	draft_tell_foreign(draft, template);
	if (!template->probe->flags_live)
		return;
	assembler_bytes(code, add_al_127_sahf, sizeof(add_al_127_sahf));
	assembler_bytes(code, pop_rax, sizeof(pop_rax));
	draft_expect_fault(draft, (struct pad_fault){.at = (uint32_t) template->push,
						     .resume = (uint32_t)code->size});
	assembler_address(code, PAD_RSP, PAD_RSP, RED_ZONE);
	pad_draft_go_on(draft, template->resume);
}

void pad_draft_finish(struct pad_draft *draft, struct pad_template *template)
{
	template->restore = draft->code.size;
	if (template->probe->flags_live)
		pad_draft_restore_flags(draft);
	pad_draft_restore(draft, template->saved);
	template->resume = draft->code.size;
}

void pad_draft_go_on(struct pad_draft *draft, size_t offset)
{
	assembler_jump_to(&draft->code, draft->code.address + offset);
}

void pad_draft_window(struct pad_draft *draft, size_t low)
{
	struct pad_code *lists = draft->lists;

	lists->windows = mem_grow(lists->windows, &draft->windows_capacity, lists->n_windows + 1,
				  sizeof(*lists->windows));
	lists->windows[lists->n_windows++] =
		(struct pad_window){(uint32_t)low, (uint32_t)draft->code.size};
}

void pad_draft_finish_work(struct pad_draft *draft)
{
	static const uint8_t lfence[] = {0x0f, 0xae, 0xe8};

	assembler_bytes(&draft->code, lfence, sizeof(lfence));
}

/* Both halves are made ready at the same time: what waits for the clock waits for this, too. */
void pad_draft_clock(struct pad_draft *draft)
{
	const size_t low = draft->code.size;

	assembler_rdtsc(&draft->code);
	assembler_shift(&draft->code, ASM_SHL, PAD_RDX, 32);
	assembler_alu_load(&draft->code, ASM_SUB, PAD_RAX, PAD_BLOCK(stolen));
	assembler_alu(&draft->code, ASM_ADD, PAD_RAX, PAD_RDX);
	pad_draft_window(draft, low);
}

/* Registers and flags are the program's, or those of a pad that has asked. */
void pad_draft_resume(struct pad_draft *draft)
{
	static const uint8_t lea_rax_rax_rdx[] = {0x48, 0x8d, 0x04, 0x10};
	static const uint8_t jmp_gs[] = {0x65, 0xff, 0x24, 0x25};
	struct asm_place high = PAD_BLOCK(resumed[2]);
	struct assembler *code = &draft->code;
	size_t low;

	high.displacement += 4;
	assembler_store(code, PAD_BLOCK(resumed[0]), PAD_RAX, 8);
	assembler_store(code, PAD_BLOCK(resumed[1]), PAD_RDX, 8);
	low = code->size;
	assembler_rdtsc(code);
	assembler_store(code, PAD_BLOCK(resumed[2]), PAD_RAX, 4);
	assembler_store(code, high, PAD_RDX, 4);
	assembler_load(code, PAD_RAX, PAD_BLOCK(resumed[2]), 8);
	assembler_load(code, PAD_RDX, PAD_BLOCK(moment), 8);
	assembler_bytes(code, lea_rax_rax_rdx, sizeof(lea_rax_rax_rdx));
	assembler_store(code, PAD_BLOCK(stolen), PAD_RAX, 8);
	pad_draft_window(draft, low);
	assembler_load(code, PAD_RDX, PAD_BLOCK(resumed[1]), 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(resumed[0]), 8);
	assembler_bytes(code, jmp_gs, sizeof(jmp_gs));
	assembler_word(code, offsetof(struct pad_block, resume));
}

struct asm_fixup pad_draft_jump_if_elsewhere(struct pad_draft *draft)
{
	assembler_alu_load(&draft->code, ASM_SUB, PAD_RDX, PAD_BLOCK(stack));
	assembler_alu_load(&draft->code, ASM_CMP, PAD_RDX, PAD_BLOCK(stack_size));
	return assembler_jump_if(&draft->code, ASM_NOT_BELOW);
}

void pad_draft_go_on_if_unseen(struct pad_draft *draft, const struct pad_template *template)
{
	struct assembler *code = &draft->code;
	struct asm_fixup elsewhere = pad_draft_jump_if_elsewhere(draft);

	pad_draft_go_on(draft, template->restore);
	assembler_fix(code, elsewhere);
	assembler_alu_store_constant(code, ASM_CMP, PAD_SUMS(template->probe->function, closed), 0,
				     4);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, template->restore);
}

struct asm_fixup pad_draft_jump_if_idle(struct pad_draft *draft)
{
	assembler_load(&draft->code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_store_constant(&draft->code, ASM_CMP, PAD_FRAME(PAD_RCX, previous), 0, 8);
	return assembler_jump_if(&draft->code, ASM_EQUAL);
}

size_t pad_draft_load_word(struct pad_draft *draft, int reg, int32_t displacement)
{
	draft_expect_fault(draft, (struct pad_fault){.at = (uint32_t)draft->code.size});
	assembler_load(&draft->code, reg, (struct asm_place){reg, displacement}, 8);
	return draft->lists->faults.n - 1;
}

/*
 * What the int3 takes until the tracer notices varies by µs: so the pad notes the time itself. Any
 * register and the flags may be the program's.
 */
static void write_time_of_question(struct pad_draft *draft)
{
	struct asm_place high = PAD_BLOCK(asked[0]);
	struct assembler *code = &draft->code;
	size_t low;

	high.displacement += 4;
	assembler_store(code, PAD_BLOCK(resumed[0]), PAD_RAX, 8);
	assembler_store(code, PAD_BLOCK(resumed[1]), PAD_RDX, 8);
	pad_draft_finish_work(draft);
	low = code->size;
	assembler_rdtsc(code);
	assembler_store(code, PAD_BLOCK(asked[0]), PAD_RAX, 4);
	assembler_store(code, high, PAD_RDX, 4);
	assembler_load(code, PAD_RAX, PAD_BLOCK(stolen), 8);
	assembler_store(code, PAD_BLOCK(asked[1]), PAD_RAX, 8);
	pad_draft_window(draft, low);
	assembler_load(code, PAD_RDX, PAD_BLOCK(resumed[1]), 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(resumed[0]), 8);
}

static void add_question(struct pad_draft *draft, unsigned probe)
{
	struct pad_code *lists = draft->lists;

	lists->questions = mem_grow(lists->questions, &draft->questions_capacity,
				    lists->n_questions + 1, sizeof(*lists->questions));
	lists->questions[lists->n_questions++] =
		(struct pad_question){(uint32_t)draft->code.size, probe};
}

static void write_question(struct pad_draft *draft, unsigned probe)
{
	write_time_of_question(draft);
	add_question(draft, probe);
	assembler_byte(&draft->code, PAD_INT3);
}

void pad_draft_stretch(struct pad_draft *draft, size_t low)
{
	enum { LONG = 64 /* bytes; fewer take no longer than running to a stop does */ };
	struct pad_code *lists = draft->lists;

	if (draft->code.size - low < LONG)
		return;
	lists->stretches = mem_grow(lists->stretches, &draft->stretches_capacity,
				    lists->n_stretches + 1, sizeof(*lists->stretches));
	lists->stretches[lists->n_stretches++] =
		(struct pad_window){(uint32_t)low, (uint32_t)draft->code.size};
	add_question(draft, PAD_NOTHING);
	assembler_byte(&draft->code, PAD_NOP);
}

void pad_draft_ask(struct pad_draft *draft, const struct pad_template *template)
{
	write_question(draft, template->number);
}

void pad_draft_ask_for_room(struct pad_draft *draft)
{
	write_question(draft, PAD_FULL);
}

static void restore_all(struct pad_draft *draft, const struct pad_template *template)
{
	if (template->probe->flags_live)
		pad_draft_restore_flags(draft);
	pad_draft_restore(draft, template->saved);
}

/* An int3 that nobody waits for would end the program. */
void pad_draft_question(struct pad_draft *draft, const struct pad_template *template)
{
	struct asm_fixup gone;

	gone = pad_draft_jump_if_gone(draft);
	restore_all(draft, template);
	pad_draft_ask(draft, template);
	pad_draft_go_on(draft, template->resume);
	assembler_fix(&draft->code, gone);
	restore_all(draft, template);
	pad_draft_go_on(draft, template->resume);
}

/* One for the frame's address that no plan changes; rax and rdx are the clock's. */
static int frame_register(uint32_t changed)
{
	static const uint8_t order[] = {PAD_RCX, 8, 9, 10, 11, PAD_RSI, PAD_RDI, 3, 6, 12, 13, 14};

	for (size_t i = 0; i < sizeof(order); i++)
		if (!(changed >> order[i] & 1))
			return order[i];
	return 15;
}

static void write_plan(struct pad_draft *draft, const struct pad_template *template,
		       const struct pad_feature *feature, struct pad_plan_place place)
{
	place.load_bias = template->probe->function->load_bias;
	place.classes = template->probe->function->classes;
	place.pc = template->insn->address;
	place.words = (int32_t)(PAD_FRAME_SIZE + feature->word * sizeof(uint64_t));
	place.absent = (int32_t)(PAD_FRAME_SIZE + feature->bit / 64 * sizeof(uint64_t));
	place.bit = feature->bit % 64;
	place.strings = PAD_SUMS(template->probe->function, strings).displacement;
	pad_plan_emit(&draft->code, &feature->plan, &place, &draft->lists->faults);
}

bool pad_draft_loads(const struct pad_function *function, enum pad_probe_kind kind)
{
	const bool entry = kind == PAD_ENTRY;
	const struct pad_feature *features = entry ? function->at_entry : function->at_return;
	const size_t n = entry ? function->n_at_entry : function->n_at_return;

	for (size_t i = 0; i < n; i++)
		if (features[i].plan.loads)
			return true;
	return false;
}

bool pad_draft_entry_is_timed(const struct pad_function *function)
{
	return pad_draft_loads(function, PAD_ENTRY) || function->counts || function->events;
}

static bool write_plans(struct pad_draft *draft, const struct pad_template *template, bool is_rare,
			struct pad_plan_place place)
{
	const struct pad_function *function = template->probe->function;
	const bool entry = template->probe->kind == PAD_ENTRY;
	const struct pad_feature *features = entry ? function->at_entry : function->at_return;
	const size_t n = entry ? function->n_at_entry : function->n_at_return;
	bool is_any_rare = false;

	for (size_t i = 0; i < n; i++) {
		is_any_rare |= features[i].is_rare;
		if (features[i].is_rare == is_rare)
			write_plan(draft, template, &features[i], place);
	}
	return is_any_rare;
}

struct asm_fixup pad_draft_jump_if_few(struct pad_draft *draft, int frame, int scratch)
{
	struct assembler *code = &draft->code;

	assembler_load(code, scratch, PAD_FRAME(frame, rank), 4);
	assembler_alu_constant(code, ASM_AND, scratch, RARE_OF - 1);
	assembler_alu_constant(code, ASM_CMP, scratch, RARE_TENTH);
	return assembler_jump_if(code, ASM_NOT_BELOW);
}

uint32_t pad_draft_read_features(struct pad_draft *draft, const struct pad_template *template,
				 uint32_t saved)
{
	const struct pad_function *function = template->probe->function;
	const bool entry = template->probe->kind == PAD_ENTRY;
	const struct pad_feature *features = entry ? function->at_entry : function->at_return;
	const size_t n = entry ? function->n_at_entry : function->n_at_return;
	struct pad_plan_place place;
	struct asm_fixup few;
	const size_t low = draft->code.size;
	uint32_t changed = 0;
	int frame;

	for (size_t i = 0; i < n; i++)
		changed |= pad_plan_changes(&features[i].plan);
	frame = frame_register(changed);
	changed |= UINT32_C(1) << frame;
	pad_draft_save(draft, changed & ~saved);
	saved |= changed;
	if (frame != PAD_RCX)
		assembler_move(&draft->code, frame, PAD_RCX);
	place = (struct pad_plan_place){.saved = saved, .frame = frame};
	if (write_plans(draft, template, false, place)) {
		few = pad_draft_jump_if_few(draft, frame, PAD_RDX);
		write_plans(draft, template, true, place);
		assembler_fix(&draft->code, few);
	}
	if (frame != PAD_RCX)
		assembler_move(&draft->code, PAD_RCX, frame);
	pad_draft_stretch(draft, low);
	return saved;
}

void pad_draft_run_filter(struct pad_draft *draft, const struct pad_template *template,
			  const struct pad_plan *plan)
{
	const uint32_t saved = pad_plan_changes(plan);
	const int block = frame_register(saved);
	const uint32_t changed = (saved | UINT32_C(1) << block) & ~(uint32_t)PAD_SAVED;
	const struct pad_plan_place place = {
		.load_bias = template->probe->function->load_bias,
		.classes = template->probe->function->classes,
		.pc = template->insn->address,
		.saved = changed | PAD_SAVED,
		.frame = block,
		.words = offsetof(struct pad_block, filter[0]),
		.absent = offsetof(struct pad_block, filter[1]),
	};

	pad_draft_save(draft, changed);
	assembler_load(&draft->code, block, PAD_BLOCK(address), 8);
	pad_plan_emit(&draft->code, plan, &place, &draft->lists->faults);
	pad_draft_restore(draft, changed);
}
