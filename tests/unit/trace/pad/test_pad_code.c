/* Pads at work, in this process: what they note, and that nothing else changes. */
#include "check.h"
#include "pad_play.h"

#include "core/catalogue/rare.h"

#include <asm/prctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { ONE = 1, TWO = 2, FLAGS = 0x8d5 /* all that arithmetic sets */ };

/* Bodies find the block by gs, as pads do. */
_Static_assert(offsetof(struct pad_block, top) == 16, "TOP");
_Static_assert(offsetof(struct pad_block, mem) == 80, "ALLOCATE");
_Static_assert(offsetof(struct pad_block, aside) + 8 * PAD_PFAULTS == 320, "adding");
_Static_assert(PAD_SUMS_OFFSET + sizeof(struct pad_sums) == 2112, "sums of function 1");
_Static_assert(offsetof(struct pad_frame, flags) == 28, "SET_FLAGS");
#define SET_FLAGS(flags) "mov %gs:16, %rax\n orl $" #flags ", 28(%rax)\n"

PAD_PLAY_FUNCTION(leaf, "");
PAD_PLAY_FUNCTION(caller, "call leaf\n call leaf");
PAD_PLAY_FUNCTION(recursive, "test %rdi, %rdi\n je recursive_end\n dec %rdi\n call recursive");
PAD_PLAY_FUNCTION(allocating, "addq $100, %gs:80");
int32_t *life; /* of the tracer */
PAD_PLAY_FUNCTION(outlives, "mov life(%rip), %rax\n movl $0, (%rax)");
PAD_PLAY_FUNCTION(closing, "movq $1, %gs:2112 + 40");     /* closed */
PAD_PLAY_FUNCTION(lowering, "movq $1000, %gs:2112 + 24"); /* limit */
PAD_PLAY_FUNCTION(waiting, SET_FLAGS(4));
PAD_PLAY_FUNCTION(adopted, SET_FLAGS(8));
PAD_PLAY_FUNCTION(values, SET_FLAGS(2));
PAD_PLAY_FUNCTION(adding, "addq $70, %gs:320"); /* aside */
PAD_PLAY_FUNCTION(spending, "push %r11\n call spend\n pop %r11");
PAD_PLAY_FUNCTION(returning, "mov $77, %eax");
PAD_PLAY_FUNCTION(tail_call, "tail_jump:\n .byte 0xe9\n .long leaf - . - 4");
PAD_PLAY_FUNCTION(tail_tail_call, "tail_tail_jump:\n .byte 0xe9\n .long tail_call - . - 4");
PAD_PLAY_FUNCTION(lands, "call tail_call\n landing:\n .byte 0x0f, 0x1f, 0x44, 0, 0");
PAD_PLAY_FUNCTION(tail_if, "tail_jump_if:\n .byte 0x0f, 0x84\n .long leaf - . - 4");
PAD_PLAY_FUNCTION(switching, "mov $4, %ecx\n lea switching(%rip), %rdx\n switch_load:\n"
			     "movslq (%rdx,%rcx,4), %rax\n nop\n mov $8, %eax\n"
			     "switch_scaled:\n mov (%rdx,%rax), %eax\n nop\n nop");
PAD_PLAY_FUNCTION(turning, "mov $5, %ecx\n turning_head:\n .byte 0x0f, 0x1f, 0x44, 0, 0\n"
			   "dec %ecx\n jnz turning_head");
PAD_PLAY_FUNCTION(branchy, "branchy_jump:\n je 1f\n .byte 0x0f, 0x1f, 0x40, 0\n 1:");
PAD_PLAY_FUNCTION(twice, "twice_head:\n twice_jump:\n jb 1f\n .byte 0x0f, 0x1f, 0x40, 0\n 1:\n"
			 "mov $0, %eax\n xchg %rax, %rcx\n jrcxz 2f\n"
			 "2: xchg %rax, %rcx\n lea -1(%rsi), %rsi\n xchg %rsi, %rcx\n"
			 "jrcxz 3f\n xchg %rsi, %rcx\n jmp twice_head\n 3: xchg %rsi, %rcx");
PAD_PLAY_FUNCTION(round_about, "xor %eax, %eax\n mov $5, %ecx\n test %edi, %edi\n je 2f\n"
			       "1: add %ecx, %eax\n dec %ecx\n jnz 1b\n 2:");
PAD_PLAY_FUNCTION(looping, "looping_jump:\n loop 1f\n .byte 0x0f, 0x1f, 0\n 1:");
void turning_head(void);
void branchy_jump(void);
void twice_jump(void);
void looping_jump(void);
void landing(void);
void tail_jump(void);
void tail_tail_jump(void);
void tail_jump_if(void);
void switch_load(void);
void switch_scaled(void);

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8};

static struct pad_function a_function(unsigned number)
{
	return (struct pad_function){.number = number,
				     .cfa = {.plan = &cfa, .head = 2, .words = 1}};
}

/* With the first argument at the entry and the value returned as features. */
static struct pad_function with_features(unsigned number)
{
	static const struct plan_step argument[] = {{PLAN_REG, 5}}, value[] = {{PLAN_REG, 0}};
	static const struct read_plan argument_plan = {argument, 1, PLAN_SIGNED, 8};
	static const struct read_plan value_plan = {value, 1, PLAN_SIGNED, 8};
	static const struct pad_feature at_entry = {{&argument_plan, 1, 1, 0}, 1, 0};
	static const struct pad_feature at_return = {{&value_plan, 1, 1, 0}, 2, 1};
	struct pad_function function = a_function(number);

	function.at_entry = &at_entry;
	function.at_return = &at_return;
	function.n_at_entry = function.n_at_return = 1;
	function.n_words = 3;
	function.n_absent = 1;
	return function;
}

/* At both ends one that needs many registers and one that loads from where rdi points. */
static struct pad_function with_long_plans(unsigned number)
{
	static const struct plan_step loading[] = {{PLAN_REG, 5}, {PLAN_LOAD, 8}};
	static const struct plan_step working[] = {
		{PLAN_REG, 5}, {PLAN_REG, 4}, {PLAN_REG, 1}, {PLAN_REG, 2},  {PLAN_REG, 8},
		{PLAN_MUL, 0}, {PLAN_DIV, 0}, {PLAN_XOR, 0}, {PLAN_PLUS, 0},
	};
	static const struct read_plan loading_plan = {loading, 2, PLAN_SIGNED, 8};
	static const struct read_plan working_plan = {working, 9, PLAN_SIGNED, 8};
	static struct pad_feature features[2][2];
	struct pad_function function = a_function(number);
	const char *why;

	function.n_words = function.n_absent = 1;
	for (unsigned i = 0; i < 4; i++) {
		struct pad_feature *feature = &features[i / 2][i % 2];

		assert_true(pad_plan_split(i % 2 ? &loading_plan : &working_plan, &feature->plan,
					   &why));
		feature->word = function.n_words;
		feature->bit = 10 + i;
		function.n_words += feature->plan.words;
	}
	function.at_entry = features[0];
	function.at_return = features[1];
	function.n_at_entry = function.n_at_return = 2;
	return function;
}

static struct pad_function with_branch(unsigned number)
{
	struct pad_function function = a_function(number);

	function.n_words = function.n_branches = 1;
	return function;
}

static void call(void (*function)(void), uint64_t argument)
{
	struct pad_play_state state = {.registers = {[5] = argument}};

	pad_play_run(&state, (const void *)(uintptr_t)function);
}

/* The next call has @rank: the inverse of the factor is found by Newton's method. */
static void draw(struct pad_play *play, uint32_t rank)
{
	uint64_t inverse = PAD_CHANCE_FACTOR;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - PAD_CHANCE_FACTOR * inverse;
	play->block->chance = (((uint64_t)rank << 32) - PAD_CHANCE_STEP) * inverse;
}

static const struct pad_frame *first_record(const struct pad_play *play)
{
	uint64_t offset = 0;

	return pad_play_record(play, &offset);
}

/* A frame below the innermost one. */
static void push_frame(struct pad_play *play, unsigned function, uint64_t frame_cfa, uint32_t flags)
{
	struct pad_frame *frame = pad_play_top(play) - 1;

	*frame = (struct pad_frame){.previous = play->block->top,
				    .cfa = frame_cfa,
				    .function = function,
				    .flags = flags};
	play->block->top = (uintptr_t)frame;
}

