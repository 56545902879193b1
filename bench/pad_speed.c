/*
 * What pads add to a call of an empty function, in one process: ns a call, the least of many
 * batches, and beside it the ticks that the pads themselves see of it. No tracer.
 *
 * A call's time begins by an rdtsc that waits for nothing, and ends by one that waits, by an
 * lfence, for the call's own work: else a short call would seem to take no time. So two rdtsc in
 * order are what any such measurement takes at least; what pads take more is shown beside these and
 * beside two that measure nothing. Where the kernel counts, its two system calls alone come first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pad_play.h"

enum { BATCHES = 2000, CALLS = 500, FEATURES_MAX = 20 };

PAD_PLAY_FUNCTION(callee, "");
PAD_PLAY_FUNCTION(timed, "rdtsc\n rdtsc");
PAD_PLAY_FUNCTION(ordered, "rdtsc\n lfence\n rdtsc");
PAD_PLAY_FUNCTION(branchy,
		  "test %rdi, %rdi\n branchy_jump:\n jne 1f\n .byte 0x0f, 0x1f, 0x40, 0\n 1:");
void branchy_jump(void);
PAD_PLAY_FUNCTION(unlocking, "");
PAD_PLAY_FUNCTION(locking, "xor %eax, %eax");
PAD_PLAY_FUNCTION(both, "call locking\n call unlocking");
PAD_PLAY_FUNCTION(allocator, "mov %rdi, %rax");
PAD_PLAY_FUNCTION(allocating, "call allocator");
PAD_PLAY_FUNCTION(leaving, "leaving_jump:\n .byte 0xe9\n .long callee - . - 4");
void leaving_jump(void);

struct best {
	double ns, ticks; /* of a call, in the best batch */
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/* A pointer to itself is the argument: any number of loads away is a pointer. */
#define CALL(function)                                                     \
	static void call_##function(void)                                  \
	{                                                                  \
		static void *argument = &argument;                         \
                                                                           \
		for (long i = 0; i < CALLS; i++)                           \
			__asm__ volatile("call " #function ::"D"(argument) \
					 : "rax", "rdx", "cc", "memory");  \
	}
CALL(callee)
CALL(timed)
CALL(ordered)
CALL(branchy)
CALL(leaving)
CALL(both)
CALL(allocating)

static void call_cpu_clock(void)
{
	struct timespec now;

	for (long i = 0; i < 2 * CALLS; i++)
		syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
}

static void call_usage(void)
{
	struct rusage usage;

	for (long i = 0; i < 2 * CALLS; i++)
		syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
}

static struct best best_of_batches(struct pad_play *play, void (*calls)(void))
{
	struct pad_sums *sums = pad_play_sums(play, 1);
	struct best best = {1e9, 1e9};

	for (int batch = 0; batch < BATCHES; batch++) {
		double began, ns;

		play->block->tail = play->block->head;
		sums->left = BATCHES * CALLS;
		sums->ticks = 0;
		began = now_ns();
		calls();
		ns = (now_ns() - began) / CALLS;
		if (ns < best.ns)
			best = (struct best){ns, (double)(int64_t)sums->ticks / CALLS};
	}
	return best;
}

