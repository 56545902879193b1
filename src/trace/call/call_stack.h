/*
 * Open calls of one tracee, innermost last. Pure data: nothing here touches the inferior.
 *
 * A call is known by its CFA. Stacks grow down: of two open frames on one stack the inner one has
 * the lower CFA, and a frame below one that begins or ends now is gone, by an exception or longjmp.
 * Signal handlers and coroutines run on stacks of their own, which may lie in the same memory
 * region, so such a call is only suspected: it is certainly gone once its return address was
 * overwritten or its frame used again. A suspected call may still end like any other.
 *
 * A call that leaves by a tail call stays open until its return address is reached; so does one
 * whose function is closed meanwhile, but its frame is still its own (kept).
 */
#pragma once

#include "trace/state/open_call.h"

void call_stack_deinit(struct call_stack *stack);

/* Meaning of a hit at a function's entry probe. */
enum entry_kind {
	ENTRY_NEW,
	ENTRY_AGAIN, /* a loop's turn, or endless tail calls: the open call goes on */
};
enum entry_kind call_stack_entry(struct call_stack *stack, unsigned function, uint64_t cfa,
				 bool probe_in_loop);

/* Facts about a hit of a function's entry probe. */
struct entry_facts {
	bool goes_on;
	bool is_left;      /* the open call is gone: its return address was overwritten */
	bool may_be_turn;  /* may be a loop's turn of a call missed while the function was closed */
	bool was_entered;  /* its first instruction was hit in this frame */
	bool has_returned; /* a frame here or above returned since the function opened */
};
/* Does a call begin? */
bool call_stack_begins(const struct entry_facts *facts);

/* Is @call suspected to be gone when a frame at @cfa on @stack begins or ends? */
bool call_stack_suspects(const struct open_call *call, uint64_t cfa, uint64_t stack);

/*
 * How many of the outermost @n calls there are up to the innermost of them with a CFA in (@low,
 * @high], itself included; 0: there is none.
 */
size_t call_stack_among(const struct call_stack *stack, size_t n, uint64_t low, uint64_t high);

/* The innermost call of @function with @cfa; NULL: none. */
struct open_call *call_stack_find(struct call_stack *stack, unsigned function, uint64_t cfa);

/*
 * The innermost call with @cfa, equal to the stack pointer after its return, that waits for a
 * return to @pc (return_pc or kept_pc); NULL: none.
 */
struct open_call *call_stack_find_waiting(struct call_stack *stack, uint64_t pc, uint64_t cfa);

/*
 * The caller of a frame at @cfa on stack @where that begins: the innermost call not suspected;
 * NULL: none.
 */
struct open_call *call_stack_caller(struct call_stack *stack, uint64_t cfa, uint64_t where);

struct open_call *call_stack_push(struct call_stack *stack, const struct open_call *call);

/* Insert with @at calls outside of it. */
struct open_call *call_stack_insert(struct call_stack *stack, const struct open_call *call,
				    size_t at);

/* The caller takes over @call's features and branches. */
void call_stack_remove(struct call_stack *stack, struct open_call *call);
