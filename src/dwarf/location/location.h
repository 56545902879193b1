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
	bool overflow; /* there were more than fit */
};

void location_push(struct steps *steps, enum plan_op op, int64_t arg);

void location_append_steps(struct steps *to, const struct steps *from);

enum location_kind {
	LOCATION_ABSENT,   /* `absence` and `where` say why */
	LOCATION_MEMORY,   /* the steps leave the address */
	LOCATION_REGISTER, /* the value is register `reg` */
	LOCATION_VALUE,    /* the steps leave the value, or its lowest 8 bytes */
	LOCATION_PIECES,   /* its parts are in several places */
};

struct location {
	enum location_kind kind;
	struct steps steps;
	unsigned reg;
	enum absence absence;
	const char *where; /* for people: the register, or the address without `offset` ("CFA") */
	int64_t offset;    /* of LOCATION_MEMORY and LOCATION_VALUE; included in the steps */
	const struct piece *pieces; /* [n_pieces], in the order of the object's bytes */
	size_t n_pieces;
};

struct piece {
	uint64_t offset, size; /* bytes of the object */
	struct location at;    /* of the piece; LOCATION_ABSENT: optimised out */
};

/* `where` of anything but a register or an address with an offset */
#define LOCATION_COMPUTED "computed"

struct call_asked;

/* The frame that a function's expressions refer to, at one address. */
struct frame_base {
	struct location cfa;  /* LOCATION_VALUE */
	struct location base; /* of DW_OP_fbreg: LOCATION_VALUE, or LOCATION_ABSENT */
	uint64_t addr;
	/* @addr is the first instruction, or behind a hook: registers have the caller's values */
	bool at_entry;
	uint64_t intact; /* bit N: register N has the caller's value; see insn's `writes` */
	/* parameter slots are not filled yet; see probe_address_before_slots() */
	bool unfilled;
	uint64_t entry_addr; /* of the function, behind its hook; 0: not known */
	/* the caller may be asked for registers at the call (PLAN_ENTRY) */
	bool has_caller;
	struct call_asked *asked;     /* which parameters it is asked for; NULL: for none */
	const struct elf_file *image; /* for thread-local objects; NULL: they are absent */
};

/*
 * Compile the expression @ops of @attribute (NULL: of none). @start: what the stack contains at the
 * beginning, NULL: empty. Unsupported or malformed: LOCATION_ABSENT, with the reason. Texts live in
 * @arena.
 */
void location_compile(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t n,
		      const struct frame_base *frame, const struct location *start,
		      struct arena *arena, struct location *ret);

/* Is it a location list, whose expressions apply to ranges? */
bool location_is_list(Dwarf_Attribute *attribute);

/*
 * Is it the memory that an argument register points to? Objects of classes with a copy constructor
 * are passed so; the function may reuse the register.
 */
bool location_is_by_argument(const Dwarf_Op *op);

/*
 * Is it a register that passes no arguments? Without a list, the function first moves the parameter
 * there (`register` without optimisation, -fno-var-tracking).
 */
bool location_is_own_register(const Dwarf_Op *op);

/* Advance the memory location @at by @offset bytes. */
void location_add(struct location *at, int64_t offset);

/*
 * Replace an object's location by that of its part of @size bytes at @offset, whether it is in
 * memory, in a register or value (shifted down), or in pieces. A part across pieces is
 * LOCATION_PIECES. Parts without a place are LOCATION_ABSENT, with the reason. @size 0: unknown,
 * e.g. the object itself; outside of memory it must then start there.
 */
void location_part(struct location *at, uint64_t offset, uint64_t size, struct arena *arena);

/* Replace a pointer's location by its target's. */
void location_dereference(struct location *at, struct arena *arena);

/*
 * Append steps that leave @at's value of @size bytes on the stack; pieces are joined. @at becomes
 * LOCATION_ABSENT if a piece is, or has an odd size.
 */
void location_load(struct location *at, unsigned size);

/* Make @at LOCATION_ABSENT, with a phrase for the reason. */
void location_absent(struct location *at, enum absence absence, const char *why);

/* "in rdi", "at CFA-24". */
const char *location_phrase(const struct location *at, struct arena *arena);

/* A register's name, NULL if plans cannot read it. */
const char *location_register_name(unsigned reg);
