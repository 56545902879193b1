/*
 * Models of several functions at once, a thread for each processor.
 *
 * Functions do not depend on each other, and models on nothing but their samples: so the number of
 * threads changes no annotation. The caller is one of them; the others end with
 * model_crew_finish().
 */
#pragma once

#include <stddef.h>

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "cli/options.h"

struct model_crew;

/* Borrows @options. */
struct model_crew *model_crew_create(const struct options *options);

/*
 * Takes @samples, to be modelled. Helps while what is loaded is more than memory is meant for, or
 * as many functions wait as there are threads.
 */
void model_crew_add(struct model_crew *crew, struct samples *samples);

/*
 * Helps, waits for all, and ends the crew. @ret: the annotations in the order of model_crew_add();
 * the caller destroys them, and frees the list. Returns their number. Functions whose turn did not
 * come before an interrupt have none.
 */
size_t model_crew_finish(struct model_crew *crew, struct annotation ***ret);
