/*
 * Switches: which instruction reads the jump table, and which register holds the index.
 *
 * Compilers read a table in few ways:
 *     jmp *T(,%i,8)                                             addresses
 *     mov T(,%i,8),%r … jmp *%r                                 addresses
 *     movslq d(%t,%i,4),%r … add %t,%r … jmp *%r                offsets from the table
 *     lea 0(,%i,4),%s; lea T(%rip),%t; mov (%s,%t),%eax; cltq … add …    the same, unoptimised
 * Anything else is unknown. At the jump the register may hold something else, so the index must be
 * read where the table is read.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"

/* What the instructions seen so far leave in registers. */
struct jump_table {
	int scaled; /* this register is another's value times `scale`; -1: none */
	unsigned scale;
	int placed; /* this register contains the address `place`; -1: none */
	uint64_t place;
	/* register `load.table_register` contains an entry, perhaps extended and added to */
	bool loaded;
	struct insn load;
	struct table_index index; /* of that entry */
	int table;                /* register that still contains the table's address; -1: none */
	uint64_t table_place;     /* the table's address, 0: unknown */
	bool added;               /* the table's address was added to the entry */
	unsigned since_above;     /* instructions since the bounds check */
};

/* Call at the start of a range, and where instructions could not be decoded. */
void jump_table_reset(struct jump_table *state);

/* Call for each instruction in the order of addresses. */
void jump_table_see(struct jump_table *state, const struct insn *insn);

/*
 * Call before jump_table_see() gets @jump, an indirect jump through a table: sets @ret's address
 * and index. False: unknown or not certain. *@ret_checked: a preceding bounds check sends too large
 * indices elsewhere, so the table starts where index 0 reads it.
 */
bool jump_table_find(const struct jump_table *state, const struct insn *jump,
		     struct branch_site *ret, bool *ret_checked);
