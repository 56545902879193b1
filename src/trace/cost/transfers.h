/*
 * Transfers: the metric `remote`, and the messages that name the same request on both sides.
 *
 * Calls that send and receive are noticed while a measured call is open, and between calls, as one
 * may be asked before it begins (requests.h); where they are in the streams of a TCP connection the
 * kernel says, of unix sockets and pipes what they return is counted. A call *asks* on a connection
 * on which it sends first, and *serves* on one on which it receives first; so do those that it
 * calls after that. A pipe has one direction: what a call that was asked by one writes to another
 * answers. TCP goes before unix sockets, and these before pipes, which carry other things than
 * requests, too; what they carry without an answer asks nothing.
 * `remote` is the time from its sending there until the last of the answer was received, of several
 * connections at once once. Files and datagrams count as the call's own time. What passes libc by
 * (io_uring, system calls of the program's own) is not noticed here, but TCP counts its bytes: they
 * are a gap, which the other side's calls do not fit.
 */
#pragma once

#include <stdbool.h>

#include "core/catalogue/cost_call.h"
#include "core/messages.h"
#include "core/value.h"
#include "trace/state/cost_state.h"

struct open_call;
struct tracee;

/* Are calls of @kind transfers? */
bool transfers_have(enum cost_call_kind kind);

/* For cost_calls.c: of @tracee's open cost call. */
void transfers_begin(struct tracee *tracee);
void transfers_end(struct tracee *tracee);

/* `remote` in µs of @call, which took @time and ends in this stop. */
struct value transfers_remote(const struct tracee *tracee, const struct open_call *call,
			      struct value time);

/* The same of a call whose transfers are these, where it is known. */
struct value transfers_remote_of(const struct transfers *of, struct value time);

/* The messages of @call, which ends in this stop. */
struct messages transfers_messages(const struct tracee *tracee, const struct open_call *call);

/*
 * For trace/ring: what pads have noted, at a moment by the thread's clock and by all others'. A
 * call begins, or ends (false: nothing is known of it); a transfer begins @at, or ends with @n
 * bytes.
 */
struct transfer_moment {
	int64_t own_ns;
	uint64_t stop_ns;
};
void transfers_frame_begins(struct tracee *tracee, int64_t id, struct transfer_moment now);
bool transfers_frame_ends(struct tracee *tracee, int64_t id, struct transfers *ret);
void transfers_frame_transfer(struct tracee *tracee, const struct stream_position *at, bool sends,
			      struct transfer_moment now);
void transfers_frame_transferred(struct tracee *tracee, uint64_t n, struct transfer_moment now);
/* The call of which @of is ends @now. */
void transfers_end_call(const struct tracee *tracee, struct transfers *of,
			struct transfer_moment now);
/* Messages of a call that has ended so. */
struct messages transfers_frame_messages(const struct transfers *of);
/*
 * All of @tracee that pads followed are among its calls again, and its own clock, as pads told it,
 * is @late_ns behind; @call is followed by pads from now on.
 */
void transfers_take_frames(struct tracee *tracee, int64_t late_ns);
void transfers_give_frame(struct tracee *tracee, const struct open_call *call);

/*
 * @call begins within @caller: what that was asked is answered by it, too; NULL: it may have been
 * asked before.
 */
void transfers_begin_call(struct tracee *tracee, struct open_call *call,
			  const struct open_call *caller);
