/* How busy the machine was while samples were measured. */
#pragma once

#include "samples.h"

/* Threads that wanted to run, the median over the calls; NAN: not known. */
double machine_load(const struct samples *samples);
