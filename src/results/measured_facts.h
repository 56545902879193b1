/*
 * How the samples of a profile were measured, in words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/arena.h"
#include "profile/profile.h"
#include "report/html.h"

/* Facts of the last runs, [@ret_n] in @arena. ERR_IO, ERR_FORMAT. */
bool measured_facts(struct profile *profile, struct arena *arena, const struct html_fact **ret,
		    size_t *ret_n, struct err *err);
