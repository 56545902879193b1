/*
 * Transfers: the metric `remote`, and the messages that name the same request on both sides.
 *
 * Calls that send and receive are noticed while a measured call is open; where they are in the
 * streams of a TCP connection the kernel says. A call *asks* on a connection on which it sends
 * first, and *serves* on one on which it receives first; so do those that it calls after that.
 * `remote` is the time from its sending there until the last of the answer was received, of
 * several connections once. Other sockets, pipes and datagrams count as the call's own time. What
 * passes libc by (io_uring, system calls of the program's own) is not noticed here, but its bytes
 * count: they are a gap, which the other side's calls do not fit.
 */
#pragma once

#include <stdbool.h>

#include "core/catalogue/cost_call.h"
#include "core/value.h"

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
