/*
 * Interrupts end a measurement: signals to this process, and the end of --for.
 *
 * The handler only notes them. From the first one on, a timer keeps interrupting blocking calls, so
 * that their callers notice.
 */
#pragma once

#include <stdbool.h>

/* Which signals are counted. */
enum interrupt_by {
	INTERRUPT_BY_TERMINAL, /* SIGINT, and SIGXCPU, which counts once: see tracer_limits.h */
	INTERRUPT_BY_ANY,      /* SIGTERM, SIGHUP and SIGQUIT, too */
};

/* Start counting; the end of @seconds (0: never) is an interrupt, too. */
void interrupt_start(enum interrupt_by by, double seconds);

unsigned interrupt_count(void);

/* Was one of them SIGTERM or SIGHUP, which end everything? */
bool interrupt_is_final(void);

/* Has one come since this was asked last that children have not got, as they do a terminal's? */
bool interrupt_take_sent(void);

/* A signal has come since the start (not the end of --for): long computations give up. */
bool interrupt_is_pending(void);

/* Restore the former signal handlers. */
void interrupt_stop(void);
