/*
 * Live runs: the explorer beside a measurement, `run --explore` and `attach --explore`.
 *
 * The explorer is a process of its own, no child of anybody, that reads the growing profile: whatever becomes of it does not touch the measurement.
 * It is forked before anything else, and waits until there is something to show. While it has the terminal, what the
 * program and this process write there is kept, and shown when it has ended.
 *
 * Of two processes (measuring, explorer) each notices the end of the other, however it ends, and leaves nothing behind:
 * the terminal is restored, a temporary profile is removed. SIGTERM and SIGHUP to either are meant for both.
 */
#ifndef FATHOM_LIVE_H
#define FATHOM_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "options.h"

struct live;

enum live_kind {
	LIVE_RUN,    /* when the explorer ends, the measurement goes on */
	LIVE_ATTACH, /* it ends with the explorer: this process gets a SIGINT */
};

/* Fork the explorer. ERR_UNSUPPORTED: there is no terminal that can show it; ERR_IO. */
bool live_start(const struct options *options, enum live_kind kind, struct live **ret,
		struct err *err);

/* After another fork: this is the measuring process, and the explorer ends with the one that called live_start(). */
void live_follow(struct live *live);

/* Where the profile is to be; of -o, or a temporary one. */
const char *live_profile(const struct live *live);

/*
 * From now on what is written to the terminal, by this process and those that it launches, is kept. Nothing that is launched reads from the
 * terminal. ERR_IO.
 */
bool live_take_streams(struct live *live, struct err *err);

/* The profile is there and the measurement begins: the explorer shows itself. */
void live_begin(struct live *live);

struct live_numbers {
	uint64_t seen, kept;
	double overhead;
};

/* Is it time for new numbers? They are posted. */
bool live_is_due(struct live *live);
void live_post(struct live *live, const struct live_numbers *numbers);
/* There will be no more samples. */
void live_end(struct live *live);

/* The explorer ends at once, whatever is measured yet. Any thread may say so. */
void live_dismiss(struct live *live);

/*
 * All samples are stored: wait until the explorer has been quit, or somebody interrupts us. The streams are as before, and what was kept is
 * shown.
 */
void live_finish(struct live *live);

/* End the explorer if it is still there; streams and terminal are as before. Nothing if that is so already. */
void live_stop(struct live *live);

/* The same; the temporary profile is removed. NULL is fine. */
void live_destroy(struct live *live);

#endif
