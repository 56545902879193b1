/* Calls are sorted by x; everything is done among neighbours in that order. */
#include "smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "base/random.h"

/* Of more calls every k-th is taken; bandwidths are tried at some of them. */
enum { CALLS_MAX = 4096, TRIED = 256, NEIGHBOURS_MIN = 8, WINDOW_MIN = 5, BIN_MIN = 3 };

/* The 97.5 % quantile of the normal distribution. */
#define INTERVAL 1.96
/* Values that span more are binned by their logarithms. */
#define LOG_SPAN 100.0

/* Of the test: calls, places, permutations. */
enum { MISFIT_CALLS = 1024, MISFIT_PLACES = 32, PERMUTATIONS = 199, WRONG = 2, SEED = 27 };

struct smooth_call {
	double x, y;
};

/* A place of the curve; `own`: the weight of a call there in its own place. */
struct smooth_place {
	double x, y, error, low, high, own;
};

static const char *const smooth_names[] = {[SMOOTH_NONE] = "none",
					   [SMOOTH_KERNEL] = "kernel",
					   [SMOOTH_BINS] = "bins",
					   [SMOOTH_STURGES] = "sturges",
					   [SMOOTH_RICE] = "rice",
					   [SMOOTH_SQRT] = "sqrt",
					   [SMOOTH_SCOTT] = "scott",
					   [SMOOTH_FD] = "fd",
					   [SMOOTH_MEAN] = "mean",
					   [SMOOTH_MEDIAN] = "median",
					   [SMOOTH_EXPONENTIAL] = "exponential"};

const char *smooth_name(enum smooth_kind kind)
{
	return smooth_names[kind];
}

enum smooth_kind smooth_named(const char *name)
{
	for (enum smooth_kind kind = SMOOTH_KERNEL; kind < SMOOTH_KIND_COUNT; kind++)
		if (!strcmp(smooth_names[kind], name))
			return kind;
	return SMOOTH_NONE;
}

