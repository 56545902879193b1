/*
 * What allocations mean for the open calls of the threads that make and free them; heap.c keeps the
 * blocks.
 */
#include "allocations.h"

#include <sys/mman.h>

#include "base/mem.h"
#include "allocation_sites.h"
#include "cost_probes.h"
#include "trace/state/engine.h"
#include "trace/state/event_queue.h"
#include "heap.h"
#include "trace/state/tracee_table.h"

static bool wants_blocks(const struct inferior *inferior)
{
	return metric_totals(inferior->session->options.metrics) & metric_set_from(METRIC_BLOCKS);
}

static struct heap_scope scope_of(const struct tracee *tracee)
{
	struct heap_scope scope = heap_scope(&tracee->inferior->heap);

	scope.sites = tracee->allocations.n_sites;
	return scope;
}

struct allocations_mark allocations_mark(const struct tracee *tracee, bool inside)
{
	return (struct allocations_mark){
		.bytes = tracee->allocations.bytes, .inside = inside, .scope = scope_of(tracee)};
}

static struct value allocation_value_of(uint64_t bytes)
{
	return (struct value){.number = (double)bytes};
}

/* Without a known malloc() there still is a heap. */
bool allocations_known(struct inferior *inferior, enum metric metric)
{
	struct session *session = inferior->session;

	if (cost_probes_known(inferior, metric))
		return true;
	if (!(session->said_cost & 1u << metric))
		event_queue_note(
			session,
			"%s is not known: neither the program nor a library that it has mapped "
			"has a symbol malloc",
			metric_info(metric)->keyword);
	session->said_cost |= 1u << metric;
	return false;
}

struct value allocations_mem(const struct tracee *tracee, const struct open_call *call)
{
	if (call->allocations.inside || !allocations_known(tracee->inferior, METRIC_MEM))
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	return allocation_value_of(tracee->allocations.bytes - call->allocations.bytes);
}

static struct value scope_value(struct inferior *inferior, const struct heap_scope *scope,
				enum metric metric)
{
	if (!scope || !allocations_known(inferior, metric) || inferior->heap.lost != scope->lost)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	return allocation_value_of(metric == METRIC_PEAK    ? scope->peak
				   : metric == METRIC_LEAKS ? scope->live
							    : scope->n_live);
}

struct value allocations_blocks(const struct tracee *tracee, const struct open_call *call,
				enum metric metric)
{
	return scope_value(tracee->inferior,
			   call->allocations.inside ? NULL : &call->allocations.scope, metric);
}

/* Add @block to the open calls of the thread that allocated it, or remove it. */
static void tell_scopes(struct inferior *inferior, const struct heap_block *block,
			void (*tell)(struct heap_scope *, const struct heap_block *))
{
	struct tracee *owner = tracee_find(inferior->session, block->thread);
	size_t i;

	for (i = 0; owner && i < owner->calls.n; i++)
		tell(&owner->calls.calls[i].allocations.scope, block);
	for (i = 0; owner && i < owner->allocations.n_framed; i++)
		tell(&owner->allocations.framed[i].scope, block);
}

static bool has_scopes(const struct tracee *tracee)
{
	return tracee->calls.n || tracee->allocations.n_framed;
}

static void allocation_drop(struct inferior *inferior, struct heap_block *block)
{
	tell_scopes(inferior, block, heap_scope_remove);
	heap_remove(&inferior->heap, block);
}

/* @block is the new one; NULL: there was no room. */
static void allocation_enter(struct inferior *inferior, const struct heap_block *block)
{
	if (block)
		tell_scopes(inferior, block, heap_scope_add);
	else if (!inferior->session->said_heap)
		event_queue_note(
			inferior->session,
			"more than %d blocks are live at once: `peak` and `leaks` are not known",
			HEAP_BLOCKS_MAX);
	inferior->session->said_heap |= !block;
}

