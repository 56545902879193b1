/*
 * What a hit breakpoint means: calls begin, leave by tail calls, end, or turn out to be gone.
 *
 * call_matching_hit() is where all hits arrive. Exits end the call of the same CFA: on_exit_site().
 * Exceptions and longjmp() end calls at hooks: non_local_exits.c.
 * A return breakpoint, planted where a tail call or a closed function hides the exit, is matched to
 * its calls by on_return_pc(). call_stack.c searches the stack, calls_abandon.c gives calls up.
 */
#include "call_matching.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "trace/cost/allocation_sites.h"
#include "trace/cost/allocations.h"
#include "block_exits.h"
#include "branches.h"
#include "trace/probe/breakpoint.h"
#include "call_stack.h"
#include "calls_abandon.h"
#include "trace/cost/cost_calls.h"
#include "trace/cost/cost_probes.h"
#include "trace/probe/displaced.h"
#include "trace/state/callee_sums.h"
#include "trace/state/event_queue.h"
#include "trace/probe/governor.h"
#include "trace/cost/lock_calls.h"
#include "trace/cost/transfers.h"
#include "trace/state/measured.h"
#include "call_metrics.h"
#include "migrated_calls.h"
#include "non_local_exits.h"
#include "feature_reading.h"
#include "trace/state/stack_regions.h"

static int64_t *last_id(struct tracee *tracee)
{
	return tracee->pad ? &tracee->last_id : &tracee->inferior->session->last_id;
}

void call_matching_take_back(struct tracee *tracee, struct open_call *call)
{
	tracee->inferior->image->functions[call->function].begun--;
	*last_id(tracee) -= *last_id(tracee) == call->id;
	tracee->inferior->n_open--;
	if (!call->start_ns) /* it began in this stop */
		tracee->call_began = false;
	calls_abandon_release(tracee->inferior, tracee->tid, call);
	free(call->features);
	free(call->branches);
	callee_sums_destroy(call->callees);
	call_stack_remove(&tracee->calls, call);
}

static void abandon(struct tracee *tracee, struct open_call *call)
{
	calls_abandon(tracee->inferior, tracee->tid, &tracee->calls, call);
}

/*
 * Suspected calls kept open as they may still return; more are given up. So are all after so many
 * stops by exits above that end no call: that is how a pad asks while there is a call below.
 */
enum { SUSPECTS_MAX = 64, VAIN_EXITS_MAX = 500 };

bool call_matching_may_return(const struct tracee *tracee, const struct open_call *call)
{
	return call->return_address &&
	       stack_regions_return_address(tracee, call->cfa) == call->return_address;
}

/* Did @call leave the frame at @cfa by a tail call? */
static bool waits_at(const struct open_call *call, uint64_t cfa, uint64_t stack)
{
	return call->cfa == cfa && call->stack == stack && call->return_pc;
}

/*
 * A frame at @cfa on @stack begins or ends: give up the suspected calls from index @from on that
 * are certainly gone or too many. Calls that had left a gone frame by a tail call are gone, too.
 */
static void give_up_suspects(struct tracee *tracee, size_t from, uint64_t cfa, uint64_t stack)
{
	bool frame_is_gone = false;
	size_t left = 0;
	size_t i;

	for (i = tracee->calls.n; i > from; i--) {
		struct open_call *call = &tracee->calls.calls[i - 1];

		if (!call_stack_suspects(call, cfa, stack) &&
		    !(frame_is_gone && waits_at(call, cfa, stack)))
			break;
		if (call->cfa != cfa && left < SUSPECTS_MAX &&
		    call_matching_may_return(tracee, call)) {
			left++;
			continue;
		}
		frame_is_gone |= call->cfa == cfa;
		abandon(tracee, call);
	}
}

/*
 * Is @call unrelated to the calls that left its frame by tail calls? Yes, if the return address
 * differs. If it is the same, the caller may be a loop that calls again after an exception of which
 * no hook has told: then a function would have tail-called itself, which is only seen if it passed
 * its own entry.
 */
static bool is_frame_used_again(const struct tracee *tracee, const struct open_call *call)
{
	const struct function *function =
		tracee->inferior->image->functions[call->function].function;
	const uint64_t bias = tracee->inferior->modules[function->module].load_bias;
	const bool told = tracee->inferior->hooked && !tracee->inferior->unhooked;
	size_t i = tracee->calls.n;

	if (i > 0 && waits_at(&tracee->calls.calls[i - 1], call->cfa, call->stack) &&
	    catalogue_contains(function, tracee->calls.calls[i - 1].tail_pc - bias))
		return false;
	for (; i > 0 && waits_at(&tracee->calls.calls[i - 1], call->cfa, call->stack); i--)
		if (tracee->calls.calls[i - 1].return_address != call->return_address ||
		    (tracee->calls.calls[i - 1].function == call->function && !told))
			return true;
	return false;
}

