/* Pads at work, in this process: the times and counts of calls, without what pads take. */
#include "check.h"
#include "pad_subjects.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

PAD_PLAY_FUNCTION(allocating, "addq $100, %gs:80");
PAD_PLAY_FUNCTION(spending, "push %r11\n call spend\n pop %r11");

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_s_counts_are_those_of_the_call),
		cmocka_unit_test(what_the_tracer_added_is_no_count),
		cmocka_unit_test(callers_know_whether_callees_were_counted),
		cmocka_unit_test(pads_take_no_time_on_a_processor),
		cmocka_unit_test(callers_are_charged_what_pads_cost),
		cmocka_unit_test(pairs_are_subtracted),
		cmocka_unit_test(allocations_of_a_call_are_its_own),
		cmocka_unit_test(time_in_stops_falls_out),
		cmocka_unit_test(a_stopped_clock_goes_on_where_it_stood),
		cmocka_unit_test(counting_changes_nothing),
		cmocka_unit_test(an_entry_waits_for_its_caller_where_own_times_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
