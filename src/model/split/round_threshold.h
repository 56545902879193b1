/*
 * Pivots: the number that a threshold is told as.
 *
 * Between two observed values every number parts the calls alike. People write round ones, in
 * programs as in formulas.
 */
#pragma once

#include <stdbool.h>

/*
 * The decimal number with the fewest digits in [@low, @high), the closest to the middle of those;
 * @low < @high are finite.
 * @whole: an integer; @low is one.
 */
double round_threshold(double low, double high, bool whole);
