/* Which probes become pads. */
#pragma once

#include "pads.h"

/*
 * Make the pads of all probes of @inferior that are to have some, by what is known now; @tid is one
 * of its tracees, all of which are stopped. Pads that are in the way of new ones are lifted.
 */
void pads_sites_plan(struct inferior *inferior, pid_t tid);
