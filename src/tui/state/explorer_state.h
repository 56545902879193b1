/*
 * The explorer's state: private to tui.
 *
 * A view draws it into a region; an action changes it. Studies are replaced while they are shown,
 * so whatever must survive is known by name or number of a call, never by index: opened_study.h.
 */
#pragma once

#include "list_entries.h"
#include "tui/screen/keys.h"
#include "name_set.h"
#include "tui/screen/scroll.h"
#include "tui/screen/cell_text.h"

/* The part of a plot that is shown; NAN: all. */
struct plot_view {
	double x_low, x_high, y_low, y_high;
	bool log_x, log_y;
	unsigned depth; /* how often it was zoomed in */
};

enum { HINTS_MOST = 24 };
enum { PLOTS = VIEW_HISTOGRAM - VIEW_SCATTER + 1 };

/* What the cached figure shows. */
struct figure_key {
	enum view view;
	unsigned feature;
	struct plot_view part;
};

/* A node of the tree, as text. */
struct node_text {
	const char *condition; /* "n < 10"; root: "all calls" */
	const char *path;      /* conditions from the root on; unique */
};

/* Where things were drawn last, for the mouse and for paging. */
struct layout {
	bool is_ascii;      /* the screen is */
	struct pane view;   /* all of it; its screen may be gone */
	struct pane body;   /* its rows */
	struct pane plot;   /* inside the axes */
	struct pane beside; /* text; height 0: none */
	struct pane tabs;
	unsigned tab_ends[VIEW_COUNT]; /* columns; 0: not drawn */
	struct pane heading;           /* of the list */
	struct pane keys;
	struct {
		unsigned end;
		uint32_t key;
	} hints[HINTS_MOST]; /* in the line of keys; end 0: past the last */
};

/* The opened function: its study and what of it is shown. */
struct opened_study {
	struct arena *arena;         /* owns `entry` */
	struct explorer_entry entry; /* its name only; function NULL: nothing is open */
	size_t requested;            /* index in the list at the last request */
	const struct study *study;   /* borrowed; NULL: not yet */
	struct text why;             /* why there is no study */
	bool is_waiting;             /* for another study */
	struct arena *texts;         /* owns the next two */
	struct node_text *nodes;     /* [n_nodes] */
	bool *in_part;               /* [n_points] shown in the scatter plot; NULL: all */
	unsigned feature;            /* of the study: the x axis of plots */
	size_t cursor;               /* a point; n_points: none */
	size_t *order;               /* [n_points] of the table of samples; NULL: by call */
	double *costs_left;          /* [n_points] cost - expected */
	struct figure *figure;       /* of `figure_key`; NULL: not made */
	struct figure_key figure_key;
	/* Kept from one study to the next. */
	struct plot_view plots[PLOTS];
	struct name_set pinned, excluded; /* expressions */
	struct name_set unfolded;         /* expressions of features whose equivalents are listed */
	struct name_set folded;           /* paths of nodes */
	char *feature_name;               /* NULL: the main one */
	char *feature_row, *node_row;     /* selected rows */
	/* node that the scatter plot is restricted to; NULL: none */
	char *part_path;
	int64_t cursor_id, sample_id; /* ids of calls; 0: none */
	/* column that the table of samples is sorted by; NULL: by call */
	char *sort_name;
	bool sort_reversed;
	unsigned column, first_column; /* selected there; leftmost */
	struct scroll features, tree, samples, annotation, call, calls, source;
	bool has_line; /* `source` is at its line */
};

/* Lines of the opened function's file; none: `why`. */
struct source_lines {
	struct arena *arena;
	const char **lines, *why;
	double *shares; /* [n] of all samples of time; NULL: there are none */
	size_t n;
};

/* Sets of columns of the list. */
enum list_columns { LIST_MODELS, LIST_COSTS, LIST_COMPARED, LIST_SETS };

struct explorer {
	struct list_entries entries;
	struct scroll list;
	enum list_columns columns;
	bool was_compared;  /* two profiles: their columns were shown */
	unsigned list_skip; /* columns of names that are scrolled away */
	bool has_moved; /* in the list; until then its first line is selected, whichever that is */
	enum view view;
	enum view call_from, timeline_from, gains_from,
		help_from;         /* views to return to from these */
	const struct spans *spans; /* borrowed; of VIEW_TIMELINE, with the next two */
	size_t timeline_root;
	struct scroll timeline;
	bool is_filtering; /* typed text goes to the filter */
	bool is_searching; /* or to what is looked for in a view */
	struct text search;
	const struct call_graph *graph; /* borrowed; NULL: not known yet */
	struct source_lines source;
	const struct annotation *before; /* of the opened function in the other profile, or NULL */
	bool with_letters;               /* draw points as letters of their groups */
	struct scroll help, gained;
	struct text gains; /* empty: nothing was tried */
	struct explorer_status status;
	struct text message;
	struct opened_study opened;
	struct layout layout;
	/* Of the last request. */
	struct name_set pinned, excluded; /* of each function when it is opened */
	const char **requested_names;
	size_t requested_names_capacity;
};

/* explorer_state.c: plot over the feature @feature (STUDY_NONE: over the order of the calls). */
void explorer_state_choose_feature(struct opened_study *opened, unsigned feature);
/* The name in @set of @feature or an equivalent one; NULL: none. */
const char *explorer_state_name_in(const struct name_set *set, const struct study_feature *feature);
/* Restrict the scatter plot to the calls of @node; STUDY_NONE: all. */
void explorer_state_restrict(struct opened_study *opened, unsigned node);
void explorer_state_drop_figure(struct opened_study *opened);
struct plot_view explorer_state_plot_everything(void);
void explorer_state_plot_reset_x(struct plot_view *part);