/* Calls that ended have left something where frames will be. */
static void dirty(struct pad_play *play)
{
	memset((uint8_t *)play->block + PAD_FRAMES_OFFSET, 0xaa,
	       play->block->top - play->block->address - PAD_FRAMES_OFFSET);
}

static void a_chosen_call_becomes_a_record(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_sums *sums = pad_play_sums(play, ONE);
	const struct pad_frame *sentinel = pad_play_top(play), *record;
	uint64_t began;

	(void)state;
	play->block->last_id = 9;
	dirty(play);
	pad_play_call(play, returning, returning_end, &function);
	draw(play, 12345);
	began = __rdtsc();
	call(returning, 42);

	record = first_record(play);
	assert_non_null(record);
	assert_true(record->ticks <= __rdtsc() - began);
	assert_int_equal(record->previous, PAD_FRAME_SIZE + 3 * 8);
	assert_int_equal(record->previous, play->block->head);
	assert_int_equal(record->cfa, 0);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->flags, PAD_CHOSEN);
	assert_int_equal(record->id, 10);
	assert_int_equal(record->rank, 12345);
	assert_int_equal(record->limit, PAD_RANK_ALL);
	assert_int_equal(record->inner, 0);
	assert_true((int64_t)record->ticks > 0);
	assert_int_equal(record->cost, 0); /* they follow no pointer */
	assert_true(record->start > began);
	assert_int_equal(record->words[0], 0);
	assert_int_equal(record->words[1], 42);
	assert_int_equal(record->words[2], 77);
	assert_int_equal(sums->begun, 1);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(sums->ticks, record->ticks);
	assert_int_equal(sentinel->inner, record->ticks);
	assert_ptr_equal(pad_play_top(play), sentinel);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void a_record_knows_how_many_calls_were_before(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t *elsewhere = (uint64_t *)((uint8_t *)play->block + pad_block_elsewhere(ONE));
	uint64_t offset = 0;

	(void)state;
	dirty(play);
	pad_play_call(play, returning, returning_end, &function);
	call(returning, 0);
	*elsewhere = 100;
	pad_play_sums(play, ONE)->limit = 0;
	call(returning, 0);
	pad_play_sums(play, ONE)->limit = PAD_RANK_ALL;
	call(returning, 0);
	assert_int_equal(pad_play_record(play, &offset)->before, 0);
	assert_int_equal(pad_play_record(play, &offset)->before, 102);
	assert_null(pad_play_record(play, &offset));
	pad_play_end(play);
}

static void a_bad_pointer_is_absent(void **state)
{
	const struct pad_function function = with_long_plans(ONE);
	const uint32_t at_entry = function.at_entry[1].word, at_return = function.at_return[1].word;
	static const uint64_t number = 4711;
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;
	uint64_t offset = 0;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 16);
	call(leaf, (uintptr_t)&number);
	assert_int_equal(play->faults, 2);
	record = pad_play_record(play, &offset);
	assert_true(record->words[0] >> 11 & 1);
	assert_true(record->words[0] >> 13 & 1);
	assert_int_equal(record->words[at_entry], ABSENT_UNREADABLE);
	assert_int_equal(record->words[at_return], ABSENT_UNREADABLE);
	record = pad_play_record(play, &offset);
	assert_true(record->cost > 0); /* what follows a pointer may take long */
	assert_false(record->words[0] >> 11 & 1);
	assert_false(record->words[0] >> 13 & 1);
	assert_int_equal(record->words[at_entry], number);
	assert_int_equal(record->words[at_return], number);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 2);
	pad_play_end(play);
}

/* With all counts, and the first argument as a feature. */
static struct pad_function with_counts(unsigned number)
{
	static const struct plan_step argument[] = {{PLAN_REG, 11}};
	static const struct read_plan plan = {argument, 1, PLAN_SIGNED, 8};
	static const struct pad_feature at_entry = {
		{&plan, 1, 1, 0}, PAD_COUNTS_WORDS + 1, 64 * PAD_COUNTS_WORDS};
	static const struct pad_feature at_return = {
		{&plan, 1, 1, 0}, PAD_COUNTS_WORDS + 2, 64 * PAD_COUNTS_WORDS + 1};
	struct pad_function function = a_function(number);

	function.at_entry = &at_entry;
	function.at_return = &at_return;
	function.n_at_entry = function.n_at_return = 1;
	function.n_absent = PAD_COUNTS_WORDS + 1;
	function.n_words = function.n_absent + 2;
	function.counts = (1 << PAD_COUNTS) - 1;
	return function;
}

static const struct pad_counts *counts_of(const struct pad_frame *frame)
{
	return (const struct pad_counts *)frame->words;
}

static uint64_t own_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Called by the bodies below, between pads: faults, switches and time that are known. */
static uint64_t spent_ns, switched;
void spend(void);
void spend(void)
{
	enum { PAGES = 7 };
	volatile uint8_t *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;
	const uint64_t began = own_cpu_ns();

	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
	munmap((void *)(uintptr_t)pages, PAGES * 4096);
	usleep(1000);
	while (own_cpu_ns() < began + 1000000)
		;
	getrusage(RUSAGE_THREAD, &after);
	switched =
		(uint64_t)(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
	spent_ns = own_cpu_ns() - began;
}

static void strings_are_looked_at_as_far_as_the_tracer_says(void **state)
{
	static const struct plan_step length[] = {{PLAN_REG, 5}, {PLAN_STRLEN, 0}};
	static const struct read_plan length_plan = {length, 2, PLAN_UNSIGNED, 8};
	static char text[PAD_STRINGS_LEAST + 2];
	struct pad_function function = with_features(ONE);
	struct pad_feature feature = {.word = 1};
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;
	uint64_t offset = 0;
	const char *why;

	(void)state;
	memset(text, 'x', PAD_STRINGS_LEAST + 1);
	assert_true(pad_plan_split(&length_plan, &feature.plan, &why));
	function.at_entry = &feature;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, (uintptr_t)text);
	pad_play_sums(play, ONE)->strings = PAD_STRINGS_LEAST;
	call(leaf, (uintptr_t)text);
	call(leaf, (uintptr_t)(text + 2));
	record = pad_play_record(play, &offset);
	assert_int_equal(record->words[1], PAD_STRINGS_LEAST + 1);
	record = pad_play_record(play, &offset);
	assert_true(record->words[0] & 1);
	assert_int_equal(record->words[1], ABSENT_TOO_LONG);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->words[1], PAD_STRINGS_LEAST - 1);
	pad_play_end(play);
}

