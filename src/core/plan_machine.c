/* The steps of read plans, one machine at a time. Reading memory for many is plan_run.c's. */
#include "core/plan_machine.h"

#include <math.h>
#include <string.h>

#include "core/plan_number.h"

enum {
	STRING_FIRST = 256, /* bytes of a string read in its first level */
	STRING_NEXT = 65536,
};

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
	uint64_t left = machine->string_limit - machine->string_length;
	size_t to_page_end = MACHINE_PAGE - address % MACHINE_PAGE;
	size_t most = STRING_NEXT;

	if (!machine->string_length)
		most = to_page_end < STRING_FIRST ? to_page_end : STRING_FIRST;
	if (!left)
		finish(machine, ABSENT_TOO_LONG);
	else
		want(machine, address, left < most ? left : most);
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

static void run_convert(struct machine *machine, uint64_t *top, int64_t arg)
{
	const enum absence absence = number_convert(arg, top);

	if (absence != PRESENT)
		finish(machine, absence);
}

static void run_rot(uint64_t *top)
{
	const uint64_t first = *top;

	*top = top[-1];
	top[-1] = top[-2];
	top[-2] = first;
}

static const struct class_map_range *find_vtable(const struct class_map *map, uint64_t pointer)
{
	size_t low = 0;
	size_t high = map ? map->n_ranges : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->ranges[middle].high <= pointer)
			low = middle + 1;
		else
			high = middle;
	}
	if (!map || low == map->n_ranges || map->ranges[low].low > pointer)
		return NULL;
	return &map->ranges[low];
}

static void run_class(struct machine *machine, uint64_t *top, const struct class_map *map)
{
	const struct class_map_range *range = find_vtable(map, *top);

	if (range)
		*top = map->classes[range->class_type].number;
	else
		finish(machine, ABSENT_UNKNOWN_CLASS);
}

static void run_cast(struct machine *machine, uint64_t *top, uint64_t cast,
		     const struct class_map *map)
{
	const struct class_map_range *range = find_vtable(map, *top);
	size_t i;

	if (!range || cast >= map->n_casts) {
		finish(machine, ABSENT_UNKNOWN_CLASS);
		return;
	}
	for (i = 0; i < map->casts[cast].n_entries; i++) {
		const struct class_cast_entry *entry = &map->casts[cast].entries[i];

		if (entry->class_type != range->class_type)
			continue;
		*top = (uint64_t)entry->offset;
		return;
	}
	finish(machine, ABSENT_OTHER_CLASS);
}

static void push(struct machine *machine, uint64_t word)
{
	machine->stack[machine->depth++] = word;
}

static uint64_t pop(struct machine *machine)
{
	return machine->stack[--machine->depth];
}

/* Plans are verified, so operands are there, and there is room. */
static void run_step(struct machine *machine, const struct plan_step *step,
		     const struct plan_context *context)
{
	uint64_t *top = machine->depth ? &machine->stack[machine->depth - 1] : NULL;
	uint64_t word;

	switch (step->op) {
	case PLAN_REG:
		push(machine, context->registers[step->arg]);
		if (context->unknown >> step->arg & 1)
			finish(machine, ABSENT_UNKNOWN_REGISTER);
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
	case PLAN_STRNLEN:
		machine->wants = WANTS_STRING;
		machine->string_limit = step->op == PLAN_STRLEN ? PLAN_STRING_MAX : step->arg;
		want_string(machine, *top);
		break;
	case PLAN_SUM:
		machine->wants = WANTS_ARRAY;
		machine->array = plan_array_unpack(step->arg);
		want(machine, *top, (size_t)machine->array.n * machine->array.size);
		break;
	case PLAN_BOUND:
		if (top[-1] > pop(machine))
			finish(machine, ABSENT_UNREADABLE);
		break;
	case PLAN_INT128:
		top[-1] = number_int128(top[-1], pop(machine), step->arg);
		break;
	case PLAN_X87:
		top[-1] = number_x87(top[-1], pop(machine));
		break;
	case PLAN_CLASS:
		run_class(machine, top, context->classes);
		break;
	case PLAN_CAST:
		run_cast(machine, top, step->arg, context->classes);
		break;
	case PLAN_SEXT:
		*top = number_sign_extend(*top, step->arg);
		break;
	case PLAN_DUP:
		push(machine, *top);
		break;
	case PLAN_DROP:
		pop(machine);
		break;
	case PLAN_SWAP:
		word = *top;
		*top = top[-1];
		top[-1] = word;
		break;
	case PLAN_PICK:
		push(machine, top[-step->arg]);
		break;
	case PLAN_PLUS:
		top[-1] += pop(machine);
		break;
	case PLAN_MINUS:
		top[-1] -= pop(machine);
		break;
	case PLAN_MUL:
		top[-1] *= pop(machine);
		break;
	case PLAN_DIV:
		if (!divide(top[-1], pop(machine), &top[-1]))
			finish(machine, ABSENT_UNSUPPORTED);
		break;
	case PLAN_AND:
		top[-1] &= pop(machine);
		break;
	case PLAN_OR:
		top[-1] |= pop(machine);
		break;
	case PLAN_XOR:
		top[-1] ^= pop(machine);
		break;
	case PLAN_SHL:
	case PLAN_SHR:
	case PLAN_SHRA:
		top[-1] = shift(step->op, top[-1], pop(machine));
		break;
	case PLAN_MOD:
		word = pop(machine);
		if (word)
			top[-1] %= word;
		else
			finish(machine, ABSENT_UNSUPPORTED);
		break;
	case PLAN_EQUAL:
		top[-1] = top[-1] == pop(machine);
		break;
	case PLAN_LESS:
		top[-1] = (int64_t)top[-1] < (int64_t)pop(machine);
		break;
	case PLAN_BELOW:
		top[-1] = top[-1] < pop(machine);
		break;
	case PLAN_NEG:
		*top = -*top;
		break;
	case PLAN_NOT:
		*top = ~*top;
		break;
	case PLAN_ROT:
		run_rot(top);
		break;
	case PLAN_CONVERT:
		run_convert(machine, top, step->arg);
		break;
	case PLAN_OP_COUNT:
		break;
	}
}

