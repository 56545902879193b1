/*
 * Where conditional branches and switches of measured functions lead, once a call. A branch that a
 * call comes to twice tells nothing of the call as a whole: it is not looked at any more, so that a
 * loop costs two stops.
 *
 * A hit belongs to the innermost open call whose frame holds the stack pointer. Those of calls that
 * nobody saw begin are strangers': where one may have been taken for another, nothing is said of
 * branches that were not seen.
 */
#include "branches.h"

#include "base/arena.h"
#include "base/mem.h"
#include "core/catalogue/insn.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/event_queue.h"
#include "frame_lookup.h"
#include "trace/state/measured.h"
#include "trace/kernel/registers.h"

enum {
	WATCHED_MAX = 256,    /* of a function at a time */
	STRANGERS_MAX = 1000, /* hits of a branch by strangers; then it costs more than it tells */
};

enum branch_state {
	BRANCH_WATCHED,
	BRANCH_LOOPED,  /* a call came to it twice */
	BRANCH_LOST,    /* it cannot be looked at */
	BRANCH_WAITING, /* others are looked at first */
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
	struct watched_branch *list; /* those outside of loops first */
	size_t n;
	size_t waiting;   /* the first one that may be */
	uint64_t windows; /* how often the probes were lifted */
	uint64_t gaps;    /* how often a call may have come to a branch unseen */
	bool said_cut;
};

static const struct function *branch_function_of(const struct inferior *inferior, unsigned index)
{
	return inferior->image->functions[index].function;
}

static uint64_t address_of(const struct inferior *inferior, unsigned index, unsigned branch)
{
	const struct function *function = branch_function_of(inferior, index);

	return module_runtime(inferior->modules[function->module].load_bias,
			      function->branches[branch].addr);
}

/* Before the probe address nobody knows of the call yet. */
static bool comes_too_early(const struct function *function, const struct branch_site *branch)
{
	return branch->addr >= function->entry_addr && branch->addr < function->probe_addr;
}

static void list_branches(const struct function *function, bool in_loop, struct branch_watch *ret)
{
	size_t i;

	for (i = 0; i < function->n_branches; i++) {
		const struct branch_site *branch = &function->branches[i];

		if (branch->in_loop != in_loop || comes_too_early(function, branch))
			continue;
		ret->list[ret->n].branch = i;
		ret->list[ret->n].state = ret->n < WATCHED_MAX ? BRANCH_WATCHED : BRANCH_WAITING;
		ret->n++;
	}
}

void branches_set_up(struct session *session, struct measured_function *measured)
{
	const struct function *function = measured->function;
	struct branch_watch *ret;

	if (!session->options.branches || !function->n_branches)
		return;
	ret = arena_new(session->arena, struct branch_watch);
	ret->list = arena_array(session->arena, struct watched_branch, function->n_branches);
	list_branches(function, false, ret);
	list_branches(function, true, ret);
	ret->waiting = WATCHED_MAX;
	measured->branches = ret;
}

static void branch_say_cut(struct inferior *inferior, unsigned index)
{
	struct branch_watch *watch = inferior->image->functions[index].branches;
	const struct function *function = branch_function_of(inferior, index);

	if (!watch->said_cut && watch->n > WATCHED_MAX)
		event_queue_note(inferior->session,
				 "%s has %zu branches; at most %d of them are looked at at a time, "
				 "those outside of loops first",
				 function->name, function->n_branches, WATCHED_MAX);
	watch->said_cut = true;
}

/* Code that two functions share says nothing of either. */
static void branch_plant(struct inferior *inferior, pid_t tid, unsigned index, unsigned number)
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
		branch_plant(inferior, tid, index, i);
	branch_say_cut(inferior, index);
}

static void branch_lift(struct inferior *inferior, pid_t tid, unsigned index, unsigned number)
{
	const struct watched_branch *watched =
		&inferior->image->functions[index].branches->list[number];
	struct breakpoint *breakpoint = breakpoint_find(
		inferior->breakpoints, address_of(inferior, index, watched->branch));

	if (!breakpoint || breakpoint->branch_of != (int)index)
		return;
	breakpoint->branch_of = -1;
	if (!measured_wants(inferior, breakpoint))
		breakpoint_lift(inferior->breakpoints, tid, breakpoint);
}

void branches_lift(struct inferior *inferior, pid_t tid, unsigned index)
{
	struct branch_watch *watch = inferior->image->functions[index].branches;
	unsigned i;

	if (!watch)
		return;
	for (i = 0; i < watch->n; i++)
		branch_lift(inferior, tid, index, i);
	watch->windows++;
	watch->gaps++;
}

static bool is_only_process(const struct inferior *inferior)
{
	const struct inferior *other;

	for (other = inferior->session->inferiors; other; other = other->next)
		if (other != inferior && other->image == inferior->image)
			return false;
	return true;
}

/*
 * One less is looked at: another one may be. With several processes not all of them are stopped,
 * and what is planted in some only would not tell who did not come to it.
 */
static void watch_next(struct tracee *tracee, unsigned index)
{
	struct branch_watch *watch = tracee->inferior->image->functions[index].branches;

	if (watch->waiting >= watch->n || !is_only_process(tracee->inferior))
		return;
	watch->list[watch->waiting].state = BRANCH_WATCHED;
	watch->gaps++;
	branch_plant(tracee->inferior, tracee->tid, index, watch->waiting++);
}

