/* Sums of whole columns. */
#include "lanes.h"

LANES double lanes_sum(const double *numbers, size_t n)
{
	lanes_row sums = {0}, some;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE) {
		lanes_load(numbers + i, &some);
		sums += some;
	}
	lanes_load_some(numbers + i, n - i, 0, &some);
	sums += some;
	return lanes_total(&sums);
}

LANES double lanes_dot(const double *a, const double *b, size_t n)
{
	lanes_row sums = {0}, left, right;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE) {
		lanes_load(a + i, &left);
		lanes_load(b + i, &right);
		sums += left * right;
	}
	lanes_load_some(a + i, n - i, 0, &left);
	lanes_load_some(b + i, n - i, 0, &right);
	sums += left * right;
	return lanes_total(&sums);
}

LANES double lanes_sum_of_logs(const double *numbers, size_t n)
{
	struct lanes_logs logs;
	lanes_row some;
	size_t i;

	lanes_logs_init(&logs);
	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE) {
		lanes_load(numbers + i, &some);
		lanes_logs_add(&logs, &some);
	}
	lanes_load_some(numbers + i, n - i, 1, &some);
	lanes_logs_add(&logs, &some);
	return lanes_logs_total(&logs, i + LANES_WIDE);
}

LANES double lanes_correlation(const double *x, const double *y, size_t n)
{
	const double mean_x = lanes_sum(x, n) / n, mean_y = lanes_sum(y, n) / n;
	lanes_row xx = {0}, xy = {0}, yy = {0}, dx, dy;
	double spread;
	size_t i;

	for (i = 0; i < n; i += LANES_WIDE) {
		if (i + LANES_WIDE <= n) {
			lanes_load(x + i, &dx);
			lanes_load(y + i, &dy);
		} else {
			lanes_load_some(x + i, n - i, mean_x, &dx);
			lanes_load_some(y + i, n - i, mean_y, &dy);
		}
		dx -= mean_x;
		dy -= mean_y;
		xx += dx * dx;
		xy += dx * dy;
		yy += dy * dy;
	}
	spread = sqrt(lanes_total(&xx)) * sqrt(lanes_total(&yy));
	return spread > 0 ? lanes_total(&xy) / spread : 0;
}

LANES void lanes_multiply(const double *a, const double *b, size_t n, double *ret)
{
	size_t i;

	for (i = 0; i < n; i++)
		ret[i] = a[i] * b[i];
}
