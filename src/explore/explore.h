/*
 * The explorer's loop: joins the terminal, the views and the fitter, and carries out the views'
 * requests, until the user quits.
 */
#pragma once

#include "base/err.h"
#include "explorer_source.h"
#include "live_board.h"
#include "tui/screen/terminal.h"

/* A measurement that is still running. */
struct explore_feed {
	const struct live_board *board;
	int fds[2]; /* a hang-up of either: the measuring process is gone, or dismisses us */
};

struct exploration {
	const struct terminal_reset *rescue;
	enum terminal_colors colors;
	const struct explorer_source *source;
	const char *gains; /* what causal experiments say, as text; NULL: none are kept */
	const struct explore_feed *feed; /* NULL: no live run */
};

enum explore_ending {
	EXPLORE_QUIT,
	EXPLORE_SIGNALLED, /* by *ret_signal, not acted upon yet */
	EXPLORE_LEFT,      /* the terminal or the measuring process is gone */
};

/*
 * The list is made before the terminal is touched. It has the terminal until it returns. Errors of
 * explore/explorer_source.h and terminal.h.
 */
bool explore(const struct exploration *exploration, enum explore_ending *ret, int *ret_signal,
	     struct err *err);

enum terminal_colors explore_colors(const struct options *options);