/* As @call begins, give up calls in its frame and above that wait for an end in vain. */
static void give_up_waiting(struct tracee *tracee, const struct open_call *call)
{
	struct open_call *last;

	if (is_frame_used_again(tracee, call))
		while (tracee->calls.n && waits_at(last = &tracee->calls.calls[tracee->calls.n - 1],
						   call->cfa, call->stack))
			abandon(tracee, last);
	while ((last = call_stack_caller(&tracee->calls, call->cfa, call->stack)) &&
	       (last->return_pc || last->kept_pc) && last->cfa > call->cfa &&
	       !call_matching_may_return(tracee, last))
		abandon(tracee, last);
}

/* @call ends: the calls that began within it on its stack are suspected. */
static void give_up_inside(struct tracee *tracee, const struct open_call *call)
{
	give_up_suspects(tracee, call - tracee->calls.calls + 1, call->cfa, call->stack);
}

static void end_call(struct session *session, struct tracee *tracee, struct open_call *call,
		     enum call_exit exit)
{
	struct call_record record;
	struct open_call ended;
	struct value *branches;
	struct callee_sums *callees;
	struct site_sums *sites;

	give_up_inside(tracee, call);
	cost_calls_lose_since(tracee, call->start_ns);
	calls_abandon_release(tracee->inferior, tracee->tid, call);
	tracee->inferior->image->functions[call->function].account.calls++;
	if (exit == CALL_RETURNED)
		feature_reading_return(session, tracee, call->function, call->features);
	else
		feature_reading_left(tracee, call->function, call->features);
	branches = branches_end(tracee, call);
	record = (struct call_record){
		.image = tracee->inferior->image->index,
		.function = call->function,
		.id = call_ids_outside(&session->ids, call->id),
		.parent = call_ids_outside(&session->ids, call->parent),
		.process = tracee->inferior->pid,
		.thread = tracee->tid,
		.rank = call->rank,
		.limit = call->limit,
		.start_ns = (call->start_ns ? call->start_ns : tracee->stop_ns) - session->start_ns,
		.features = call->features,
		.branches = branches,
		.is_adopted = call->adopted,
		.was_halted = call->halted,
		.exit = exit,
		.messages = transfers_messages(tracee, call),
	};
	free(call->branches);
	call_metrics_end(tracee, call, &record);
	record.callees = callees = call_metrics_callees(tracee, call);
	record.sites = sites = allocation_sites_end(tracee, &call->allocations.scope,
						    record.metrics[METRIC_MEM].absence == PRESENT);
	if (!call->start_ns) /* began in this stop: its caller's clock has not started */
		tracee->call_began = tracee->call_is_fresh = false;
	if (call->left_out) {
		free(call->features);
		free(branches);
		callee_sums_destroy(callees);
		free(sites);
	} else {
		measured_learn(&session->images[record.image]->functions[record.function],
			       record.metrics[METRIC_TIME]);
		event_queue_add_call(session, call->features, branches, callees, sites)->call =
			record;
	}
	ended = *call;
	tracee->inferior->n_open--;
	call_stack_remove(&tracee->calls, call);
	lock_calls_end(tracee, &ended);
}

/* A return ends @call and the tail calls made in its frame since. */
static void end_with_tail_calls(struct session *session, struct tracee *tracee,
				struct open_call *call)
{
	const struct call_stack *stack = &tracee->calls;
	struct open_call *top;

	while ((top = &stack->calls[stack->n - 1]) > call && top->cfa == call->cfa &&
	       top->return_pc)
		end_call(session, tracee, top, CALL_RETURNED);
	end_call(session, tracee, call, CALL_RETURNED);
}

/* Calls that wait in the frame at @cfa without a breakpoint end: another one returned from it. */
static void end_unplanted(struct session *session, struct tracee *tracee, uint64_t cfa)
{
	const struct call_stack *stack = &tracee->calls;
	struct open_call *top;

	while (stack->n && (top = &stack->calls[stack->n - 1])->unplanted && top->cfa == cfa)
		end_call(session, tracee, top, CALL_RETURNED);
}

static bool has_tail_call(const struct function *function)
{
	size_t i;

	for (i = 0; i < function->n_exits; i++)
		if (function->exits[i].kind != EXIT_RETURN)
			return true;
	return false;
}

