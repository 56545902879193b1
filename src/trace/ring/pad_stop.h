/* Threads that stop while they are in a pad. */
#pragma once

#include "pads.h"

struct breakpoint;

/*
 * @tracee has executed an int3, and its PC is behind it. If that is a pad's question, handle what
 * it asks, have the tracee go on in the pad, and return true.
 */
bool pad_stop_question(struct tracee *tracee);

/*
 * @tracee has stopped for something else, and is to be resumed where it is: in the middle of
 * reading the clock it does so again.
 */
void pad_stop_rewind(struct tracee *tracee);

/*
 * @tracee->signal is about to be delivered. If a pad caused it, it is dropped; if the program did,
 * the tracee is brought to where it would be without pads; unless it must stay, see below.
 */
void pad_stop_signal(struct tracee *tracee);

/*
 * Is @tracee in a pad, and about to stop its process by a signal? It cannot be brought out before:
 * the kernel would forget it if the process is continued meanwhile.
 */
bool pad_stop_must_stay(struct tracee *tracee);

/*
 * @tracee is about to call execve(), and its memory to go, or prctl(): if its program may forbid
 * itself system calls by that, no pad makes any from now on.
 */
void pad_stop_change(struct tracee *tracee);

/* Is that int3 a pad's question, to be left unanswered? Then the tracee goes on behind it. */
bool pad_stop_is_question(const struct tracee *tracee, uint64_t pc);

/* @pc as the program knows it, if it is in a pad: of the instruction there, or of its run. */
uint64_t pad_stop_home(const struct tracee *tracee, uint64_t pc);

/* Bring the stopped @tracee out of the pad it is in. False: it ended, or does not come out. */
bool pad_stop_leave(struct tracee *tracee);
