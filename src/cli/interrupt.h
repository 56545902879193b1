/*
 * Interrupts: signals to this process, and the end of --for, that end a measurement.
 *
 * The handler only counts the signal, and starts a timer that keeps interrupting blocking calls, so
 * that their caller sees it.
 */
#pragma once

#include <stdbool.h>

/* Which signals are counted. */
enum interrupt_by {
	INTERRUPT_BY_TERMINAL, /* SIGINT alone */
	INTERRUPT_BY_ANY,      /* SIGTERM, SIGHUP and SIGQUIT, too */
};

/* Start counting; after @seconds (0: never) interrupts come by themselves. */
void interrupt_start(enum interrupt_by by, double seconds);

unsigned interrupt_count(void);

/* Was one of them SIGTERM or SIGHUP, which end everything? */
bool interrupt_is_final(void);

/* Counting, and one has come: long computations give up. */
bool interrupt_is_pending(void);

/* Restore the former signal handlers. */
void interrupt_stop(void);
