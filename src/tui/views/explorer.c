/*
 * Dispatches keys: to the view that is shown, or to what changes the view. view_*.c and plot*.c
 * draw, explorer_draw.c handles the mouse.
 */
#include "tui/explorer.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "opened_study.h"
#include "search.h"

static const struct explorer_effect nothing;

struct explorer *explorer_create(void)
{
	struct explorer *explorer = mem_alloc(sizeof(*explorer));

	opened_study_init(&explorer->opened);
	list_entries_set(&explorer->entries, NULL, 0);
	return explorer;
}

void explorer_destroy(struct explorer *explorer)
{
	if (!explorer)
		return;
	opened_study_deinit(&explorer->opened);
	arena_destroy(explorer->opened.arena);
	list_entries_deinit(&explorer->entries);
	text_deinit(&explorer->message);
	text_deinit(&explorer->search);
	arena_destroy(explorer->source.arena);
	text_deinit(&explorer->gains);
	free(explorer->requested_names);
	name_set_deinit(&explorer->pinned);
	name_set_deinit(&explorer->excluded);
	free(explorer);
}

void explorer_set_list(struct explorer *explorer, const struct explorer_entry *entries, size_t n)
{
	struct list_entries *list = &explorer->entries;
	struct arena *arena = arena_create();
	struct explorer_entry before;
	const bool has_before = explorer->list.selected < list->n_shown;

	if (has_before)
		before = list_entries_copy_name(arena,
						&list->all[list->shown[explorer->list.selected]]);
	list_entries_set(list, entries, n);
	for (size_t i = 0; i < n && !explorer->was_compared; i++)
		if (entries[i].before.is_known) {
			explorer->was_compared = true;
			explorer->columns = LIST_COMPARED;
		}
	view_list_select_again(explorer, has_before && explorer->has_moved ? &before : NULL);
	arena_destroy(arena);
}

static size_t find_opened_entry(const struct explorer *explorer)
{
	const struct explorer_entry *entry = &explorer->opened.entry;

	return list_entries_find(&explorer->entries, entry->function ? entry : NULL);
}

void explorer_set_study(struct explorer *explorer, size_t entry, const struct study *study,
			const char *why)
{
	struct opened_study *opened = &explorer->opened;
	const bool is_ours = opened->entry.function &&
			     (entry == opened->requested || entry == find_opened_entry(explorer)) &&
			     (!study || study->metric == opened->entry.metric);

	opened_study_replace(explorer, is_ours ? study : NULL);
	if (!is_ours)
		return;
	opened->is_waiting = false;
	text_cut(&opened->why, 0);
	if (!study)
		text_add_string(&opened->why, why ? why : "");
}

void explorer_set_calls(struct explorer *explorer, const struct call_graph *graph)
{
	explorer->graph = graph;
}

void explorer_set_gains(struct explorer *explorer, const char *text)
{
	text_cut(&explorer->gains, 0);
	text_add_string(&explorer->gains, text);
}

void explorer_set_source(struct explorer *explorer, const char *text, const char *why)
{
	view_source_set(&explorer->source, text, why);
}

void explorer_add_line_share(struct explorer *explorer, unsigned line, double share)
{
	view_source_add_share(&explorer->source, line, share);
}

void explorer_set_timeline(struct explorer *explorer, const struct spans *spans, size_t root)
{
	if (explorer->view != VIEW_TIMELINE)
		explorer->timeline_from = explorer->view;
	explorer->view = VIEW_TIMELINE;
	explorer->spans = spans;
	explorer->timeline_root = root;
	explorer->timeline = (struct scroll){0};
}

void explorer_set_before(struct explorer *explorer, const struct annotation *before)
{
	explorer->before = before;
}

void explorer_set_sketch(struct explorer *explorer, size_t entry, const struct study *study)
{
	explorer_set_study(explorer, entry, study, NULL);
	explorer->opened.is_waiting = explorer->opened.study == study;
}

void explorer_set_status(struct explorer *explorer, const struct explorer_status *status)
{
	explorer->status = *status;
}

static const char *const *copy_names(const struct name_set *names, const char **to)
{
	if (names->n > 0)
		memcpy(to, names->items, names->n * sizeof(*to));
	return to;
}

