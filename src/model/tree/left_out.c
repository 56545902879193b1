/* Counts the calls that are too far away from all others, or in which a feature was not read. */
#include "left_out.h"

#include <math.h>

#include "base/mem.h"

static bool is_read_by_all(const struct tree_leaf *leaf, size_t row)
{
	double ignored[BASIS_FEATURES];
	unsigned i;

	for (i = 0; i < leaf->n_models; i++)
		if (!fit_read(&leaf->models[i].fit, row, ignored))
			return false;
	return true;
}

/* Marks the rows of the table that a leaf describes, or leaves out as far away. */
static void mark_described(const struct tree_leaf *leaf, bool *is_described)
{
	size_t i;

	for (i = 0; i < leaf->data->n_rows; i++) {
		const size_t row = leaf->data->order[i];

		is_described[row] = is_read_by_all(leaf, row);
	}
}

struct annotation_left_out left_out_find(const struct dataset *data, const struct model_tree *tree)
{
	bool *is_described = arena_array(data->arena, bool, data->samples->n_rows + 1);
	struct annotation_left_out ret = {.is_known = true};
	double all = 0;
	unsigned i, j;
	size_t row;

	for (i = 0; i < tree->n; i++) {
		mark_described(&tree->leaves[i], is_described);
		for (j = 0; j < tree->leaves[i].n_models; j++) {
			const struct fit *fit = &tree->leaves[i].models[j].fit;

			ret.n_far += fit->n_far;
			ret.cost += fit->n_far * fit->far_mean;
		}
	}
	for (row = 0; row < data->n_rows; row++) {
		all += fabs(data_cost(data, row));
		if (is_described[data->order[row]])
			continue;
		ret.n_unread++;
		ret.cost += data_cost(data, row);
	}
	ret.share = all > 0 ? fmin(fabs(ret.cost) / all, 1) : 0;
	return ret;
}
