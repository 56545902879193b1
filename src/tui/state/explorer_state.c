/* Changes of the state that several views make; explorer.c and the views interpret keys. */
#include "explorer_state.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct plot_view explorer_state_plot_everything(void)
{
	return (struct plot_view){.x_low = NAN, .x_high = NAN, .y_low = NAN, .y_high = NAN};
}

void explorer_state_plot_reset_x(struct plot_view *part)
{
	part->x_low = part->x_high = NAN;
	part->log_x = false;
}

void explorer_say(struct explorer *explorer, const char *text)
{
	text_cut(&explorer->message, 0);
	text_add_string(&explorer->message, text);
}

void explorer_state_drop_figure(struct opened_study *opened)
{
	figure_destroy(opened->figure);
	opened->figure = NULL;
}

/* Is @node in the subtree of @root? */
static bool is_below(const struct study *study, unsigned node, unsigned root)
{
	while (node != STUDY_NONE && node != root)
		node = study->nodes[node].parent;
	return node == root;
}

void explorer_state_restrict(struct opened_study *opened, unsigned root)
{
	const struct study *study = opened->study;
	bool *cases;

	free(opened->in_part);
	opened->in_part = NULL;
	name_set_keep(&opened->part_path, root == STUDY_NONE ? NULL : opened->nodes[root].path);
	if (root == STUDY_NONE)
		return;
	cases = mem_alloc(study->annotation->n_cases * sizeof(*cases));
	for (size_t i = 0; i < study->n_nodes; i++)
		if (study->nodes[i].in_case < study->annotation->n_cases)
			cases[study->nodes[i].in_case] = is_below(study, (unsigned)i, root);
	opened->in_part = mem_alloc(study->n_points * sizeof(*opened->in_part));
	for (size_t i = 0; i < study->n_points; i++)
		opened->in_part[i] = study->cases[i] < study->annotation->n_cases
					     ? cases[study->cases[i]]
					     : root == 0;
	free(cases);
}

const char *explorer_state_name_in(const struct name_set *set, const struct study_feature *feature)
{
	if (set->n == 0)
		return NULL;
	if (name_set_has(set, feature->expression))
		return feature->expression;
	for (size_t i = 0; i < feature->n_aliases; i++)
		if (name_set_has(set, feature->aliases[i]))
			return feature->aliases[i];
	return NULL;
}

void explorer_state_choose_feature(struct opened_study *opened, unsigned feature)
{
	if (feature == opened->feature)
		return;
	opened->feature = feature;
	name_set_keep(&opened->feature_name,
		      feature == STUDY_NONE ? NULL : opened->study->features[feature].expression);
	for (size_t i = 0; i < PLOTS; i++)
		if (i != VIEW_HISTOGRAM - VIEW_SCATTER)
			explorer_state_plot_reset_x(&opened->plots[i]);
}
