/*
 * Running read plans level by level. plan_machine.c runs each until it needs memory; here the
 * requests of a level are merged into spans and read together.
 */
#include "plan_runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan_machine.h"

enum { SPAN_GAP = 256 }; /* bytes; closer requests share a span */

struct plan_runner {
	struct plan_machine *machines;
	size_t machines_capacity;
	struct plan_machine **waiting;
	size_t waiting_capacity;
	struct memory_read *reads;
	size_t reads_capacity;
	uint8_t *buffer;
	size_t buffer_capacity;
};

struct plan_runner *plan_runner_create(void)
{
	return mem_alloc(sizeof(struct plan_runner));
}

void plan_runner_destroy(struct plan_runner *runner)
{
	if (!runner)
		return;
	free(runner->machines);
	free(runner->waiting);
	free(runner->reads);
	free(runner->buffer);
	free(runner);
}

static int by_address(const void *a, const void *b)
{
	const struct plan_machine *const *x = a;
	const struct plan_machine *const *y = b;

	return ((*x)->want_address > (*y)->want_address) -
	       ((*x)->want_address < (*y)->want_address);
}

static size_t collect_waiting(struct plan_runner *runner, size_t n)
{
	size_t n_waiting = 0;
	size_t i;

	runner->waiting =
		mem_grow(runner->waiting, &runner->waiting_capacity, n, sizeof(*runner->waiting));
	for (i = 0; i < n; i++)
		if (runner->machines[i].state == WAITING)
			runner->waiting[n_waiting++] = &runner->machines[i];
	if (n_waiting)
		qsort(runner->waiting, n_waiting, sizeof(*runner->waiting), by_address);
	return n_waiting;
}

static bool in_page(uint64_t page, uint64_t address, size_t size)
{
	return address / MACHINE_PAGE == page && (address + size - 1) / MACHINE_PAGE == page;
}

/* Only requests within one page share a read: all of it is readable, or nothing. */
static bool span_covers(const struct memory_read *span, const struct plan_machine *request)
{
	uint64_t page = span->address / MACHINE_PAGE;

	return in_page(page, span->address, span->size) &&
	       in_page(page, request->want_address, request->want_size) &&
	       request->want_address <= span->address + span->size + SPAN_GAP;
}

static void span_extend(struct memory_read *span, const struct plan_machine *request)
{
	uint64_t end = request->want_address + request->want_size;

	if (end > span->address + span->size)
		span->size = end - span->address;
}

/* Merge the sorted requests into reads. */
static size_t span_merge(struct plan_runner *runner, size_t n_waiting)
{
	struct memory_read *reads;
	size_t n = 0;
	size_t i;

	reads = mem_grow(runner->reads, &runner->reads_capacity, n_waiting, sizeof(*reads));
	runner->reads = reads;
	for (i = 0; i < n_waiting; i++) {
		struct plan_machine *request = runner->waiting[i];

		if (n && span_covers(&reads[n - 1], request))
			span_extend(&reads[n - 1], request);
		else
			reads[n++] = (struct memory_read){.address = request->want_address,
							  .size = request->want_size};
		request->span = n - 1;
	}
	return n;
}

static void span_place(struct plan_runner *runner, size_t n_reads)
{
	size_t total = 0;
	size_t i;

	for (i = 0; i < n_reads; i++)
		total += runner->reads[i].size;
	runner->buffer = mem_grow(runner->buffer, &runner->buffer_capacity, total, 1);
	for (i = 0, total = 0; i < n_reads; total += runner->reads[i++].size)
		runner->reads[i].to = runner->buffer + total;
}

static void distribute(struct plan_runner *runner, size_t n_waiting)
{
	size_t i;

	for (i = 0; i < n_waiting; i++) {
		struct plan_machine *machine = runner->waiting[i];
		const struct memory_read *span = &runner->reads[machine->span];

		if (span->ok)
			plan_machine_feed(machine, (uint8_t *)span->to +
							   (machine->want_address - span->address));
		else
			plan_machine_starve(machine);
	}
}

/* Run all machines to their ends. Returns the number of vectored reads. */
static unsigned run_machines(struct plan_runner *runner, const struct read_plan *const *plans,
			     size_t n, const struct plan_context *context)
{
	unsigned levels = 0;
	size_t n_waiting;
	size_t i;

	runner->machines = mem_grow(runner->machines, &runner->machines_capacity, n,
				    sizeof(*runner->machines));
	for (i = 0; i < n; i++) {
		plan_machine_start(&runner->machines[i], plans[i]);
		plan_machine_run(&runner->machines[i], context);
	}
	while ((n_waiting = collect_waiting(runner, n)) > 0) {
		size_t n_reads = span_merge(runner, n_waiting);

		span_place(runner, n_reads);
		context->memory.read(context->memory.self, runner->reads, n_reads);
		levels++;
		distribute(runner, n_waiting);
		for (i = 0; i < n; i++)
			plan_machine_run(&runner->machines[i], context);
	}
	return levels;
}

unsigned plan_runner_run(struct plan_runner *runner, const struct read_plan *const *plans, size_t n,
			 const struct plan_context *context, struct value *ret)
{
	const unsigned levels = run_machines(runner, plans, n, context);

	for (size_t i = 0; i < n; i++)
		ret[i] = plan_machine_result(&runner->machines[i]);
	return levels;
}

unsigned plan_runner_run_words(struct plan_runner *runner, const struct read_plan *const *plans,
			       size_t n, const struct plan_context *context, struct word *ret)
{
	const unsigned levels = run_machines(runner, plans, n, context);

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct word){runner->machines[i].stack[0], runner->machines[i].absence};
	return levels;
}

struct value plan_runner_finish(const struct read_plan *plan, unsigned from, const uint64_t *words,
				const struct plan_context *context)
{
	struct plan_machine machine;

	if (from && from == plan->n_steps) /* most: no machine is needed */
		return plan_machine_value(plan, words[0]);
	plan_machine_start(&machine, plan);
	machine.step = from;
	machine.depth = read_plan_depth(plan, from);
	for (unsigned i = 0; i < machine.depth; i++)
		machine.stack[i] = words[i];
	plan_machine_run(&machine, context);
	return plan_machine_result(&machine);
}