/*
 * Exits of a closed function are not seen: did a call kept open leave by a tail call to @call? Then
 * it returns where @call does. A function that would wait for itself more likely was left by an
 * exception and called again: it is given up next.
 */
static void notice_tail_calls(struct tracee *tracee, const struct open_call *call)
{
	const struct measured_function *functions = tracee->inferior->image->functions;
	size_t i = tracee->calls.n;

	for (; (i = call_stack_among(&tracee->calls, i, call->cfa - 1, call->cfa)); i--) {
		struct open_call *kept = &tracee->calls.calls[i - 1];

		if (kept->stack != call->stack || !kept->kept_pc ||
		    kept->function == call->function ||
		    kept->return_address != call->return_address ||
		    !has_tail_call(functions[kept->function].function))
			continue;
		kept->return_pc = kept->kept_pc;
		kept->kept_pc = 0;
		kept->tail_pc = tracee->registers.rip;
	}
}

uint32_t call_matching_draw(struct session *session)
{
	return (uint32_t)(random_next(&session->chance) >> 32);
}

void call_matching_open(struct tracee *tracee, struct open_call *call)
{
	struct inferior *inferior = tracee->inferior;
	struct measured_function *measured = &inferior->image->functions[call->function];
	const struct open_call *caller = call_stack_caller(&tracee->calls, call->cfa, call->stack);

	call->id = ++*last_id(tracee);
	call->parent = caller ? caller->id : 0;
	call->limit = SESSION_RANK_ALL;
	call->closings = inferior->image->closings;
	call->inner_unknown = inferior->image->n_closed ? ~0u : 0;
	call->before = measured->begun++;
	branches_begin(tracee, call);
	lock_calls_begin(tracee, call);
	call->allocations = allocations_mark(
		tracee, cost_calls_allocate(tracee, measured->function, call->cfa));
	call->cost_calls = cost_probes_mark(inferior);
	transfers_begin_call(tracee, call, caller);
	inferior->n_open++;
	non_local_exits_watch(inferior, tracee->tid);
	inferior->begun_last = (int)call->function;
}

static void tell_beginning(struct session *session, const struct tracee *tracee,
			   const struct open_call *call)
{
	const struct image *image = tracee->inferior->image;
	const size_t n = image->functions[call->function].function->n_features;
	struct value *features = mem_alloc((n + 1) * sizeof(*features));
	struct session_event *event = event_queue_add(session, SESSION_BEGAN, features);

	memcpy(features, call->features, n * sizeof(*features));
	event->call = (struct call_record){
		.image = image->index,
		.function = call->function,
		.id = call_ids_outside(&session->ids, call->id),
		.parent = call_ids_outside(&session->ids, call->parent),
		.process = tracee->inferior->pid,
		.thread = tracee->tid,
		.rank = call->rank,
		.limit = call->limit,
		.start_ns = (int64_t)(tracee->stop_ns - session->start_ns),
		.features = features,
	};
}

static void begin_call(struct session *session, struct tracee *tracee, unsigned index, uint64_t cfa,
		       struct plan_context *context)
{
	struct open_call call = {
		.function = index, .cfa = cfa, .rank = call_matching_draw(session)};

	call.told = tracee->inferior->image->functions[index].tells_beginnings;
	call.stack = stack_regions_identity(tracee, cfa - 8);
	feature_reading_entry(session, tracee, context, &call);
	notice_tail_calls(tracee, &call);
	give_up_suspects(tracee, 0, cfa, call.stack);
	give_up_waiting(tracee, &call);
	governor_begun(session->governor, tracee->inferior->image->functions[index].governed, 1);
	call_matching_open(tracee, &call);
	call_stack_push(&tracee->calls, &call);
	tracee->call_began = tracee->call_is_fresh = true;
	if (call.told && tracee->told_cfa != cfa)
		tell_beginning(session, tracee, &call);
	if (tracee->told_cfa == cfa)
		tracee->told_cfa = 0;
}

/*
 * The first instruction of function @index, with the return address on top of the stack: an open
 * call in this frame is gone.
 */
static void on_first(struct tracee *tracee, unsigned index)
{
	const uint64_t cfa = tracee->registers.rsp + 8;
	struct open_call *call = call_stack_find(&tracee->calls, index, cfa);

	if (!call)
		call = migrated_calls_find(tracee, index, cfa);
	if (call && !call->return_pc)
		abandon(tracee, call);
	tracee->entered.function = &tracee->inferior->image->functions[index];
	tracee->entered.cfa = cfa;
	tracee->entered.closings = tracee->entered.function->closings;
}

