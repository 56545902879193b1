/*
 * Clusters of numbers: one hump is one cluster, two that are apart are two, and values that repeat
 * are no humps.
 *
 * Usage: test_density [TABLES]: how many tables of each kind (fewer of the large ones).
 *
 * A rate of at most 2 % of false borders is tested with t tables; their number is binomial, and the
 * seeds are fixed. Found borders: at least 0.95 t - 3 sqrt(0.05 * 0.95 t).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/density/density_clusters.h"

#include "drawn.h"
#include "random_numbers.h"

enum { ROWS_MAX = 10000 };

/*
 * More tables with false borders than are allowed come by accident in this part of the cases, if
 * the rate is just 2 %. Of 50 tables, and of 200, that is beyond three standard errors.
 */
#define ACCIDENT 0.018

static unsigned tables;

static double normal(struct random *random)
{
	return 100 + 5 * random_normal(random);
}

static double lognormal(struct random *random)
{
	return exp(random_normal(random));
}

static double lognormal_of_noise(struct random *random)
{
	return 40 * exp(0.3 * random_normal(random));
}

static double t_of_three(struct random *random)
{
	return random_t(random, 3);
}

static double t_of_five(struct random *random)
{
	return 50 + random_t(random, 5);
}

static double cauchy(struct random *random)
{
	return random_t(random, 1);
}

static double whole(struct random *random)
{
	return floor(20 + 1.2 * random_normal(random));
}

static double faults(struct random *random)
{
	return random_poisson(random, 2);
}

static double pages(struct random *random)
{
	return 4096 * floor(3 + 3 * random_exponential(random));
}

/* Of a timer, in whole nanoseconds: ticks are 41 or 42 apart. */
static double ticks(struct random *random)
{
	return floor(floor((1000 + 100 * random_normal(random)) / 41.67) * 41.67);
}

static const struct {
	const char *name;
	double (*draw)(struct random *random);
} laws[] = {
	{"normal", normal},
	{"lognormal", lognormal},
	{"lognormal, narrow", lognormal_of_noise},
	{"exponential", random_exponential},
	{"uniform", random_uniform},
	{"t, 5 degrees", t_of_five},
	{"t, 3 degrees", t_of_three},
	{"Cauchy", cauchy},
	{"whole numbers", whole},
	{"faults", faults},
	{"pages", pages},
	{"ticks", ticks},
};

static unsigned count_false(double (*draw)(struct random *), size_t n, unsigned count)
{
	static double y[ROWS_MAX];
	struct random random;
	struct clusters clusters;
	unsigned wrong = 0;
	unsigned table;
	size_t i;

	for (table = 0; table < count; table++) {
		random_init(&random, 1000 * n + table);
		for (i = 0; i < n; i++)
			y[i] = draw(&random);
		density_clusters_find(y, n, &clusters);
		wrong += clusters.n != 1;
	}
	return wrong;
}

static void one_hump_is_one_cluster(void **state)
{
	static const size_t sizes[] = {50, 150, 1000, 10000};
	size_t law, size;

	(void)state;
	for (law = 0; law < sizeof(laws) / sizeof(*laws); law++) {
		for (size = 0; size < sizeof(sizes) / sizeof(*sizes); size++) {
			unsigned count = sizes[size] > 1000 ? tables / 5 : tables;
			unsigned wrong = count_false(laws[law].draw, sizes[size], count);

			print_message("%-18s n = %-5zu false in %u of %u\n", laws[law].name,
				      sizes[size], wrong, count);
			assert_in_range(wrong, 0, most_by_chance(count, 0.02, ACCIDENT));
		}
	}
}

static void fill_two(struct random *random, double share, double apart, size_t n, double *y)
{
	size_t i;

	for (i = 0; i < n; i++)
		y[i] = 30 + random_normal(random) + (random_uniform(random) < share ? apart : 0);
}

/* Tables with two clusters, of @tables. */
static unsigned count_two(double share, size_t n)
{
	double y[600];
	struct random random;
	struct clusters clusters;
	unsigned right = 0;
	unsigned table;

	for (table = 0; table < tables; table++) {
		random_init(&random, 7777 + table);
		fill_two(&random, share, 5, n, y);
		density_clusters_find(y, n, &clusters);
		right += clusters.n == 2;
	}
	return right;
}

/*
 * Of 150 numbers a twentieth are seven or eight, often fewer. Such a few are as likely the tail of
 * a skewed distribution with heavy tails: more than about six in ten cannot be had without false
 * borders in those.
 */
