/* Private to cmd_history.c: what its actions share. */
#pragma once

#include "cli/options.h"
#include "history/store.h"
#include "history/watched.h"

struct history {
	/* arguments: those of the action; metrics: those to compare, 0: all */
	struct options options;
	uint64_t asked; /* metrics of -m */
	struct arena *arena;
	struct store store;
	struct watched watched;
	bool failed; /* something got worse */
};

/* Set @options to what is to be measured of @program. ERR_FORMAT: the config is wrong. */
bool history_measure(struct history *history, const struct watched_program *program,
		     struct options *options, struct err *err);

/* Set `asked`, and the metrics to compare: those of -m or the config. ERR_FORMAT. */
bool history_measure_metrics(struct history *history, struct err *err);

/* Actions; each returns false with an error. */
bool history_show(struct history *history, struct err *err);
bool history_bisect(struct history *history, struct err *err);
