/*
 * Lower envelopes (heuristic R): the law of the cheapest calls of each size, where noise that is
 * only ever added hides it.
 *
 * Calls are grouped by the values of one feature; in each group the calls with the least cost, a
 * group's share of them the same everywhere, tell the law. Where metric and feature have nothing to
 * do with each other, these are in no order, so their ranks are an exact test.
 */
#pragma once

#include "model/data/model_options.h"
#include "model/regression/fit.h"

/*
 * The envelope of the calls of @data, of a metric of time, in @ret: is_envelope, with the R2 of the
 * calls that it was made of; its deviation is the root mean square of the distances of all calls.
 * False: there is none.
 */
bool envelope_find(const struct dataset *data, const struct model_options *options,
		   struct fit *ret);
