/*
 * Standard streams while the explorer has the terminal: a pseudo-terminal, whose last output is
 * kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { STREAMS_KEPT = 64 << 10 };

struct live_streams {
	int terminal;  /* the real one */
	int master;    /* readable on output; -1: no stream is the terminal */
	int before[3]; /* -1: not taken */
	char *kept;    /* a ring */
	size_t n;      /* bytes ever kept */
	bool passes;   /* output on to the terminal */
};

/* Take the streams of this process that are the terminal @terminal. ERR_IO. */
bool live_streams_take(struct live_streams *streams, int terminal, struct err *err);

/* Keep or pass on new output. False: no writer is left. */
bool live_streams_pump(struct live_streams *streams);
/* The terminal is free: show what was kept, and pass on the rest. */
void live_streams_pass(struct live_streams *streams);
/* Restore them. Must not run beside live_streams_pump(). */
void live_streams_give_back(struct live_streams *streams);
