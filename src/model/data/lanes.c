/* Sums of whole columns. */
#include "lanes.h"

LANES double lanes_sum(const double *numbers, size_t n)
{
	lanes_row sums = {0}, some;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE)
		lanes_add(sums, numbers + i);
	lanes_load_some(numbers + i, n - i, 0, some);
	lanes_add(sums, some);
	return lanes_total(sums);
}

LANES double lanes_dot(const double *a, const double *b, size_t n)
{
	lanes_row sums = {0}, left, right;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE)
		lanes_add_products(sums, a + i, b + i);
	lanes_load_some(a + i, n - i, 0, left);
	lanes_load_some(b + i, n - i, 0, right);
	lanes_add_products(sums, left, right);
	return lanes_total(sums);
}

LANES double lanes_sum_of_logs(const double *numbers, size_t n)
{
	struct lanes_logs logs;
	lanes_row some;
	size_t i;

	lanes_logs_init(&logs);
	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE)
		lanes_logs_add(&logs, numbers + i);
	lanes_load_some(numbers + i, n - i, 1, some);
	lanes_logs_add(&logs, some);
	return lanes_logs_total(&logs, i + LANES_WIDE);
}

/* The sums of eight points. */
struct lanes_products {
	lanes_row xx, xy, yy;
};

static LANES_INLINE void add_points(struct lanes_products *sums, const double *x, const double *y,
				    double mean_x, double mean_y)
{
	lanes_row dx, dy;
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++) {
		dx[i] = x[i] - mean_x;
		dy[i] = y[i] - mean_y;
	}
	lanes_add_products(sums->xx, dx, dx);
	lanes_add_products(sums->xy, dx, dy);
	lanes_add_products(sums->yy, dy, dy);
}

LANES double lanes_correlation(const double *x, const double *y, size_t n)
{
	const double mean_x = lanes_sum(x, n) / n, mean_y = lanes_sum(y, n) / n;
	struct lanes_products sums = {{0}};
	lanes_row left, right;
	double spread;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE)
		add_points(&sums, x + i, y + i, mean_x, mean_y);
	lanes_load_some(x + i, n - i, mean_x, left);
	lanes_load_some(y + i, n - i, mean_y, right);
	add_points(&sums, left, right, mean_x, mean_y);
	spread = sqrt(lanes_total(sums.xx)) * sqrt(lanes_total(sums.yy));
	return spread > 0 ? lanes_total(sums.xy) / spread : 0;
}

LANES void lanes_multiply(const double *a, const double *b, size_t n, double *ret)
{
	size_t i;

	for (i = 0; i < n; i++)
		ret[i] = a[i] * b[i];
}
