/*
 * The explorer: keys in, screen out. It has no terminal, clock or files: it returns requests to its
 * caller, explore.c or a test, which fulfils them at once or later.
 */
#pragma once

#include "core/figure/call_graph.h"
#include "core/figure/figure.h"
#include "core/figure/spans.h"
#include "tui/screen/input.h"
#include "tui/screen/screen.h"

/* A line of the list: one metric of one function. */
struct explorer_entry {
	const char *function;
	const char *file, *module; /* NULL: unknown; the program itself */
	enum metric metric;
	size_t n_samples, n_calls;
	double share;        /* of the run's time without stops, 0 to 1; NAN: unknown, or no time */
	bool is_modelled;    /* the rest is set */
	const char *formula; /* formula of the main case, and how many models there are */
	double r2;           /* of all models together; NAN: a constant, or no model */
	size_t n_cases;
	struct entry_costs {
		bool is_known;
		double total, self; /* of all calls seen; without what measured callees cost */
		double mean, p50, p95, p99; /* of a call; all NAN if unknown */
	} costs;
	struct entry_before { /* of the profile that this one is compared with */
		bool is_known;
		double share, mean; /* NAN: unknown */
	} before;
	unsigned line; /* of `file`; 0: unknown */
};

/* The status line of a live run. */
struct explorer_status {
	bool is_live; /* samples arrive; else the rest is not set */
	bool has_ended;
	uint64_t seen, kept, dropped;
	double overhead; /* part of the program's time; NAN: unknown */
	double seconds;  /* since the start */
	bool is_fitting; /* models are being made */
};

enum explorer_effect_kind {
	EXPLORER_NOTHING,
	EXPLORER_QUIT,
	/* make the study of `entry` with `pinned` and `excluded`; again when these change */
	EXPLORER_OPEN,
	EXPLORER_SAVE,     /* write what is shown; `save` */
	EXPLORER_TIMELINE, /* give the time line of `call` */
	EXPLORER_EDIT,     /* open an editor at `line` of the entry's file */
	EXPLORER_SUSPEND,  /* Ctrl-Z */
	EXPLORER_REDRAW,
};

enum explorer_save { SAVE_ANNOTATION, SAVE_SVG, SAVE_CSV };

struct explorer_effect {
	enum explorer_effect_kind kind;
	size_t entry;
	unsigned line; /* 0: unknown */
	enum explorer_save save;
	int64_t call;                /* id */
	const struct figure *figure; /* of SAVE_SVG: what is shown; valid until the next key */
	/* Of EXPLORER_OPEN: expressions; valid until the next key. */
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
};

struct explorer;

struct explorer *explorer_create(void);
void explorer_destroy(struct explorer *explorer); /* NULL is fine */

/* Copies the list; the selection stays with its function and metric. */
void explorer_set_list(struct explorer *explorer, const struct explorer_entry *entries, size_t n);
/*
 * Answer EXPLORER_OPEN for @entry of the list. @study is borrowed until the next one (or NULL) is
 * given. NULL: @why says why, in a line.
 */
void explorer_set_study(struct explorer *explorer, size_t entry, const struct study *study,
			const char *why);
/* Show a study of the same samples without cases until then. */
void explorer_set_sketch(struct explorer *explorer, size_t entry, const struct study *study);
/* Of each function that is opened pin the feature @expression, or exclude it. */
void explorer_mark(struct explorer *explorer, const char *expression, bool pinned);
/* Who calls whom: borrowed until the next. */
void explorer_set_calls(struct explorer *explorer, const struct call_graph *graph);
/* What experiments say of the program if its code gets faster: a text, which is copied. */
void explorer_set_gains(struct explorer *explorer, const char *text);
/*
 * Answer EXPLORER_TIMELINE: the call is @root of @spans, which are borrowed until the next. It is
 * shown.
 */
void explorer_set_timeline(struct explorer *explorer, const struct spans *spans, size_t root);
/* The text of the opened function's source file, which is copied; NULL: @why there is none. */
void explorer_set_source(struct explorer *explorer, const char *text, const char *why);
/* At @line of it, from 1, so large a part of all samples of time more was taken. */
void explorer_add_line_share(struct explorer *explorer, unsigned line, double share);
/* Its model in the profile that is compared with; borrowed until the next; NULL: none. */
void explorer_set_before(struct explorer *explorer, const struct annotation *before);
void explorer_set_status(struct explorer *explorer, const struct explorer_status *status);
/* Show a line until the next key: the outcome of a request. */
void explorer_say(struct explorer *explorer, const char *text);

/* @key: a code point or an enum explorer_key. */
struct explorer_effect explorer_press(struct explorer *explorer, uint32_t key);
struct explorer_effect explorer_point(struct explorer *explorer, enum explorer_mouse what,
				      unsigned x, unsigned y);

/* Draw everything. The same state and size give the same cells. */
void explorer_draw(struct explorer *explorer, struct screen *screen);
