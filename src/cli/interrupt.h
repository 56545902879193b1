/*
 * Interrupts: signals to this process, and the end of --for, that end a measurement.
 *
 * The handler only notes the signal; from then on a timer interrupts whatever waits, again and
 * again, so that the one who waits sees the note.
 */
#pragma once

#include <stdbool.h>

/* Which signals are noted. */
enum interrupt_by {
	INTERRUPT_BY_TERMINAL, /* SIGINT; SIGTERM, SIGHUP and SIGQUIT are somebody else's */
	INTERRUPT_BY_ANY,      /* those, too */
};

/* From now on; @seconds: they come by themselves after that time; 0: they do not. */
void interrupt_start(enum interrupt_by by, double seconds);

/* How many have come. */
unsigned interrupt_count(void);

/* Was one of them SIGTERM or SIGHUP? Who sends these wants an end of all. */
bool interrupt_is_final(void);

/* One of these signals has come, and they are noted: whoever computes for long gives up. */
bool interrupt_is_pending(void);

/* Signals do what they did before the start. */
void interrupt_stop(void);