/* A previous block at @address was freed unseen. */
static void allocation_take(struct tracee *tracee, const struct cost_call *call, uint64_t address,
			    uint64_t size)
{
	struct inferior *inferior = tracee->inferior;
	struct heap_block *block;

	if (!has_scopes(tracee))
		return;
	tracee->allocations.bytes += size;
	allocation_sites_add(tracee, call->return_address, size);
	if (!wants_blocks(inferior))
		return;
	block = heap_find(&inferior->heap, address);
	if (block)
		allocation_drop(inferior, block);
	allocation_enter(inferior, heap_add(&inferior->heap, tracee->tid, address, size));
}

/* Of mappings with number @last or before. */
static void allocation_unmap(struct tracee *tracee, uint64_t address, uint64_t size, uint64_t last)
{
	const uint64_t page = 4096;
	struct heap_block part;

	while (heap_unmap(&tracee->inferior->heap, address,
			  address + (size + page - 1) / page * page, last, &part))
		tell_scopes(tracee->inferior, &part, heap_scope_remove);
}

uint64_t allocations_asked(const struct cost_call *call)
{
	const uint64_t *arguments = call->arguments;

	switch (call->function->kind) {
	case COST_ALLOCATE_ARRAY:
		return arguments[0] * arguments[1];
	case COST_ALLOCATE_ALIGNED:
	case COST_REALLOCATE:
		return arguments[1];
	case COST_ALLOCATE_INTO:
		return arguments[2];
	case COST_REALLOCATE_ARRAY:
		return arguments[1] * arguments[2];
	case COST_MAP:
		return arguments[3] & MAP_ANONYMOUS ? arguments[1] : 0;
	default:
		return arguments[0];
	}
}

static void end_mapping(struct tracee *tracee, const struct cost_call *call, uint64_t address,
			uint64_t size)
{
	struct inferior *inferior = tracee->inferior;

	if (address == (uint64_t)MAP_FAILED || !size || !has_scopes(tracee))
		return;
	tracee->allocations.bytes += size;
	allocation_sites_add(tracee, call->return_address, size);
	if (!wants_blocks(inferior))
		return;
	allocation_unmap(tracee, address, size, inferior->heap.last);
	allocation_enter(inferior, heap_add_mapped(&inferior->heap, tracee->tid, address, size));
}

bool allocations_concern_all(const struct tracee *tracee, enum cost_call_kind kind)
{
	return wants_blocks(tracee->inferior) &&
	       (kind == COST_FREE || kind == COST_REALLOCATE || kind == COST_REALLOCATE_ARRAY ||
		kind == COST_UNMAP);
}

void allocations_free(struct tracee *tracee, uint64_t address)
{
	struct heap_block *block = heap_find(&tracee->inferior->heap, address);

	if (block)
		allocation_drop(tracee->inferior, block);
}

/*
 * realloc()'s old block is known by its number: by the end of the call another thread may already
 * have a new one at its address.
 */
void allocations_begin(struct tracee *tracee, struct cost_call *call)
{
	const struct heap_block *block;

	if (call->function->kind == COST_UNMAP)
		call->note = tracee->inferior->heap.last;
	if (call->function->kind != COST_REALLOCATE &&
	    call->function->kind != COST_REALLOCATE_ARRAY)
		return;
	block = heap_find(&tracee->inferior->heap, call->arguments[0]);
	call->note = block ? block->number : 0;
}

/* Some allocators free the block for a size of 0, and return none. */
static void end_reallocation(struct tracee *tracee, const struct cost_call *call, uint64_t result,
			     uint64_t size)
{
	struct heap_block *block = heap_find(&tracee->inferior->heap, call->arguments[0]);

	if (!result && size)
		return;
	if (block && block->number == call->note)
		allocation_drop(tracee->inferior, block);
	if (result)
		allocation_take(tracee, call, result, size);
}

uint64_t allocations_result(const struct tracee *tracee, const struct cost_call *call)
{
	const struct target *target = &tracee->inferior->session->target;
	uint64_t address;
	struct memory_read read = {
		.address = call->arguments[0], .to = &address, .size = sizeof(address)};

	if (call->function->kind != COST_ALLOCATE_INTO)
		return tracee->registers.rax;
	if ((int)tracee->registers.rax != 0)
		return 0;
	target->ops->read(target->self, tracee->tid, &read, 1);
	return read.ok ? address : 0;
}

