/*
 * Standard streams while the explorer has the terminal: a terminal of their own, whose last words
 * are kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { STREAMS_KEPT = 64 << 10 };

struct live_streams {
	int terminal;  /* the real one */
	int master;    /* readable when somebody has written; -1: nobody writes to the terminal */
	int before[3]; /* -1: it was not taken */
	char *kept;    /* a ring */
	size_t n;      /* that were ever kept */
	bool passes;   /* to the terminal, at once */
};

/* Those of this process that are the terminal @terminal; ERR_IO. */
bool live_streams_take(struct live_streams *streams, int terminal, struct err *err);

/* What was written since: kept or passed on. False: there is nobody any more to write. */
bool live_streams_pump(struct live_streams *streams);
/* The terminal is free: show what was kept, and from now on all. */
void live_streams_pass(struct live_streams *streams);
/* They are as before. Nobody pumps meanwhile. */
void live_streams_give_back(struct live_streams *streams);