static int smooth_order(const void *a, const void *b)
{
	const struct smooth_call *p = a, *q = b;

	return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

/* Sorted by x, at most @most of them; the caller frees them. */
static struct smooth_call *calls_sort(const double *x, const double *y, size_t *n, size_t most)
{
	struct smooth_call *calls = mem_alloc((*n + 1) * sizeof(*calls));
	const size_t kept = *n < most ? *n : most;

	for (size_t i = 0; i < *n; i++)
		calls[i] = (struct smooth_call){x[i], y[i]};
	qsort(calls, *n, sizeof(*calls), smooth_order);
	for (size_t i = 0; i < kept; i++)
		calls[i] = calls[kept < 2 ? 0 : i * (*n - 1) / (kept - 1)];
	*n = kept;
	return calls;
}

/* The @k calls nearest to @x, and those with the same x as the outermost. */
static size_t neighbours_find(const struct smooth_call *calls, size_t n, double x, size_t k,
			      size_t *ret_end)
{
	size_t from = BISECT_FIRST(i, n - k, x - calls[i].x > calls[i + k].x - x);
	size_t end = from + k;

	while (from && calls[from - 1].x == calls[from].x)
		from--;
	while (end < n && calls[end].x == calls[end - 1].x)
		end++;
	*ret_end = end;
	return from;
}

/* Tricube. */
static double neighbour_weight(double distance, double reach)
{
	const double u = reach > 0 ? fabs(distance) / reach : 0;

	return u < 1 ? pow(1 - u * u * u, 3) : 0;
}

/* The line through the neighbours of @x; as they weigh nothing at the end, a bit beyond it. */
static struct smooth_place kernel_at(const struct smooth_call *calls, size_t n, double x, size_t k)
{
	size_t end;
	const size_t from = neighbours_find(calls, n, x, k, &end);
	const double reach = 1.001 * fmax(x - calls[from].x, calls[end - 1].x - x);
	double s0 = 0, s1 = 0, s2 = 0, t0 = 0, t1 = 0, squares = 0, left = 0, weights = 0;
	struct smooth_place ret = {.x = x};
	double slope;
	bool is_line;

	for (size_t i = from; i < end; i++) {
		const double d = calls[i].x - x, w = neighbour_weight(d, reach);

		s0 += w;
		s1 += w * d;
		s2 += w * d * d;
		t0 += w * calls[i].y;
		t1 += w * d * calls[i].y;
		weights += w * w;
	}
	is_line = s0 * s2 - s1 * s1 > 1e-9 * s0 * s2;
	slope = is_line ? (s0 * t1 - s1 * t0) / (s0 * s2 - s1 * s1) : 0;
	ret.y = (t0 - slope * s1) / s0;
	for (size_t i = from; i < end; i++) {
		const double d = calls[i].x - x, w = neighbour_weight(d, reach);
		const double own = is_line ? w * (s2 - s1 * d) / (s0 * s2 - s1 * s1) : w / s0;

		squares += own * own;
		left += w * pow(calls[i].y - ret.y - slope * d, 2);
	}
	ret.own = is_line ? s2 / (s0 * s2 - s1 * s1) : 1 / s0;
	weights = s0 * s0 / weights; /* so many calls of equal weight */
	left *= weights > 3 ? weights / (weights - 2) / s0 : 3 / s0;
	ret.error = sqrt(left * squares);
	ret.low = ret.y - INTERVAL * ret.error;
	ret.high = ret.y + INTERVAL * ret.error;
	return ret;
}

/* By what each call is missed without itself; not squared, that a few do not decide it. */
static size_t neighbours_choose(const struct smooth_call *calls, size_t n)
{
	const size_t tried = n < TRIED ? n : TRIED;
	double least = INFINITY;
	size_t ret = n;

	for (size_t k = n; k >= NEIGHBOURS_MIN; k /= 2) {
		double missed = 0;

		for (size_t i = 0; i < tried; i++) {
			const struct smooth_call *call = &calls[i * n / tried];
			const struct smooth_place at = kernel_at(calls, n, call->x, k);

			missed += fabs(call->y - at.y) / fmax(1 - at.own, 1e-3);
		}
		if (missed < 0.99 * least) {
			least = missed;
			ret = k;
		}
	}
	return ret;
}

static struct smooth_place mean_of(const struct smooth_call *calls, size_t n)
{
	struct smooth_place ret = {0};
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		ret.x += calls[i].x / (double)n;
		ret.y += calls[i].y / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		squares += pow(calls[i].y - ret.y, 2);
	ret.error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : 0;
	ret.low = ret.y - INTERVAL * ret.error;
	ret.high = ret.y + INTERVAL * ret.error;
	return ret;
}

static int smooth_cost_order(const void *a, const void *b)
{
	const struct smooth_call *p = a, *q = b;

	return (p->y > q->y) - (p->y < q->y);
}

static struct smooth_place median_of_calls(const struct smooth_call *calls, size_t n)
{
	struct smooth_call *sorted = mem_copy(calls, n, sizeof(*calls));
	const double away = INTERVAL / 2 * sqrt((double)n);
	struct smooth_place ret;

	qsort(sorted, n, sizeof(*sorted), smooth_cost_order);
	ret = (struct smooth_place){
		.y = (sorted[(n - 1) / 2].y + sorted[n / 2].y) / 2,
		.low = sorted[(size_t)fmax((double)n / 2 - away, 0)].y,
		.high = sorted[(size_t)fmin((double)n / 2 + away, (double)(n - 1))].y};
	free(sorted);
	return ret;
}

/* Of all calls up to @at, in their order. */
static struct smooth_place exponential_at(const struct smooth_call *calls, size_t at, size_t window)
{
	const double part = 2 / ((double)window + 1);
	double mean = calls[0].y, variance = 0, error;

	for (size_t i = 1; i <= at; i++) {
		const double step = part * (calls[i].y - mean);

		mean += step;
		variance = (1 - part) * (variance + step * (calls[i].y - mean + step));
	}
	error = sqrt(fmax(variance, 0) * part / (2 - part));
	return (struct smooth_place){
		.y = mean, .low = mean - INTERVAL * error, .high = mean + INTERVAL * error};
}

/* A window of calls around @at, or up to it; at the ends it is the first or last whole one. */
static struct smooth_place window_at(const struct smooth_call *calls, size_t n, size_t at,
				     enum smooth_kind kind)
{
	const size_t window = n / 20 < WINDOW_MIN ? WINDOW_MIN : n / 20;
	const size_t before = at < window / 2 ? 0 : at - window / 2;
	const size_t from = before < n - window ? before : n - window;
	struct smooth_place ret = mean_of(calls + from, window);
	const double middle = ret.x;

	if (kind == SMOOTH_EXPONENTIAL) {
		at = at < window ? window : at;
		ret = exponential_at(calls, at, window);
	} else if (kind == SMOOTH_MEDIAN) {
		ret = median_of_calls(calls + from, window);
	}
	ret.x = kind == SMOOTH_EXPONENTIAL ? calls[at].x : middle;
	return ret;
}

static void place_add(struct smooth *smooth, struct smooth_place place)
{
	/* Squares of the largest costs are no numbers. */
	if ((smooth->n && !(place.x > smooth->x[smooth->n - 1])) || !isfinite(place.x) ||
	    !isfinite(place.y) || !isfinite(place.low) || !isfinite(place.high))
		return;
	smooth->x[smooth->n] = place.x;
	smooth->y[smooth->n] = place.y;
	smooth->low[smooth->n] = place.low;
	smooth->high[smooth->n++] = place.high;
}

static void places_create(struct arena *arena, struct smooth *ret)
{
	ret->x = arena_array(arena, double, SMOOTH_POINTS_MAX);
	ret->y = arena_array(arena, double, SMOOTH_POINTS_MAX);
	ret->low = arena_array(arena, double, SMOOTH_POINTS_MAX);
	ret->high = arena_array(arena, double, SMOOTH_POINTS_MAX);
}

/* Of the values, or their logarithms. */
static double bin_value(const struct smooth_call *calls, size_t i, bool by_log)
{
	return by_log ? log(calls[i].x) : calls[i].x;
}

/* How many bins the rule has for @n sorted calls. */
static double bins_count(const struct smooth_call *calls, size_t n, enum smooth_kind rule,
			 bool by_log)
{
	const double count = (double)n, width = pow(count, -1.0 / 3);
	const double error = sqrt(6 * (count - 2) / ((count + 1) * (count + 3)));
	const double range = bin_value(calls, n - 1, by_log) - bin_value(calls, 0, by_log);
	double mean = 0, m2 = 0, m3 = 0;

	for (size_t i = 0; i < n; i++)
		mean += bin_value(calls, i, by_log) / count;
	for (size_t i = 0; i < n; i++) {
		const double d = bin_value(calls, i, by_log) - mean;

		m2 += d * d / count;
		m3 += d * d * d / count;
	}
	switch (rule) {
	case SMOOTH_STURGES:
		return 1 + log2(count);
	case SMOOTH_RICE:
		return ceil(2 / width);
	case SMOOTH_SQRT:
		return sqrt(count);
	case SMOOTH_SCOTT:
		return range / (3.49 * sqrt(m2) * width);
	case SMOOTH_FD:
		return range / (2 * width *
				(bin_value(calls, 3 * (n - 1) / 4, by_log) -
				 bin_value(calls, (n - 1) / 4, by_log)));
	case SMOOTH_NONE:
	case SMOOTH_KERNEL:
	case SMOOTH_BINS:
	case SMOOTH_MEAN:
	case SMOOTH_MEDIAN:
	case SMOOTH_EXPONENTIAL:
	case SMOOTH_KIND_COUNT:
		break;
	}
	return 1 + log2(count) + log2(1 + (m2 > 0 ? fabs(m3) / pow(m2, 1.5) / error : 0));
}

/* A bin with hardly any calls goes with the next, none is 0 for want of them. */
static void bins_fit(const struct smooth_call *calls, size_t n, enum smooth_kind rule,
		     struct smooth *ret)
{
	const double low = calls[0].x, high = calls[n - 1].x;
	const bool by_log = low > 0 && high / low > LOG_SPAN;
	/* Where half of the calls have one value a rule may have no end: fmin() of NAN, too. */
	const double bins =
		fmin(fmax(rint(bins_count(calls, n, rule, by_log)), 1), SMOOTH_POINTS_MAX);
	size_t from = 0;

	for (size_t i = 0, bin = 1; i < n; i++) {
		const double part = by_log ? log(calls[i].x / low) / log(high / low)
					   : (calls[i].x - low) / (high - low);

		if (part * bins >= (double)bin && i - from >= BIN_MIN && n - i >= BIN_MIN) {
			place_add(ret, mean_of(calls + from, i - from));
			from = i;
		}
		while (part * bins >= (double)bin)
			bin++;
	}
	place_add(ret, mean_of(calls + from, n - from));
}

bool smooth_fit(const double *x, const double *y, size_t n, enum smooth_kind kind, size_t steps,
		struct arena *arena, struct smooth *ret)
{
	struct smooth_call *calls = calls_sort(x, y, &n, CALLS_MAX);
	const bool ok = n >= SMOOTH_CALLS_MIN && calls[0].x < calls[n - 1].x;
	const bool is_bins = kind >= SMOOTH_BINS && kind <= SMOOTH_FD;
	const size_t places = n < steps ? n : steps; /* steps <= SMOOTH_POINTS_MAX */
	const size_t k = ok && kind == SMOOTH_KERNEL ? neighbours_choose(calls, n) : 0;

	*ret = (struct smooth){.kind = kind};
	places_create(arena, ret);
	if (ok && is_bins)
		bins_fit(calls, n, kind, ret);
	for (size_t i = 0; ok && !is_bins && i < places; i++) {
		const size_t at = i * (n - 1) / (places - 1);

		place_add(ret,
			  k ? kernel_at(calls, n, calls[at].x, k) : window_at(calls, n, at, kind));
	}
	free(calls);
	return ok && ret->n > 1;
}

bool smooth_at(const struct smooth *smooth, double x, double ret[3])
{
	const double *lists[] = {smooth->y, smooth->low, smooth->high};
	const size_t at = BISECT_FIRST(i, smooth->n, smooth->x[i] < x);
	double part;

	if (at == smooth->n || x < smooth->x[0])
		return false;
	part = at ? (x - smooth->x[at - 1]) / (smooth->x[at] - smooth->x[at - 1]) : 1;
	for (size_t i = 0; i < 3; i++)
		ret[i] = part * lists[i][at] + (at ? (1 - part) * lists[i][at - 1] : 0);
	return true;
}

/* How far from the mean, in standard errors, the curve is at each place; returns the most. */
static double misfit_look(const struct smooth_call *calls, size_t n, double *ret)
{
	const double mean = mean_of(calls, n).y;
	const size_t k = n / 6 < SMOOTH_CALLS_MIN ? SMOOTH_CALLS_MIN : n / 6;
	double most = 0;

	for (size_t i = 0; i < MISFIT_PLACES; i++) {
		const double x = calls[i * (n - 1) / (MISFIT_PLACES - 1)].x;
		const struct smooth_place at = kernel_at(calls, n, x, k);

		ret[i] = at.error > 0 ? fabs(at.y - mean) / at.error : 0;
		most = fmax(most, ret[i]);
	}
	return most;
}

static void left_shuffle(struct smooth_call *calls, size_t n, struct random_state *random)
{
	for (size_t i = n; i > 1; i--) {
		const size_t other = random_next(random) % i;
		const double y = calls[i - 1].y;

		calls[i - 1].y = calls[other].y;
		calls[other].y = y;
	}
}

bool smooth_find_misfit(const double *x, const double *left, size_t n, struct smooth_misfit *ret)
{
	struct smooth_call *calls = calls_sort(x, left, &n, MISFIT_CALLS);
	struct random_state random = {.state = SEED};
	double found[MISFIT_PLACES], chance[MISFIT_PLACES], most, border = 0, second = 0;
	size_t above = 0, from = 0, end;

	if (n < 2 * SMOOTH_CALLS_MIN || !(calls[0].x < calls[n - 1].x)) {
		free(calls);
		return false;
	}
	most = misfit_look(calls, n, found);
	for (unsigned i = 0; i < PERMUTATIONS; i++) {
		double by_chance;

		left_shuffle(calls, n, &random);
		by_chance = misfit_look(calls, n, chance);
		above += by_chance >= most;
		second = fmax(second, fmin(by_chance, border));
		border = fmax(border, by_chance);
	}
	while (found[from] < most)
		from++;
	for (end = from; end + 1 < MISFIT_PLACES && found[end + 1] > second;)
		end++;
	while (from && found[from - 1] > second)
		from--;
	*ret = (struct smooth_misfit){calls[from * (n - 1) / (MISFIT_PLACES - 1)].x,
				      calls[end * (n - 1) / (MISFIT_PLACES - 1)].x,
				      (double)(above + 1) / (PERMUTATIONS + 1)};
	free(calls);
	return above + 1 <= WRONG;
}

void smooth_print(const struct smooth *smooth, FILE *out)
{
	fprintf(out, "%s: ", smooth_name(smooth->kind));
	for (size_t i = 0; i < smooth->n; i++)
		fprintf(out, "%s%.4g (%.4g to %.4g) at %.6g", i ? ", " : "", smooth->y[i],
			smooth->low[i], smooth->high[i], smooth->x[i]);
	fprintf(out, "; over %s", smooth->over);
}

bool smooth_read(const char *text, struct arena *arena, struct smooth *ret)
{
	const char *at = strchr(text, ':');
	struct smooth read = {
		.kind = at ? smooth_named(arena_printf(arena, "%.*s", (int)(at - text), text))
			   : SMOOTH_NONE};

	if (!read.kind)
		return false;
	places_create(arena, &read);
	for (int length = 0; read.n < SMOOTH_POINTS_MAX; at += length) {
		struct smooth_place place;

		length = 0;
		if (sscanf(at, "%*1[:,] %lf (%lf to %lf) at %lf%n", &place.y, &place.low,
			   &place.high, &place.x, &length) != 4 ||
		    !length)
			break;
		place_add(&read, place);
	}
	if (strncmp(at, "; over ", 7) != 0 || read.n < 2)
		return false;
	read.over = arena_strdup(arena, at + 7);
	*ret = read;
	return true;
}
