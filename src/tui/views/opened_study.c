/* What survives when the study of the opened function is replaced. Views draw it. */
#include "opened_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

void opened_study_init(struct opened_study *opened)
{
	*opened = (struct opened_study){.feature = STUDY_NONE};
	for (size_t i = 0; i < PLOTS; i++)
		opened->plots[i] = explorer_state_plot_everything();
}

/* Drop all that depends on the study. */
static void drop_study(struct opened_study *opened)
{
	explorer_state_drop_figure(opened);
	arena_destroy(opened->texts);
	free(opened->in_part);
	free(opened->order);
	free(opened->costs_left);
	opened->texts = NULL;
	opened->nodes = NULL;
	opened->in_part = NULL;
	opened->order = NULL;
	opened->costs_left = NULL;
	opened->study = NULL;
	opened->feature = STUDY_NONE;
	opened->cursor = 0;
}

void opened_study_deinit(struct opened_study *opened)
{
	drop_study(opened);
	arena_destroy(opened->arena);
	text_deinit(&opened->why);
	name_set_deinit(&opened->pinned);
	name_set_deinit(&opened->excluded);
	name_set_deinit(&opened->unfolded);
	name_set_deinit(&opened->folded);
	free(opened->feature_name);
	free(opened->feature_row);
	free(opened->node_row);
	free(opened->part_path);
	free(opened->sort_name);
	opened_study_init(opened);
}

/* Other costs and tree, but the same features and calls. */
static void change_metric(struct opened_study *opened)
{
	drop_study(opened);
	for (size_t i = 0; i < PLOTS; i++) {
		opened->plots[i].y_low = opened->plots[i].y_high = NAN;
		if (i == VIEW_HISTOGRAM - VIEW_SCATTER)
			explorer_state_plot_reset_x(&opened->plots[i]);
	}
	name_set_keep(&opened->part_path, NULL);
	text_cut(&opened->why, 0);
}

bool opened_study_begin(struct opened_study *opened, const struct explorer_entry *entry)
{
	struct arena *arena = arena_create();
	const struct explorer_entry name = list_entries_copy_name(arena, entry);
	const bool is_other =
		!opened->entry.function || !list_entries_same_function(&opened->entry, &name);

	if (is_other)
		opened_study_deinit(opened);
	else if (opened->entry.metric != name.metric)
		change_metric(opened);
	arena_destroy(opened->arena);
	opened->arena = arena;
	opened->entry = name;
	return is_other;
}

/* A zoomed plot must keep its axes. */
static bool is_looked_at(const struct opened_study *opened)
{
	for (size_t i = 0; i < PLOTS; i++)
		if (!isnan(opened->plots[i].x_low))
			return true;
	return opened->cursor_id != 0;
}

void opened_study_remember(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;
	const struct study *study = opened->study;
	const unsigned feature = view_features_selected(explorer),
		       node = view_tree_selected(explorer);
	const size_t sample = view_samples_selected(explorer);

	if (!study)
		return;
	if (feature != STUDY_NONE)
		name_set_keep(&opened->feature_row, study->features[feature].expression);
	if (node != STUDY_NONE)
		name_set_keep(&opened->node_row, opened->nodes[node].path);
	if (sample < study->n_points)
		opened->sample_id = study->samples->keys[study->rows[sample]].id;
	opened->cursor_id = opened->cursor < study->n_points
				    ? study->samples->keys[study->rows[opened->cursor]].id
				    : 0;
	if (!opened->feature_name && opened->feature != STUDY_NONE && is_looked_at(opened))
		name_set_keep(&opened->feature_name, study->features[opened->feature].expression);
}

static char *opened_print_condition(struct arena *arena, const struct annotation *annotation,
				    const struct condition *condition)
{
	const struct annotation_case one = {.scope = condition, .n_conditions = 1};
	char *text = NULL, *ret;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	annotation_print_scope(annotation, &one, out);
	fclose(out);
	/* "[n < 10] " */
	ret = size > 3 ? arena_copy(arena, text + 1, size - 2) : arena_strdup(arena, "");
	if (size > 3)
		ret[size - 3] = '\0';
	free(text);
	return ret;
}

static void describe_nodes(struct opened_study *opened, const struct study *study)
{
	opened->texts = arena_create();
	opened->nodes = arena_array(opened->texts, struct node_text, study->n_nodes);
	for (size_t i = 0; i < study->n_nodes; i++) {
		const struct study_node *node = &study->nodes[i];
		struct node_text *text = &opened->nodes[i];

		text->condition = node->condition
					  ? opened_print_condition(opened->texts, study->annotation,
								   node->condition)
					  : "all calls";
		text->path =
			node->parent == STUDY_NONE
				? text->condition
				: arena_printf(opened->texts, "%s\n%s",
					       opened->nodes[node->parent].path, text->condition);
	}
}

static unsigned opened_find_feature(const struct study *study, const char *name)
{
	for (size_t i = 0; name && i < study->n_features; i++) {
		const struct study_feature *feature = &study->features[i];

		if (!strcmp(feature->expression, name))
			return (unsigned)i;
		for (size_t j = 0; j < feature->n_aliases; j++)
			if (!strcmp(feature->aliases[j], name))
				return (unsigned)i;
	}
	return STUDY_NONE;
}

static size_t opened_find_call(const struct study *study, int64_t id)
{
	for (size_t i = 0; id && i < study->n_points; i++)
		if (study->samples->keys[study->rows[i]].id == id)
			return i;
	return study->n_points;
}

static unsigned find_node(const struct opened_study *opened, const struct study *study,
			  const char *path)
{
	for (size_t i = 0; path && i < study->n_nodes; i++)
		if (!strcmp(opened->nodes[i].path, path))
			return (unsigned)i;
	return STUDY_NONE;
}

static void recall_rows(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;
	const struct study *study = opened->study;

	view_features_select(explorer, opened_find_feature(study, opened->feature_row));
	view_tree_select(explorer, find_node(opened, study, opened->node_row));
	view_samples_arrange(explorer);
	view_samples_select(explorer, opened_find_call(study, opened->sample_id));
}

void opened_study_replace(struct explorer *explorer, const struct study *study)
{
	struct opened_study *opened = &explorer->opened;

	drop_study(opened);
	if (!study)
		return;
	opened->study = study;
	text_cut(&opened->why, 0);
	describe_nodes(opened, study);
	opened->feature = opened_find_feature(study, opened->feature_name);
	if (opened->feature == STUDY_NONE)
		opened->feature = study_main_feature(study);
	opened->cursor = opened_find_call(study, opened->cursor_id);
	opened->costs_left = mem_alloc(study->n_points * sizeof(*opened->costs_left));
	for (size_t i = 0; i < study->n_points; i++)
		opened->costs_left[i] = study->costs[i] - study->expected[i];
	explorer_state_restrict(opened, find_node(opened, study, opened->part_path));
	recall_rows(explorer);
}

void opened_study_next_feature(struct opened_study *opened, int by)
{
	const size_t n = opened->study->n_features;
	size_t at = opened->feature;

	if (n == 0)
		return;
	if (opened->feature == STUDY_NONE)
		at = by > 0 ? n - 1 : 0;
	explorer_state_choose_feature(opened, (unsigned)((at + n + (size_t)by) % n));
}