void machine_start(struct machine *machine, const struct read_plan *plan)
{
	*machine = (struct machine){.plan = plan};
	if (!plan->n_steps)
		finish(machine, ABSENT_OPTIMIZED_OUT);
}

void machine_run(struct machine *machine, const struct plan_context *context)
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
	machine->wants = WANTS_WORD;
	machine->state = RUNNING;
}

/* Sums of integers wrap, as the program's own would. */
static void feed_array(struct machine *machine, const uint8_t *bytes)
{
	const struct plan_array *array = &machine->array;
	double total = 0;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < array->n; i++) {
		uint64_t word = 0;

		memcpy(&word, bytes + i * array->size, array->size);
		if (array->element == PLAN_FLOAT)
			total += number_float(word, array->size);
		else if (array->element == PLAN_BOOL)
			sum += word != 0;
		else
			sum += array->element == PLAN_SIGNED ? number_sign_extend(word, array->size)
							     : word;
	}
	machine->stack[machine->depth - 1] =
		array->element == PLAN_FLOAT ? number_bits(total) : sum;
	machine->wants = WANTS_WORD;
	machine->state = RUNNING;
}

void machine_feed(struct machine *machine, const uint8_t *bytes)
{
	uint64_t word = 0;

	if (machine->wants == WANTS_STRING) {
		feed_string(machine, bytes, machine->want_size);
		return;
	}
	if (machine->wants == WANTS_ARRAY) {
		feed_array(machine, bytes);
		return;
	}
	memcpy(&word, bytes, machine->want_size);
	machine->stack[machine->depth - 1] = word;
	machine->state = RUNNING;
}

/* A long piece that cannot be read whole may still end before the unreadable page. */
void machine_starve(struct machine *machine)
{
	size_t to_page_end = MACHINE_PAGE - machine->want_address % MACHINE_PAGE;

	if (machine->wants == WANTS_STRING && machine->want_size > to_page_end)
		want(machine, machine->want_address, to_page_end);
	else
		finish(machine, ABSENT_UNREADABLE);
}

struct value machine_result(const struct machine *machine)
{
	uint64_t word = machine->stack[0];
	unsigned size = machine->plan->size;
	struct value value = {.absence = machine->absence};

	if (value.absence != PRESENT)
		return value;
	word = number_zero_extend(word, size);
	switch (machine->plan->result) {
	case PLAN_SIGNED:
		value.number = (int64_t)number_sign_extend(word, size);
		break;
	case PLAN_UNSIGNED:
		value.number = word;
		break;
	case PLAN_BOOL:
		value.number = word != 0;
		break;
	case PLAN_FLOAT:
		value.number = number_float(word, size);
		break;
	case PLAN_RESULT_COUNT:
		break;
	}
	if (!isfinite(value.number))
		value = (struct value){.absence = ABSENT_NOT_FINITE};
	return value;
}
