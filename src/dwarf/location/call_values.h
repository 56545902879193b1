/*
 * What calls pass: call sites of optimised code, whose callees may not keep their parameters.
 *
 * Source: DWARF 5, sections 3.4 and 2.5.1.7 (DW_OP_entry_value).
 */
#pragma once

#include "core/catalogue/call_site.h"
#include "frame_base.h"

/*
 * The call in @function that returns to @return_addr, where @frame is just before; all zero if the
 * debug information has none. Plans live in @arena.
 */
void call_values_find(Dwarf_Die *function, uint64_t return_addr, const struct frame_base *frame,
		      struct arena *arena, struct call_passing *ret);

/*
 * What the jumps at the end of @function, its tail calls, pass; @frame is that of its beginning,
 * with no parameters asked for. False: there are more than @most, or nobody knows where one of
 * them leads.
 */
bool call_values_tail_calls(Dwarf_Die *function, const struct frame_base *frame, size_t most,
			    struct arena *arena, struct call_hop *ret, size_t *ret_n);

/*
 * Where the calls in @function return to that mean the function with the name @linkage; at most
 * @most. False: there are more.
 */
bool call_values_meaning(Dwarf_Die *function, const char *linkage, size_t most, uint64_t *ret,
			 size_t *ret_n);

/* May @function come to run again in its own frame, by tail calls? */
bool call_values_calls_itself(Dwarf_Die *function);