static void two_humps_are_two_clusters(void **state)
{
	static const struct {
		double share;
		size_t n;
		double rate;
	} cases[] = {{0.05, 600, 0.95}, {0.1, 150, 0.95}, {0.3, 150, 0.95},
		     {0.5, 150, 0.95},  {0.9, 150, 0.95}, {0.05, 150, 0.6}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double rate = cases[i].rate;
		unsigned right = count_two(cases[i].share, cases[i].n);

		print_message("share %.2f of %zu: two in %u of %u\n", cases[i].share, cases[i].n,
			      right, tables);
		assert_true(right >= rate * tables - 3 * sqrt(rate * (1 - rate) * tables));
	}
}

/* Borders rise, centres lie between them, sizes are those of the numbers. */
static void assert_sound(const struct clusters *clusters, const double *y, size_t n)
{
	size_t sizes[CLUSTERS_MAX] = {0};
	unsigned k;
	size_t i;

	assert_true(clusters->n >= 1 && clusters->n <= CLUSTERS_MAX);
	for (k = 1; k + 1 < clusters->n; k++)
		assert_true(clusters->borders[k] > clusters->borders[k - 1]);
	for (k = 0; k < clusters->n; k++) {
		assert_true(isfinite(clusters->centres[k]));
		assert_true(k == 0 || clusters->centres[k] >= clusters->borders[k - 1]);
		assert_true(k + 1 == clusters->n || clusters->centres[k] < clusters->borders[k]);
	}
	for (i = 0; i < n; i++) {
		for (k = 0; k + 1 < clusters->n && y[i] >= clusters->borders[k]; k++)
			;
		sizes[k]++;
	}
	for (k = 0; k < clusters->n; k++)
		assert_int_equal(sizes[k], clusters->sizes[k]);
}

/*
 * The dip of two equal humps 5 apart is in the middle; its place varies by less than a deviation.
 */
static void the_dip_is_the_border_and_the_tops_are_centres(void **state)
{
	double y[600];
	struct random random;
	struct clusters clusters;

	(void)state;
	random_init(&random, 1);
	fill_two(&random, 0.5, 5, 600, y);
	density_clusters_find(y, 600, &clusters);
	assert_sound(&clusters, y, 600);
	assert_int_equal(clusters.n, 2);
	assert_true(fabs(clusters.borders[0] - 32.5) < 1);
	assert_true(fabs(clusters.centres[0] - 30) < 0.5);
	assert_true(fabs(clusters.centres[1] - 35) < 0.5);
}

static void eight_humps_are_eight_clusters(void **state)
{
	double y[4000];
	struct random random;
	struct clusters clusters;
	size_t i;

	(void)state;
	random_init(&random, 2);
	for (i = 0; i < 4000; i++)
		y[i] = 8 * floor(8 * random_uniform(&random)) + random_normal(&random);
	density_clusters_find(y, 4000, &clusters);
	assert_sound(&clusters, y, 4000);
	assert_int_equal(clusters.n, 8);
	for (i = 0; i < 4000; i++)
		y[i] = 8 * floor(20 * random_uniform(&random)) + random_normal(&random);
	density_clusters_find(y, 4000, &clusters);
	assert_sound(&clusters, y, 4000);
	assert_true(clusters.n > 1);
}

/* Microseconds, milliseconds and seconds: each with a tenth of noise. */
static void humps_decades_apart_are_found_though_most_numbers_are_in_one(void **state)
{
	static const double centres[] = {3, 4, 2000, 1e6};
	double y[2000];
	struct random random;
	struct clusters clusters;
	size_t i;

	(void)state;
	random_init(&random, 3);
	for (i = 0; i < 2000; i++)
		y[i] = centres[i % 20 == 0  ? 3
			       : i % 5 == 0 ? 2
					    : i % 2] *
		       (1 + 0.03 * random_normal(&random));
	density_clusters_find(y, 2000, &clusters);
	assert_sound(&clusters, y, 2000);
	assert_int_equal(clusters.n, 4);
	assert_int_equal(clusters.sizes[3], 100);
	assert_int_equal(clusters.sizes[2], 300);
}

static void a_few_values_that_repeat_are_a_cluster_each(void **state)
{
	static const double values[] = {0, 1, 4096};
	double y[60];
	struct clusters clusters;
	size_t i, k;

	(void)state;
	for (k = 1; k <= 3; k++) {
		for (i = 0; i < 60; i++)
			y[i] = values[i % k];
		density_clusters_find(y, 60, &clusters);
		assert_sound(&clusters, y, 60);
		assert_int_equal(clusters.n, k);
		assert_int_equal(clusters.sizes[0], 60 / k);
	}
}

