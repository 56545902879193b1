/*
 * Locations: DWARF expressions compiled into steps of read plans.
 *
 * Source: DWARF 5, sections 2.5 and 2.6; System V x86-64 psABI, figure 3.36 (registers).
 */
#pragma once

#include "base/arena.h"
#include "core/plan/read_plan.h"
#include "core/value.h"
#include "dwarf/file/die.h"

struct elf_file;

struct steps {
	struct plan_step step[PLAN_STEPS_MAX];
	unsigned n;
	bool overflow; /* more would have been needed */
};

void location_push(struct steps *steps, enum plan_op op, int64_t arg);

void location_append_steps(struct steps *to, const struct steps *from);

enum location_kind {
	LOCATION_ABSENT,   /* `absence` and `where` say why */
	LOCATION_MEMORY,   /* the steps leave the address */
	LOCATION_REGISTER, /* the value is register `reg` */
	LOCATION_VALUE,    /* the steps leave the value: its lowest 8 bytes, if it has more */
	LOCATION_PIECES,   /* parts of it are in several places */
};

struct location {
	enum location_kind kind;
	struct steps steps;
	unsigned reg;
	enum absence absence;
	const char *where; /* for people: the register, or the address without `offset` ("CFA") */
	int64_t offset;    /* of LOCATION_MEMORY and LOCATION_VALUE, part of the steps already */
	const struct piece *pieces; /* LOCATION_PIECES: in the order of the object's bytes */
	size_t n_pieces;
};

struct piece {
	uint64_t offset, size; /* bytes of the object */
	struct location at;    /* of the piece; LOCATION_ABSENT: optimised out */
};

/* `where` of what is no register or address with an offset. */
#define LOCATION_COMPUTED "computed"

/* What expressions of a function refer to, at one address. */
struct frame_base {
	struct location cfa;  /* LOCATION_VALUE */
	struct location base; /* of DW_OP_fbreg: LOCATION_VALUE, or LOCATION_ABSENT */
	uint64_t addr;
	bool at_entry;   /* @addr is the first instruction: registers are as the caller left them */
	uint64_t intact; /* bit N: register N is as the caller left it; see insn's `writes` */
	/* slots of parameters are not filled yet; see probe_address_before_slots() */
	bool unfilled;
	const struct elf_file *image; /* of thread-local objects; NULL: those are absent */
};

/*
 * Compile the expression @ops, one of @attribute's (NULL: of none). @start is what is on the stack
 * at the beginning, NULL for an empty one. Texts live in @arena.
 */
void location_compile(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t n,
		      const struct frame_base *frame, const struct location *start,
		      struct arena *arena, struct location *ret);

/* Is it a location list, with ranges in which each of its expressions holds? */
bool location_is_list(Dwarf_Attribute *attribute);

/*
 * Is it the memory that an argument register points to? So are objects passed that classes copy
 * themselves; the function need not keep the register.
 */
bool location_is_by_argument(const Dwarf_Op *op);

/*
 * Is it a register in which no argument comes? If that is no list, the function moves it there
 * first (`register` without optimisation, -fno-var-tracking).
 */
bool location_is_own_register(const Dwarf_Op *op);

/* The location in memory @offset bytes behind @at. */
void location_add(struct location *at, int64_t offset);

/*
 * Replace the location of an object by that of its part of @size bytes at @offset, wherever the
 * object is: in memory, in a register or a value (shifted down), or in pieces. A part that several
 * pieces hold is LOCATION_PIECES again. What is nowhere is LOCATION_ABSENT, with the reason.
 * @size 0: not known, an object itself; then what is no memory must start there.
 */
void location_part(struct location *at, uint64_t offset, uint64_t size, struct arena *arena);

/* Replace the location of a pointer by that of what it points to. */
void location_dereference(struct location *at, struct arena *arena);

/*
 * Append what makes @at's value, of @size bytes, the top of the stack; pieces are joined. @at may
 * be LOCATION_ABSENT after that: pieces of which one is nowhere, or of odd sizes.
 */
void location_load(struct location *at, unsigned size);

/* Make @at a location that is nowhere, with a phrase that says why. */
void location_absent(struct location *at, enum absence absence, const char *why);

/* "in rdi", "at CFA-24". */
const char *location_phrase(const struct location *at, struct arena *arena);

/* The name of a register, NULL if plans cannot read it. */
const char *location_register_name(unsigned reg);
