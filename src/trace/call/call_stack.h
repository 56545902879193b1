/*
 * Open calls of one tracee, innermost last, and how calls are matched to their ends.
 *
 * A call is known by its CFA. Stacks grow down, so of two open frames on one stack the inner one
 * has the lower CFA; a frame whose CFA is below that of a frame that begins or ends now is gone, by
 * an exception or longjmp, if both are on one stack. Signal handlers and coroutines run on others,
 * which may even lie in the same memory region. So such a call is only suspected: it is gone for
 * sure when its return address was overwritten or its frame is used again, and a suspected call
 * that ends after all is a call like any other.
 *
 * A call that leaves by a tail call stays open, waiting, until its return address is reached. So
 * does one whose function is closed while it is open: it is kept, its frame is still its own. Pure
 * data: nothing here touches the inferior.
 */
#pragma once

#include "trace/state/open_call.h"

void call_stack_deinit(struct call_stack *stack);

/* What a hit of a function's entry breakpoint means. */
enum entry_kind {
	ENTRY_NEW,   /* a call begins */
	ENTRY_AGAIN, /* a loop, or endless tail calls: the open call goes on */
};
enum entry_kind call_stack_entry(struct call_stack *stack, unsigned function, uint64_t cfa,
				 bool probe_in_loop);

/* What is known of a hit of a function's entry breakpoint. */
struct entry_facts {
	bool goes_on;      /* ENTRY_AGAIN */
	bool is_left;      /* but the open call is gone: its return address was overwritten */
	bool may_be_turn;  /* of a loop: a call may have begun while the function was closed */
	bool was_entered;  /* the function's first instruction was seen in the frame */
	bool has_returned; /* a frame of it, there or above, since it was opened: this is another */
};
/* Does a call begin? */
bool call_stack_begins(const struct entry_facts *facts);

/* Is @call suspected to be gone when a frame at @cfa on @stack begins or ends? */
bool call_stack_suspects(const struct open_call *call, uint64_t cfa, uint64_t stack);

/* The innermost call of @function with @cfa; NULL if there is none. */
struct open_call *call_stack_find(struct call_stack *stack, unsigned function, uint64_t cfa);

/*
 * The innermost call that waits for a return to @pc, or whose end is kept there, with the stack
 * pointer at @cfa; NULL if there is none.
 */
struct open_call *call_stack_find_waiting(struct call_stack *stack, uint64_t pc, uint64_t cfa);

/*
 * The innermost call that is not suspected when a frame at @cfa on @where begins: its caller. NULL:
 * none.
 */
struct open_call *call_stack_caller(struct call_stack *stack, uint64_t cfa, uint64_t where);

struct open_call *call_stack_push(struct call_stack *stack, const struct open_call *call);

/* The same, with @at calls outside of it. */
struct open_call *call_stack_insert(struct call_stack *stack, const struct open_call *call,
				    size_t at);

/* Remove @call; its features and branches belong to the caller now. */
void call_stack_remove(struct call_stack *stack, struct open_call *call);