static struct pad_function function_with(const struct pad_feature *features, unsigned n)
{
	static const struct plan_step cfa[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
	static const struct read_plan cfa_plan = {cfa, 2, PLAN_UNSIGNED, 8};

	return (struct pad_function){.number = 1,
				     .cfa = {.plan = &cfa_plan, .head = 2, .words = 1},
				     .at_entry = features,
				     .n_at_entry = n,
				     .n_words = n + 2,
				     .n_absent = 1,
				     .branches = n + 1,
				     .n_branches = 1};
}

static double without_pads(const char *what, void (*calls)(void))
{
	struct pad_play *play = pad_play_start();
	const double ns = best_of_batches(play, calls).ns;

	printf("%-36s %6.1f ns\n", what, ns);
	pad_play_end(play);
	return ns;
}

/* What two rdtsc take alone, and where the second waits. */
struct clocks {
	double plain, ordered;
};

/* @limit: PAD_RANK_ALL: all calls are chosen; 0: none. */
static void with_pads(const char *what, const struct clocks *clocks, uint64_t limit,
		      const struct pad_feature *features, unsigned n)
{
	const struct pad_function function = function_with(features, n);
	struct pad_play *play = pad_play_start();
	struct best best;

	pad_play_sums(play, 1)->limit = limit;
	pad_play_call(play, callee, callee_end, &function);
	best = best_of_batches(play, call_callee);
	printf("%-36s %6.1f ns, %5.1f more than two rdtsc, %5.1f than two in order; %6.1f ticks "
	       "seen\n",
	       what, best.ns, best.ns - clocks->plain, best.ns - clocks->ordered, best.ticks);
	pad_play_end(play);
}

/* Entries that wait for what callers have still in work: here, where that is next to nothing. */
static void with_own_times(const char *what)
{
	struct pad_function function = function_with(NULL, 0);
	struct pad_play *play = pad_play_start();

	function.own = true;
	pad_play_call(play, callee, callee_end, &function);
	printf("%-36s %6.1f ns\n", what, best_of_batches(play, call_callee).ns);
	pad_play_end(play);
}

/*
 * Chosen calls of which the kernel counts @counts, and its system calls alone: in turns, so that
 * other programs' load meets both.
 */
static void with_counts(const char *what, unsigned counts, const char *calls, void (*alone)(void))
{
	enum { TURNS = 4 };
	struct pad_function function = function_with(NULL, 0);
	struct pad_play *play = pad_play_start();
	double ns = 1e9, alone_ns = 1e9;

	function.counts = counts;
	function.n_absent += PAD_COUNTS_WORDS;
	function.n_words += PAD_COUNTS_WORDS;
	function.branches += PAD_COUNTS_WORDS;
	pad_play_call(play, callee, callee_end, &function);
	for (int turn = 0; turn < TURNS; turn++) {
		alone_ns = fmin(alone_ns, best_of_batches(play, alone).ns);
		ns = fmin(ns, best_of_batches(play, call_callee).ns);
	}
	printf("%-36s %6.1f ns\n", calls, alone_ns);
	printf("%-36s %6.1f ns, %.2f times\n", what, ns, ns / alone_ns);
	pad_play_end(play);
}

/* A call that allocates once. */
static void with_allocation(const char *what, bool padded)
{
	static const struct pad_cost cost = {1, COST_ALLOCATE};
	struct pad_function function = function_with(NULL, 0);
	const struct pad_probe entry = {
		.kind = PAD_COST_ENTRY, .function = &function, .cost = &cost};
	const struct pad_probe leave = {
		.kind = PAD_COST_EXIT, .insn = 1, .function = &function, .cost = &cost};
	struct pad_play *play = pad_play_start();

	function.mem = true;
	pad_play_sums(play, 1)->limit = 0;
	pad_play_call(play, allocating, allocating_end, &function);
	if (padded) {
		pad_play_replace(play, allocator, &entry, 1);
		pad_play_replace(play, allocator_end, &leave, 1);
	}
	printf("%-36s %6.1f ns\n", what, best_of_batches(play, call_allocating).ns);
	pad_play_end(play);
}

static void with_branch(const char *what, uint64_t limit, bool padded)
{
	const struct pad_function function = function_with(NULL, 0);
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &function, .flags_live = true};
	struct pad_play *play = pad_play_start();

	pad_play_sums(play, 1)->limit = limit;
	pad_play_call(play, branchy, branchy_end, &function);
	if (padded)
		pad_play_replace(play, branchy_jump, &probe, 1);
	printf("%-36s %6.1f ns\n", what, best_of_batches(play, call_branchy).ns);
	pad_play_end(play);
}

/* A call that takes a lock and releases it. */
static void with_locks(const char *what, bool padded)
{
	static const struct pad_cost costs[] = {{1, COST_LOCK_TAKE, true},
						{2, COST_LOCK_RELEASE, true}};
	struct pad_function function = function_with(NULL, 0);
	const struct pad_probe probes[] = {
		{.kind = PAD_LOCK_ENTRY, .function = &function, .cost = &costs[0]},
		{.kind = PAD_LOCK_EXIT, .insn = 1, .function = &function, .cost = &costs[0]},
		{.kind = PAD_LOCK_ENTRY, .function = &function, .cost = &costs[1]},
		{.kind = PAD_LOCK_EXIT, .insn = 1, .function = &function, .cost = &costs[1]}};
	struct pad_play *play = pad_play_start();

	function.wait = function.hold = true;
	pad_play_sums(play, 1)->limit = 0;
	pad_play_call(play, both, both_end, &function);
	if (padded) {
		pad_play_replace(play, locking, &probes[0], 1);
		pad_play_replace(play, locking_end, &probes[1], 1);
		pad_play_replace(play, unlocking, &probes[2], 1);
		pad_play_replace(play, unlocking_end, &probes[3], 1);
	}
	printf("%-36s %6.1f ns\n", what, best_of_batches(play, call_both).ns);
	pad_play_end(play);
}

