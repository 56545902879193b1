/*
 * Where conditional branches and switches of measured functions lead, once a call. A branch that a call comes to
 * twice tells nothing of the call as a whole: it is not looked at any more, so that a loop costs two stops.
 *
 * A hit belongs to the innermost open call whose frame holds the stack pointer. Those of calls that nobody saw
 * begin are strangers': where one may have been taken for another, nothing is said of branches that were not seen.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/insn.h"
#include "trace/engine.h"
#include "trace/registers.h"

enum {
	WATCHED_MAX = 256,    /* of a function */
	STRANGERS_MAX = 1000, /* hits of a branch by strangers; then it costs more than it tells */
};

enum branch_state {
	BRANCH_WATCHED,
	BRANCH_LOOPED, /* a call came to it twice */
	BRANCH_LOST,   /* it cannot be looked at */
};

struct watched_branch {
	unsigned branch; /* index in the function's */
	enum branch_state state;
	pid_t stranger; /* the last one's thread, 0: none; its stack pointer, and the window then */
	uint64_t stranger_sp;
	uint64_t stranger_window;
	unsigned strangers;
};

struct branch_watch {
	struct watched_branch *list;
	size_t n;
	uint64_t windows; /* how often the probes were lifted */
	uint64_t gaps;    /* how often a call may have come to a branch unseen */
	bool said_cut;
};

static const struct function *function_of(const struct inferior *inferior, unsigned index)
{
	return inferior->image->functions[index].function;
}

static uint64_t address_of(const struct inferior *inferior, unsigned index, unsigned branch)
{
	const struct function *function = function_of(inferior, index);

	return module_runtime(inferior->modules[function->module].load_bias,
			      function->branches[branch].addr);
}

/*
 * Which branches lie between the target of a branch backwards and the branch itself? *@ret: one of the
 * function's branches each.
 */
static void find_loops(const struct function *function, bool *ret)
{
	uint64_t lowest = UINT64_MAX;
	size_t i;

	for (i = function->n_branches; i > 0; i--) {
		const struct branch_site *branch = &function->branches[i - 1];

		if (branch->kind != BRANCH_SWITCH && branch->target_addr <= branch->addr &&
		    branch->target_addr < lowest)
			lowest = branch->target_addr;
		ret[i - 1] = lowest <= branch->addr;
	}
}

/* Before the probe address nobody knows of the call yet. */
static bool comes_too_early(const struct function *function, const struct branch_site *branch)
{
	return branch->addr >= function->entry_addr && branch->addr < function->probe_addr;
}

static void watch(const struct function *function, const bool *loops, bool in_loop,
		  struct branch_watch *ret)
{
	size_t i;

	for (i = 0; i < function->n_branches && ret->n < WATCHED_MAX; i++)
		if (loops[i] == in_loop && !comes_too_early(function, &function->branches[i]))
			ret->list[ret->n++].branch = i;
}

void branches_set_up(struct session *session, struct measured_function *measured)
{
	const struct function *function = measured->function;
	const size_t n = function->n_branches < WATCHED_MAX ? function->n_branches : WATCHED_MAX;
	struct branch_watch *ret;
	bool *loops;

	if (!session->options.branches || !function->n_branches)
		return;
	ret = arena_new(session->arena, struct branch_watch);
	ret->list = arena_array(session->arena, struct watched_branch, n);
	loops = mem_alloc(function->n_branches * sizeof(*loops));
	find_loops(function, loops);
	watch(function, loops, false, ret);
	watch(function, loops, true, ret);
	free(loops);
	measured->branches = ret;
}

static void say_cut(struct inferior *inferior, unsigned index)
{
	struct branch_watch *watch = inferior->image->functions[index].branches;
	const struct function *function = function_of(inferior, index);

	if (!watch->said_cut && function->n_branches > WATCHED_MAX)
		session_note(inferior->session,
			     "%s has %zu branches; %zu of them are looked at, those outside of "
			     "loops first",
			     function->name, function->n_branches, watch->n);
	watch->said_cut = true;
}