static struct explorer_effect request_study(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;
	const struct name_set *pinned = &opened->pinned, *excluded = &opened->excluded;
	const size_t entry = find_opened_entry(explorer);

	if (entry == explorer->entries.n) {
		explorer_say(explorer, "the function is not in the list any more");
		return nothing;
	}
	opened->requested = entry;
	opened->is_waiting = true;
	explorer->requested_names =
		mem_grow(explorer->requested_names, &explorer->requested_names_capacity,
			 pinned->n + excluded->n, sizeof(*explorer->requested_names));
	return (struct explorer_effect){
		.kind = EXPLORER_OPEN,
		.entry = entry,
		.pinned = copy_names(pinned, explorer->requested_names),
		.n_pinned = pinned->n,
		.excluded = copy_names(excluded, explorer->requested_names + pinned->n),
		.n_excluded = excluded->n,
	};
}

static void copy_marks(const struct name_set *from, struct name_set *to)
{
	for (size_t i = 0; i < from->n; i++)
		name_set_assign(to, from->items[i], true);
}

void explorer_mark(struct explorer *explorer, const char *expression, bool pinned)
{
	name_set_assign(pinned ? &explorer->pinned : &explorer->excluded, expression, true);
}

static struct explorer_effect explorer_open_entry(struct explorer *explorer, size_t entry)
{
	explorer->has_moved = true;
	if (opened_study_begin(&explorer->opened, &explorer->entries.all[entry])) {
		copy_marks(&explorer->pinned, &explorer->opened.pinned);
		copy_marks(&explorer->excluded, &explorer->opened.excluded);
	}
	if (explorer->view == VIEW_LIST)
		explorer->view = VIEW_SCATTER;
	return request_study(explorer);
}

static struct explorer_effect next_metric(struct explorer *explorer, int by)
{
	const size_t at = find_opened_entry(explorer);
	size_t next;

	if (at == explorer->entries.n)
		return request_study(explorer);
	next = list_entries_next_metric(&explorer->entries, at, by);
	if (next == at) {
		explorer_say(explorer, "the function has no other metric");
		return nothing;
	}
	return explorer_open_entry(explorer, next);
}

/* The feature of the selected row or of the plot. */
static unsigned target_feature(const struct explorer *explorer)
{
	return explorer->view == VIEW_FEATURES ? view_features_selected(explorer)
					       : explorer->opened.feature;
}

static void say_of(struct explorer *explorer, const char *what, const char *name)
{
	explorer_say(explorer, what);
	text_add_string(&explorer->message, name);
}

/* With other calls another equivalent feature may represent the group, so drop all names of it. */
static void explorer_forget_feature(struct name_set *set, const struct study_feature *feature)
{
	const char *name;

	while ((name = explorer_state_name_in(set, feature)))
		name_set_assign(set, name, false);
}

static struct explorer_effect mark_feature(struct explorer *explorer, enum action action)
{
	struct opened_study *opened = &explorer->opened;
	struct name_set *set = action == ACT_PIN ? &opened->pinned : &opened->excluded;
	struct name_set *other = action == ACT_PIN ? &opened->excluded : &opened->pinned;
	const unsigned at = target_feature(explorer);
	const struct study_feature *feature;
	bool is_marked;

	if (!opened->study || at == STUDY_NONE)
		return nothing;
	feature = &opened->study->features[at];
	is_marked = !explorer_state_name_in(set, feature);
	explorer_forget_feature(set, feature);
	explorer_forget_feature(other, feature);
	name_set_assign(set, feature->expression, is_marked);
	say_of(explorer,
	       !is_marked          ? "neither pinned nor excluded now: "
	       : action == ACT_PIN ? "pinned: "
				   : "excluded: ",
	       feature->expression);
	return request_study(explorer);
}

static struct explorer_effect explorer_save_view(struct explorer *explorer, enum explorer_save what)
{
	struct explorer_effect request = {.kind = EXPLORER_SAVE, .save = what};
	const struct list_entries *entries = &explorer->entries;

	if (explorer->view == VIEW_LIST && explorer->list.selected < entries->n_shown)
		request.entry = entries->shown[explorer->list.selected];
	else
		request.entry = find_opened_entry(explorer);
	if (what == SAVE_SVG)
		request.figure = plot_figure(explorer);
	if (request.entry < entries->n && (what != SAVE_SVG || request.figure))
		return request;
	explorer_say(explorer, "there is nothing to save yet");
	return nothing;
}

static enum explorer_save what_is_shown(enum view view)
{
	if (view == VIEW_SCATTER || view == VIEW_RESIDUALS || view == VIEW_HISTOGRAM)
		return SAVE_SVG;
	return view == VIEW_SAMPLES ? SAVE_CSV : SAVE_ANNOTATION;
}

