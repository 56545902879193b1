/*
 * Transfers: the metric `remote`, and the messages that name the same request on both sides.
 *
 * Calls that send and receive are noticed while a measured call is open; where they are in the
 * streams of a TCP connection the kernel says, of unix sockets and pipes what they return is
 * counted. A call *asks* on a connection on which it sends first, and *serves* on one on which it
 * receives first; so do those that it calls after that. A pipe has one direction: what a call that
 * was asked by one writes to another answers. TCP goes before unix sockets, and these before pipes,
 * which carry other things than requests, too; what they carry without an answer asks nothing.
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

/* The messages of @call, which ends. */
struct messages transfers_messages(const struct open_call *call);

/* @call begins within @caller: what that was asked is answered by it, too. */
void transfers_inherit(struct open_call *call, const struct open_call *caller);
