/* What the views offer: private to tui/views. */
#pragma once

#include "tui/state/explorer_state.h"

/* view_border.c: draw title, tabs, status and line of keys; returns the view's place. */
struct pane view_border_draw(struct explorer *explorer, struct pane all);
/* The key of the hint at a column of the line of keys; 0: none. */
uint32_t view_border_key_at(const struct explorer *explorer, unsigned x);
/* The tab at a column of the line of tabs; VIEW_COUNT: none. */
enum view view_border_tab_at(const struct explorer *explorer, unsigned x);
/* status_line.c: a live run's line, at most @width columns, or NULL. The caller frees it. */
char *status_line_text(const struct explorer_status *status, unsigned width);

/* Each view's own actions; they return the requests that result. */
struct explorer_effect view_list_act(struct explorer *explorer,
				     enum action action); /* EXPLORER_OPEN: sets only `entry` */
void view_list_draw(struct explorer *explorer, struct pane region);
bool view_list_click(struct explorer *explorer, unsigned y); /* true: a line is there */
/* Sort by the column at @x of the heading; false: there is none. */
bool view_list_sort_at(struct explorer *explorer, unsigned x);
void view_list_select_again(struct explorer *explorer, const struct explorer_entry *before);
void view_list_rearrange(struct explorer *explorer);
/* A key while the filter, or what to look for, is edited; false: not used. */
bool view_list_edit(struct explorer *explorer, uint32_t key);

void plot_draw(struct explorer *explorer, struct pane region);
void plot_act(struct explorer *explorer, enum action action);
/* The figure of the view, made if needed. NULL: there is no study. */
const struct figure *plot_figure(struct explorer *explorer);
/* plot_cursor.c */
bool plot_click(struct explorer *explorer, unsigned x, unsigned y);
void plot_move_cursor(struct explorer *explorer, enum action action);

void view_tree_draw(struct explorer *explorer, struct pane region);
void view_tree_act(struct explorer *explorer, enum action action);
bool view_tree_click(struct explorer *explorer, unsigned y);
unsigned view_tree_selected(const struct explorer *explorer);    /* STUDY_NONE: none */
void view_tree_select(struct explorer *explorer, unsigned node); /* STUDY_NONE: no change */

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

void view_calls_draw(struct explorer *explorer, struct pane region);
void view_calls_act(struct explorer *explorer, enum action action);
bool view_calls_click(struct explorer *explorer, unsigned y);
/* The name of the selected function; NULL: none. */
const char *view_calls_selected(const struct explorer *explorer);
void view_timeline_draw(struct explorer *explorer, struct pane region);
void view_timeline_act(struct explorer *explorer, enum action action);
bool view_timeline_click(struct explorer *explorer, unsigned y);
/* view_source.c: copies both; @text NULL: there is none. */
void view_source_set(struct source_lines *source, const char *text, const char *why);
/* Of @line, from 1: more of the time of the program; lines that are not there are left out. */
void view_source_add_share(struct source_lines *source, unsigned line, double share);
void view_source_draw(struct explorer *explorer, struct pane region);
void view_source_act(struct explorer *explorer, enum action action);
bool view_source_click(struct explorer *explorer, unsigned y);

/* The view alone. */
void view_draw(struct explorer *explorer, struct pane region);

/* view_text.c: pages of text, and the text beside a plot. */
void view_text_annotation_draw(struct explorer *explorer, struct pane region);
void view_text_annotation_act(struct explorer *explorer, enum action action);
void view_text_call_draw(struct explorer *explorer, struct pane region);
void view_text_call_act(struct explorer *explorer, enum action action);
void view_text_gains_draw(struct explorer *explorer, struct pane region);
void view_text_gains_act(struct explorer *explorer, enum action action);
void view_text_help_draw(struct explorer *explorer, struct pane region);
void view_text_help_act(struct explorer *explorer, enum action action);
/* call_text.c: the facts of a call, a line each. */
void call_text(const struct study *study, size_t point, FILE *out);
/*
 * The formula of the model of the call at @point (no such call: of the case with most calls), the
 * number of cases, and its scope.
 */
void call_text_formula(const struct study *study, size_t point, FILE *out);
/* The same below a plot, as many lines as fit. */
void call_text_summary(const struct explorer *explorer, struct pane region);
