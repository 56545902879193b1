/* A period's samples against the annotations: what watch_state.h is told. */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "model/compare/check_samples.h"
#include "watch_state.h"

/*
 * Check the samples in the profile @path, and take them out of it; functions with too few keep
 * them for the next period. @ret[annotations->n]: those without a test have no samples. Returns
 * false on ERR_IO, ERR_FORMAT.
 */
bool watch_check_period(const char *path, const struct annotation_list *annotations,
			const struct check_options *options, struct watch_observation *ret,
			struct err *err);
