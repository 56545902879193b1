/* A walk for each pointer: its state is which registers hold it, and which
 * bytes are written. */
#include "out_places.h"

#include <string.h>

enum {
	BYTES = 64, /* behind the pointer that are looked at */
	POINTERS_MAX = 16,
	STEPS_MAX = 2048,
	SEEN_MAX = 256,
	REGISTERS = 16,
	RBP = 6, /* DWARF numbers */
	RSP = 7,
};

static const uint64_t ALL_BYTES = UINT64_MAX;

/* Where the pointer is when a call begins: in a register, or in a slot of the
 * frame. */
struct home {
	bool in_slot;
	int reg; /* or the slot's base */
	int64_t displacement;
};

/* At an instruction. */
struct point {
	uint64_t addr;
	uint32_t held;              /* bit N: register N holds the pointer + offsets[N] */
	int64_t offsets[REGISTERS]; /* 0 where it does not */
	uint32_t perhaps;           /* bit N: register N may hold it, with any offset */
	uint64_t written;           /* bit N: byte N */
	bool left;                  /* the frame is left: a return follows */
};

struct walk {
	const struct elf_file *image;
	struct insn_decoder *decoder;
	const struct function *function;
	struct home home;
	struct point seen[SEEN_MAX]; /* where control flow joins: as last followed */
	size_t n_seen;
	struct point waiting[SEEN_MAX];
	size_t n_waiting;
	uint64_t read; /* on some way before it was written, or perhaps */
	uint64_t ever; /* written on some way */
};

/* The bytes from @offset on; those beyond BYTES are left out. */
static uint64_t bytes_of(int64_t offset, uint64_t size)
{
	uint64_t mask = 0;

	for (int64_t at = 0; at < BYTES; at++)
		if (at >= offset && (uint64_t)at - (uint64_t)offset < size)
			mask |= UINT64_C(1) << at;
	return mask;
}

static bool holds(const struct point *point, int reg)
{
	return reg >= 0 && reg < REGISTERS && (point->held >> reg & 1);
}

static void hold(struct point *point, int reg, int64_t offset)
{
	point->held |= UINT32_C(1) << reg;
	point->offsets[reg] = offset;
}

static void forget(struct point *point, uint64_t registers)
{
	for (int i = 0; i < REGISTERS; i++)
		if (registers >> i & 1)
			point->offsets[i] = 0;
	point->held &= ~(uint32_t)registers;
	point->perhaps &= ~(uint32_t)registers;
}

/* From here on anything may be read. */
static bool give_up(struct walk *walk, const struct point *point)
{
	walk->read |= ~point->written;
	return false;
}

static bool is_home(const struct home *home, const struct insn_memory *memory)
{
	return home->in_slot && memory->size && memory->base == home->reg &&
	       memory->displacement < home->displacement + 8 &&
	       memory->displacement + memory->size > home->displacement;
}

/* Does it make the slot's address, so that anything may change it? */
static bool takes_home(const struct home *home, const struct insn *insn)
{
	return home->in_slot && insn->arithmetic == INSN_COPY && insn->from == home->reg &&
	       (int64_t)insn->number >= home->displacement &&
	       (int64_t)insn->number < home->displacement + 8;
}

/* The operand in memory. False: what it is for is not known. */
static bool memory_see(struct walk *walk, struct point *point, const struct insn *insn)
{
	const struct insn_memory *memory = &insn->memory;
	uint64_t bytes;

	if (!memory->size)
		return true;
	if (holds(point, memory->index) || (holds(point, memory->base) && memory->index >= 0))
		return false;
	if (is_home(&walk->home, memory))
		return !memory->written && (insn->loads >= 0 || !insn->writes);
	if (!holds(point, memory->base))
		return true;
	bytes = bytes_of(point->offsets[memory->base] + memory->displacement, memory->size);
	if (memory->read)
		walk->read |= bytes & ~point->written;
	if (memory->written) {
		point->written |= bytes;
		walk->ever |= bytes;
	}
	return true;
}

static uint64_t used_registers(const struct insn *insn)
{
	const struct insn_memory *memory = &insn->memory;
	uint64_t used = insn->values;

	if (memory->size && memory->base >= 0)
		used |= UINT64_C(1) << memory->base;
	if (memory->size && memory->index >= 0)
		used |= UINT64_C(1) << memory->index;
	return used;
}

/* One that falls through. False: this way ends here. */
static bool plain_see(struct walk *walk, struct point *point, const struct insn *insn)
{
	const bool copies = insn->arithmetic == INSN_COPY && holds(point, insn->from);
	const int64_t offset = copies ? point->offsets[insn->from] + (int64_t)insn->number : 0;
	const bool is_value = insn->values & point->held;

	if ((used_registers(insn) & point->perhaps) || insn->writes == UINT64_MAX ||
	    takes_home(&walk->home, insn) || point->left)
		return give_up(walk, point);
	/* Compared it goes nowhere; else it may get anywhere. */
	if (is_value && !copies && (insn->writes || insn->memory.written))
		return give_up(walk, point);
	if (!memory_see(walk, point, insn))
		return give_up(walk, point);
	point->left = walk->home.in_slot && (insn->writes >> RBP & 1);
	forget(point, insn->writes);
	if (copies)
		hold(point, insn->to, offset);
	if (insn->loads >= 0 && is_home(&walk->home, &insn->memory)) {
		if (insn->memory.displacement != walk->home.displacement)
			return give_up(walk, point);
		hold(point, insn->loads, 0);
	}
	return true;
}

