/*
 * Where conditional branches and switches of measured functions lead, once per call. A branch that
 * a call reaches twice says nothing of the call as a whole: its probe is lifted for good, so that a
 * loop costs two stops. Where loops' turns are counted, each is a stop, so loops that turn often
 * are given up; pads count them without.
 *
 * A hit belongs to the innermost open call whose frame holds the stack pointer. Calls whose
 * beginning was missed are strangers: where one may have been mistaken for another call, branches
 * without a hit have no value.
 */
#include "branches.h"
#include "branches_set.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/catalogue/rare.h"
#include "core/catalogue/insn.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/event_queue.h"
#include "frame_lookup.h"
#include "trace/state/measured.h"
#include "trace/kernel/registers.h"

enum {
	STRANGERS_MAX = 1000, /* hits by strangers per branch, then it costs too much */
	TURNS_MAX = 64,       /* of a loop, by stops in a call */
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

/* A call is known only from the probe address on. */
static bool comes_too_early(const struct function *function, const struct branch_site *branch)
{
	return branch->addr >= function->entry_addr && branch->addr < function->probe_addr;
}

static void list_branches(const struct function *function, bool loops, bool in_loop,
			  struct branch_set *ret)
{
	size_t i;

	for (i = 0; i < function->n_branches; i++) {
		const struct branch_site *branch = &function->branches[i];

		if (branch->in_loop != in_loop || (branch->kind == BRANCH_TURNS) != loops ||
		    comes_too_early(function, branch))
			continue;
		ret->list[ret->n] = (struct branch_probe){
			.branch = i,
			.state = ret->n < BRANCH_PROBES_MAX ? BRANCH_LIVE : BRANCH_WAITING,
			.is_rare = branch->is_rare};
		ret->n++;
	}
}

void branches_set_up(struct session *session, struct measured_function *measured)
{
	const struct function *function = measured->function;
	struct branch_set *ret;

	if ((!session->options.branches && !session->options.loops) || !function->n_branches)
		return;
	ret = arena_new(session->arena, struct branch_set);
	ret->list = arena_array(session->arena, struct branch_probe, function->n_branches);
	for (int in_loop = 0; in_loop < 2 && session->options.loops; in_loop++)
		list_branches(function, true, in_loop, ret);
	ret->n_loops = ret->n;
	for (int in_loop = 0; in_loop < 2 && session->options.branches; in_loop++)
		list_branches(function, false, in_loop, ret);
	ret->waiting = BRANCH_PROBES_MAX;
	measured->branches = ret;
}

void branches_ask(struct measured_function *measured, uint64_t now_ns)
{
	struct branch_set *set = measured->branches;

	for (size_t i = 0; set && i < set->n; i++) {
		struct branch_probe *probe = &set->list[i];
		const bool was_rare = probe->is_rare;

		probe->is_rare = measured->function->branches[probe->branch].is_rare;
		if (was_rare && !probe->is_rare)
			probe->asked_since_ns = now_ns;
	}
}

bool branches_is_unasked(const struct branch_probe *probe, uint32_t rank, uint64_t start_ns)
{
	return probe->state == BRANCH_LIVE && !rare_is_read(rank) &&
	       (probe->is_rare || start_ns < probe->asked_since_ns);
}

static void branch_say_cut(struct inferior *inferior, unsigned index)
{
	struct branch_set *set = inferior->image->functions[index].branches;
	const struct function *function = branch_function_of(inferior, index);

	if (!set->said_cut && set->n > BRANCH_PROBES_MAX)
		event_queue_note(inferior->session,
				 "%s has %zu branches; at most %d of them are looked at at a time, "
				 "those outside of loops first",
				 function->name, function->n_branches, BRANCH_PROBES_MAX);
	set->said_cut = true;
}

/* Code shared by two functions says nothing of either; of a turn and a branch the first is seen. */
static void branch_plant(struct inferior *inferior, pid_t tid, unsigned index, unsigned number)
{
	struct branch_probe *probe = &inferior->image->functions[index].branches->list[number];
	struct breakpoint *breakpoint;
	struct err ignored;

	if (probe->state != BRANCH_LIVE)
		return;
	if (!breakpoint_plant(inferior->breakpoints, tid,
			      address_of(inferior, index, probe->branch), &breakpoint, &ignored))
		probe->state = BRANCH_LOST;
	else if (breakpoint->branch_of >= 0 &&
		 (breakpoint->branch_of != (int)index || breakpoint->branch != number))
		probe->state = BRANCH_LOST;
	else
		breakpoint->branch_of = index;
	if (probe->state == BRANCH_LIVE)
		breakpoint->branch = number;
}

void branches_plant(struct inferior *inferior, pid_t tid, unsigned index)
{
	struct branch_set *set = inferior->image->functions[index].branches;
	unsigned i;

	if (!set)
		return;
	for (i = 0; i < set->n; i++)
		if (!set->list[i].is_rare || inferior->pads)
			branch_plant(inferior, tid, index, i);
	branch_say_cut(inferior, index);
}

static void branch_lift(struct inferior *inferior, pid_t tid, unsigned index, unsigned number)
{
	const struct branch_probe *probe =
		&inferior->image->functions[index].branches->list[number];
	struct breakpoint *breakpoint =
		breakpoint_find(inferior->breakpoints, address_of(inferior, index, probe->branch));

	if (!breakpoint || breakpoint->branch_of != (int)index)
		return;
	breakpoint->branch_of = -1;
	if (!measured_wants(inferior, breakpoint))
		breakpoint_lift(inferior->breakpoints, tid, breakpoint);
}

void branches_lift(struct inferior *inferior, pid_t tid, unsigned index)
{
	struct branch_set *set = inferior->image->functions[index].branches;
	unsigned i;

	if (!set)
		return;
	for (i = 0; i < set->n; i++)
		branch_lift(inferior, tid, index, i);
	set->windows++;
	set->gaps++;
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
 * Plant a waiting branch in place of one given up. Of several processes not all are stopped, and a
 * branch planted in only some cannot tell which calls did not reach it.
 */
static void plant_next(struct tracee *tracee, unsigned index)
{
	struct branch_set *set = tracee->inferior->image->functions[index].branches;

	if (set->waiting >= set->n || tracee->inferior->pads || !is_only_process(tracee->inferior))
		return;
	set->list[set->waiting].state = BRANCH_LIVE;
	set->gaps++;
	branch_plant(tracee->inferior, tracee->tid, index, set->waiting++);
}

/* Lift it for good, in all processes of the program. */
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
	plant_next(tracee, index);
}

/* The call of @index that has reached the branch; NULL: its beginning was missed. */
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

/* No outcome for code that differs from the file (made at run time). */
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
	case BRANCH_TURNS:
		return (struct value){.number = 1};
	}
	return (struct value){.absence = ABSENT_NOT_MEASURED};
}

