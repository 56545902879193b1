/*
 * The interpreter of read plans. Every plan is a small machine that runs until it wants memory; the
 * wishes of one level are merged into spans and read together.
 */
#include "core/plan_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	PAGE = 4096,
	SPAN_GAP = 256,     /* wishes closer than this share a span */
	STRING_FIRST = 256, /* bytes of a string read in its first level */
	STRING_NEXT = 65536,
	LEVELS_MAX = 64 + PLAN_STRING_MAX /
				  PAGE, /* a plan of 64 loads, or the longest string by pages */
};

enum machine_state { RUNNING, WAITING, DONE };

struct machine {
	const struct read_plan *plan;
	uint64_t stack[PLAN_STACK];
	unsigned depth;
	unsigned step;
	enum machine_state state;
	enum absence absence;
	uint64_t want_address; /* WAITING */
	size_t want_size;
	size_t span;            /* the index of the read that serves the wish */
	uint64_t string_length; /* bytes of a string seen so far */
	bool in_string;
};

struct plan_runner {
	struct machine *machines;
	size_t machines_capacity;
	struct machine **waiting;
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

static void finish(struct machine *machine, enum absence absence)
{
	machine->state = DONE;
	machine->absence = absence;
}

static void want(struct machine *machine, uint64_t address, size_t size)
{
	machine->state = WAITING;
	machine->want_address = address;
	machine->want_size = size;
}

/*
 * The first piece of a string stays within its page; most strings end there. Later pieces are long,
 * and cut back to their first page if they cannot be read whole (starve()).
 */
static void want_string(struct machine *machine, uint64_t address)
{
	size_t to_page_end = PAGE - address % PAGE;

	if (machine->string_length >= PLAN_STRING_MAX)
		finish(machine, ABSENT_TOO_LONG);
	else if (machine->string_length)
		want(machine, address, STRING_NEXT);
	else
		want(machine, address, to_page_end < STRING_FIRST ? to_page_end : STRING_FIRST);
}

static uint64_t shift(enum plan_op op, uint64_t a, uint64_t by)
{
	bool far = by >= 64;

	if (op == PLAN_SHL)
		return far ? 0 : a << by;
	if (op == PLAN_SHR)
		return far ? 0 : a >> by;
	return (uint64_t)((int64_t)a >> (far ? 63 : by));
}

static bool divide(uint64_t a, uint64_t b, uint64_t *ret)
{
	if (b == 0 || (b == UINT64_MAX && a == (uint64_t)INT64_MIN))
		return false;
	*ret = (uint64_t)((int64_t)a / (int64_t)b);
	return true;
}

static void run_binary(struct machine *machine, enum plan_op op)
{
	uint64_t b = machine->stack[--machine->depth];
	uint64_t *a = &machine->stack[machine->depth - 1];

	switch (op) {
	case PLAN_PLUS:
		*a += b;
		break;
	case PLAN_MINUS:
		*a -= b;
		break;
	case PLAN_MUL:
		*a *= b;
		break;
	case PLAN_DIV:
		if (!divide(*a, b, a))
			finish(machine, ABSENT_UNSUPPORTED);
		break;
	case PLAN_AND:
		*a &= b;
		break;
	case PLAN_OR:
		*a |= b;
		break;
	case PLAN_XOR:
		*a ^= b;
		break;
	default: /* only the shifts are left */
		*a = shift(op, *a, b);
		break;
	}
}

static uint64_t sign_extend(uint64_t word, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return size >= 8 ? word : (uint64_t)((int64_t)(word << unused) >> unused);
}

static uint64_t zero_extend(uint64_t word, unsigned size)
{
	return size >= 8 ? word : word & ((UINT64_C(1) << 8 * size) - 1);
}

static void push(struct machine *machine, uint64_t word)
{
	machine->stack[machine->depth++] = word;
}

/* One step that is not binary; plans are verified, so operands are there. */
static void run_step(struct machine *machine, const struct plan_step *step,
		     const struct plan_context *context)
{
	uint64_t *top = machine->depth ? &machine->stack[machine->depth - 1] : NULL;
	uint64_t word;

	switch (step->op) {
	case PLAN_REG:
		push(machine, context->registers[step->arg]);
		break;
	case PLAN_CONST:
		push(machine, step->arg);
		break;
	case PLAN_ADDRESS:
		push(machine, context->load_bias + step->arg);
		break;
	case PLAN_ADD:
		*top += step->arg;
		break;
	case PLAN_LOAD:
		want(machine, *top, step->arg);
		break;
	case PLAN_NONNULL:
		if (*top == 0)
			finish(machine, ABSENT_NULL);
		break;
	case PLAN_STRLEN:
		machine->in_string = true;
		want_string(machine, *top);
		break;
	case PLAN_SEXT:
		*top = sign_extend(*top, step->arg);
		break;
	case PLAN_DUP:
		push(machine, *top);
		break;
	case PLAN_DROP:
		machine->depth--;
		break;
	case PLAN_SWAP:
		word = *top;
		*top = top[-1];
		top[-1] = word;
		break;
	case PLAN_PICK:
		push(machine, top[-step->arg]);
		break;
	case PLAN_NEG:
		*top = -*top;
		break;
	case PLAN_NOT:
		*top = ~*top;
		break;
	default:
		run_binary(machine, step->op);
		break;
	}
}

/* Run until memory is wanted or the plan ends. */
static void run(struct machine *machine, const struct plan_context *context)
{
	while (machine->state == RUNNING) {
		if (machine->step == machine->plan->n_steps) {
			finish(machine, PRESENT);
			break;
		}
		run_step(machine, &machine->plan->steps[machine->step++], context);
	}
}

static void feed_string(struct machine *machine, const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, 0, size);
	uint64_t *top = &machine->stack[machine->depth - 1];