static void the_kernel_s_counts_are_those_of_the_call(void **state)
{
	const struct pad_function function = with_counts(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_counts *sentinel = counts_of(pad_play_top(play));
	const struct pad_frame *record;
	const struct pad_counts *counts;

	(void)state;
	spend();
	play->block->top -= 8 * PAD_COUNTS_WORDS; /* an adopted call has room for its callees' */
	*pad_play_top(play) = (struct pad_frame){.cfa = UINT64_MAX, .flags = PAD_ADOPTED};
	sentinel = counts_of(pad_play_top(play));
	memset(pad_play_top(play)->words, 0, sizeof(*sentinel));
	play->costs.rate = 1 << PAD_RATE_BITS;
	dirty(play);
	pad_play_call(play, spending, spending_end, &function);
	call(spending, 0);
	record = first_record(play);
	counts = counts_of(record);
	assert_int_equal(counts->unknown, 0);
	assert_int_equal(counts->numbers[PAD_PFAULTS], 7);
	assert_int_equal(counts->numbers[PAD_MAJOR_PFAULTS], 0);
	assert_true(counts->numbers[PAD_SWITCHES] >= switched && switched);
	assert_true(counts->numbers[PAD_CPU] >= spent_ns);
	assert_true(counts->numbers[PAD_CPU] < UINT64_C(10) * spent_ns);
	assert_int_equal(record->uncounted, 0);
	assert_memory_equal(counts->numbers, sentinel->inner, sizeof(counts->numbers));
	assert_int_equal(record->words[PAD_COUNTS_WORDS + 1], record->words[PAD_COUNTS_WORDS + 2]);
	assert_int_equal(pad_play_top(play)->uncounted, 0);
	pad_play_end(play);
}

static void what_the_tracer_added_is_no_count(void **state)
{
	const struct pad_function function = with_counts(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_counts *counts;

	(void)state;
	play->costs.cpu = -1000000000;
	pad_play_call(play, adding, adding_end, &function);
	call(adding, 0);
	counts = counts_of(first_record(play));
	assert_int_equal(counts->numbers[PAD_PFAULTS], -70);
	assert_true(counts->numbers[PAD_CPU] >= 1000000000 &&
		    counts->numbers[PAD_CPU] < 2000000000);
	pad_play_end(play);
}

/* Callees that are counted, then others. */
static void callers_know_whether_callees_were_counted(void **state)
{
	const struct pad_function outer = with_counts(ONE), inner = with_counts(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;
	const struct pad_counts *first, *second, *last;
	uint64_t offset = 0;

	(void)state;
	pad_play_call(play, caller, caller_end, &outer);
	pad_play_call(play, leaf, leaf_end, &inner);
	call(caller, 0);
	first = counts_of(pad_play_record(play, &offset));
	second = counts_of(pad_play_record(play, &offset));
	record = pad_play_record(play, &offset);
	last = counts_of(record);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->uncounted, 0);
	assert_true(first->numbers[PAD_CPU] > 0);
	assert_int_equal(last->inner[PAD_CPU], first->numbers[PAD_CPU] + second->numbers[PAD_CPU]);
	assert_true(last->numbers[PAD_CPU] >= last->inner[PAD_CPU]);

	pad_play_sums(play, TWO)->limit = 0;
	call(caller, 0);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->uncounted, 2);
	assert_int_equal(counts_of(record)->inner[PAD_CPU], 0);
	assert_int_equal(pad_play_top(play)->uncounted, 2);
	pad_play_end(play);
}

/* The pads of callees are no time of the caller on a processor, unless they are very long. */
static void pads_take_no_time_on_a_processor(void **state)
{
	const struct pad_function outer = with_counts(ONE), inner = with_counts(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_counts *first, *second, *last;
	uint64_t offset = 0;

	(void)state;
	play->costs.rate = 1 << (PAD_RATE_BITS + 10); /* each tick is many ns */
	pad_play_call(play, caller, caller_end, &outer);
	pad_play_call(play, leaf, leaf_end, &inner);
	call(caller, 0);
	first = counts_of(pad_play_record(play, &offset));
	second = counts_of(pad_play_record(play, &offset));
	last = counts_of(pad_play_record(play, &offset));
	assert_true((int64_t)first->numbers[PAD_CPU] > 0);
	assert_true((int64_t)(last->numbers[PAD_CPU] + first->numbers[PAD_CPU] +
			      second->numbers[PAD_CPU]) < 0);
	pad_play_end(play);
}

static void callers_are_charged_what_pads_cost(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);
	uint64_t offset = 0, before;

	(void)state;
	play->costs = (struct pad_costs){
		.pair = 3, .call = 50, .record = 700, .drawn = 20000, .word = 1000};
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_int_equal(sentinel->ticks, 3 + 50 + 700 + 3 * 1000 + first_record(play)->cost);
	assert_int_equal(sentinel->inner, first_record(play)->ticks);

	pad_play_sums(play, ONE)->limit = PAD_RANK_ALL - 1;
	before = sentinel->ticks;
	call(leaf, 0);
	pad_play_record(play, &offset);
	assert_int_equal(sentinel->ticks - before,
			 3 + 50 + 20000 + 700 + 3 * 1000 + pad_play_record(play, &offset)->cost);

	pad_play_sums(play, ONE)->limit = 0;
	play->block->tail = sentinel->ticks;
	call(leaf, 0);
	assert_int_equal(sentinel->ticks, play->block->tail + 3 + 50);
	pad_play_end(play);
}

static void pairs_are_subtracted(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	play->costs = (struct pad_costs){.pair = 1 << 30};
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_true((int64_t)pad_play_sums(play, ONE)->ticks < 0);
	pad_play_end(play);
}

static void a_call_knows_its_caller_and_callees(void **state)
{
	const struct pad_function outer = a_function(ONE), inner = with_features(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *first, *second, *last;
	uint64_t offset = 0;

	(void)state;
	pad_play_call(play, caller, caller_end, &outer);
	pad_play_call(play, leaf, leaf_end, &inner);
	call(caller, 7);

	first = pad_play_record(play, &offset);
	second = pad_play_record(play, &offset);
	last = pad_play_record(play, &offset);
	assert_null(pad_play_record(play, &offset));
	assert_int_equal(first->function, TWO);
	assert_int_equal(second->words[1], 7);
	assert_int_equal(last->function, ONE);
	assert_int_equal(first->cfa, last->id);
	assert_int_equal(second->cfa, last->id);
	assert_int_equal(last->inner, first->ticks + second->ticks);
	assert_true(last->ticks > last->inner);
	assert_int_equal(pad_play_sums(play, TWO)->ticks, last->inner);
	assert_int_equal(pad_play_top(play)->ticks, first->cost + second->cost);
	pad_play_end(play);
}

static void recursive_calls_nest(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record, *before = NULL;
	uint64_t offset = 0, n = 0;

	(void)state;
	pad_play_call(play, recursive, recursive_end, &function);
	call(recursive, 10);
	while ((record = pad_play_record(play, &offset))) {
		assert_int_equal(record->words[1], n++);
		if (before) {
			assert_int_equal(before->cfa, record->id);
			assert_int_equal(record->inner, before->ticks);
		}
		before = record;
	}
	assert_int_equal(n, 11);
	assert_int_equal(before->cfa, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 11);
	pad_play_end(play);
}

static void calls_that_are_not_chosen_are_summed(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	sums->limit = 0;
	draw(play, 0);
	call(leaf, 1);
	sums->limit = 1;
	draw(play, 1);
	call(leaf, 1);
	assert_int_equal(play->block->head, 0);
	assert_int_equal(sums->calls, 2);
	assert_int_equal(sums->begun, 2);
	assert_true((int64_t)sums->ticks > 0);
	assert_int_equal(pad_play_top(play)->inner, sums->ticks);

	draw(play, 0);
	call(leaf, 1);
	assert_int_equal(first_record(play)->rank, 0);
	assert_int_equal(first_record(play)->limit, 1);
	pad_play_end(play);
}

static void ranks_are_the_random_numbers(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t chance = 4711, offset = 0;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	play->block->chance = chance;
	for (int i = 0; i < 10; i++) {
		call(leaf, 0);
		chance = chance * PAD_CHANCE_FACTOR + PAD_CHANCE_STEP;
		assert_int_equal(pad_play_record(play, &offset)->rank, chance >> 32);
	}
	pad_play_end(play);
}

static void a_limit_lowered_during_a_call_counts(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, lowering, lowering_end, &function);
	draw(play, 1000);
	call(lowering, 0);
	assert_null(first_record(play));
	pad_play_sums(play, ONE)->limit = PAD_RANK_ALL;
	draw(play, 999);
	call(lowering, 0);
	assert_int_equal(first_record(play)->limit, 1000);
	pad_play_sums(play, ONE)->limit = 1000;
	pad_play_end(play);
}

static void allocations_of_a_call_are_its_own(void **state)
{
	struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	function.mem = true;
	play->block->mem = 5;
	pad_play_call(play, allocating, allocating_end, &function);
	call(allocating, 0);
	assert_int_equal(first_record(play)->mem, 100);
	pad_play_end(play);
}

static void a_spent_budget_halves_the_limit(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	sums->left = 2;
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->left, 1);
	assert_int_equal(sums->limit, PAD_RANK_ALL);
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->left, PAD_BUDGET);
	assert_int_equal(sums->limit, PAD_RANK_ALL / 2);
	sums->left = sums->limit = 1;
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->left, PAD_BUDGET);
	assert_int_equal(sums->limit, 1);
	pad_play_end(play);
}

