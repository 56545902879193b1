/*
 * Humps: the maxima of a density that stand out beyond chance, and the dips between them.
 *
 * A dip is judged by two things. How little chance would make of it: the numbers in it and in the
 * smaller of the humps beside it are compared with what they were if the density did not rise from
 * the one to the other (a binomial likelihood ratio). And whether two normal distributions explain
 * the numbers better than one with a tail (unimodal.h). A dip that is clear is a border; one that
 * is not, or that only kernels of one width see, needs the second. The limits come from simulation:
 * tests/test_density.c has the distributions, and the rates of false and missed borders that must
 * hold. Source: Mueller and Sawitzki, Excess mass estimates and tests for multimodality, JASA 86
 * (1991).
 */
#pragma once

#include <stddef.h>

#include "kde.h"

/* Numbers and their density. */
struct density_view {
	const double *z; /* [n] rising */
	size_t n;
	struct kde kde;
	const double *density; /* private: the one of kde's that is looked at */
};

struct density_mode {
	size_t top;    /* cell */
	size_t bottom; /* cell of the dip before it; of the first 0 */
	size_t begin;  /* index of its first number */
};

enum { HUMPS_MAX = 64 };

struct density_modes {
	unsigned n; /* at least 1 */
	struct density_mode of[HUMPS_MAX];
};

/* Where the cell @cell is. */
double density_modes_place(const struct density_view *view, size_t cell);

/* The humps that neither chance nor a tail explains, at most @most. */
void density_modes_find(struct density_view *view, unsigned most, struct density_modes *ret);
