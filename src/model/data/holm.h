/* Holm's correction (1979): one rate of false alarms for several tests together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* @ret[@n]: is the null hypothesis of the p-value @p[] rejected? */
void holm_reject(const double *p, size_t n, double alpha, bool *ret);
