/*
 * Calls that are left without a return: by an exception, at the end of their thread, by longjmp().
 *
 * Breakpoints in the unwinder and in longjmp() (hooks, enum exit_hook) tell between which stack
 * pointers frames are gone: from that of the unwinder to that of the frame that goes on, which is a
 * frame with a handler, or one with something to clean up. So a frame that cleans up and lets the
 * exception pass stays open until then. They stay planted between calls, as they are seldom hit;
 * hits without an open call, or beyond what measuring may cost, lift them until the next call.
 * Where calls are followed by pads, hooks are pads, too, which ask only while calls are open.
 *
 * A jump to another stack leaves calls only out of a signal handler with a stack of its own, which
 * the kernel's frame there shows: coroutines jump from stack to stack, too.
 *
 * Without a symbol of them (a stripped static program, another unwinder) calls that are left are
 * abandoned, as call_matching.c finds them gone.
 *
 * Source: GCC, libgcc/unwind.inc and unwind-dw2.c (uw_install_context); glibc,
 * sysdeps/x86_64/jmpbuf-offsets.h and pointer_guard.h; musl, src/setjmp/x86_64/longjmp.s; Linux,
 * arch/x86/include/asm/sigframe.h and uapi/asm/sigcontext.h.
 */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* @module is mapped. What cannot be planted is left out. */
void non_local_exits_plant(struct inferior *inferior, pid_t tid, unsigned module);

/* A call begins, or goes on being measured: plant what was lifted. */
void non_local_exits_watch(struct inferior *inferior, pid_t tid);
void non_local_exits_lift(struct inferior *inferior, pid_t tid);

/* Frames with a CFA in (from, to] of a part are gone; the second one is a handler's stack. */
struct non_local_exit {
	struct stack_part {
		uint64_t from, to;
	} parts[2];
	enum call_exit exit;
};

/* Does @tracee leave frames, at the hook @breakpoint? */
bool non_local_exits_hit(struct tracee *tracee, const struct breakpoint *breakpoint,
			 struct non_local_exit *ret);

/* The innermost open call that @left ends, moved to @tracee if it began elsewhere; NULL: none. */
struct open_call *non_local_exits_next(struct tracee *tracee, const struct non_local_exit *left);