/* An open call in a loop whose return address was overwritten is gone. */
static struct entry_facts find_facts(struct tracee *tracee, unsigned index, uint64_t cfa)
{
	const struct measured_function *measured = &tracee->inferior->image->functions[index];
	const bool in_loop = measured->function->probe_in_loop;
	struct entry_facts facts = {
		.goes_on = call_stack_entry(&tracee->calls, index, cfa, in_loop) == ENTRY_AGAIN,
		.may_be_turn = in_loop && measured->closings,
		.was_entered = tracee->entered.function == measured && tracee->entered.cfa == cfa &&
			       tracee->entered.closings == measured->closings,
		.has_returned = measured->returned.tid == tracee->tid &&
				measured->returned.cfa >= cfa &&
				measured->returned.closings == measured->closings};
	const struct open_call *call =
		facts.goes_on ? call_stack_find(&tracee->calls, index, cfa) : NULL;

	facts.is_left = call && !call->return_pc && !call_matching_may_return(tracee, call);
	return facts;
}

static void note_return(struct tracee *tracee, unsigned index, uint64_t cfa)
{
	struct measured_function *measured = &tracee->inferior->image->functions[index];

	measured->returned.tid = tracee->tid;
	measured->returned.cfa = cfa;
	measured->returned.closings = measured->closings;
}

/* User addresses have 47 bits, so a value's number holds a CFA exactly. */
static void on_entry(struct session *session, struct tracee *tracee, unsigned index)
{
	const struct measured_function *measured = &tracee->inferior->image->functions[index];
	const struct read_plan *cfa_plan = &measured->function->cfa;
	struct tracee_memory memory;
	struct plan_context context;
	struct entry_facts facts;
	struct value cfa;

	feature_reading_context(session, tracee, index, &memory, &context);
	plan_runner_run(session->runner, &cfa_plan, 1, &context, &cfa);
	if (cfa.absence != PRESENT)
		return;
	if (measured_has_first(measured->function) &&
	    !call_stack_find(&tracee->calls, index, (uint64_t)cfa.number))
		migrated_calls_find(tracee, index,
				    (uint64_t)cfa.number); /* else the call there was abandoned */
	facts = find_facts(tracee, index, (uint64_t)cfa.number);
	if ((!facts.goes_on || facts.is_left) && facts.may_be_turn)
		tracee->entered.function = NULL;
	if (call_stack_begins(&facts))
		begin_call(session, tracee, index, (uint64_t)cfa.number, &context);
}

/* @call goes on in the function at @tail_pc and ends at its return. */
static void leave_by_tail_call(struct tracee *tracee, struct open_call *call, uint64_t tail_pc)
{
	struct breakpoint *breakpoint;
	struct err ignored;
	uint64_t pc;

	if (call->return_pc)
		return;
	give_up_inside(tracee, call);
	if (!(pc = stack_regions_return_address(tracee, call->cfa)) ||
	    !breakpoint_plant_over(tracee->inferior->breakpoints, tracee->tid, pc, &breakpoint,
				   &ignored)) {
		abandon(tracee, call);
		return;
	}
	breakpoint->returns++;
	breakpoint->returns_of = call->function;
	if (call->kept_pc)
		calls_abandon_release_return(tracee->inferior, tracee->tid, call->kept_pc);
	call->kept_pc = 0;
	call->return_pc = pc;
	call->tail_pc = tail_pc;
}

static bool leaves(const struct session *session, const struct tracee *tracee,
		   const struct breakpoint *breakpoint, uint64_t *ret_pc)
{
	const struct function *function =
		tracee->inferior->image->functions[breakpoint->exit_of].function;
	struct user_regs_struct after = tracee->registers;

	if (breakpoint->exit_kind == EXIT_RETURN)
		return true;
	if (!displaced_step(&breakpoint->displaced, &session->target, tracee->tid, &after))
		return false;
	*ret_pc = after.rip;
	return !catalogue_contains(
		function, after.rip - tracee->inferior->modules[function->module].load_bias);
}

/* A frame at @cfa ends, of no open call: if it is closed nobody else gives up calls below. */
static void pass_in_vain(struct tracee *tracee, uint64_t cfa)
{
	const uint64_t stack = stack_regions_identity(tracee, cfa - 8);
	struct open_call *last = &tracee->calls.calls[tracee->calls.n - 1];

	if (call_stack_suspects(last, cfa, stack) && ++tracee->vain_exits > VAIN_EXITS_MAX) {
		tracee->vain_exits = 0;
		while (tracee->calls.n && call_stack_suspects(last, cfa, stack)) {
			abandon(tracee, last);
			last = &tracee->calls.calls[tracee->calls.n - 1];
		}
	}
	give_up_suspects(tracee, 0, cfa, stack);
}

