/* Judges modes by the distances of their curves, in deviations, and by their widths. */
#include "mode_separation.h"

#include <math.h>

#include "core/metric.h"
#include "model/regression/far_rows.h"

enum { MODE_ROWS_MIN = 10 };

/* Smaller parts of the calls are no mode. */
#define MODE_PART_MIN 0.05
/* Distance of separate curves, in deviations of both. */
#define APART 2.0
/* Deviation of a wide mode, in parts of the curve. */
#define WIDE 0.35
/*
 * The least part of the calls that are a trend when the others follow no curve. Less than in
 * main_trend.c, where some are near by chance.
 */
#define DOMINANT (1 - FAR_ROWS_BESIDE)

static double deviation_at(const struct fit *fit, double mean)
{
	return fit->deviation_part > 0 ? fit->deviation_base + fit->deviation_part * fabs(mean)
				       : fit->deviation;
}

/* Are two curves apart in half of the rows? Overlapping ones are noise outside the family. */
static bool is_apart(const struct dataset *data, const struct fit *a, const struct fit *b)
{
	size_t apart = 0;
	size_t row;

	for (row = 0; row < data->n_rows; row++) {
		const double left = mixture_formulas_mean(data, a, row),
			     right = mixture_formulas_mean(data, b, row);
		const double deviations = deviation_at(a, left) + deviation_at(b, right);

		apart += fabs(left - right) >= APART * deviations;
	}
	return apart >= data->n_rows / 2.0;
}

/* Such noise is from calls that something else delayed, not from a mode. */
static bool modes_is_wide(const struct fit *fit)
{
	if (fit->candidate.basis.n_features)
		return fit->deviation_part > WIDE;
	return fit->deviation > WIDE * fabs(fit->coefficients[0]);
}

bool mode_separation_holds(const struct dataset *data, const struct mixture_formulas *components)
{
	const double least = fmax(MODE_ROWS_MIN, MODE_PART_MIN * data->n_rows);
	unsigned i, j;

	for (i = 0; i < components->n; i++) {
		const struct tree_model *one = &components->models[i];

		if (one->probability * data->n_rows < least || modes_is_wide(&one->fit))
			return false;
		for (j = 0; j < i; j++)
			if (!is_apart(data, &components->models[j].fit, &one->fit))
				return false;
	}
	return components->n > 1;
}

/* R2 of @fit as a model of all calls. */
static double r2_of_all(const struct dataset *data, const struct fit *fit)
{
	const size_t n = data->n_rows;
	double left = 0, all = 0, mean = 0;
	size_t row;

	for (row = 0; row < n; row++)
		mean += data_cost(data, row) / data->y_max / n;
	for (row = 0; row < n; row++) {
		const double y = data_cost(data, row) / data->y_max;
		const double residual = y - mixture_formulas_mean(data, fit, row) / data->y_max;

		left += residual * residual;
		all += (y - mean) * (y - mean);
	}
	return all > 0 ? 1 - left / all : 0;
}

bool mode_separation_take_trend(const struct dataset *data, struct mixture_formulas *components)
{
	const struct tree_model *others = &components->models[1];
	struct tree_model *model = &components->models[0];

	if (!metric_is_time(data->metric->metric) || components->n != 2 ||
	    model->probability < DOMINANT || modes_is_wide(&model->fit) ||
	    !model->fit.candidate.basis.n_features || !modes_is_wide(&others->fit))
		return false;
	model->fit.is_trend = true;
	model->fit.r2 = fmax(r2_of_all(data, &model->fit), 0);
	model->fit.cv_r2 = NAN;
	return true;
}
