/*
 * The board of a live run: shared memory with numbers from the measuring process for the explorer,
 * another process, and with its state. Each field but `why` is atomic by itself; no lock keeps
 * several consistent. `why` is written before `has_failed` is set.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum live_phase {
	LIVE_PREPARING,
	LIVE_MEASURING,
	LIVE_ENDED,  /* no more samples come */
	LIVE_STORED, /* all samples are in the profile */
};

struct live_board {
	_Atomic(enum live_phase) phase;
	_Atomic(uint64_t) seen, kept;
	_Atomic(double) overhead;
	/* The explorer has the terminal; restore it if the explorer dies. */
	_Atomic(bool) is_taken;
	_Atomic(int) explorer;      /* its number */
	_Atomic(bool) is_dismissed; /* the explorer must end; the measuring process cleans up */
	_Atomic(int) ended_by;      /* signal to the explorer that ends all; 0: none */
	_Atomic(bool) has_failed;   /* with a line in `why` */
	char why[1024];
	_Atomic(int64_t) began_ms, ended_ms; /* CLOCK_MONOTONIC */
};