void allocations_end(struct tracee *tracee, const struct cost_call *call, uint64_t result,
		     uint64_t size)
{
	switch (call->function->kind) {
	case COST_ALLOCATE:
	case COST_ALLOCATE_ARRAY:
	case COST_ALLOCATE_ALIGNED:
	case COST_ALLOCATE_INTO:
		if (result)
			allocation_take(tracee, call, result, size);
		break;
	case COST_REALLOCATE:
	case COST_REALLOCATE_ARRAY:
		end_reallocation(tracee, call, result, size);
		break;
	case COST_MAP:
		end_mapping(tracee, call, result, size);
		break;
	case COST_UNMAP:
		if (!result)
			allocation_unmap(tracee, call->arguments[0], call->arguments[1],
					 call->note);
		break;
	case COST_FREE:
	case COST_LOCK_TAKE:
	case COST_LOCK_TAKE_SPIN:
	case COST_LOCK_TRY:
	case COST_LOCK_RELEASE:
	case COST_LOCK_RELEASE_SPIN:
	case COST_CONDITION_WAIT:
	case COST_SEMAPHORE_WAIT:
	case COST_SEND:
	case COST_RECEIVE:
	case COST_UNWIND:
	case COST_UNWIND_FORCED:
	case COST_JUMP:
	case COST_CHANGE:
	case COST_KIND_COUNT:
		break;
	}
}

void allocations_forget(struct tracee *tracee)
{
	if (has_scopes(tracee))
		return;
	heap_forget(&tracee->inferior->heap, tracee->tid);
	tracee->allocations.n_sites = 0;
}

static void add_framed(struct allocations *allocations, int64_t id, const struct heap_scope *scope)
{
	allocations->framed = mem_grow(allocations->framed, &allocations->framed_capacity,
				       allocations->n_framed + 1, sizeof(*allocations->framed));
	allocations->framed[allocations->n_framed++] =
		(struct framed_scope){.id = id, .scope = *scope};
}

void allocations_frame_begins(struct tracee *tracee, int64_t id)
{
	const struct heap_scope scope = scope_of(tracee);

	add_framed(&tracee->allocations, id, &scope);
}

/* Those above it have been left otherwise. */
static const struct heap_scope *leave_framed(struct allocations *allocations, int64_t id)
{
	for (size_t i = allocations->n_framed; i > 0; i--)
		if (allocations->framed[i - 1].id == id) {
			allocations->n_framed = i - 1;
			return &allocations->framed[i - 1].scope;
		}
	return NULL;
}

struct site_sums *allocations_frame_ends(struct tracee *tracee, int64_t id,
					 struct value ret[HEAP_TOTALS])
{
	const struct heap_scope *scope = leave_framed(&tracee->allocations, id);
	struct site_sums *sites;

	for (enum metric metric = METRIC_SUMS; metric < METRIC_TOTALS; metric++)
		ret[metric - METRIC_SUMS] = scope_value(
			tracee->inferior, wants_blocks(tracee->inferior) ? scope : NULL, metric);
	sites = scope ? allocation_sites_end(tracee, scope, true) : NULL;
	allocations_forget(tracee);
	return sites;
}

void allocations_take_frames(struct tracee *tracee)
{
	struct allocations *allocations = &tracee->allocations;

	for (size_t i = tracee->calls.n; i > 0; i--) {
		struct open_call *call = &tracee->calls.calls[i - 1];
		const struct heap_scope *scope = leave_framed(allocations, call->id);

		if (scope)
			call->allocations.scope = *scope;
	}
	allocations->n_framed = 0;
}

void allocations_give_frame(struct tracee *tracee, const struct open_call *call)
{
	add_framed(&tracee->allocations, call->id, &call->allocations.scope);
}
