/*
 * The board of a live run: numbers that the measuring process writes and the explorer, another
 * process, reads, and what that one says of itself. Shared memory; every number is its own, so that
 * nobody waits.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum live_phase {
	LIVE_PREPARING,
	LIVE_MEASURING,
	LIVE_ENDED,  /* of samples there will be no more */
	LIVE_STORED, /* all of them are in the profile */
};

struct live_board {
	_Atomic(enum live_phase) phase;
	_Atomic(uint64_t) seen, kept;
	_Atomic(double) overhead;
	_Atomic(bool)
		/* the explorer has the terminal: if it is gone, somebody else must restore it */
		is_taken;
	_Atomic(bool) is_dismissed; /* it is to end, and who says so lives and tidies up */
	_Atomic(int) ended_by;      /* the signal to the explorer that is meant for all; 0: none */
	_Atomic(bool) has_failed;   /* `why` says how, in a line */
	char why[1024];
	_Atomic(int64_t) began_ms, ended_ms; /* CLOCK_MONOTONIC */
};
