/*
 * Does a time follow another metric more closely than any feature?
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

/*
 * If what the formulas of @annotation leave unexplained of @samples goes along with waiting, page
 * faults, switches or allocated memory, put a note about that before the others. Metrics that are
 * no times are left alone.
 */
void metric_covariate_note(struct annotation *annotation, const struct samples *samples);