/* Two calls, the second by a jump at the end of the first. */
static void with_tail_call(const char *what, uint64_t limit)
{
	struct pad_function callee_function = function_with(NULL, 0);
	struct pad_function function = function_with(NULL, 0);
	const struct pad_probe probe = {
		.kind = PAD_TAIL, .function = &function, .flags_live = true};
	struct pad_play *play = pad_play_start();

	function.number = 2;
	pad_play_sums(play, 1)->limit = pad_play_sums(play, 2)->limit = limit;
	pad_play_call(play, callee, callee_end, &callee_function);
	pad_play_call(play, leaving, leaving_end, &function);
	pad_play_replace(play, leaving_jump, &probe, 1);
	pad_play_sums(play, 2)->end =
		pad_play_alone(play, &(struct pad_probe){.kind = PAD_END, .function = &function});
	printf("%-36s %6.1f ns\n", what, best_of_batches(play, call_leaving).ns);
	pad_play_end(play);
}

/* One of @n_steps each: registers of arguments, or what two loads from the first one give. */
static void fill_features(const struct plan_step (*steps)[3], unsigned n_steps,
			  struct read_plan *plans, struct pad_feature *features)
{
	const char *why;

	for (unsigned i = 0; i < FEATURES_MAX; i++) {
		plans[i] = (struct read_plan){steps[i % 3], n_steps, PLAN_SIGNED, 8};
		if (!pad_plan_split(&plans[i], &features[i].plan, &why))
			abort();
		features[i].word = i + 1;
		features[i].bit = i;
	}
}

int main(void)
{
	static const struct plan_step of_registers[3][3] = {
		{{PLAN_REG, 5}}, {{PLAN_REG, 4}}, {{PLAN_REG, 1}}};
	static const struct plan_step of_loads[3][3] = {
		{{PLAN_REG, 5}, {PLAN_LOAD, 8}, {PLAN_LOAD, 8}},
		{{PLAN_REG, 5}, {PLAN_LOAD, 8}, {PLAN_LOAD, 4}},
		{{PLAN_REG, 5}, {PLAN_LOAD, 8}, {PLAN_LOAD, 1}}};
	struct read_plan plans[FEATURES_MAX], loading_plans[FEATURES_MAX];
	struct pad_feature registers[FEATURES_MAX], loads[FEATURES_MAX];

	struct clocks clocks;

	fill_features(of_registers, 1, plans, registers);
	fill_features(of_loads, 3, loading_plans, loads);
	without_pads("a bare call", call_callee);
	clocks.plain = without_pads("and two rdtsc", call_timed);
	clocks.ordered = without_pads("the second waiting for the call", call_ordered);
	with_pads("pads, not chosen", &clocks, 0, NULL, 0);
	with_pads("chosen", &clocks, PAD_RANK_ALL, NULL, 0);
	with_pads("chosen, 3 features in registers", &clocks, PAD_RANK_ALL, registers, 3);
	with_pads("chosen, 20 features in registers", &clocks, PAD_RANK_ALL, registers,
		  FEATURES_MAX);
	with_pads("chosen, 3 features behind 2 loads", &clocks, PAD_RANK_ALL, loads, 3);
	with_pads("chosen, 20 features behind 2 loads", &clocks, PAD_RANK_ALL, loads, FEATURES_MAX);
	with_own_times("chosen, where own times matter");
	with_branch("chosen, a branch without its pad", PAD_RANK_ALL, false);
	with_branch("chosen, a branch", PAD_RANK_ALL, true);
	with_branch("not chosen, a branch without its pad", 0, false);
	with_branch("not chosen, a branch", 0, true);
	with_allocation("not chosen, allocates without pads", false);
	with_allocation("not chosen, allocates", true);
	with_locks("not chosen, two calls without pads", false);
	with_locks("not chosen, a lock and its release", true);
	with_tail_call("not chosen, and a tail call in it", 0);
	with_counts("chosen, with cpu", 1 << PAD_CPU, "two clock_gettime() of a thread",
		    call_cpu_clock);
	with_counts("chosen, with faults and switches",
		    1 << PAD_PFAULTS | 1 << PAD_MAJOR_PFAULTS | 1 << PAD_SWITCHES,
		    "two getrusage() of a thread", call_usage);
	return 0;
}