/* Code that two functions share says nothing of either. */
static void plant(struct inferior *inferior, pid_t tid, unsigned index, unsigned number)
{
	struct watched_branch *watched = &inferior->image->functions[index].branches->list[number];
	struct breakpoint *breakpoint;
	struct err ignored;

	if (watched->state != BRANCH_WATCHED)
		return;
	if (!breakpoint_plant(inferior->breakpoints, tid,
			      address_of(inferior, index, watched->branch), &breakpoint, &ignored))
		watched->state = BRANCH_LOST;
	else if (breakpoint->branch_of >= 0 && breakpoint->branch_of != (int)index)
		watched->state = BRANCH_LOST;
	else
		breakpoint->branch_of = index;
	if (watched->state == BRANCH_WATCHED)
		breakpoint->branch = number;
}

void branches_plant(struct inferior *inferior, pid_t tid, unsigned index)
{
	struct branch_watch *watch = inferior->image->functions[index].branches;
	unsigned i;

	if (!watch)
		return;
	for (i = 0; i < watch->n; i++)
		plant(inferior, tid, index, i);
	say_cut(inferior, index);
}

static void lift(struct inferior *inferior, pid_t tid, unsigned index, unsigned number)
{
	const struct watched_branch *watched =
		&inferior->image->functions[index].branches->list[number];
	struct breakpoint *breakpoint = breakpoint_find(
		inferior->breakpoints, address_of(inferior, index, watched->branch));

	if (!breakpoint || breakpoint->branch_of != (int)index)
		return;
	breakpoint->branch_of = -1;
	if (!breakpoint_is_used(breakpoint))
		breakpoint_lift(inferior->breakpoints, tid, breakpoint);
}

void branches_lift(struct inferior *inferior, pid_t tid, unsigned index)
{
	struct branch_watch *watch = inferior->image->functions[index].branches;
	unsigned i;

	if (!watch)
		return;
	for (i = 0; i < watch->n; i++)
		lift(inferior, tid, index, i);
	watch->windows++;
	watch->gaps++;
}

/* Not to be looked at again, in no process of the program. */
static void give_up(struct tracee *tracee, unsigned index, unsigned number, enum branch_state state)
{
	const struct image *image = tracee->inferior->image;
	struct inferior *inferior;

	image->functions[index].branches->list[number].state = state;
	for (inferior = tracee->inferior->session->inferiors; inferior; inferior = inferior->next)
		if (inferior->image == image && inferior->breakpoints &&
		    inferior->modules[image->functions[index].function->module].mapped)
			lift(inferior, inferior == tracee->inferior ? tracee->tid : inferior->pid,
			     index, number);
}

/* The call of @index that has come to the branch; NULL: nobody saw it begin. */
static struct open_call *find_call(struct tracee *tracee, unsigned index)
{
	struct open_call *call = frames_find(tracee);

	return call && call->function == index ? call : NULL;
}

static struct value index_of(const struct table_index *index,
			     const struct user_regs_struct *registers)
{
	uint64_t by_number[17];

	registers_by_number(registers, by_number);
	return (struct value){
		.number = (double)((int64_t)by_number[index->reg] / index->scale + index->bias)};
}

/* Code that is not what the program's file says (compiled at run time) has no outcome. */
static struct value outcome(const struct branch_site *branch, const struct insn *insn,
			    const struct user_regs_struct *registers)
{
	uint64_t count = registers->rcx;

	switch (branch->kind) {
	case BRANCH_CONDITIONAL:
		if (insn->kind == INSN_JUMP_IF)
			return (struct value){
				.number = insn_condition_holds(insn->condition, registers->eflags)};
		break;
	case BRANCH_LOOP:
		if (insn->kind == INSN_LOOP)
			return (struct value){
				.number = insn_loop_jumps(insn, &count, registers->eflags)};
		break;
	case BRANCH_SWITCH:
		if (insn->table_entry)
			return index_of(&branch->index, registers);
		break;
	}
	return (struct value){.absence = ABSENT_NOT_MEASURED};
}

/*
 * A call that was not seen to begin. As long as the probes stay planted, each one that begins later is seen, so the
 * same frame is the same call.
 */
