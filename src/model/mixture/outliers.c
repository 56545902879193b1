/* The few that are far away from all others, and what calls beside all modes say of these. */
#include "outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/data/row_order.h"
#include "model/regression/score.h"

enum { MODE_ROWS_MIN = 5 };

enum { ALONE_ROWS = 20, ALONE_OF = 100, ALONE_TIMES = 20 };

#define MODE_PART_MIN 0.05

double outliers_mode_least(size_t n)
{
	return fmax(MODE_ROWS_MIN, MODE_PART_MIN * n);
}

double outliers_bic(const struct dataset *data, const unsigned char *is_far)
{
	const double n = (double)data->n_rows;
	const double range = dataset_cost_quantile(data, 1) - dataset_cost_quantile(data, 0);
	double far = 0, shares;

	for (size_t i = 0; i < data->n_rows; i++)
		far += is_far[i];
	if (!(far > 0 && far < n))
		return 0;
	shares = (n - far) * log((n - far) / n) + far * log(far / n);
	return score_bic(-2 * (shares - far * log(range)), 2, n);
}

void outliers_find_alone(const double *y, size_t n, double resolution, struct outliers *ret)
{
	const size_t most = n / ALONE_OF > 1 ? n / ALONE_OF : 1;
	double *rising = mem_alloc((n + 1) * sizeof(*rising));
	const double *median = &rising[n / 2];

	*ret = (struct outliers){.limit = INFINITY};
	memcpy(rising, y, n * sizeof(*rising));
	row_order_sort_numbers(rising, n);
	for (size_t k = 1; k <= most && n >= ALONE_ROWS; k++) {
		const double farthest = fmax(rising[n - k - 1] - *median, resolution);

		if (farthest > 0 && rising[n - k] - *median > ALONE_TIMES * farthest) {
			*ret = (struct outliers){.n = k, .limit = rising[n - k - 1]};
			break;
		}
	}
	free(rising);
}