static void a_full_ring_loses_records_and_says_so(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);
	const uint64_t size = PAD_FRAME_SIZE + 3 * 8;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	play->block->tail = 800;
	play->block->head = 800 + PAD_RING_SIZE - size;
	call(leaf, 0);
	assert_int_equal(play->block->head, 800 + PAD_RING_SIZE);
	assert_int_equal(sums->lost, 0);
	play->block->tail = 792 + size;
	draw(play, 5000);
	call(leaf, 0);
	assert_int_equal(play->block->head, 800 + PAD_RING_SIZE);
	assert_int_equal(sums->lost, 1);
	assert_int_equal(sums->limit, 5000);
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->lost, 2);
	assert_int_equal(sums->limit, 1);
	assert_int_equal(sums->calls, 3);
	pad_play_end(play);
}

static void a_record_may_run_over_the_end_of_the_ring(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t offset = PAD_RING_SIZE - 8;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	play->block->tail = play->block->head = offset;
	call(leaf, 1);
	assert_int_equal(play->block->head, PAD_RING_SIZE);
	call(leaf, 2);
	assert_int_equal(play->block->head, PAD_RING_SIZE + PAD_FRAME_SIZE + 3 * 8);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 1);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 2);

	offset = play->block->head = play->block->tail = 2 * PAD_RING_SIZE - PAD_FRAME_SIZE - 4 * 8;
	call(leaf, 3);
	assert_int_equal(play->block->head, 2 * PAD_RING_SIZE - 8);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 3);
	offset = play->block->head = play->block->tail = 2 * PAD_RING_SIZE - PAD_FRAME_SIZE - 3 * 8;
	call(leaf, 4);
	assert_int_equal(play->block->head, 2 * PAD_RING_SIZE);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 4);
	pad_play_end(play);
}

static void too_deep_calls_have_no_frames(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);
	const uint64_t lowest = play->block->address + PAD_FRAMES_OFFSET;
	struct pad_frame *frame = (struct pad_frame *)(lowest + PAD_FRAME_SIZE);

	(void)state;
	frame->cfa = UINT64_MAX;
	play->block->top = (uintptr_t)frame;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(play->block->deep, 0);

	frame = (struct pad_frame *)(lowest + PAD_FRAME_SIZE - 8);
	*frame = (struct pad_frame){.cfa = UINT64_MAX};
	play->block->top = (uintptr_t)frame;
	call(leaf, 0);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(sums->begun, 1);
	assert_int_equal(play->block->deep, 1);
	assert_ptr_equal(pad_play_top(play), frame);
	assert_int_equal(play->questions, 0);

	/* On another stack it may have begun in another thread, while the function is open. */
	play->block->stack_size = 0;
	call(leaf, 0);
	assert_int_equal(play->questions, 1);
	sums->closed = 1;
	call(leaf, 0);
	assert_int_equal(play->questions, 1);
	sums->closed = 0;
	play->questions = 0;
	play->block->deep = 1;
	play->block->stack_size = UINT64_MAX;

	play->block->patient = 1;
	call(leaf, 0);
	assert_int_equal(play->questions, 1);
	assert_int_equal(play->block->deep, 1);
	pad_play_end(play);
}

static void nothing_is_noted_once_the_tracer_is_gone(void **state)
{
	const struct pad_function function = with_features(ONE), other = a_function(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	pad_play_call(play, outlives, outlives_end, &other);
	/* It dies during a call. */
	life = play->life;
	call(outlives, 0);
	assert_int_equal(pad_play_sums(play, TWO)->begun, 1);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 0);
	for (int chosen = 0; chosen < 2; chosen++) {
		sums->limit = chosen ? PAD_RANK_ALL : 0;
		call(leaf, 0);
	}
	assert_int_equal(sums->begun, 0);
	assert_int_equal(sums->calls, 0);
	assert_int_equal(play->block->head, 0);
	assert_ptr_not_equal(pad_play_top(play), sentinel);

	*play->life = PAD_PLAY_ALIVE;
	play->block->top = (uintptr_t)sentinel;
	call(leaf, 0);
	assert_int_equal(sums->calls, 1);
	assert_non_null(first_record(play));
	pad_play_end(play);
}

static void closed_functions_begin_no_calls(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, closing, closing_end, &function);
	call(closing, 0);
	assert_int_equal(sums->calls, 1);
	assert_non_null(first_record(play));
	call(closing, 0);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(sums->begun, 1);
	pad_play_end(play);
}

static void time_in_stops_falls_out(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	play->block->stolen = 1 << 20;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_true(first_record(play)->start < __rdtsc() - (1 << 20));
	assert_true((int64_t)first_record(play)->ticks > 0);
	pad_play_end(play);
}

/* An entry in a loop, beside the function's own. */
static void turn(bool probe_in_loop, unsigned head_number, unsigned calls, unsigned questions)
{
	struct pad_function function = a_function(ONE), head = a_function(head_number);
	const struct pad_probe probe = {.kind = PAD_ENTRY, .function = &head};
	struct pad_play *play = pad_play_start();

	head.probe_in_loop = probe_in_loop;
	pad_play_call(play, turning, turning_end, &function);
	pad_play_replace(play, turning_head, &probe, 1);
	call(turning, 0);
	assert_int_equal(play->questions, questions);
	assert_int_equal(pad_play_sums(play, ONE)->calls, calls);
	assert_int_equal(pad_play_sums(play, ONE)->begun, calls);
	assert_int_equal(pad_play_sums(play, TWO)->begun, 0);
	pad_play_end(play);
}

/* Jumps stay in the pad, as nothing but traps is left where they would lead else. */
static void a_run_with_jumps_runs_in_its_pad(void **state)
{
	static const uint64_t expected[] = {0, 15};
	const struct pad_function function = a_function(ONE);
	const struct pad_probe probes[] = {{.kind = PAD_ENTRY, .function = &function},
					   {.kind = PAD_RETURN, .insn = 9, .function = &function}};

	(void)state;
	for (uint64_t n = 0; n < 2; n++) {
		struct pad_play *play = pad_play_start();
		struct pad_play_state registers = {.registers = {[5] = n}};

		pad_play_replace_all(play, round_about, round_about_end, probes, 2);
		pad_play_run(&registers, (const void *)(uintptr_t)round_about);
		assert_int_equal(registers.registers[0], expected[n]);
		assert_int_equal(pad_play_sums(play, ONE)->calls, 1);
		assert_int_equal(play->questions, 0);
		pad_play_end(play);
	}
}

static void turns_of_a_loop_are_no_calls(void **state)
{
	(void)state;
	turn(true, ONE, 1, 0);
	turn(false, ONE, 1, 5);
	turn(true, TWO, 1, 5);
}

/* One at the entry and one at the return of the function that was jumped to. */
static void an_unexpected_tail_call_is_asked_about(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, tail_call, tail_call_end, &first);
	pad_play_call(play, leaf, leaf_end, &second);
	call(tail_call, 0);
	assert_int_equal(play->questions, 2);
	assert_int_equal(pad_play_sums(play, TWO)->begun, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 0);
	assert_int_equal(pad_play_top(play)->function, ONE);
	pad_play_end(play);
}

static void frames_further_in_are_asked_about(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *fake;

	(void)state;
	push_frame(play, ONE, 1, PAD_WAITING);
	fake = pad_play_top(play);
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_int_equal(play->questions, 2);
	assert_ptr_equal(pad_play_top(play), fake);
	assert_int_equal(pad_play_sums(play, ONE)->begun, 0);
	pad_play_end(play);
}

static void a_call_that_began_before_is_passed_over(void **state)
{
	const struct pad_function function = a_function(ONE);
	const struct pad_probe leave = {.kind = PAD_RETURN, .insn = 1, .function = &function};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf_end, &leave, 1);
	call(leaf, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 0);
	pad_play_end(play);
}

static void end_flagged(void (*function)(void), void (*end)(void), bool features, bool asked)
{
	const struct pad_function padded = features ? with_features(ONE) : a_function(ONE);
	struct pad_play *play = pad_play_start();

	for (int chosen = 0; chosen < 2; chosen++) {
		pad_play_sums(play, ONE)->limit = chosen ? PAD_RANK_ALL : 0;
		if (chosen == 0)
			pad_play_call(play, function, end, &padded);
		play->questions = 0;
		call(function, 0);
		assert_int_equal(play->questions, asked || !chosen);
		assert_int_equal(pad_play_sums(play, ONE)->calls, !asked && chosen);
		if (asked || !chosen)
			play->block->top = pad_play_top(play)->previous;
	}
	pad_play_end(play);
}

