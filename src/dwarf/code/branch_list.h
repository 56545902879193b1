/*
 * The branches of one function, collected while its instructions are decoded: their source lines
 * and names, which lie in loops, and which switches are not known for certain.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "core/flow/flow_loops.h"
#include "dwarf/file/die.h"

struct jump {
	uint64_t from_addr, to_addr;
};

struct branch_list { /* all zero: empty */
	struct branch_site *branches;
	size_t n, capacity;
	uint64_t *jumps; /* per branch: a switch's jump address; 0: no switch */
	size_t jumps_capacity;
	struct jump *direct; /* direct jumps within the function */
	size_t n_direct, direct_capacity;
};

/*
 * Add branches in the order of addresses. @jump_addr: of a switch, the address of its jump, at or
 * after the read of its table; else 0.
 */
void branch_list_add(struct branch_list *list, const struct branch_site *branch,
		     uint64_t jump_addr);
/* Add a loop; call when all branches are there. */
void branch_list_loop(struct branch_list *list, const struct flow_loop *loop);
/* Add @insn, a direct jump within the function. */
void branch_list_jump(struct branch_list *list, const struct insn *insn);

/*
 * Set @function's branches, in @arena, with source lines from the unit of @die (NULL: none). Frees
 * @list.
 */
void branch_list_take(struct branch_list *list, Dwarf_Die *die, struct arena *arena,
		      struct function *function);
