/* How busy the machine was while samples were measured. */
#pragma once

#include "core/annotation/machine_load.h"
#include "samples.h"

struct machine_load samples_load(const struct samples *samples);