static void frames_with_more_to_them_are_asked_about(void **state)
{
	(void)state;
	end_flagged(waiting, waiting_end, false, true);
	end_flagged(adopted, adopted_end, false, true);
	end_flagged(values, values_end, true, false);
	end_flagged(values, values_end, false, false);
}

static struct pad_play_state random_state(uint64_t seed, uint64_t flags)
{
	struct pad_play_state state = {.flags = flags};

	for (unsigned i = 0; i < sizeof(state) / 8 - 1; i++) {
		seed = seed * PAD_CHANCE_FACTOR + PAD_CHANCE_STEP;
		((uint64_t *)&state)[i] = seed;
	}
	return state;
}

/* Call with all combinations of flags, and see all registers and flags as they were. */
static void expect_nothing_changed(void (*function)(void))
{
	static const uint64_t bits[] = {1, 4, 0x10, 0x40, 0x80, 0x800};

	for (unsigned i = 0; i < 64; i++) {
		struct pad_play_state before = random_state(i, 0), after;

		for (unsigned k = 0; k < 6; k++)
			before.flags |= i >> k & 1 ? bits[k] : 0;
		after = before;
		pad_play_run(&after, (const void *)(uintptr_t)function);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_memory_equal(before.xmm, after.xmm, sizeof(before.xmm));
		assert_int_equal(before.flags, after.flags & FLAGS);
	}
}

static void registers_and_live_flags_are_kept(void **state)
{
	const struct pad_function function = with_long_plans(ONE);
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);
	struct pad_frame *sentinel = pad_play_top(play);

	(void)state;
	pad_play_replace(play, leaf, &entry, 1);
	pad_play_replace(play, leaf_end, &leave, 1);
	sums->left = 32;
	expect_nothing_changed(leaf); /* chosen, with a halving */
	assert_true(sums->limit < PAD_RANK_ALL);
	assert_int_equal(sums->calls, 64);
	sums->limit = PAD_RANK_ALL;
	play->block->tail = play->block->head - PAD_RING_SIZE;
	expect_nothing_changed(leaf); /* lost */
	assert_true(sums->lost > 0);
	sums->limit = 0;
	expect_nothing_changed(leaf); /* not chosen */
	assert_int_equal(sums->calls, 3 * 64);
	sums->closed = 1;
	expect_nothing_changed(leaf);
	assert_int_equal(sums->closed, 1 + 64);
	sums->closed = 0;
	*play->life = 0;
	expect_nothing_changed(leaf); /* nobody there */
	assert_int_equal(sums->calls, 3 * 64);
	*play->life = PAD_PLAY_ALIVE;
	sentinel->cfa = 1;
	expect_nothing_changed(leaf); /* questions */
	assert_int_equal(play->questions, 2 * 64);
	sentinel->cfa = UINT64_MAX;
	play->block->top = play->block->address + PAD_FRAMES_OFFSET;
	*pad_play_top(play) = (struct pad_frame){.cfa = UINT64_MAX};
	expect_nothing_changed(leaf); /* too deep */
	assert_int_equal(play->block->deep, 64);
	pad_play_end(play);
}

/* Whether the flags are alive or not; at a conditional jump they are. */
static void replace_all(struct pad_play *play, const struct pad_function *function, bool flags_live)
{
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = function, .flags_live = flags_live};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = function, .flags_live = flags_live};
	const struct pad_probe branch = {
		.kind = PAD_BRANCH, .function = function, .flags_live = true};
	const struct pad_probe tail = {.kind = PAD_TAIL, .function = function, .flags_live = true};

	pad_play_replace(play, leaf, &entry, 1);
	pad_play_replace(play, leaf_end, &leave, 1);
	pad_play_replace(play, branchy, &entry, 1);
	pad_play_replace(play, branchy_jump, &branch, 1);
	pad_play_replace(play, tail_jump_if, &tail, 1);
}

static void run_all(bool flags_live)
{
	void (*const all[])(void) = {leaf, branchy, tail_if};

	for (int i = 0; i < 3; i++)
		if (flags_live)
			expect_nothing_changed(all[i]);
		else
			call(all[i], 0);
}

static void expect_no_trace(struct pad_play *play, bool flags_live, void *block)
{
	memcpy(block, play->block, PAD_BLOCK_SIZE);
	run_all(flags_live);
	assert_memory_equal(block, play->block, PAD_BLOCK_SIZE);
}

/*
 * Another thread may have the same block then, or the program memory of its own there, of which the
 * tracer learns by a fault.
 */
static void blocks_are_not_touched_without_a_tracer_or_by_others(void **state)
{
	const struct pad_function function = with_branch(ONE);
	void *block = malloc(PAD_BLOCK_SIZE);

	(void)state;
	for (int flags_live = 0; flags_live < 2; flags_live++) {
		struct pad_play *play = pad_play_start();

		replace_all(play, &function, flags_live);
		*play->life = PAD_PLAY_ALIVE | 0x40000000;
		expect_no_trace(play, flags_live, block);
		*play->life = PAD_PLAY_ALIVE;
		play->block->magic++;
		assert_int_equal(play->faults, 0);
		expect_no_trace(play, flags_live, block);
		assert_true(play->faults >= 4);
		play->faults = 0;
		syscall(SYS_arch_prctl, 0x1001, 0x1000);
		run_all(flags_live);
		assert_true(play->faults >= 4);
		*play->life = 0;
		play->faults = 0;
		run_all(flags_live);
		assert_int_equal(play->faults, 0);
		syscall(SYS_arch_prctl, 0x1001, play->block);
		play->block->magic--;
		*play->life = PAD_PLAY_ALIVE;
		run_all(flags_live);
		assert_true(pad_play_sums(play, ONE)->begun >= 2);
		pad_play_end(play);
	}
	free(block);
}

static void a_window_may_begin_again(void **state)
{
	enum { TRAP_FLAG = 0x100, IN_A_WINDOW = 3 /* instructions, behind its first */ };
	const struct pad_function function = with_long_plans(ONE);
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};

	(void)state;
	for (int chosen = 0; chosen < 2; chosen++) {
		struct pad_play *play = pad_play_start();
		struct pad_play_state before = random_state(1, TRAP_FLAG | FLAGS), after;

		before.registers[5] = (uintptr_t)&before; /* rdi, a pointer */
		after = before;
		pad_play_sums(play, ONE)->limit = chosen ? PAD_RANK_ALL : 0;
		pad_play_replace(play, leaf, &entry, 1);
		pad_play_replace(play, leaf_end, &leave, 1);
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		assert_int_equal(play->restarts, (chosen ? 3 : 2) * IN_A_WINDOW);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_int_equal(after.flags & FLAGS, FLAGS);
		assert_int_equal(pad_play_sums(play, ONE)->calls, 1);
		assert_true((int64_t)pad_play_sums(play, ONE)->ticks > 0);
		pad_play_end(play);
	}
}

/* Features at both ends, one of which cannot be read, and the record. */
static void a_stretch_ends_where_it_says(void **state)
{
	enum { TRAP_FLAG = 0x100, ALL = 3 };
	const struct pad_function function = with_long_plans(ONE);
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf, &entry, 1);
	pad_play_replace(play, leaf_end, &leave, 1);
	for (int stops = 0; stops < 2; stops++) {
		struct pad_play_state before = random_state(1, TRAP_FLAG | FLAGS), after = before;

		if (stops)
			pad_play_stop_at_stretches(play);
		before.registers[5] = after.registers[5] = 8; /* rdi, no pointer */
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		assert_int_equal(play->stretches, (stops + 1) * ALL);
		assert_int_equal(play->questions, stops * ALL);
		assert_true(!stops || play->last_question == PAD_NOTHING);
		assert_int_equal(play->faults, (stops + 1) * 2);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_int_equal(pad_play_sums(play, ONE)->calls, stops + 1);
	}
	pad_play_end(play);
}

