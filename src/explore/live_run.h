/*
 * Live runs: the explorer beside a measurement, `run --explore` and `attach --explore`.
 *
 * The explorer is a process of its own, no child of anybody, that reads the growing profile:
 * whatever becomes of it does not touch the measurement. It is forked before anything else, and
 * waits until there is something to show. While it has the terminal, what the program and this
 * process write there is kept, and shown when it has ended.
 *
 * Of two processes (measuring, explorer) each notices the end of the other, however it ends, and
 * leaves nothing behind: the terminal is restored, a temporary profile is removed. SIGTERM and
 * SIGHUP to either are meant for both.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/options.h"

struct live_run;

enum live_kind {
	LIVE_RUN,    /* when the explorer ends, the measurement goes on */
	LIVE_ATTACH, /* it ends with the explorer: this process gets a SIGINT */
};

/* Fork the explorer. ERR_UNSUPPORTED: there is no terminal that can show it; ERR_IO. */
bool live_run_start(const struct options *options, enum live_kind kind, struct live_run **ret,
		    struct err *err);

/*
 * After another fork: this is the measuring process, and the explorer ends with the one that called
 * live_run_start().
 */
void live_run_follow(struct live_run *live);

/* Where the profile is to be; of -o, or a temporary one. */
const char *live_run_profile(const struct live_run *live);

/*
 * From now on what is written to the terminal, by this process and those that it launches, is kept.
 * Nothing that is launched reads from the terminal. ERR_IO.
 */
bool live_run_take_streams(struct live_run *live, struct err *err);

/* The profile is there and the measurement begins: the explorer shows itself. */
void live_run_begin(struct live_run *live);

struct live_numbers {
	uint64_t seen, kept;
	double overhead;
};

/* Is it time for new numbers? They are posted. */
bool live_run_is_due(struct live_run *live);
void live_run_post(struct live_run *live, const struct live_numbers *numbers);
/* There will be no more samples. */
void live_run_end(struct live_run *live);

/* The explorer ends at once, whatever is measured yet. Any thread may say so. */
void live_run_dismiss(struct live_run *live);

/*
 * All samples are stored: wait until the explorer has been quit, or somebody interrupts us. The
 * streams are as before, and what was kept is shown.
 */
void live_run_finish(struct live_run *live);

/*
 * End the explorer if it is still there; streams and terminal are as before. Nothing if that is so
 * already.
 */
void live_run_stop(struct live_run *live);

/* The same; the temporary profile is removed. NULL is fine. */
void live_run_destroy(struct live_run *live);