/* At an exit the return address is on top of the stack, so the CFA is the stack pointer + 8. */
static void on_exit_site(struct session *session, struct tracee *tracee,
			 struct breakpoint *breakpoint)
{
	struct open_call *call =
		call_stack_find(&tracee->calls, breakpoint->exit_of, tracee->registers.rsp + 8);
	uint64_t to_pc = 0;

	if (breakpoint->exit_kind == EXIT_RETURN)
		note_return(tracee, breakpoint->exit_of, tracee->registers.rsp + 8);
	if (!call)
		call = migrated_calls_find(tracee, breakpoint->exit_of, tracee->registers.rsp + 8);
	if (call && leaves(session, tracee, breakpoint, &to_pc)) {
		if (breakpoint->exit_kind == EXIT_RETURN)
			end_with_tail_calls(session, tracee, call);
		else
			leave_by_tail_call(tracee, call, to_pc);
	} else if (!call && tracee->calls.n) {
		pass_in_vain(tracee, tracee->registers.rsp + 8);
	}
	if (breakpoint->exit_kind == EXIT_RETURN)
		end_unplanted(session, tracee, tracee->registers.rsp + 8);
}

/* A block ends where its last line begins; if its function is left before, most have no end. */
static void on_block_exits(struct session *session, struct tracee *tracee,
			   const struct breakpoint *breakpoint)
{
	struct block_exits at = {.n = 0};
	struct open_call *call;

	while ((call = block_exits_next(session, tracee, breakpoint, &at)))
		if (at.ends)
			end_call(session, tracee, call, CALL_RETURNED);
		else
			abandon(tracee, call);
}

static void on_return_pc(struct session *session, struct tracee *tracee, uint64_t pc)
{
	struct open_call *call;

	tracee->in_vain = true;
	/* There may be thousands of threads: others' calls only if none is its own. */
	while ((call = call_stack_find_waiting(&tracee->calls, pc, tracee->registers.rsp)) ||
	       (tracee->in_vain &&
		(call = migrated_calls_find_waiting(tracee, pc, tracee->registers.rsp)))) {
		end_call(session, tracee, call, CALL_RETURNED);
		tracee->in_vain = false;
	}
}

static void on_hook(struct session *session, struct tracee *tracee,
		    const struct breakpoint *breakpoint)
{
	const struct measured_function *functions = tracee->inferior->image->functions;
	struct non_local_exit left;
	struct open_call *call;

	if (!non_local_exits_hit(tracee, breakpoint, &left))
		return;
	while ((call = non_local_exits_next(tracee, &left))) {
		const struct function *function = functions[call->function].function;

		if (function->block && !function->ends_with_function)
			abandon(tracee, call);
		else
			end_call(session, tracee, call, left.exit);
	}
}

static void tell_line(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct image *image = tracee->inferior->image;
	const struct function *function = image->functions[breakpoint->line_of].function;
	const bool again = tracee->told_line == breakpoint->address;
	struct session_event *event;

	tracee->told_line = 0;
	if (again)
		return;
	event = event_queue_add(tracee->inferior->session, SESSION_LINE, NULL);
	event->line.image = image->index;
	event->line.function = (unsigned)breakpoint->line_of;
	event->line.addr =
		breakpoint->address - tracee->inferior->modules[function->module].load_bias;
	event->line.thread = tracee->tid;
}

void call_matching_hit(struct session *session, struct tracee *tracee,
		       struct breakpoint *breakpoint)
{
	cost_calls_end(tracee, breakpoint);
	if (breakpoint->returns)
		on_return_pc(session, tracee, breakpoint->address);
	if (breakpoint->landing)
		end_unplanted(session, tracee, tracee->registers.rsp);
	if (breakpoint->for_blocks)
		on_block_exits(session, tracee, breakpoint);
	if (breakpoint->first_of >= 0)
		on_first(tracee, breakpoint->first_of);
	if (breakpoint->entry_of >= 0 && measured_may_begin(tracee->inferior, breakpoint->entry_of))
		on_entry(session, tracee, breakpoint->entry_of);
	if (breakpoint->branch_of >= 0)
		branches_hit(tracee, breakpoint);
	if (breakpoint->line_of >= 0)
		tell_line(tracee, breakpoint);
	if (breakpoint->exit_of >= 0)
		on_exit_site(session, tracee, breakpoint);
	if (breakpoint->hook && breakpoint->hook != HOOK_CHANGE)
		on_hook(session, tracee, breakpoint);
	cost_calls_begin(tracee, breakpoint);
}
