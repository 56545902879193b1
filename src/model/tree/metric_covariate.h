/* A note for times that follow another metric more closely than any feature. */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

/*
 * If the residuals of @annotation's formulas in @samples go along with waiting, page faults,
 * switches or allocated memory, put a note about that before the others. Does nothing for metrics
 * that are no times.
 */
void metric_covariate_note(struct annotation *annotation, const struct samples *samples);
