/*
 * The explorer's loop: joins the terminal, the views, the fitter and what becomes of wishes, until
 * somebody quits.
 */
#pragma once

#include "base/err.h"
#include "explorer_source.h"
#include "live_board.h"
#include "tui/screen/terminal.h"

/* A measurement that goes on meanwhile. */
struct explore_feed {
	const struct live_board *board;
	int fds[2]; /* when one of them hangs up, there is nobody any more to wait for us */
};

struct exploration {
	const struct terminal_reset *rescue;
	enum terminal_colors colors;
	const struct explorer_source *source;
	const struct explore_feed *feed; /* NULL: nobody measures */
};

enum explore_ending {
	EXPLORE_QUIT,
	EXPLORE_SIGNALLED, /* by *ret_signal, which has done nothing yet */
	EXPLORE_LEFT,      /* the terminal or the measuring process is gone */
};

/*
 * The list is made before the terminal is touched. Takes the terminal until it returns. Errors of
 * explore/explorer_source.h and terminal.h.
 */
bool explore(const struct exploration *exploration, enum explore_ending *ret, int *ret_signal,
	     struct err *err);

/* The colours that --color asks for. */
enum terminal_colors explore_colors(const struct options *options);
