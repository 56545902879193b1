/*
 * The explorer's state, and what its views offer: private to tui/.
 *
 * A view reads the state and draws it into a region; an action changes the state. What must outlive
 * the study that is shown (it is replaced while somebody looks) is known by names and numbers of
 * calls, never by index: see opened_study.h.
 */
#pragma once

#include "list_entries.h"
#include "tui/screen/keys.h"
#include "name_set.h"
#include "tui/screen/scroll.h"
#include "tui/screen/cell_text.h"

/* Of one of the plots: the part that is shown, NAN: all. */
struct plot_view {
	double x_low, x_high, y_low, y_high;
	bool log_x, log_y;
	unsigned depth; /* so often it was zoomed in */
};

enum { PLOTS = VIEW_HISTOGRAM - VIEW_SCATTER + 1 };

/* What the cached figure is of. */
struct figure_key {
	enum view view;
	unsigned feature;
	struct plot_view part;
};

/* A node of the tree, as text. */
struct node_text {
	const char *condition; /* "n < 10"; of the root "all calls" */
	const char *path;      /* the conditions from the root on; unique */
};

/* Where things were drawn last, for the mouse and for paging. */
struct layout {
	struct pane body;   /* of the view */
	struct pane plot;   /* the inside of the axes */
	struct pane beside; /* the text; no height: there is none */
	struct pane tabs;
	unsigned tab_ends[VIEW_COUNT]; /* columns; 0: it was not drawn */
};

/* The function that was opened: what is known of it, and what of it is shown. */
struct opened_study {
	struct arena *arena;         /* of `entry` */
	struct explorer_entry entry; /* the name only; function is NULL: nothing was opened */
	size_t wished;               /* index in the list at the time of the last wish */
	const struct study *study;   /* borrowed; NULL: not yet */
	struct text why;             /* there is none */
	bool is_waiting;             /* for another study */
	struct arena *texts;         /* of the study: the next two */
	struct node_text *nodes;     /* [n_nodes] */
	bool *in_part;               /* [n_points] shown in the scatter; NULL: all */
	unsigned feature;            /* of the study that plots are over */
	size_t cursor;               /* a point; n_points: there is none */
	size_t *order;               /* [n_points] of the table of samples; NULL: as they came */
	double *costs_left;          /* [n_points] cost - expected */
	struct figure *figure;       /* of `figure_key`; NULL: make it */
	struct figure_key figure_key;
	/* What is kept from one study to the next. */
	struct plot_view plots[PLOTS];
	struct name_set pinned, excluded; /* expressions */
	struct name_set unfolded;         /* expressions of features whose equivalents are shown */
	struct name_set folded;           /* paths of nodes */
	char *feature_name;               /* NULL: the main one */
	char *feature_row, *node_row;     /* what is selected there */
	char *part_path;                  /* node that the scatter is restricted to; NULL: none */
	int64_t cursor_id, sample_id;     /* calls; 0: none */
	char *sort_name;                  /* column of the table of samples; NULL: as they came */
	bool sort_reversed;
	unsigned column, first_column; /* selected there, leftmost */
	struct scroll features, tree, samples, annotation, call;
};

struct explorer {
	struct list_entries entries;
	struct scroll list;
	bool has_moved; /* in the list; until then the first is selected, whichever it becomes */
	enum view view;
	enum view call_from, help_from; /* views that the call and the help go back to */
	bool is_filtering;              /* what is typed goes to the filter */
	bool with_letters;              /* points as letters of their groups */
	struct scroll help;
	struct explorer_status status;
	struct text message;
	struct opened_study opened;
	struct layout layout;
	/* Of the last wish. */
	const char **wish_names;
	size_t wish_names_capacity;
};