	machine->string_length += end ? (size_t)(end - bytes) : size;
	if (!end) {
		want_string(machine, *top + machine->string_length);
		return;
	}
	*top = machine->string_length;
	machine->string_length = 0;
	machine->in_string = false;
	machine->state = RUNNING;
}

static void feed(struct machine *machine, const uint8_t *bytes)
{
	uint64_t word = 0;

	if (machine->in_string) {
		feed_string(machine, bytes, machine->want_size);
		return;
	}
	memcpy(&word, bytes, machine->want_size);
	machine->stack[machine->depth - 1] = word;
	machine->state = RUNNING;
}

/* A long piece that cannot be read whole may still end before the unreadable page. */
static void starve(struct machine *machine)
{
	size_t to_page_end = PAGE - machine->want_address % PAGE;

	if (machine->in_string && machine->want_size > to_page_end)
		want(machine, machine->want_address, to_page_end);
	else
		finish(machine, ABSENT_UNREADABLE);
}

static int by_address(const void *a, const void *b)
{
	const struct machine *const *x = a;
	const struct machine *const *y = b;

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
	qsort(runner->waiting, n_waiting, sizeof(*runner->waiting), by_address);
	return n_waiting;
}

static bool in_page(uint64_t page, uint64_t address, size_t size)
{
	return address / PAGE == page && (address + size - 1) / PAGE == page;
}

/* Only wishes within one page share a read: they can all be read, or none can. */
static bool joins(const struct memory_read *span, const struct machine *wish)
{
	uint64_t page = span->address / PAGE;

	return in_page(page, span->address, span->size) &&
	       in_page(page, wish->want_address, wish->want_size) &&
	       wish->want_address <= span->address + span->size + SPAN_GAP;
}

static void join(struct memory_read *span, const struct machine *wish)
{
	uint64_t end = wish->want_address + wish->want_size;

	if (end > span->address + span->size)
		span->size = end - span->address;
}

/* Merge the sorted wishes into reads. */
static size_t merge(struct plan_runner *runner, size_t n_waiting)
{
	struct memory_read *reads;
	size_t n = 0;
	size_t i;

	reads = mem_grow(runner->reads, &runner->reads_capacity, n_waiting, sizeof(*reads));
	runner->reads = reads;
	for (i = 0; i < n_waiting; i++) {
		struct machine *wish = runner->waiting[i];

		if (n && joins(&reads[n - 1], wish))
			join(&reads[n - 1], wish);
		else
			reads[n++] = (struct memory_read){.address = wish->want_address,
							  .size = wish->want_size};
		wish->span = n - 1;
	}
	return n;
}

static void place(struct plan_runner *runner, size_t n_reads)
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
		struct machine *machine = runner->waiting[i];
		const struct memory_read *span = &runner->reads[machine->span];

		if (span->ok)
			feed(machine,
			     (uint8_t *)span->to + (machine->want_address - span->address));
		else
			starve(machine);
	}
}

static struct value result(const struct machine *machine)
{
	uint64_t word = machine->stack[0];
	unsigned size = machine->plan->size;
	struct value value = {.absence = machine->absence};
	float single;

	if (value.absence != PRESENT)
		return value;
	word = zero_extend(word, size);
	switch (machine->plan->result) {
	case PLAN_SIGNED:
		value.number = (int64_t)sign_extend(word, size);
		break;
	case PLAN_UNSIGNED:
		value.number = word;
		break;
	case PLAN_BOOL:
		value.number = word != 0;
		break;
	case PLAN_FLOAT:
		memcpy(&single, &word, sizeof(single));
		memcpy(&value.number, &word, sizeof(word));
		if (size == 4)
			value.number = single;
		break;
	case PLAN_RESULT_COUNT:
		break;
	}
	if (!isfinite(value.number))
		value = (struct value){.absence = ABSENT_NOT_FINITE};
	return value;
}

static void start(struct machine *machine, const struct read_plan *plan)
{
	*machine = (struct machine){.plan = plan};
	if (!plan->n_steps)
		finish(machine, ABSENT_OPTIMIZED_OUT);
}

unsigned plan_runner_run(struct plan_runner *runner, const struct read_plan *const *plans, size_t n,
			 const struct plan_context *context, struct value *ret)
{
	unsigned levels = 0;
	size_t n_waiting;
	size_t i;

	runner->machines = mem_grow(runner->machines, &runner->machines_capacity, n,
				    sizeof(*runner->machines));
	for (i = 0; i < n; i++) {
		start(&runner->machines[i], plans[i]);
		run(&runner->machines[i], context);
	}
	while ((n_waiting = collect_waiting(runner, n)) > 0) {
		size_t n_reads = merge(runner, n_waiting);

		place(runner, n_reads);
		context->memory.read(context->memory.self, runner->reads, n_reads);
		levels++;
		distribute(runner, n_waiting);
		for (i = 0; i < n; i++)
			run(&runner->machines[i], context);
	}
	for (i = 0; i < n; i++)
		ret[i] = result(&runner->machines[i]);
	return levels;
}
