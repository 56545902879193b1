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
	uint64_t string_limit;  /* bytes of a string to look at */
	enum { WANTS_WORD, WANTS_STRING, WANTS_ARRAY } wants;
	struct plan_array array; /* WANTS_ARRAY */
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
	uint64_t left = machine->string_limit - machine->string_length;
	size_t to_page_end = PAGE - address % PAGE;
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
	case PLAN_MOD:
		if (b)
			*a %= b;
		else
			finish(machine, ABSENT_UNSUPPORTED);
		break;
	case PLAN_EQUAL:
		*a = *a == b;
		break;
	case PLAN_LESS:
		*a = (int64_t)*a < (int64_t)b;
		break;
	case PLAN_BELOW:
		*a = *a < b;
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

static uint64_t double_bits(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Round to a double, as all numbers of samples are. */
static uint64_t int128_bits(uint64_t low, uint64_t high, bool is_signed)
{
	unsigned __int128 word = (unsigned __int128)high << 64 | low;

	return double_bits(is_signed ? (double)(__int128)word : (double)word);
}

static uint64_t x87_bits(uint64_t significand, uint64_t exponent)
{
	long double number = 0;

	memcpy(&number, &significand, 8);
	memcpy((char *)&number + 8, &exponent, 2);
	return double_bits((double)number);
}

static uint64_t float_bits(double number)
{
	float single = (float)number;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

static double format_number(uint64_t word, enum plan_format format)
{
	double number;
	float single;

	memcpy(&number, &word, sizeof(number));
	memcpy(&single, &word, sizeof(single));
	return format == PLAN_FORMAT_FLOAT ? (double)single : number;
}

/* Bounds are powers of two, which doubles hold exactly; conversion beyond them is undefined in C. */
static enum absence integer_of(double number, bool is_signed, uint64_t *ret)
{
	if (!isfinite(number))
		return ABSENT_NOT_FINITE;
	if (is_signed ? number < -0x1p63 || number >= 0x1p63 : number <= -1 || number >= 0x1p64)
		return ABSENT_UNSUPPORTED;
	*ret = is_signed ? (uint64_t)(int64_t)number : (uint64_t)number;
	return PRESENT;
}

/* An integer is rounded once, to the format that is wanted. */
static uint64_t float_of(uint64_t word, bool is_signed, enum plan_format to)
{
	const float single = is_signed ? (float)(int64_t)word : (float)word;

	if (to == PLAN_FORMAT_FLOAT)
		return float_bits((double)single);
	return double_bits(is_signed ? (double)(int64_t)word : (double)word);
}

static void run_convert(struct machine *machine, uint64_t *top, int64_t arg)
{
	const enum plan_format from = (enum plan_format)(arg / PLAN_FORMAT_COUNT);
	const enum plan_format to = (enum plan_format)(arg % PLAN_FORMAT_COUNT);
	enum absence absence = PRESENT;

	if (from == PLAN_FORMAT_SIGNED || from == PLAN_FORMAT_UNSIGNED) {
		if (to == PLAN_FORMAT_FLOAT || to == PLAN_FORMAT_DOUBLE)
			*top = float_of(*top, from == PLAN_FORMAT_SIGNED, to);
	} else if (to == PLAN_FORMAT_FLOAT) {
		*top = float_bits(format_number(*top, from));
	} else if (to == PLAN_FORMAT_DOUBLE) {
		*top = double_bits(format_number(*top, from));
	} else {
		absence = integer_of(format_number(*top, from), to == PLAN_FORMAT_SIGNED, top);
	}
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
		machine->depth--;
		if (top[-1] > *top)
			finish(machine, ABSENT_UNREADABLE);
		break;
	case PLAN_INT128:
		machine->depth--;
		top[-1] = int128_bits(top[-1], *top, step->arg);
		break;
	case PLAN_X87:
		machine->depth--;
		top[-1] = x87_bits(top[-1], *top);
		break;
	case PLAN_CLASS:
		run_class(machine, top, context->classes);
		break;
	case PLAN_CAST:
		run_cast(machine, top, step->arg, context->classes);
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
	case PLAN_ROT:
		run_rot(top);
		break;
	case PLAN_CONVERT:
		run_convert(machine, top, step->arg);
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
	machine->wants = WANTS_WORD;
	machine->state = RUNNING;
}

static double element_number(uint64_t word, const struct plan_array *array)
{
	float single;
	double number;

	memcpy(&single, &word, sizeof(single));
	memcpy(&number, &word, sizeof(number));
	return array->size == 4 ? (double)single : number;
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
			total += element_number(word, array);
		else if (array->element == PLAN_BOOL)
			sum += word != 0;
		else
			sum += array->element == PLAN_SIGNED ? sign_extend(word, array->size)
							     : word;
	}
	machine->stack[machine->depth - 1] =
		array->element == PLAN_FLOAT ? double_bits(total) : sum;
	machine->wants = WANTS_WORD;
	machine->state = RUNNING;
}

static void feed(struct machine *machine, const uint8_t *bytes)
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
static void starve(struct machine *machine)
{
	size_t to_page_end = PAGE - machine->want_address % PAGE;

	if (machine->wants == WANTS_STRING && machine->want_size > to_page_end)
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
	if (n_waiting)
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
