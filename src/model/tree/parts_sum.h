/*
 * A merged call's time is the sum of its parts: its own, the servers', the network's. So is its
 * formula, where the sum describes the calls about as well as one of its own.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

/*
 * Makes the formula of @whole the sum of those of @parts[@n], term by term, and notes that; or
 * notes how far the sum of what they expect is from what it expects. Does nothing if that is not
 * known of enough calls.
 */
void parts_sum_settle(struct annotation *whole, struct annotation *const *parts, size_t n,
		      const struct samples *samples);
