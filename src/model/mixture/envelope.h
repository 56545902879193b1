/*
 * Lower envelopes (heuristic R): the formula of the cheapest calls of each size, where noise, which
 * only adds cost, hides it.
 *
 * Calls are grouped by the values of one feature; the same share of cheapest calls of each group is
 * fitted. If metric and feature are independent, these are in random order, so a rank test of their
 * order is exact.
 */
#pragma once

#include "model/data/model_options.h"
#include "model/regression/fit.h"

/*
 * Fit the envelope of the calls of @data, whose metric is a time. Sets is_envelope, the R2 of the
 * cheapest calls, and as deviation the root mean square distance of all calls. False: there is
 * none.
 */
bool envelope_find(const struct dataset *data, const struct model_options *options,
		   struct fit *ret);