static void way_add(struct walk *walk, const struct point *from, uint64_t addr)
{
	struct point *point = &walk->waiting[walk->n_waiting];

	if (walk->n_waiting == SEEN_MAX || !catalogue_contains(walk->function, addr)) {
		give_up(walk, from); /* a tail call is a call */
		return;
	}
	walk->n_waiting++;
	*point = *from;
	point->addr = addr;
}

/*
 * Join @point with what was followed from there before: what both know. False: nothing new.
 */
static bool is_new(struct walk *walk, struct point *point)
{
	struct point *seen = walk->seen;
	uint32_t differ = 0;

	while (seen < walk->seen + walk->n_seen && seen->addr != point->addr)
		seen++;
	if (seen == walk->seen + walk->n_seen) {
		if (walk->n_seen == SEEN_MAX)
			return give_up(walk, point);
		walk->n_seen++;
		*seen = *point;
		return true;
	}
	for (int i = 0; i < REGISTERS; i++)
		if (holds(seen, i) != holds(point, i) || seen->offsets[i] != point->offsets[i])
			differ |= UINT32_C(1) << i;
	differ |= seen->perhaps | point->perhaps;
	forget(point, differ);
	point->perhaps = differ;
	point->written &= seen->written;
	if (point->perhaps == seen->perhaps && point->written == seen->written)
		return false;
	*seen = *point;
	return true;
}

/* Follow one way to its end or to the next branch. */
static void way_follow(struct walk *walk, struct point point, unsigned *steps)
{
	if (!is_new(walk, &point))
		return;
	for (;;) {
		size_t size = 0;
		const uint8_t *code = elf_file_code(walk->image, point.addr, &size);
		struct insn insn;

		if (++*steps > STEPS_MAX || !code ||
		    !insn_decode(walk->decoder, code, size, point.addr, &insn)) {
			walk->read = ALL_BYTES;
			return;
		}
		switch (insn.kind) {
		case INSN_RETURN:
		case INSN_TRAP:
			return;
		case INSN_JUMP_IF:
			way_add(walk, &point, insn.target);
			way_add(walk, &point, point.addr + insn.size);
			return;
		case INSN_JUMP:
			way_add(walk, &point, insn.target);
			return;
		case INSN_CALL:
		case INSN_CALL_INDIRECT:
		case INSN_JUMP_INDIRECT:
		case INSN_LOOP:
		case INSN_UNMOVABLE:
			give_up(walk, &point);
			return;
		case INSN_PLAIN:
			if (!plain_see(walk, &point, &insn))
				return;
			break;
		case INSN_NOP:
			break;
		}
		point.addr += insn.size;
		if (!catalogue_contains(walk->function, point.addr)) {
			give_up(walk, &point);
			return;
		}
	}
}

static uint64_t out_bytes(const struct elf_file *image, struct insn_decoder *decoder,
			  const struct function *function, const struct home *home)
{
	struct walk walk = {image, decoder, function, .home = *home};
	struct point start = {.addr = function->probe_addr};
	unsigned steps = 0;

	if (!home->in_slot)
		hold(&start, home->reg, 0);
	walk.waiting[walk.n_waiting++] = start;
	while (walk.n_waiting && walk.read != ALL_BYTES)
		way_follow(&walk, walk.waiting[--walk.n_waiting], &steps);
	return walk.ever & ~walk.read;
}

/*
 * The pointer that a plan begins with, and the bytes behind it that it reads
 * first; 0: it does not begin so.
 */
static uint64_t first_bytes(const struct read_plan *plan, struct home *ret)
{
	const struct plan_step *step = plan->steps, *end = step + plan->n_steps;
	int64_t offset = 0;
	struct plan_array array;

	if (step == end || step->op != PLAN_REG || step->arg >= REGISTERS || step->arg == RSP)
		return 0;
	*ret = (struct home){.in_slot = step->arg == RBP, .reg = (int)step->arg};
	for (step++; step < end; step++)
		switch (step->op) {
		case PLAN_ADD:
			offset += step->arg;
			break;
		case PLAN_NONNULL:
			break;
		case PLAN_LOAD:
			if (!ret->in_slot || ret->displacement)
				return bytes_of(offset, step->arg);
			ret->displacement = offset;
			if (step->arg != 8 || !offset)
				return 0;
			offset = 0;
			break;
		case PLAN_SUM:
			array = read_plan_unpack_array(step->arg);
			if (offset + (uint64_t)array.n * array.size > BYTES)
				return 0;
			return ret->in_slot && !ret->displacement
				       ? 0
				       : bytes_of(offset, (uint64_t)array.n * array.size);
		default:
			return 0;
		}
	return 0;
}

/* What was found out about the pointers so far. */
struct found {
	struct home home;
	uint64_t out;
};

static bool same_home(const struct home *a, const struct home *b)
{
	return a->in_slot == b->in_slot && a->reg == b->reg && a->displacement == b->displacement;
}

bool out_places_find(const struct elf_file *image, struct insn_decoder *decoder,
		     const struct function *function, bool *ret)
{
	struct found founds[POINTERS_MAX];
	size_t n_founds = 0;
	bool any = false;

	for (size_t i = 0; i < function->n_features; i++) {
		const struct feature *feature = &function->features[i];
		struct found *found = founds;
		struct home home;
		uint64_t bytes = 0;

		if (feature->provenance == FROM_PARAMETER)
			bytes = first_bytes(&feature->plan, &home);
		while (bytes && found < founds + n_founds && !same_home(&found->home, &home))
			found++;
		ret[i] = false;
		if (!bytes || found == founds + POINTERS_MAX)
			continue;
		if (found == founds + n_founds)
			founds[n_founds++] =
				(struct found){home, out_bytes(image, decoder, function, &home)};
		ret[i] = !(bytes & ~found->out);
		any |= ret[i];
	}
	return any;
}