static void few_numbers_are_one_cluster(void **state)
{
	const double y[] = {1, 1e6, 7, 3e9, 2};
	struct clusters clusters;
	size_t n;

	(void)state;
	density_clusters_find(y, 0, &clusters);
	assert_int_equal(clusters.n, 1);
	assert_int_equal(clusters.sizes[0], 0);
	for (n = 1; n <= 5; n++) {
		density_clusters_find(y, n, &clusters);
		assert_sound(&clusters, y, n);
		assert_int_equal(clusters.n, 1);
	}
}

static void two_stray_numbers_are_no_cluster(void **state)
{
	double y[200];
	struct random random;
	struct clusters clusters;
	size_t i;

	(void)state;
	random_init(&random, 4);
	for (i = 0; i < 200; i++)
		y[i] = i < 2 ? 1e4 : 10 + random_normal(&random);
	density_clusters_find(y, 200, &clusters);
	assert_sound(&clusters, y, 200);
	assert_int_equal(clusters.n, 1);
}

static void extreme_numbers_have_clusters_too(void **state)
{
	static const double units[] = {1e-320, 1e-300, 1e-6, 1e9, 1e300, 4e306};
	double y[300];
	struct random random;
	struct clusters clusters;
	size_t unit, i;

	(void)state;
	for (unit = 0; unit < sizeof(units) / sizeof(*units); unit++) {
		random_init(&random, 5);
		fill_two(&random, 0.4, 10, 300, y);
		for (i = 0; i < 300; i++)
			y[i] *= units[unit];
		density_clusters_find(y, 300, &clusters);
		assert_sound(&clusters, y, 300);
		assert_int_equal(clusters.n, 2);
	}
	for (i = 0; i < 300; i++)
		y[i] = i % 3 ? 1.7e308 : -1.7e308 * random_uniform(&random);
	density_clusters_find(y, 300, &clusters);
	assert_sound(&clusters, y, 300);
}

static void the_order_of_numbers_does_not_matter(void **state)
{
	double y[600], backwards[600];
	struct random random;
	struct clusters one, two;
	size_t i;

	(void)state;
	random_init(&random, 6);
	fill_two(&random, 0.3, 6, 600, y);
	for (i = 0; i < 600; i++)
		backwards[i] = y[599 - i];
	density_clusters_find(y, 600, &one);
	density_clusters_find(backwards, 600, &two);
	assert_memory_equal(&one, &two, sizeof(one));
}

/* Any bytes are some numbers; those that are not finite are none of density_clusters_find()'s. */
static void random_bits_have_a_sound_answer(void **state)
{
	double y[100];
	struct random random;
	struct clusters clusters;
	unsigned round;

	(void)state;
	random_init(&random, 7);
	for (round = 0; round < 300; round++) {
		size_t n = 1 + 99 * random_uniform(&random);
		size_t i;

		for (i = 0; i < n; i++) {
			do {
				uint64_t bits = ldexp(random_uniform(&random), 32);

				bits = bits << 32 | (uint64_t)ldexp(random_uniform(&random), 32);
				memcpy(&y[i], &bits, sizeof(bits));
			} while (!isfinite(y[i]));
			if (i && random_uniform(&random) < 0.3)
				y[i] = y[i - 1];
		}
		density_clusters_find(y, n, &clusters);
		assert_sound(&clusters, y, n);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_hump_is_one_cluster),
		cmocka_unit_test(two_humps_are_two_clusters),
		cmocka_unit_test(the_dip_is_the_border_and_the_tops_are_centres),
		cmocka_unit_test(eight_humps_are_eight_clusters),
		cmocka_unit_test(humps_decades_apart_are_found_though_most_numbers_are_in_one),
		cmocka_unit_test(a_few_values_that_repeat_are_a_cluster_each),
		cmocka_unit_test(few_numbers_are_one_cluster),
		cmocka_unit_test(two_stray_numbers_are_no_cluster),
		cmocka_unit_test(extreme_numbers_have_clusters_too),
		cmocka_unit_test(the_order_of_numbers_does_not_matter),
		cmocka_unit_test(random_bits_have_a_sound_answer),
	};

	tables = drawn(200);
	if (argc > 1)
		tables = strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
