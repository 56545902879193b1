/*
 * Live runs: the explorer beside a measurement, `run --explore` and `attach --explore`.
 *
 * The explorer is a process of its own, no child of this one, that reads the growing profile: its
 * failure cannot touch the measurement. It is forked first, and waits until there is something to
 * show. While it has the terminal, output of the program and of this process is kept, and shown
 * afterwards.
 *
 * The measuring process and the explorer each notice the end of the other and clean up: restore the
 * terminal, remove a temporary profile. SIGTERM and SIGHUP to either end both.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/options.h"

struct live_run;

enum live_kind {
	LIVE_RUN,    /* when the explorer ends, the measurement goes on */
	LIVE_ATTACH, /* it ends too: this process gets SIGINT */
};

/* Fork the explorer. ERR_UNSUPPORTED: there is no terminal that can show it; ERR_IO. */
bool live_run_start(const struct options *options, enum live_kind kind, struct live_run **ret,
		    struct err *err);

/*
 * After another fork, in the measuring process: the explorer ends with the caller of
 * live_run_start().
 */
void live_run_follow(struct live_run *live);

/* Path of the profile: -o, or a temporary one. */
const char *live_run_profile(const struct live_run *live);

/*
 * Keep the terminal output of this process and those it launches from now on; launched ones cannot
 * read from the terminal. ERR_IO.
 */
bool live_run_take_streams(struct live_run *live, struct err *err);

/* The profile exists and the measurement begins: show the explorer. */
void live_run_begin(struct live_run *live);

struct live_numbers {
	uint64_t seen, kept;
	double overhead;
};

bool live_run_is_due(struct live_run *live);
void live_run_post(struct live_run *live, const struct live_numbers *numbers);
/* No more samples will come. */
void live_run_end(struct live_run *live);

/* End the explorer at once, even if samples still come. Any thread may call. */
void live_run_dismiss(struct live_run *live);

/* LIVE_ATTACH: has the user quit the explorer, and so ended the measurement? */
bool live_run_was_quit(const struct live_run *live);

/*
 * All samples are stored: wait until the user quits the explorer or interrupts us. Then restore the
 * streams and show what was kept.
 */
void live_run_finish(struct live_run *live);

/* End the explorer if it still runs; restore streams and terminal. Idempotent. */
void live_run_stop(struct live_run *live);

/* Stop, and remove the temporary profile. NULL is fine. */
void live_run_destroy(struct live_run *live);