/* Whatever it is interrupted by, and with all registers and flags as they were. */
static void a_stopped_clock_goes_on_where_it_stood(void **state)
{
	enum { TRAP_FLAG = 0x100, MOMENT = 1 << 20 };
	const struct pad_probe probe = {.kind = PAD_RESUME};
	struct pad_play *play = pad_play_start();
	const void *resume = (const void *)(uintptr_t)pad_play_alone(play, &probe);

	(void)state;
	for (uint64_t flags = 0; flags <= FLAGS; flags += FLAGS) {
		struct pad_play_state before = random_state(1, TRAP_FLAG | flags), now = before;
		const uint64_t begin = __rdtsc();

		play->block->moment = -(uint64_t)MOMENT;
		play->block->resume = (uintptr_t)leaf_end;
		pad_play_run(&now, resume);
		before.registers[7] = now.registers[7];
		assert_memory_equal(now.registers, before.registers, sizeof(now.registers));
		assert_int_equal(now.flags & FLAGS, flags);
		assert_in_range(play->block->stolen, begin - MOMENT, __rdtsc() - MOMENT);
	}
	assert_int_equal(play->restarts, 6); /* each instruction once, but the first */
	pad_play_end(play);
}

/* System calls change rcx and r11, and are made again after a stop within them. */
static void counting_changes_nothing(void **state)
{
	enum { TRAP_FLAG = 0x100 };
	const struct pad_function function = with_counts(ONE);
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};

	(void)state;
	for (int trapped = 0; trapped < 2; trapped++) {
		struct pad_play *play = pad_play_start();
		struct pad_play_state before = random_state(1, TRAP_FLAG | FLAGS), after;
		const struct pad_frame *record;

		before.flags = trapped ? TRAP_FLAG | FLAGS : FLAGS;
		after = before;
		pad_play_replace(play, leaf, &entry, 1);
		pad_play_replace(play, leaf_end, &leave, 1);
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		assert_int_equal(play->restarts > 60, trapped);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_memory_equal(before.xmm, after.xmm, sizeof(before.xmm));
		assert_int_equal(after.flags & FLAGS, FLAGS);
		record = first_record(play);
		assert_int_equal(record->words[PAD_COUNTS_WORDS + 1], before.registers[11]);
		assert_int_equal(record->words[PAD_COUNTS_WORDS + 2], before.registers[11]);
		assert_int_equal(counts_of(record)->unknown, 0);
		assert_int_equal(counts_of(record)->numbers[PAD_MAJOR_PFAULTS], 0);
		pad_play_end(play);
	}
}

static void without_live_flags_registers_are_kept(void **state)
{
	const struct pad_function function = with_long_plans(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	for (unsigned i = 0; i < 20; i++) {
		struct pad_play_state before = random_state(i, 0), after = before;

		pad_play_sums(play, ONE)->limit = i % 2 ? PAD_RANK_ALL : 0;
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
	}
	pad_play_end(play);
}

/* @frame_register + @offset is the CFA in leaf, as it is called by pad_play_run(). */
static void any_register_may_hold_the_frame(void **state)
{
	(void)state;
	for (int reg = 0; reg < 16; reg++) {
		const struct plan_step steps[] = {
			{PLAN_REG, reg}, {PLAN_ADD, 1000}, {PLAN_ADD, -8}};
		const struct read_plan plan = {steps, 3, PLAN_UNSIGNED, 8};
		struct pad_function function = a_function(ONE);
		const struct pad_probe entry = {.kind = PAD_ENTRY, .function = &function};
		struct pad_play *play;
		struct pad_play_state given = random_state(1, 0);

		if (reg == 7)
			continue;
		function.cfa.plan = &plan;
		play = pad_play_start();
		pad_play_replace(play, leaf, &entry, 1);
		pad_play_run(&given, (const void *)(uintptr_t)leaf);
		assert_int_equal(pad_play_top(play)->cfa, given.registers[reg] + 992);
		pad_play_end(play);
	}
}

static void replace_tail(struct pad_play *play, void (*jump)(void),
			 const struct pad_function *function)
{
	const struct pad_probe probe = {.kind = PAD_TAIL, .function = function, .flags_live = true};

	pad_play_replace(play, jump, &probe, 1);
	pad_play_sums(play, function->number)->end =
		pad_play_alone(play, &(struct pad_probe){.kind = PAD_END, .function = function});
}

static void replace_live(struct pad_play *play, void (*function)(void), void (*end)(void),
			 const struct pad_function *padded)
{
	const struct pad_probe entry = {.kind = PAD_ENTRY, .function = padded, .flags_live = true};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = padded, .flags_live = true};

	pad_play_replace(play, function, &entry, 1);
	pad_play_replace(play, end, &leave, 1);
}

static void a_tail_call_ends_when_its_callee_does(void **state)
{
	const struct pad_function first = with_features(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play), *callee, *record;
	uint64_t offset = 0;

	(void)state;
	dirty(play);
	replace_live(play, tail_call, tail_call_end, &first);
	replace_live(play, leaf, leaf_end, &second);
	replace_tail(play, tail_jump, &first);
	expect_nothing_changed(tail_call);
	play->block->tail = play->block->head;
	offset = play->block->head;
	call(tail_call, 5);
	callee = pad_play_record(play, &offset);
	record = pad_play_record(play, &offset);
	assert_int_equal(callee->function, TWO);
	assert_int_equal(callee->cfa, record->id);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->cfa, 0);
	assert_int_equal(record->inner, callee->ticks);
	assert_true(record->ticks > callee->ticks);
	assert_int_equal(record->words[1], 5);
	assert_false(record->words[0]);
	assert_int_equal(pad_play_sums(play, ONE)->calls, pad_play_sums(play, ONE)->begun);
	assert_int_equal(pad_play_sums(play, TWO)->calls, pad_play_sums(play, ONE)->begun);
	assert_ptr_equal(pad_play_top(play), sentinel);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

/* Its callee has no pads. Where no landing is, it asks. */
static void a_tail_call_ends_where_its_caller_goes_on(void **state)
{
	const struct pad_function first = with_features(ONE);
	const struct pad_probe tail = {
		.kind = PAD_TAIL, .function = &first, .flags_live = true, .lands = true};
	const struct pad_probe land = {.kind = PAD_LANDING, .function = &first, .flags_live = true};
	const struct pad_probe end = {.kind = PAD_END, .function = &first};
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play), *record;
	uint64_t offset;

	(void)state;
	dirty(play);
	replace_live(play, tail_call, tail_call_end, &first);
	pad_play_replace(play, tail_jump, &tail, 1);
	pad_play_sums(play, ONE)->end = pad_play_alone(play, &end);
	pad_play_replace(play, landing, &land, 1);
	expect_nothing_changed(lands);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, pad_play_sums(play, ONE)->begun);
	assert_ptr_equal(pad_play_top(play), sentinel);
	play->block->tail = offset = play->block->head;
	call(lands, 5);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->words[1], 5);
	call(tail_call, 5);
	assert_int_equal(play->questions, 1);
	assert_int_equal(pad_play_top(play)->flags & PAD_WAITING, 0);
	pad_play_end(play);
}

static void tail_calls_after_each_other_end_together(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO),
				  third = a_function(3);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);

	(void)state;
	pad_play_sums(play, 3)->limit = PAD_RANK_ALL;
	pad_play_sums(play, 3)->left = PAD_BUDGET;
	pad_play_sums(play, ONE)->limit = 0;
	pad_play_call(play, tail_tail_call, tail_tail_call_end, &first);
	pad_play_call(play, tail_call, tail_call_end, &second);
	pad_play_call(play, leaf, leaf_end, &third);
	replace_tail(play, tail_tail_jump, &first);
	replace_tail(play, tail_jump, &second);
	call(tail_tail_call, 0);
	pad_play_sums(play, TWO)->closed = 1;
	call(tail_tail_call, 0);
	pad_play_sums(play, 3)->closed = 1;
	call(tail_tail_call, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 3);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 1);
	assert_int_equal(pad_play_sums(play, 3)->calls, 2);
	assert_ptr_equal(pad_play_top(play), sentinel);
	pad_play_end(play);
}

static void callers_of_tail_calls_are_charged_what_all_of_them_cost(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO),
				  third = a_function(3);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);

	(void)state;
	play->costs = (struct pad_costs){.pair = 3, .call = 50};
	pad_play_call(play, tail_tail_call, tail_tail_call_end, &first);
	pad_play_call(play, tail_call, tail_call_end, &second);
	pad_play_call(play, leaf, leaf_end, &third);
	replace_tail(play, tail_tail_jump, &first);
	replace_tail(play, tail_jump, &second);
	for (unsigned i = ONE; i <= 3; i++)
		pad_play_sums(play, i)->limit = 0;
	call(tail_tail_call, 0);
	assert_int_equal(sentinel->ticks, 3 * (3 + 50));
	pad_play_end(play);
}

