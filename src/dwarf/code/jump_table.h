/*
 * Switches: which instruction reads the jump table, and which register says the entry.
 *
 * Compilers read a table in few ways:
 *     jmp *T(,%i,8)                                                     addresses
 *     mov T(,%i,8),%r … jmp *%r                                         addresses
 *     movslq d(%t,%i,4),%r … add %t,%r … jmp *%r                        offsets from the table
 *     lea 0(,%i,4),%s; lea T(%rip),%t; mov (%s,%t),%eax; cltq … add …   the same without optimisation
 * What does not look like one of these is not known. By the time of the jump the register may hold
 * something else, so that the index must be read where the table is.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"

/* What the instructions seen so far leave in registers. */
struct jump_table {
	int scaled; /* this register is another one's value times `scale`; -1: none is known */
	unsigned scale;
	int placed; /* this register is `place`; -1: none is known */
	uint64_t place;
	/* register `load.table_register` holds an entry, perhaps extended and added to */
	bool loaded;
	struct insn load;
	struct table_index index; /* of that entry */
	int table;                /* register that still holds the table's address; -1: none */
	uint64_t table_place;     /* the table's address, 0: not known */
	bool added;               /* the table's address was added to the entry */
	unsigned since_above;     /* instructions since a jump that an index too large takes */
};

/* At the start of a function's range, or where instructions could not be decoded. */
void jump_table_reset(struct jump_table *watch);

/* Each instruction in the order of addresses. */
void jump_table_see(struct jump_table *watch, const struct insn *insn);

/*
 * Before @jump, an indirect one through a table, is seen: fill in @ret's address and index. False:
 * it cannot be told for certain. *@ret_checked: an index that is too large was sent elsewhere
 * shortly before, so that the table begins where it is read with index 0.
 */
bool jump_table_find(const struct jump_table *watch, const struct insn *jump,
		     struct branch_site *ret, bool *ret_checked);