static void go_back(struct explorer *explorer)
{
	if (explorer->view == VIEW_HELP)
		explorer->view = explorer->help_from;
	else if (explorer->view == VIEW_GAINS)
		explorer->view = explorer->gains_from;
	else if (explorer->view == VIEW_CALL)
		explorer->view = explorer->call_from;
	else if (explorer->view == VIEW_TIMELINE)
		explorer->view = explorer->timeline_from;
	else
		explorer->view = VIEW_LIST;
}

static void next_tab(struct explorer *explorer, int by)
{
	const int n = VIEW_LAST_TAB - VIEW_FIRST_TAB + 1;
	const int at = (int)explorer->view - VIEW_FIRST_TAB;

	explorer->view = (enum view)(VIEW_FIRST_TAB + (at + n + by) % n);
}

static bool has_chosen_call(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;

	if (!opened->study)
		return false;
	if (explorer->view == VIEW_SAMPLES)
		opened->cursor = view_samples_selected(explorer);
	if (opened->cursor < opened->study->n_points)
		return true;
	explorer_say(explorer, "no call is chosen: the arrow keys choose one");
	return false;
}

static struct explorer_effect request_timeline(struct explorer *explorer)
{
	const struct opened_study *opened = &explorer->opened;

	if (!has_chosen_call(explorer))
		return nothing;
	return (struct explorer_effect){
		.kind = EXPLORER_TIMELINE,
		.call = opened->study->samples->keys[opened->study->rows[opened->cursor]].id};
}

static void show_call(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;

	if (!has_chosen_call(explorer))
		return;
	explorer->call_from = explorer->view;
	explorer->view = VIEW_CALL;
	opened->call.first = 0;
}

static struct explorer_effect act_in_list(struct explorer *explorer, enum action action)
{
	const struct explorer_effect request = view_list_act(explorer, action);

	return request.kind == EXPLORER_OPEN ? explorer_open_entry(explorer, request.entry)
					     : request;
}

/* The caller or callee that is selected, by the same metric. */
static struct explorer_effect open_called(struct explorer *explorer)
{
	const char *name = view_calls_selected(explorer);
	const struct list_entries *entries = &explorer->entries;
	size_t i = 0;

	while (name && i < entries->n &&
	       (strcmp(entries->all[i].function, name) != 0 ||
		entries->all[i].metric != explorer->opened.entry.metric))
		i++;
	return name && i < entries->n ? explorer_open_entry(explorer, i) : nothing;
}

static struct explorer_effect edit(struct explorer *explorer)
{
	struct explorer_effect request = {.kind = EXPLORER_EDIT};
	const struct list_entries *entries = &explorer->entries;
	const bool in_list = explorer->view == VIEW_LIST;

	request.entry = in_list && explorer->list.selected < entries->n_shown
				? entries->shown[explorer->list.selected]
			: in_list ? entries->n
				  : find_opened_entry(explorer);
	if (request.entry == entries->n || !entries->all[request.entry].file) {
		explorer_say(explorer, "its source file is not known");
		return nothing;
	}
	request.line = explorer->view == VIEW_SOURCE && explorer->source.n
			       ? (unsigned)explorer->opened.source.selected + 1
			       : entries->all[request.entry].line;
	return request;
}

static struct explorer_effect act_in_view(struct explorer *explorer, enum action action)
{
	switch (explorer->view) {
	case VIEW_LIST:
		return act_in_list(explorer, action);
	case VIEW_SCATTER:
	case VIEW_RESIDUALS:
	case VIEW_HISTOGRAM:
		plot_act(explorer, action);
		break;
	case VIEW_TREE:
		view_tree_act(explorer, action);
		break;
	case VIEW_FEATURES:
		view_features_act(explorer, action);
		break;
	case VIEW_SAMPLES:
		view_samples_act(explorer, action);
		break;
	case VIEW_ANNOTATION:
		view_text_annotation_act(explorer, action);
		break;
	case VIEW_CALLS:
		if (action == ACT_OPEN)
			return open_called(explorer);
		view_calls_act(explorer, action);
		break;
	case VIEW_SOURCE:
		view_source_act(explorer, action);
		break;
	case VIEW_CALL:
		view_text_call_act(explorer, action);
		break;
	case VIEW_TIMELINE:
		view_timeline_act(explorer, action);
		break;
	case VIEW_GAINS:
		view_text_gains_act(explorer, action);
		break;
	case VIEW_HELP:
		view_text_help_act(explorer, action);
		break;
	case VIEW_COUNT:
		break;
	}
	return nothing;
}

static void show_help(struct explorer *explorer)
{
	explorer->help_from = explorer->view;
	explorer->view = VIEW_HELP;
	explorer->help.first = 0;
}

static void show_view(struct explorer *explorer, enum view view)
{
	if (view == VIEW_GAINS)
		explorer->gains_from = explorer->view;
	explorer->view = view;
}

