/*
 * How long does a least-squares fit take, and what are its coefficients? One design, read from a
 * file, in this process alone.
 *
 * Usage: model_fitting FILE ROWS COLUMNS TURNS
 *
 * FILE has the columns of the design one after another, then the response, as doubles. Prints the
 * seconds of the clock of one fit, the mean of TURNS, and on the next line the coefficients.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "model/regression/lsq.h"

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + 1e-9 * now.tv_nsec;
}

static double *read_numbers(const char *path, size_t n)
{
	double *numbers = mem_alloc(n * sizeof(*numbers));
	FILE *file = fopen(path, "rb");
	bool complete = file && fread(numbers, sizeof(*numbers), n, file) == n;

	if (file)
		fclose(file);
	if (!complete) {
		fprintf(stderr, "%s: not a file of %zu doubles\n", path, n);
		exit(1);
	}
	return numbers;
}

static double *ones(size_t n)
{
	double *weights = mem_alloc(n * sizeof(*weights));
	size_t i;

	for (i = 0; i < n; i++)
		weights[i] = 1;
	return weights;
}

static double time_fit(const struct lsq_design *design, unsigned turns, struct lsq_solution *ret)
{
	struct lsq *lsq = lsq_create();
	double *weights = ones(design->n);
	bool solved = true;
	double begin = now_seconds();
	unsigned i;

	for (i = 0; i < turns; i++)
		solved &= lsq_reduce(lsq, design, weights) && lsq_solve_all(lsq, ret);
	begin = now_seconds() - begin;
	free(weights);
	lsq_destroy(lsq);
	if (!solved) {
		fprintf(stderr, "the design has no solution\n");
		exit(1);
	}
	return begin / turns;
}

int main(int argc, char **argv)
{
	struct lsq_design design = {0};
	struct lsq_solution solution;
	unsigned turns, i;
	double *numbers;

	if (argc == 5) {
		design.n = strtoul(argv[2], NULL, 10);
		design.p = strtoul(argv[3], NULL, 10);
	}
	turns = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
	if (!design.n || !design.p || design.p > LSQ_COLUMNS || !turns) {
		fprintf(stderr, "usage: %s FILE ROWS COLUMNS TURNS\n", *argv);
		return 2;
	}
	numbers = read_numbers(argv[1], design.n * (design.p + 1));
	for (i = 0; i < design.p; i++)
		design.columns[i] = numbers + i * design.n;
	design.y = numbers + design.p * design.n;
	printf("%.9f\n", time_fit(&design, turns, &solution));
	for (i = 0; i < design.p; i++)
		printf("%.17g%c", solution.coefficients[i], i + 1 < design.p ? ' ' : '\n');
	free(numbers);
	return 0;
}
