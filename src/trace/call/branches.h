/* Where branches of calls lead. */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/*
 * Probes of function @index are planted after its entry's and lifted after them; @tid: any stopped
 * tracee. Calls open then do not report branches without a hit as not reached.
 */
void branches_set_up(struct session *session, struct measured_function *measured);
void branches_plant(struct inferior *inferior, pid_t tid, unsigned index);
void branches_lift(struct inferior *inferior, pid_t tid, unsigned index);
/*
 * The catalogue says anew which branches are rare. Their probes are planted while a call of the
 * tenth is open; by pads they stay, and such calls note them.
 */
void branches_ask(struct measured_function *measured, uint64_t now_ns);
void branches_begin(const struct tracee *tracee, struct open_call *call);
/* @tracee has hit the branch probe @breakpoint. */
void branches_hit(struct tracee *tracee, struct breakpoint *breakpoint);
/* Undo this: the instruction has not run and will hit again. */
void branches_take_back(struct tracee *tracee, const struct breakpoint *breakpoint);
/*
 * [branches of its function] values of the ending @call, the tracee's; owned by the caller; NULL:
 * not measured.
 */
struct value *branches_end(const struct tracee *tracee, const struct open_call *call);

/*
 * Branches as pads note them: the turns of each loop, a word, all bits if not known; then a byte
 * for each branch: 0 not reached, 1 not taken, 2 taken, 3 reached again, 4 and more a switch's
 * outcome. branches_count(): how many bytes; branches_byte(): the first of branch @branch of the
 * function, -1: none (given up, or one of too many).
 */
size_t branches_count(const struct measured_function *measured);
int branches_byte(const struct measured_function *measured, size_t branch);
/* Is the branch of byte @byte not given up? */
bool branches_is_live(const struct measured_function *measured, unsigned byte);

/*
 * What branches_end() gives, of a call that pads followed. Branches that it reached again are given
 * up: *@ret_looped is set if there are new ones.
 */
struct branches_noted {
	const uint8_t *bytes;
	uint32_t rank; /* of the call */
	uint64_t start_ns;
};
struct value *branches_of_bytes(const struct measured_function *measured,
				const struct branches_noted *noted, bool *ret_looped);

/* The outcomes of an open call. */
void branches_take_bytes(const struct measured_function *measured, const uint8_t *bytes,
			 struct open_call *call);
void branches_give_bytes(const struct measured_function *measured, const struct open_call *call,
			 uint8_t *bytes);
