/*
 * Open calls of one tracee, innermost last, and how calls are matched to their ends.
 *
 * A call is known by its CFA. Stacks grow down, so of two open frames on one stack the inner one
 * has the lower CFA; a frame whose CFA is below that of a frame that begins or ends now is gone, by
 * an exception or longjmp. That holds only within one stack: signal handlers and coroutines run on
 * others, so each call also knows its stack.
 *
 * A call that leaves by a tail call stays open, waiting, until its return address is reached. Pure
 * data: nothing here touches the inferior.
 */
#ifndef FATHOM_TRACE_CALL_STACK_H
#define FATHOM_TRACE_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/value.h"

struct open_call {
	unsigned function;
	uint64_t cfa;
	uint64_t stack;     /* identity of the memory region that the frame lies in */
	uint64_t return_pc; /* waiting for a return to there, after a tail call; 0: not waiting */
	bool restarted; /* its first instruction was interrupted: its breakpoint will be hit again */
	int64_t id, parent;
	uint64_t start_ns;      /* when the tracee was resumed */
	uint64_t stopped_ns;    /* what the tracee had spent in stops by then */
	uint64_t stops;         /* and how many */
	struct value *features; /* owned */
};

struct call_stack {
	struct open_call *calls;
	size_t n, capacity; /* `capacity` is private */
};

void call_stack_deinit(struct call_stack *stack);

/* What a hit of a function's entry breakpoint means. */
enum entry_kind {
	ENTRY_NEW,   /* a call begins */
	ENTRY_AGAIN, /* a loop, or endless tail calls: the open call goes on */
};
enum entry_kind call_stack_entry(struct call_stack *stack, unsigned function, uint64_t cfa,
				 bool probe_in_loop);

/*
 * The top call, if it cannot be open any more now that a call of another frame begins at @cfa on
 * @where; else NULL. The caller accounts for it, pops it, and asks again.
 */
struct open_call *call_stack_stale(struct call_stack *stack, uint64_t cfa, uint64_t where);

/* The innermost call of @function with @cfa; NULL if there is none. */
struct open_call *call_stack_find(struct call_stack *stack, unsigned function, uint64_t cfa);

/*
 * The innermost call that waits for a return to @pc with the stack pointer at @cfa; NULL if there
 * is none.
 */
struct open_call *call_stack_find_waiting(struct call_stack *stack, uint64_t pc, uint64_t cfa);

/*
 * A call that was opened within @call, on the same stack, and so cannot be open when @call ends;
 * NULL: none.
 */
struct open_call *call_stack_inside(struct call_stack *stack, const struct open_call *call);

struct open_call *call_stack_push(struct call_stack *stack, const struct open_call *call);

/* Remove @call; its features belong to the caller now. */
void call_stack_remove(struct call_stack *stack, struct open_call *call);

#endif
