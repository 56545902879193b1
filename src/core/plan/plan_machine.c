/* Running the steps of one read plan. plan_runner.c reads memory for many at once. */
#include "plan_machine.h"

#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "core/text_pool.h"
#include "plan_number.h"

enum {
	STRING_FIRST = 256, /* bytes of a string in its first level */
	STRING_NEXT = 65536,
};

static void machine_finish(struct plan_machine *machine, enum absence absence)
{
	machine->state = DONE;
	machine->absence = absence;
}

static void want(struct plan_machine *machine, uint64_t address, size_t size)
{
	machine->state = WAITING;
	machine->want_address = address;
	machine->want_size = size;
}

/*
 * The first piece of a string stays within its page; most strings end there. Later pieces are long;
 * plan_machine_starve() cuts them back to their first page if they cannot be read whole.
 */
static void want_string(struct plan_machine *machine, uint64_t address)
{
	uint64_t left = machine->string_limit - machine->string_length;
	size_t to_page_end = MACHINE_PAGE - address % MACHINE_PAGE;
	size_t most = STRING_NEXT;

	if (!machine->string_length)
		most = to_page_end < STRING_FIRST ? to_page_end : STRING_FIRST;
	if (!left)
		machine_finish(machine, ABSENT_TOO_LONG);
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

static void run_convert(struct plan_machine *machine, uint64_t *top, int64_t arg)
{
	const enum absence absence = plan_number_convert(arg, top);

	if (absence != PRESENT)
		machine_finish(machine, absence);
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
	const size_t low = BISECT_FIRST(i, map ? map->n_ranges : 0, map->ranges[i].high <= pointer);

	if (!map || low == map->n_ranges || map->ranges[low].low > pointer)
		return NULL;
	return &map->ranges[low];
}

static void run_class(struct plan_machine *machine, uint64_t *top, const struct class_map *map)
{
	const struct class_map_range *range = find_vtable(map, *top);

	if (range)
		*top = map->classes[range->class_type].number;
	else
		machine_finish(machine, ABSENT_UNKNOWN_CLASS);
}

static void run_cast(struct plan_machine *machine, uint64_t *top, uint64_t cast,
		     const struct class_map *map)
{
	const struct class_map_range *range = find_vtable(map, *top);

	if (!range || cast >= map->n_casts) {
		machine_finish(machine, ABSENT_UNKNOWN_CLASS);
		return;
	}
	for (size_t i = 0; i < map->casts[cast].n_entries; i++) {
		const struct class_cast_entry *entry = &map->casts[cast].entries[i];

		if (entry->class_type != range->class_type)
			continue;
		*top = (uint64_t)entry->offset;
		return;
	}
	machine_finish(machine, ABSENT_OTHER_CLASS);
}

static void run_text(struct plan_machine *machine, uint64_t *top, const struct class_map *map)
{
	if (!map || !map->texts)
		machine_finish(machine, ABSENT_UNSUPPORTED);
	else
		top[-2] = text_pool_add(map->texts, (const char *)&top[-1], top[-2]);
	machine->depth -= 2;
}

static void machine_push(struct plan_machine *machine, uint64_t word)
{
	machine->stack[machine->depth++] = word;
}

static uint64_t pop(struct plan_machine *machine)
{
	return machine->stack[--machine->depth];
}

/* Plans are verified: operands and room on the stack are there. */
static void run_step(struct plan_machine *machine, const struct plan_step *step,
		     const struct plan_context *context)
{
	uint64_t *top = machine->depth ? &machine->stack[machine->depth - 1] : NULL;
	uint64_t word;

	switch (step->op) {
	case PLAN_REG:
		machine_push(machine, context->registers[step->arg]);
		if (context->unknown >> step->arg & 1)
			machine_finish(machine, ABSENT_UNKNOWN_REGISTER);
		break;
	case PLAN_CONST:
		machine_push(machine, step->arg);
		break;
	case PLAN_ADDRESS:
		machine_push(machine, context->load_bias + step->arg);
		break;
	case PLAN_ADD:
		*top += step->arg;
		break;
	case PLAN_LOAD:
		want(machine, *top, step->arg);
		break;
	case PLAN_NONNULL:
		if (*top == 0)
			machine_finish(machine, ABSENT_NULL);
		break;
	case PLAN_STRLEN:
	case PLAN_STRNLEN:
		machine->wants = WANTS_STRING;
		machine->string_limit = step->op == PLAN_STRLEN ? PLAN_STRING_MAX : step->arg;
		want_string(machine, *top);
		break;
	case PLAN_SUM:
		machine->wants = WANTS_ARRAY;
		machine->array = read_plan_unpack_array(step->arg);
		want(machine, *top, (size_t)machine->array.n * machine->array.size);
		break;
	case PLAN_BOUND:
		if (top[-1] > pop(machine))
			machine_finish(machine, ABSENT_UNREADABLE);
		break;
	case PLAN_REQUIRE:
		if (!pop(machine))
			machine_finish(machine, (enum absence)step->arg);
		break;
	case PLAN_INT128:
		top[-1] = plan_number_int128(top[-1], pop(machine), step->arg);
		break;
	case PLAN_X87:
		top[-1] = plan_number_x87(top[-1], pop(machine));
		break;
	case PLAN_CLASS:
		run_class(machine, top, context->classes);
		break;
	case PLAN_TEXT:
		run_text(machine, top, context->classes);
		break;
	case PLAN_CAST:
		run_cast(machine, top, step->arg, context->classes);
		break;
	case PLAN_SEXT:
		*top = plan_number_sign_extend(*top, step->arg);
		break;
	case PLAN_DUP:
		machine_push(machine, *top);
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
		machine_push(machine, top[-step->arg]);
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
			machine_finish(machine, ABSENT_UNSUPPORTED);
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
			machine_finish(machine, ABSENT_UNSUPPORTED);
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
	case PLAN_DOUBLE:
		word = pop(machine);
		top[-1] = plan_number_double(top[-1], word, step->arg);
		break;
	case PLAN_OP_COUNT:
		break;
	}
}

void plan_machine_start(struct plan_machine *machine, const struct read_plan *plan)
{
	*machine = (struct plan_machine){.plan = plan};
	if (!plan->n_steps)
		machine_finish(machine, ABSENT_OPTIMIZED_OUT);
}

void plan_machine_run(struct plan_machine *machine, const struct plan_context *context)
{
	while (machine->state == RUNNING) {
		if (machine->step == machine->plan->n_steps) {
			machine_finish(machine, PRESENT);
			break;
		}
		run_step(machine, &machine->plan->steps[machine->step++], context);
	}
}

static void feed_string(struct plan_machine *machine, const uint8_t *bytes, size_t size)
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

/* Sums of integers wrap as the program's own would. */
static void feed_array(struct plan_machine *machine, const uint8_t *bytes)
{
	const struct plan_array *array = &machine->array;
	double total = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < array->n; i++) {
		uint64_t word = 0;

		memcpy(&word, bytes + i * array->size, array->size);
		if (array->element == PLAN_FLOAT)
			total += plan_number_float(word, array->size);
		else if (array->element == PLAN_BOOL)
			sum += word != 0;
		else
			sum += array->element == PLAN_SIGNED
				       ? plan_number_sign_extend(word, array->size)
				       : word;
	}
	machine->stack[machine->depth - 1] =
		array->element == PLAN_FLOAT ? plan_number_bits(total) : sum;
	machine->wants = WANTS_WORD;
	machine->state = RUNNING;
}

