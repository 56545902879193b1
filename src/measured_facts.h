/*
 * How the samples of a profile were measured, in words.
 */
#ifndef FATHOM_MEASURED_FACTS_H
#define FATHOM_MEASURED_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "profile/profile.h"
#include "report/html.h"

/* Of the last runs, in @arena. ERR_IO, ERR_FORMAT. */
bool measured_facts(struct profile *profile, struct arena *arena, const struct html_fact **ret,
		    size_t *ret_n, struct err *err);

#endif
