/* From clusters of the metric to models with probabilities; inside of a cluster there may be a formula. */
#include "model/modes.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/mixture.h"

enum { ROWS_MIN_MIXTURE = 20, ROWS_MIN_FORMULA = 20, MODE_ROWS_MIN = 5 };

#define MODE_PART_MIN 0.05

static void set_only(const struct fit *fit, struct tree_leaf *leaf)
{
	leaf->models = mem_alloc(sizeof(*leaf->models));
	leaf->models[0] = (struct tree_model){1, *fit};
	leaf->n_models = 1;
}

/* The component that a call of the cost @y belongs to most likely. */
static unsigned most_likely(const struct mixture *mixture, double y)
{
	double best = -INFINITY;
	unsigned found = 0;
	unsigned i;

	for (i = 0; i < mixture->n; i++) {
		const struct mixture_component *one = &mixture->components[i];
		const double z = (y - one->coefficients[0]) / one->deviation;
		const double likelihood = log(one->probability / one->deviation) - z * z / 2;

		if (likelihood > best) {
			best = likelihood;
			found = i;
		}
	}
	return found;
}

/* The rows of one component, in canonical order. */
static struct data *take_component(const struct data *data, const unsigned char *belongs,
				   unsigned component)
{
	size_t *rows = mem_alloc((data->n_rows + 1) * sizeof(*rows));
	struct data *part;
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_rows; i++)
		if (belongs[i] == component)
			rows[n++] = data->order[i];
	part = data_part(data, rows, n);
	free(rows);
	return part;
}

/* A component as a fit: a formula inside, if there is one, or what the mixture says. */
static void describe(const struct data *part, const struct model_options *options,
		     const struct mixture_component *component, struct fit *ret)
{
	struct regression regression = {.is_loose = false};

	fit_constant(part, &regression.fit);
	if (part->n_rows >= ROWS_MIN_FORMULA)
		regress(part, options, &regression);
	*ret = regression.fit;
	if (ret->candidate.basis.n_features)
		return;
	ret->coefficients[0] = component->coefficients[0];
	ret->deviation = component->deviation;
	ret->std_errors[0] = component->deviation / sqrt(fmax(part->n_rows, 1));
}

static void set_mixture(const struct data *data, const struct model_options *options,
			const struct mixture *mixture, struct tree_leaf *leaf)
{
	unsigned char *belongs = mem_alloc(data->n_rows);
	size_t i;

	for (i = 0; i < data->n_rows; i++)
		belongs[i] = most_likely(mixture, data->metric->numbers[data->order[i]]);
	leaf->models = mem_alloc(mixture->n * sizeof(*leaf->models));
	leaf->n_models = mixture->n;
	for (i = 0; i < mixture->n; i++) {
		struct data *part = take_component(data, belongs, i);

		leaf->models[i].probability = mixture->components[i].probability;
		if (part->n_rows)
			describe(part, options, &mixture->components[i], &leaf->models[i].fit);
		data_destroy(part);
	}
	free(belongs);
}

/* A few calls that are far away are no mode. */
static bool are_modes(const struct mixture *mixture, size_t n)
{
	unsigned i;

	for (i = 0; i < mixture->n; i++)
		if (mixture->components[i].probability * n < fmax(MODE_ROWS_MIN, MODE_PART_MIN * n))
			return false;
	return true;
}

void modes_find(const struct data *data, const struct model_options *options, const struct fit *fit,
		struct tree_leaf *leaf)
{
	struct mixture mixture = {.n = 1};
	double *y;
	size_t i;

	if (!fit->candidate.basis.n_features && data->n_rows >= ROWS_MIN_MIXTURE) {
		y = mem_alloc(data->n_rows * sizeof(*y));
		for (i = 0; i < data->n_rows; i++)
			y[i] = data->metric->numbers[data->order[i]];
		mixture_find(y, data->n_rows, &mixture);
		free(y);
	}
	if (mixture.n > 1 && are_modes(&mixture, data->n_rows))
		set_mixture(data, options, &mixture, leaf);
	else
		set_only(fit, leaf);
}