/* Without what ends it, too. */
static void a_tail_call_whose_end_was_missed_is_asked_about(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, tail_call, tail_call_end, &first);
	replace_tail(play, tail_jump, &first);
	call(tail_call, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_top(play)->flags, PAD_CHOSEN | PAD_WAITING);
	call(tail_call, 0);
	assert_int_equal(play->questions, 1);
	pad_play_sums(play, ONE)->end = 0;
	pad_play_call(play, leaf, leaf_end, &second);
	call(leaf, 0);
	assert_int_equal(play->questions, 2);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 0);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 1);
	pad_play_top(play)->return_address++;
	call(leaf, 0);
	assert_int_equal(play->questions, 4);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 1);
	pad_play_end(play);
}

/* Of the 64 calls half have the condition. */
static void only_a_jump_that_is_taken_leaves(void **state)
{
	const struct pad_function first = with_features(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	replace_live(play, tail_if, tail_if_end, &first);
	replace_live(play, leaf, leaf_end, &second);
	replace_tail(play, tail_jump_if, &first);
	expect_nothing_changed(tail_if);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 64);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 32);
	pad_play_end(play);
}

static void an_unconditional_question_changes_nothing(void **state)
{
	const struct pad_probe probe = {.kind = PAD_ASK, .flags_live = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf, &probe, 1);
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 64);
	*play->life = 0;
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 64);
	*play->life = PAD_PLAY_ALIVE;
	pad_play_end(play);
}

static void what_may_leave_calls_asks_only_while_some_are_open(void **state)
{
	const struct pad_function function = a_function(ONE);
	const struct pad_probe probe = {.kind = PAD_ASK_IF_OPEN, .flags_live = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf, &probe, 1);
	pad_play_call(play, caller, caller_end, &function);
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 0);
	call(caller, 0);
	assert_int_equal(play->questions, 2);
	*play->life = 0;
	call(caller, 0);
	assert_int_equal(play->questions, 2);
	/* On another stack others' calls may be. */
	*play->life = PAD_PLAY_ALIVE;
	play->block->stack_size = 0;
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 66);
	pad_play_end(play);
}

static unsigned noted(const struct pad_play *play)
{
	const struct pad_frame *record = first_record(play);

	assert_non_null(record);
	return *(const uint8_t *)record->words;
}

/* What a chosen call notes of its branch, given flags and rcx. */
static unsigned branch_of(void (*function)(void), void (*end)(void), void (*jump)(void),
			  struct pad_play_state given)
{
	const struct pad_function padded = with_branch(ONE);
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &padded, .flags_live = true};
	const struct pad_probe entry = {.kind = PAD_ENTRY, .function = &padded, .flags_live = true};
	struct pad_play_state without = given;
	struct pad_play *play = pad_play_start();
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &padded, .flags_live = true};
	unsigned result;

	pad_play_run(&without, (const void *)(uintptr_t)function);
	dirty(play);
	pad_play_replace(play, function, &entry, 1);
	pad_play_replace(play, end, &leave, 1);
	pad_play_replace(play, jump, &probe, 1);
	pad_play_run(&given, (const void *)(uintptr_t)function);
	assert_memory_equal(&without.registers, &given.registers, sizeof(given.registers));
	assert_int_equal(without.flags & FLAGS, given.flags & FLAGS);
	assert_int_equal(play->questions, 0);
	result = noted(play);
	pad_play_end(play);
	return result;
}

static void branches_are_noted(void **state)
{
	(void)state;
	assert_int_equal(branch_of(branchy, branchy_end, branchy_jump, random_state(1, 0x40)), 2);
	assert_int_equal(branch_of(branchy, branchy_end, branchy_jump, random_state(1, 0x895)), 1);
	for (uint64_t turns = 1; turns < 4; turns++) {
		struct pad_play_state given = random_state(turns, 1);

		given.registers[4] = turns;
		assert_int_equal(branch_of(twice, twice_end, twice_jump, given),
				 turns == 1 ? 2 : 3);
	}
	for (uint64_t count = 0; count < 3; count++) {
		struct pad_play_state given = random_state(count, count ? FLAGS : 0);

		given.registers[2] = count;
		assert_int_equal(branch_of(looping, looping_end, looping_jump, given),
				 count == 1 ? 1 : 2);
	}
}

/* What a call of this rank notes of a branch that has not mattered, and that it takes. */
static unsigned rare_branch_of(uint32_t rank)
{
	const struct pad_function padded = with_branch(ONE);
	const struct pad_probe probes[] = {
		{.kind = PAD_ENTRY, .function = &padded, .flags_live = true},
		{.kind = PAD_RETURN, .insn = 1, .function = &padded, .flags_live = true},
		{.kind = PAD_BRANCH, .function = &padded, .flags_live = true, .is_rare = true}};
	struct pad_play_state given = random_state(1, 0x40), without = given;
	struct pad_play *play = pad_play_start();
	unsigned result;

	pad_play_run(&without, (const void *)(uintptr_t)branchy);
	pad_play_replace(play, branchy, &probes[0], 1);
	pad_play_replace(play, branchy_end, &probes[1], 1);
	pad_play_replace(play, branchy_jump, &probes[2], 1);
	draw(play, rank);
	pad_play_run(&given, (const void *)(uintptr_t)branchy);
	assert_memory_equal(&without.registers, &given.registers, sizeof(given.registers));
	assert_int_equal(without.flags & FLAGS, given.flags & FLAGS);
	result = noted(play);
	pad_play_end(play);
	return result;
}

static void a_branch_that_has_not_mattered_is_noted_in_a_tenth(void **state)
{
	(void)state;
	assert_int_equal(rare_branch_of(7 * RARE_OF + RARE_TENTH - 1), 2);
	assert_int_equal(rare_branch_of(7 * RARE_OF + RARE_TENTH), 0);
}

/* What a chosen call notes at @load, where register @reg is @bias less than the entry, scaled. */
static unsigned entry_of(void (*load)(void), int8_t reg, uint8_t scale, int32_t bias)
{
	const struct pad_function padded = with_branch(ONE);
	const struct table_index index = {.reg = reg, .scale = scale, .bias = bias};
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &padded, .flags_live = true, .index = &index};
	struct pad_play *play = pad_play_start();
	unsigned result;

	dirty(play);
	replace_live(play, switching, switching_end, &padded);
	pad_play_replace(play, load, &probe, 1);
	call(switching, 0);
	assert_int_equal(play->questions, 0);
	result = noted(play);
	pad_play_end(play);
	return result;
}

static void entries_of_tables_are_noted(void **state)
{
	(void)state;
	assert_int_equal(entry_of(switch_load, 2, 1, 0), 4 + 4);
	assert_int_equal(entry_of(switch_load, 2, 1, -3), 4 + 1);
	assert_int_equal(entry_of(switch_load, 2, 1, -4), 4 + 0);
	assert_int_equal(entry_of(switch_load, 2, 1, -5), 255);
	assert_int_equal(entry_of(switch_load, 2, 1, 246), 254);
	assert_int_equal(entry_of(switch_load, 2, 1, 247), 255);
	assert_int_equal(entry_of(switch_scaled, 0, 4, 0), 4 + 2);
}

/* A branch alone, with a frame of @function on top. */
static unsigned branch_in_frame(unsigned function, uint64_t frame_cfa, uint32_t flags,
				unsigned questions)
{
	const struct pad_function padded = with_branch(ONE);
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &padded, .flags_live = true};
	struct pad_play *play = pad_play_start();
	unsigned result;

	play->block->top -= 8; /* room for the branch */
	*pad_play_top(play) = (struct pad_frame){.cfa = UINT64_MAX};
	push_frame(play, function, frame_cfa, flags);
	pad_play_top(play)->words[0] = 0;
	pad_play_replace(play, branchy_jump, &probe, 1);
	expect_nothing_changed(branchy);
	assert_int_equal(play->questions, questions);
	result = *(uint8_t *)pad_play_top(play)->words;
	pad_play_end(play);
	return result;
}