static void on_stranger(struct tracee *tracee, unsigned index, unsigned number)
{
	struct branch_watch *watch = tracee->inferior->image->functions[index].branches;
	struct watched_branch *watched = &watch->list[number];
	const uint64_t sp = tracee->registers.rsp;

	watch->gaps++;
	if (watched->stranger == tracee->tid && watched->stranger_sp == sp &&
	    watched->stranger_window == watch->windows)
		give_up(tracee, index, number, BRANCH_LOOPED);
	else if (++watched->strangers > STRANGERS_MAX)
		give_up(tracee, index, number, BRANCH_LOST);
	watched->stranger = tracee->tid;
	watched->stranger_sp = sp;
	watched->stranger_window = watch->windows;
}

static struct value *outcomes_of(struct open_call *call, size_t n)
{
	size_t i;

	if (call->branches)
		return call->branches;
	call->branches = mem_alloc(n * sizeof(*call->branches));
	for (i = 0; i < n; i++)
		call->branches[i].absence = ABSENT_NOT_REACHED;
	return call->branches;
}

void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint)
{
	const unsigned index = breakpoint->branch_of;
	const unsigned number = breakpoint->branch;
	const struct branch_watch *watch = tracee->inferior->image->functions[index].branches;
	const struct watched_branch *watched = &watch->list[number];
	struct open_call *call;
	struct value *value;

	if (watched->state != BRANCH_WATCHED) { /* since it was planted here */
		breakpoint->branch_of = -1;
		return;
	}
	call = find_call(tracee, index);
	if (!call) {
		on_stranger(tracee, index, number);
		return;
	}
	value = &outcomes_of(call, watch->n)[number];
	if (value->absence != ABSENT_NOT_REACHED) {
		give_up(tracee, index, number, BRANCH_LOOPED);
		return;
	}
	*value = outcome(&function_of(tracee->inferior, index)->branches[watched->branch],
			 &breakpoint->displaced.insn, &tracee->registers);
}

void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const unsigned index = breakpoint->branch_of;
	struct watched_branch *watched =
		&tracee->inferior->image->functions[index].branches->list[breakpoint->branch];
	struct open_call *call = find_call(tracee, index);

	watched->stranger = 0;
	if (call && call->branches)
		call->branches[breakpoint->branch] = (struct value){.absence = ABSENT_NOT_REACHED};
}

void branches_begin(const struct tracee *tracee, struct open_call *call)
{
	const struct branch_watch *watch =
		tracee->inferior->image->functions[call->function].branches;

	call->branch_gaps = watch ? watch->gaps : 0;
}

/* What to say of a branch that @call was not seen to come to. */
static enum absence absence_of_unseen(const struct branch_watch *watch,
				      const struct open_call *call)
{
	if (call->moved)
		return ABSENT_OTHER_THREAD;
	return watch->gaps == call->branch_gaps ? ABSENT_NOT_REACHED : ABSENT_NOT_MEASURED;
}

static struct value value_at_end(const struct branch_watch *watch, unsigned number,
				 const struct open_call *call)
{
	struct value value = {.absence = ABSENT_NOT_REACHED};

	switch (watch->list[number].state) {
	case BRANCH_WATCHED:
		break;
	case BRANCH_LOOPED:
		return (struct value){.absence = ABSENT_LOOPED};
	case BRANCH_LOST:
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	}
	if (call->branches)
		value = call->branches[number];
	if (value.absence == ABSENT_NOT_REACHED)
		value.absence = absence_of_unseen(watch, call);
	return value;
}

struct value *branches_end(const struct tracee *tracee, const struct open_call *call)
{
	const struct measured_function *measured =
		&tracee->inferior->image->functions[call->function];
	const struct branch_watch *watch = measured->branches;
	struct value *values;
	size_t i;

	if (!watch)
		return NULL;
	values = mem_alloc(measured->function->n_branches * sizeof(*values));
	for (i = 0; i < measured->function->n_branches; i++)
		values[i].absence = ABSENT_NOT_MEASURED;
	for (i = 0; i < watch->n; i++)
		values[watch->list[i].branch] = value_at_end(watch, i, call);
	return values;
}