static void change_feature(struct explorer *explorer, int by)
{
	if (explorer->opened.study)
		opened_study_next_feature(&explorer->opened, by);
}

static void explorer_search(struct explorer *explorer, int by)
{
	if (!explorer->search.n)
		explorer_say(explorer, "nothing was looked for yet: / begins");
	else if (!search_go(explorer, by))
		say_of(explorer, "not found: ", explorer->search.bytes);
}

static void begin_search(struct explorer *explorer)
{
	text_cut(&explorer->search, 0);
	explorer->is_searching = true;
}

/* Actions that all views share; else the view's own. */
static struct explorer_effect act(struct explorer *explorer, const struct key_binding *binding)
{
	const enum action action = binding->action;
	const bool is_plot_or_rows = explorer->view == VIEW_SAMPLES ||
				     explorer->view == VIEW_SCATTER ||
				     explorer->view == VIEW_RESIDUALS;

	if (action == ACT_EDIT)
		return edit(explorer);
	if (action == ACT_QUIT)
		return (struct explorer_effect){.kind = EXPLORER_QUIT};
	if (action == ACT_REDRAW)
		return (struct explorer_effect){.kind = EXPLORER_REDRAW};
	if (action == ACT_SUSPEND)
		return (struct explorer_effect){.kind = EXPLORER_SUSPEND};
	if (action == ACT_NEXT_METRIC || action == ACT_PREVIOUS_METRIC)
		return next_metric(explorer, action == ACT_NEXT_METRIC ? 1 : -1);
	if (action == ACT_PIN || action == ACT_EXCLUDE)
		return mark_feature(explorer, action);
	if (action == ACT_TIMELINE)
		return request_timeline(explorer);
	if (action == ACT_SAVE)
		return explorer_save_view(explorer, what_is_shown(explorer->view));
	if (action == ACT_SAVE_ANNOTATION || action == ACT_SAVE_CSV)
		return explorer_save_view(explorer,
					  action == ACT_SAVE_CSV ? SAVE_CSV : SAVE_ANNOTATION);
	if (explorer->view != VIEW_LIST && explorer->search.n &&
	    (action == ACT_NEXT_CALL || action == ACT_PREVIOUS_CALL))
		explorer_search(explorer, action == ACT_NEXT_CALL ? 1 : -1);
	else if (explorer->view != VIEW_LIST &&
		 (action == ACT_NEXT_FOUND || action == ACT_PREVIOUS_FOUND))
		explorer_search(explorer, action == ACT_NEXT_FOUND ? 1 : -1);
	else if (action == ACT_SEARCH)
		begin_search(explorer);
	else if (action == ACT_HELP)
		show_help(explorer);
	else if (action == ACT_BACK && explorer->view != VIEW_LIST)
		go_back(explorer);
	else if (action == ACT_VIEW)
		show_view(explorer, binding->view);
	else if (action == ACT_NEXT_VIEW || action == ACT_PREVIOUS_VIEW)
		next_tab(explorer, action == ACT_NEXT_VIEW ? 1 : -1);
	else if (action == ACT_NEXT_FEATURE || action == ACT_PREVIOUS_FEATURE)
		change_feature(explorer, action == ACT_NEXT_FEATURE ? 1 : -1);
	else if (action == ACT_OPEN && is_plot_or_rows)
		show_call(explorer);
	else
		return act_in_view(explorer, action);
	return nothing;
}

/* Keys that terminals send as characters. */
static uint32_t explorer_key_of(uint32_t character)
{
	switch (character) {
	case '\r':
	case '\n':
		return EXPLORER_ENTER;
	case '\t':
		return EXPLORER_TAB;
	case 0x1b:
		return EXPLORER_ESCAPE;
	case '\b':
	case 0x7f:
		return EXPLORER_BACKSPACE;
	}
	return character;
}

struct explorer_effect explorer_press(struct explorer *explorer, uint32_t key)
{
	const struct key_binding *binding;
	const bool searched = explorer->is_searching;
	struct explorer_effect request = nothing;

	key = explorer_key_of(key);
	if (key == EXPLORER_RESIZE)
		return nothing;
	text_cut(&explorer->message, 0);
	if ((explorer->is_filtering || explorer->is_searching) && view_list_edit(explorer, key)) {
		if (searched && key == EXPLORER_ENTER && explorer->search.n)
			explorer_search(explorer, 1);
		return nothing;
	}
	binding = keys_find(explorer->view, key);
	if (binding)
		request = act(explorer, binding);
	opened_study_remember(explorer);
	return request;
}
