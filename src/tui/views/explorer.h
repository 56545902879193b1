/*
 * The explorer: keys in, screen out. It has no terminal, no clock and no files: what it wants of
 * the world outside it says as a wish, and who runs it (terminal.h and the command) fulfils it, at
 * once or later.
 */
#pragma once

#include "core/figure/figure.h"
#include "tui/screen/input.h"
#include "tui/screen/screen.h"

/* A line of the list: a metric of a function. */
struct explorer_entry {
	const char *function;
	const char *file, *module; /* NULL: not known, the program's own */
	enum metric metric;
	size_t n_samples, n_calls;
	double share;     /* of the run's time without stops, 0 to 1; NAN: not known, or no time */
	bool is_modelled; /* the rest is known */
	const char *formula; /* of the main case, in a line, and of how many models it is one */
	double r2;           /* of all models together; NAN: a constant, or nothing */
	size_t n_cases;
};

/* What the line of a live run says. */
struct explorer_status {
	bool is_live; /* samples arrive; else the next ones mean nothing */
	bool has_ended;
	uint64_t seen, kept, dropped;
	double overhead; /* as a part of the program's time; NAN: not known */
	double seconds;  /* since the start */
	bool is_fitting; /* models are being made */
};

enum explorer_effect_kind {
	EXPLORER_NOTHING,
	EXPLORER_QUIT,
	/* the study of `entry`, with the wishes about features; again when they change */
	EXPLORER_OPEN,
	EXPLORER_SAVE,    /* write what is on the screen; `save` */
	EXPLORER_SUSPEND, /* Ctrl-Z */
	EXPLORER_REDRAW,
};

enum explorer_save { SAVE_ANNOTATION, SAVE_SVG, SAVE_CSV };

struct explorer_effect {
	enum explorer_effect_kind kind;
	size_t entry;
	enum explorer_save save;
	const struct figure *figure; /* of SAVE_SVG: what is shown; until the next key */
	/* Of EXPLORER_OPEN: expressions; until the next key. */
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
};

struct explorer;

struct explorer *explorer_create(void);
void explorer_destroy(struct explorer *explorer); /* NULL is fine */

/* The list, copied; the selection stays with its function and metric. */
void explorer_set_list(struct explorer *explorer, const struct explorer_entry *entries, size_t n);
/*
 * What EXPLORER_OPEN asked for, borrowed until the next one (or NULL) is given; @entry: of the list
 * that the wish was about. NULL: @why, a line.
 */
void explorer_set_study(struct explorer *explorer, size_t entry, const struct study *study,
			const char *why);
/* Meanwhile: a study of the same samples that has no cases. */
void explorer_set_sketch(struct explorer *explorer, size_t entry, const struct study *study);
void explorer_set_status(struct explorer *explorer, const struct explorer_status *status);
/* A line that is shown until the next key: what became of a wish. */
void explorer_say(struct explorer *explorer, const char *text);

/* @key: a code point or an enum explorer_key. */
struct explorer_effect explorer_press(struct explorer *explorer, uint32_t key);
struct explorer_effect explorer_point(struct explorer *explorer, enum explorer_mouse what,
				      unsigned x, unsigned y);

/* Draw everything. The same state on a screen of the same size gives the same cells. */
void explorer_draw(struct explorer *explorer, struct screen *screen);