void plan_machine_feed(struct plan_machine *machine, const uint8_t *bytes)
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
void plan_machine_starve(struct plan_machine *machine)
{
	size_t to_page_end = MACHINE_PAGE - machine->want_address % MACHINE_PAGE;

	if (machine->wants == WANTS_STRING && machine->want_size > to_page_end)
		want(machine, machine->want_address, to_page_end);
	else
		machine_finish(machine, ABSENT_UNREADABLE);
}

struct value plan_machine_value(const struct read_plan *plan, uint64_t word)
{
	const unsigned size = plan->size;
	struct value value = {.absence = PRESENT};

	word = plan_number_zero_extend(word, size);
	switch (plan->result) {
	case PLAN_SIGNED:
		value.number = (int64_t)plan_number_sign_extend(word, size);
		break;
	case PLAN_UNSIGNED:
		value.number = word;
		break;
	case PLAN_BOOL:
		value.number = word != 0;
		break;
	case PLAN_FLOAT:
		value.number = plan_number_float(word, size);
		break;
	case PLAN_RESULT_COUNT:
		break;
	}
	if (!isfinite(value.number))
		value = (struct value){.absence = ABSENT_NOT_FINITE};
	return value;
}

struct value plan_machine_result(const struct plan_machine *machine)
{
	if (machine->absence != PRESENT)
		return (struct value){.absence = machine->absence};
	return plan_machine_value(machine->plan, machine->stack[0]);
}
