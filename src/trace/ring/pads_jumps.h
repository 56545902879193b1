/*
 * The jumps of an inferior's pads, whose threads are all stopped, and the int3s at the same places.
 * What is written is written through @tid.
 */
#pragma once

#include "pads.h"

typedef void pads_jumps_visit(struct inferior *inferior, pid_t tid, struct pad_patch *patch);

void pads_jumps_each(struct inferior *inferior, pid_t tid, pads_jumps_visit *visit);

/* With what it borrows from; its int3s stay where that is not possible. */
pads_jumps_visit pads_jumps_plant;
/* With those that borrow from it; their int3s are planted again. */
pads_jumps_visit pads_jumps_lift;
/* If it does what is not wanted any more, or must not be. */
pads_jumps_visit pads_jumps_lift_stale;

/*
 * If all its functions are closed, not called now, and to be withdrawn: its jump is lifted, and no
 * int3 takes its place, until pads_jumps_plant() while session->restores.
 */
pads_jumps_visit pads_jumps_withdraw;

/* The int3s of a patch that is not planted. */
pads_jumps_visit pads_jumps_lift_int3s;
pads_jumps_visit pads_jumps_plant_int3s;

/* Must @run never be replaced? */
bool pads_jumps_is_spoiled(const struct pads *pads, uint64_t run);

/* The breakpoint of a site: at the endbr64 before it, if there is one. */
struct breakpoint *pads_jumps_breakpoint(struct inferior *inferior, const struct pad_site *site);
