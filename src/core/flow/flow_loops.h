/* The loops of a function. A pure function of where its instructions lead. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum flow_kind {
	FLOW_JUMP,  /* to `target_addr`, if that is in the function */
	FLOW_IF,    /* there or on */
	FLOW_TABLE, /* to places of the function that are not known */
	FLOW_END,   /* it leaves the function, or what follows is none of its code */
};

/* Addresses are of one kind, link-time or run-time; a target of 0 is outside. */
struct flow_insn {
	enum flow_kind kind;
	uint64_t addr, next_addr, target_addr;
};

struct flow_loop {
	uint64_t head_addr;
	uint64_t turn_addr; /* what runs once in each turn, before anything else of its body */
	uint64_t jump_addr; /* the test, if it is first, or the last jump that leads back */
	unsigned depth;     /* loops around it */
};

/*
 * The loops of the function that begins at @entry_addr, outermost first, then by address; owned by
 * the caller. @insns: sorted by address, every instruction after which the next is not all that can
 * run, and the last one of each of its ranges, as FLOW_END if it is no such. Padding behind one
 * that never goes on belongs to it: its next address is behind that.
 */
struct flow_loop *flow_loops_find(const struct flow_insn *insns, size_t n, uint64_t entry_addr,
				  size_t *ret_n);