static void branches_of_others_are_not_noted(void **state)
{
	(void)state;
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, PAD_CHOSEN, 0), 3);
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, PAD_CHOSEN | PAD_VALUES, 0), 3);
	assert_int_equal(branch_in_frame(TWO, UINT64_MAX, PAD_CHOSEN, 0), 0);
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, 0, 0), 0);
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, PAD_WAITING, 0), 0);
	assert_int_equal(branch_in_frame(ONE, 1, PAD_CHOSEN, 64), 0);
}

static void an_entry_waits_for_its_caller_where_own_times_matter(void **state)
{
	static const uint8_t lfence_rdtsc[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31};
	struct pad_function function = with_features(ONE);
	const struct pad_probe probe = {.kind = PAD_ENTRY, .function = &function};
	const struct insn run = {.bytes = {0x0f, 0x1f, 0x44, 0, 0}, .size = 5, .address = 0x1000};
	const struct pad_request request = {.address = 0x2000,
					    .run = &run,
					    .n_run = 1,
					    .next = 0x1005,
					    .probes = &probe,
					    .n_probes = 1};

	unsigned n[2] = {0};

	(void)state;
	for (int own = 0; own < 2; own++) {
		struct pad_code code;
		struct err err;

		function.own = own;
		assert_true(pad_code_make(&request, &code, &err));
		for (size_t i = 0; i + sizeof(lfence_rdtsc) <= code.size; i++)
			n[own] += !memcmp(code.bytes + i, lfence_rdtsc, sizeof(lfence_rdtsc));
		pad_code_deinit(&code);
	}
	assert_int_equal(n[1] - n[0], 2); /* chosen or not; questions have it, too */
}

static void what_cannot_be_written_is_refused(void **state)
{
	static const struct plan_step loading[] = {{PLAN_REG, 7}, {PLAN_LOAD, 8}};
	static const struct read_plan plan = {loading, 2, PLAN_UNSIGNED, 8};
	const struct insn nop = {.bytes = {0x90}, .size = 1, .kind = INSN_NOP};
	struct pad_function function = a_function(ONE);
	struct pad_probe probe = {.kind = PAD_BRANCH, .function = &function};
	struct pad_request request = {
		.run = &nop, .n_run = 1, .next = 1, .probes = &probe, .n_probes = 1};
	struct pad_code code;
	struct err err;

	(void)state;
	assert_false(pad_code_make(&request, &code, &err));
	assert_string_equal(err.text, "a branch is another instruction");
	probe.kind = PAD_ENTRY;
	assert_true(pad_code_make(&request, &code, &err));
	pad_code_deinit(&code);
	function.n_words = PAD_RECORD_MAX / 8;
	assert_false(pad_code_make(&request, &code, &err));
	assert_string_equal(err.text, "its features need too much room");
	function.n_words = 0;
	function.cfa.plan = &plan;
	assert_false(pad_code_make(&request, &code, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	function.cfa.plan = &cfa;
	request.next = UINT64_C(1) << 32;
	assert_false(pad_code_make(&request, &code, &err));
	assert_string_equal(err.text, "the run is out of reach");
}

/* Another's block cannot even be read, nor can the tracer's word be written. */
static void a_thread_s_pads_write_its_own_block_alone(void **state)
{
	enum { PAGE = 4096, ANY = PROT_READ | PROT_WRITE };
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_block *other =
		mmap(NULL, PAD_BLOCK_SIZE, ANY, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t move = (uint64_t)other - (uint64_t)play->block;

	(void)state;
	assert_ptr_not_equal(other, MAP_FAILED);
	memcpy(other, play->block, PAD_BLOCK_SIZE);
	other->address += move;
	other->top += move;
	pad_play_call(play, leaf, leaf_end, &function);
	assert_int_equal(mprotect(play->block, PAD_BLOCK_SIZE, PROT_NONE), 0);
	assert_int_equal(mprotect(play->life, PAGE, PROT_READ), 0);
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, other), 0);
	leaf();
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, play->block), 0);
	assert_int_equal(mprotect(play->block, PAD_BLOCK_SIZE, ANY), 0);
	assert_int_equal(mprotect(play->life, PAGE, ANY), 0);
	assert_int_equal(play->faults, 0);
	assert_int_equal(play->block->head, 0);
	assert_int_equal(pad_play_sums(play, ONE)->begun, 0);
	assert_int_not_equal(other->head, 0);
	munmap(other, PAD_BLOCK_SIZE);
	pad_play_end(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chosen_call_becomes_a_record),
		cmocka_unit_test(a_record_knows_how_many_calls_were_before),
		cmocka_unit_test(a_bad_pointer_is_absent),
		cmocka_unit_test(strings_are_looked_at_as_far_as_the_tracer_says),
		cmocka_unit_test(the_kernel_s_counts_are_those_of_the_call),
		cmocka_unit_test(what_the_tracer_added_is_no_count),
		cmocka_unit_test(callers_know_whether_callees_were_counted),
		cmocka_unit_test(pads_take_no_time_on_a_processor),
		cmocka_unit_test(callers_are_charged_what_pads_cost),
		cmocka_unit_test(pairs_are_subtracted),
		cmocka_unit_test(a_call_knows_its_caller_and_callees),
		cmocka_unit_test(recursive_calls_nest),
		cmocka_unit_test(calls_that_are_not_chosen_are_summed),
		cmocka_unit_test(ranks_are_the_random_numbers),
		cmocka_unit_test(a_limit_lowered_during_a_call_counts),
		cmocka_unit_test(allocations_of_a_call_are_its_own),
		cmocka_unit_test(a_spent_budget_halves_the_limit),
		cmocka_unit_test(a_full_ring_loses_records_and_says_so),
		cmocka_unit_test(a_record_may_run_over_the_end_of_the_ring),
		cmocka_unit_test(too_deep_calls_have_no_frames),
		cmocka_unit_test(nothing_is_noted_once_the_tracer_is_gone),
		cmocka_unit_test(closed_functions_begin_no_calls),
		cmocka_unit_test(time_in_stops_falls_out),
		cmocka_unit_test(a_stopped_clock_goes_on_where_it_stood),
		cmocka_unit_test(a_run_with_jumps_runs_in_its_pad),
		cmocka_unit_test(turns_of_a_loop_are_no_calls),
		cmocka_unit_test(a_tail_call_ends_when_its_callee_does),
		cmocka_unit_test(a_tail_call_ends_where_its_caller_goes_on),
		cmocka_unit_test(tail_calls_after_each_other_end_together),
		cmocka_unit_test(callers_of_tail_calls_are_charged_what_all_of_them_cost),
		cmocka_unit_test(a_tail_call_whose_end_was_missed_is_asked_about),
		cmocka_unit_test(only_a_jump_that_is_taken_leaves),
		cmocka_unit_test(an_unconditional_question_changes_nothing),
		cmocka_unit_test(what_may_leave_calls_asks_only_while_some_are_open),
		cmocka_unit_test(an_unexpected_tail_call_is_asked_about),
		cmocka_unit_test(frames_further_in_are_asked_about),
		cmocka_unit_test(a_call_that_began_before_is_passed_over),
		cmocka_unit_test(frames_with_more_to_them_are_asked_about),
		cmocka_unit_test(registers_and_live_flags_are_kept),
		cmocka_unit_test(blocks_are_not_touched_without_a_tracer_or_by_others),
		cmocka_unit_test(a_thread_s_pads_write_its_own_block_alone),
		cmocka_unit_test(a_window_may_begin_again),
		cmocka_unit_test(a_stretch_ends_where_it_says),
		cmocka_unit_test(counting_changes_nothing),
		cmocka_unit_test(without_live_flags_registers_are_kept),
		cmocka_unit_test(any_register_may_hold_the_frame),
		cmocka_unit_test(branches_are_noted),
		cmocka_unit_test(a_branch_that_has_not_mattered_is_noted_in_a_tenth),
		cmocka_unit_test(entries_of_tables_are_noted),
		cmocka_unit_test(branches_of_others_are_not_noted),
		cmocka_unit_test(an_entry_waits_for_its_caller_where_own_times_matter),
		cmocka_unit_test(what_cannot_be_written_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
