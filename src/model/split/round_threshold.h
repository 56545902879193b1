/*
 * The round number that reports a threshold.
 *
 * Every number between two observed values parts the calls alike; people write round ones.
 */
#pragma once

#include <stdbool.h>

/*
 * The decimal number with the fewest digits in [@low, @high), of these the closest to the middle;
 * @low < @high are finite. @whole: an integer, as @low is.
 */
double round_threshold(double low, double high, bool whole);
