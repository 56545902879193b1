/*
 * Modes: the maxima of a density that stand out beyond chance, and the dips between them.
 *
 * Two tests judge a dip. Chance: the numbers in it and in the smaller mode beside it against a
 * density that does not rise between them (a binomial likelihood ratio). A tail: whether two normal
 * distributions explain the numbers better than one distribution with a tail (unimodal.h). A clear
 * dip is a border; one that is not, or that only kernels of one width show, needs the second test.
 * Limits come from simulation: tests/unit/model/density/test_density.c has the distributions and
 * the rates of false and missed borders. Source: Mueller and Sawitzki, Excess mass estimates and
 * tests for multimodality, JASA 86 (1991).
 */
#pragma once

#include <stddef.h>

#include "kde.h"

/* Numbers and their density. */
struct density_view {
	const double *z; /* [n] rising */
	size_t n;
	struct kde kde;
	const double *density; /* private: the one of kde in use */
};

struct density_mode {
	size_t top;    /* cell */
	size_t bottom; /* cell of the dip before it; of the first 0 */
	size_t begin;  /* index of its first number */
};

enum { MODES_MAX = 64 };

struct density_modes {
	unsigned n; /* at least 1 */
	struct density_mode of[MODES_MAX];
};

/* The position of @cell. */
double density_modes_place(const struct density_view *view, size_t cell);

/* At most @most modes that neither chance nor a tail explains. */
void density_modes_find(struct density_view *view, unsigned most, struct density_modes *ret);