/* Not to be looked at again, in no process of the program. */
static void branch_give_up(struct tracee *tracee, unsigned index, unsigned number,
			   enum branch_state state)
{
	const struct image *image = tracee->inferior->image;
	struct inferior *inferior;

	image->functions[index].branches->list[number].state = state;
	for (inferior = tracee->inferior->session->inferiors; inferior; inferior = inferior->next)
		if (inferior->image == image && inferior->breakpoints &&
		    inferior->modules[image->functions[index].function->module].mapped)
			branch_lift(inferior,
				    inferior == tracee->inferior ? tracee->tid : inferior->pid,
				    index, number);
	watch_next(tracee, index);
}

/* The call of @index that has come to the branch; NULL: nobody saw it begin. */
static struct open_call *branch_find_call(struct tracee *tracee, unsigned index)
{
	struct open_call *call = frame_lookup_find(tracee);

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
 * A call that was not seen to begin. As long as the probes stay planted, each one that begins later
 * is seen, so the same frame is the same call.
 */
static void on_stranger(struct tracee *tracee, unsigned index, unsigned number)
{
	struct branch_watch *watch = tracee->inferior->image->functions[index].branches;
	struct watched_branch *watched = &watch->list[number];
	const uint64_t sp = tracee->registers.rsp;

	watch->gaps++;
	if (watched->stranger == tracee->tid && watched->stranger_sp == sp &&
	    watched->stranger_window == watch->windows)
		branch_give_up(tracee, index, number, BRANCH_LOOPED);
	else if (++watched->strangers > STRANGERS_MAX)
		branch_give_up(tracee, index, number, BRANCH_LOST);
	watched->stranger = tracee->tid;
	watched->stranger_sp = sp;
	watched->stranger_window = watch->windows;
}

static struct branch_outcome *find_outcome(const struct open_call *call, unsigned number)
{
	size_t i;

	for (i = 0; i < call->n_branches; i++)
		if (call->branches[i].number == number)
			return &call->branches[i];
	return NULL;
}

static void add_outcome(struct open_call *call, unsigned number, struct value value)
{
	call->branches = mem_grow(call->branches, &call->branches_capacity, call->n_branches + 1,
				  sizeof(*call->branches));
	call->branches[call->n_branches++] = (struct branch_outcome){number, value};
}

/* May the call have come to branches before without being seen? */
static bool has_gap(const struct branch_watch *watch, const struct open_call *call)
{
	return watch->gaps != call->branch_gaps;
}

void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint)
{
	const unsigned index = breakpoint->branch_of;
	const unsigned number = breakpoint->branch;
	const struct branch_watch *watch = tracee->inferior->image->functions[index].branches;
	const struct watched_branch *watched = &watch->list[number];
	const struct branch_site *branch;
	struct open_call *call;

	if (watched->state != BRANCH_WATCHED) { /* since it was planted here */
		breakpoint->branch_of = -1;
		return;
	}
	branch = &branch_function_of(tracee->inferior, index)->branches[watched->branch];
	call = branch_find_call(tracee, index);
	if (!call)
		on_stranger(tracee, index, number);
	else if (find_outcome(call, number))
		branch_give_up(tracee, index, number, BRANCH_LOOPED);
	else if (has_gap(watch, call))
		add_outcome(call, number, (struct value){.absence = ABSENT_NOT_MEASURED});
	else
		add_outcome(call, number,
			    outcome(branch, &breakpoint->displaced.insn, &tracee->registers));
}

void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const unsigned index = breakpoint->branch_of;
	struct watched_branch *watched =
		&tracee->inferior->image->functions[index].branches->list[breakpoint->branch];
	struct open_call *call = branch_find_call(tracee, index);
	struct branch_outcome *found = call ? find_outcome(call, breakpoint->branch) : NULL;

	watched->stranger = 0;
	if (found)
		*found = call->branches[--call->n_branches];
}

void branches_begin(const struct tracee *tracee, struct open_call *call)
{
	const struct branch_watch *watch =
		tracee->inferior->image->functions[call->function].branches;

	call->branch_gaps = watch ? watch->gaps : 0;
}

/* What to say of a branch that @call was not seen to come to. */
static enum absence absence_of(const struct branch_watch *watch, unsigned number,
			       const struct open_call *call)
{
	switch (watch->list[number].state) {
	case BRANCH_LOOPED:
		return ABSENT_LOOPED;
	case BRANCH_LOST:
	case BRANCH_WAITING:
		return ABSENT_NOT_MEASURED;
	case BRANCH_WATCHED:
		break;
	}
	if (call->moved)
		return ABSENT_OTHER_THREAD;
	return has_gap(watch, call) ? ABSENT_NOT_MEASURED : ABSENT_NOT_REACHED;
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
		values[watch->list[i].branch].absence = absence_of(watch, i, call);
	for (i = 0; i < call->n_branches; i++) {
		const struct branch_outcome *seen = &call->branches[i];
		const struct watched_branch *watched = &watch->list[seen->number];

		if (watched->state == BRANCH_WATCHED)
			values[watched->branch] = seen->value;
	}
	return values;
}