/*
 * A hit of a call whose beginning was missed. While the probes stay planted, every later beginning
 * is seen, so the same frame is the same call.
 */
static void on_stranger(struct tracee *tracee, unsigned index, unsigned number)
{
	struct branch_set *set = tracee->inferior->image->functions[index].branches;
	struct branch_probe *probe = &set->list[number];
	const uint64_t sp = tracee->registers.rsp;

	set->gaps++;
	if (number >= set->n_loops && probe->stranger == tracee->tid && probe->stranger_sp == sp &&
	    probe->stranger_window == set->windows)
		branch_give_up(tracee, index, number, BRANCH_LOOPED);
	else if (++probe->strangers > STRANGERS_MAX)
		branch_give_up(tracee, index, number, BRANCH_LOST);
	probe->stranger = tracee->tid;
	probe->stranger_sp = sp;
	probe->stranger_window = set->windows;
}

static struct branch_outcome *find_outcome(const struct open_call *call, unsigned number)
{
	size_t i;

	for (i = 0; i < call->n_branches; i++)
		if (call->branches[i].number == number)
			return &call->branches[i];
	return NULL;
}

void branches_add_outcome(struct open_call *call, unsigned number, struct value value)
{
	call->branches = mem_grow(call->branches, &call->branches_capacity, call->n_branches + 1,
				  sizeof(*call->branches));
	call->branches[call->n_branches++] = (struct branch_outcome){number, value};
}

/* May @call have reached branches unseen? */
static bool has_gap(const struct branch_set *set, const struct open_call *call)
{
	return set->gaps != call->branch_gaps;
}

static void turns_say_given_up(struct tracee *tracee, unsigned index, unsigned number)
{
	const struct function *function = branch_function_of(tracee->inferior, index);
	const struct branch_set *set = tracee->inferior->image->functions[index].branches;

	event_queue_note(tracee->inferior->session,
			 "%s: a call turned %s more than %d times, each a stop here, so its turns "
			 "are not counted: pads count any number",
			 function->name, function->branches[set->list[number].branch].name,
			 TURNS_MAX);
}

/* @by_pad: a pad counts the others, and has asked for this one. */
static void turns_add(struct tracee *tracee, struct open_call *call, struct branch_outcome *turns,
		      bool by_pad)
{
	if (turns->value.absence != PRESENT)
		return;
	turns->value.number++;
	call->frame_branches = SIZE_MAX;
	if (by_pad || turns->value.number <= TURNS_MAX)
		return;
	turns_say_given_up(tracee, call->function, turns->number);
	branch_give_up(tracee, call->function, turns->number, BRANCH_LOOPED);
}