/* explorer_state.c: plot over the feature @feature (STUDY_NONE: over the calls in their order). */
void explorer_state_choose_feature(struct opened_study *opened, unsigned feature);
/* The name by which @set has @feature or one that is equivalent to it; NULL: it has none. */
const char *explorer_state_name_in(const struct name_set *set, const struct study_feature *feature);
/* Show only the part @node of the calls in the scatter; STUDY_NONE: all. */
void explorer_state_restrict(struct opened_study *opened, unsigned node);
void explorer_state_drop_figure(struct opened_study *opened);
struct plot_view explorer_state_plot_everything(void);
void explorer_state_plot_reset_x(struct plot_view *part);

/* view_border.c: title, tabs, status and line of keys around the view, which gets what is left. */
struct pane view_border_draw(struct explorer *explorer, struct pane all);
/* The tab at a column of the line of tabs; VIEW_COUNT: none. */
enum view view_border_tab_at(const struct explorer *explorer, unsigned x);
/*
 * status_line.c: the line of a live run, in at most @width columns; NULL if there is none.
 * Allocated.
 */
char *status_line_text(const struct explorer_status *status, unsigned width);

/* What a view does with an action that is its own; wishes beyond the screen are returned. */
struct explorer_effect view_list_act(struct explorer *explorer,
				     enum action action); /* EXPLORER_OPEN: `entry` only */
void view_list_draw(struct explorer *explorer, struct pane region);
bool view_list_click(struct explorer *explorer, unsigned y); /* there is something */
void view_list_select_again(struct explorer *explorer, const struct explorer_entry *before);
void view_list_rearrange(struct explorer *explorer);
/* A key while the filter is typed; false: it is none of the filter's. */
bool view_list_edit_filter(struct explorer *explorer, uint32_t key);

void plot_draw(struct explorer *explorer, struct pane region);
void plot_act(struct explorer *explorer, enum action action);
/* The figure of the view, made if need be. NULL: there is no study. */
const struct figure *plot_figure(struct explorer *explorer);
/* plot_cursor.c */
bool plot_click(struct explorer *explorer, unsigned x, unsigned y);
void plot_move_cursor(struct explorer *explorer, enum action action);

void view_tree_draw(struct explorer *explorer, struct pane region);
void view_tree_act(struct explorer *explorer, enum action action);
bool view_tree_click(struct explorer *explorer, unsigned y);
unsigned view_tree_selected(const struct explorer *explorer);    /* STUDY_NONE: none */
void view_tree_select(struct explorer *explorer, unsigned node); /* STUDY_NONE: as it is */

void view_features_draw(struct explorer *explorer, struct pane region);
void view_features_act(struct explorer *explorer, enum action action);
bool view_features_click(struct explorer *explorer, unsigned y);
unsigned view_features_selected(const struct explorer *explorer); /* STUDY_NONE: none */
void view_features_select(struct explorer *explorer, unsigned feature);

void view_samples_draw(struct explorer *explorer, struct pane region);
void view_samples_act(struct explorer *explorer, enum action action);
bool view_samples_click(struct explorer *explorer, unsigned x, unsigned y);
void view_samples_arrange(struct explorer *explorer);
size_t view_samples_selected(const struct explorer *explorer); /* a point; n_points: none */
void view_samples_select(struct explorer *explorer, size_t point);

/* view_text.c: pages of text; of a plot, beside it. */
void view_text_annotation_draw(struct explorer *explorer, struct pane region);
void view_text_annotation_act(struct explorer *explorer, enum action action);
void view_text_call_draw(struct explorer *explorer, struct pane region);
void view_text_call_act(struct explorer *explorer, enum action action);
void view_text_help_draw(struct explorer *explorer, struct pane region);
void view_text_help_act(struct explorer *explorer, enum action action);
/* call_text.c: what is known of a call, a line each. */
void call_text(const struct study *study, size_t point, FILE *out);
/*
 * The formula of the model that the call is of (no such call: that of the case with most calls),
 * which of how many cases, and its scope.
 */
void call_text_formula(const struct study *study, size_t point, FILE *out);
/* The same in so many lines as fit below a plot. */
void call_text_summary(const struct explorer *explorer, struct pane region);
