/*
 * The branches of one function, as its instructions are walked over: where they are in the source,
 * what they are called, which lie in loops, and which switches cannot be told for certain.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "dwarf/file/die.h"

struct jump {
	uint64_t from_addr, to_addr;
};

struct branch_list { /* all zero: empty */
	struct branch_site *branches;
	size_t n, capacity;
	uint64_t *jumps; /* beside each branch: where a switch jumps; 0: others */
	size_t jumps_capacity;
	struct jump *direct; /* direct jumps within the function */
	size_t n_direct, direct_capacity;
};

/*
 * In the order of addresses. @jump_addr: of a switch the address of its jump, not before where its
 * table is read; else 0.
 */
void branch_list_add(struct branch_list *list, const struct branch_site *branch,
		     uint64_t jump_addr);
/* @insn is a direct jump to somewhere in the function. */
void branch_list_jump(struct branch_list *list, const struct insn *insn);

/*
 * Give @function its branches, with the source lines that the unit of @die (NULL: none) says; @list
 * is freed.
 */
void branch_list_take(struct branch_list *list, Dwarf_Die *die, struct arena *arena,
		      struct function *function);
