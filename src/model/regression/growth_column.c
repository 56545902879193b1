/* Powers of columns; core/growth.c has those of single numbers, and the table. */
#include "growth_column.h"

#include "model/data/lanes.h"

LANES void growth_column_fill(enum growth growth, const double *x, const double *log_x, size_t n,
			      double *ret)
{
	double power = growth_info(growth)->power;
	unsigned logs = growth_info(growth)->log;
	size_t i;

	for (i = 0; i < n; i++)
		ret[i] = 1;
	for (; power >= 1; power--)
		for (i = 0; i < n; i++)
			ret[i] *= x[i];
	if (power == 0.5)
		for (i = 0; i < n; i++)
			ret[i] *= sqrt(x[i]);
	else if (power > 0)
		for (i = 0; i < n; i++)
			ret[i] *= pow(x[i], power);
	while (logs--)
		for (i = 0; i < n; i++)
			ret[i] *= log_x[i];
}

void growth_column_scale(const double *x, size_t n, double scale, double log_scale, double *ret_x,
			 double *ret_log)
{
	size_t i;

	for (i = 0; i < n; i++)
		ret_log[i] = x[i] > 0 ? log(x[i]) / log_scale : 0;
	for (i = 0; i < n; i++)
		ret_x[i] = x[i] / scale;
}