void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint)
{
	const unsigned index = breakpoint->branch_of;
	const unsigned number = breakpoint->branch;
	const struct branch_set *set = tracee->inferior->image->functions[index].branches;
	const struct branch_probe *probe = &set->list[number];
	const struct branch_site *branch;
	struct branch_outcome *again;
	struct open_call *call;

	if (probe->state != BRANCH_LIVE) { /* given up since it was planted */
		breakpoint->branch_of = -1;
		return;
	}
	branch = &branch_function_of(tracee->inferior, index)->branches[probe->branch];
	call = branch_find_call(tracee, index);
	again = call ? find_outcome(call, number) : NULL;
	if (call && branches_is_unasked(probe, call->rank, UINT64_MAX))
		return;
	if (!call)
		on_stranger(tracee, index, number);
	else if (again && number < set->n_loops)
		turns_add(tracee, call, again, breakpoint->padded);
	else if (again)
		branch_give_up(tracee, index, number, BRANCH_LOOPED);
	else if (has_gap(set, call))
		branches_add_outcome(call, number, (struct value){.absence = ABSENT_NOT_MEASURED});
	else
		branches_add_outcome(
			call, number,
			outcome(branch, &breakpoint->displaced.insn, &tracee->registers));
}

void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const unsigned index = breakpoint->branch_of;
	struct branch_set *set = tracee->inferior->image->functions[index].branches;
	struct branch_probe *probe = &set->list[breakpoint->branch];
	struct open_call *call = branch_find_call(tracee, index);
	struct branch_outcome *found = call ? find_outcome(call, breakpoint->branch) : NULL;

	probe->stranger = 0;
	if (found && found->number < set->n_loops && found->value.number > 1)
		found->value.number--;
	else if (found)
		*found = call->branches[--call->n_branches];
}

typedef void visit_branch(struct inferior *inferior, pid_t tid, unsigned index, unsigned number);

/* Pads ask by themselves. */
static void each_rare(const struct tracee *tracee, unsigned index, visit_branch *visit)
{
	const struct branch_set *set = tracee->inferior->image->functions[index].branches;

	for (size_t i = 0; i < set->n && !tracee->inferior->pads; i++)
		if (set->list[i].is_rare)
			visit(tracee->inferior, tracee->tid, index, i);
}

void branches_begin(const struct tracee *tracee, struct open_call *call)
{
	const struct branch_set *set = tracee->inferior->image->functions[call->function].branches;

	call->branch_gaps = set ? set->gaps : 0;
	if (set && rare_is_read(call->rank))
		each_rare(tracee, call->function, branch_plant);
}

/* Others than @ended, so that its rare branches are to be seen. */
static bool is_other_of_tenth_open(const struct tracee *tracee, const struct open_call *ended)
{
	const struct tracee *other;

	for (other = tracee->inferior->session->tracees; other; other = other->hh.next)
		for (size_t i = other->inferior == tracee->inferior ? other->calls.n : 0; i; i--) {
			const struct open_call *call = &other->calls.calls[i - 1];

			if (call != ended && call->function == ended->function &&
			    rare_is_read(call->rank))
				return true;
		}
	return false;
}

/* The value of a branch that @call did not hit, or was not asked for. */
static enum absence absence_of(const struct branch_set *set, unsigned number,
			       const struct open_call *call)
{
	switch (set->list[number].state) {
	case BRANCH_LOOPED:
		return ABSENT_LOOPED;
	case BRANCH_LOST:
	case BRANCH_WAITING:
		return ABSENT_NOT_MEASURED;
	case BRANCH_LIVE:
		break;
	}
	if (branches_is_unasked(&set->list[number], call->rank, call->start_ns))
		return ABSENT_NOT_ASKED;
	if (call->moved)
		return ABSENT_OTHER_THREAD;
	if (has_gap(set, call))
		return ABSENT_NOT_MEASURED;
	return number < set->n_loops ? PRESENT : ABSENT_NOT_REACHED;
}

struct value *branches_end(const struct tracee *tracee, const struct open_call *call)
{
	const struct measured_function *measured =
		&tracee->inferior->image->functions[call->function];
	const struct branch_set *set = measured->branches;
	struct value *values;
	size_t i;

	if (!set)
		return NULL;
	values = mem_alloc(measured->function->n_branches * sizeof(*values));
	for (i = 0; i < measured->function->n_branches; i++)
		values[i].absence = ABSENT_NOT_MEASURED;
	for (i = 0; i < set->n; i++)
		values[set->list[i].branch].absence = absence_of(set, i, call);
	for (i = 0; i < call->n_branches; i++) {
		const struct branch_outcome *seen = &call->branches[i];
		const struct branch_probe *probe = &set->list[seen->number];

		if (probe->state == BRANCH_LIVE &&
		    values[probe->branch].absence != ABSENT_NOT_ASKED)
			values[probe->branch] = seen->value;
	}
	if (rare_is_read(call->rank) && !is_other_of_tenth_open(tracee, call))
		each_rare(tracee, call->function, branch_lift);
	return values;
}
