/*
 * Gaps: where a run is too short for a jump to a pad, it can have a short one to 5 bytes nearby
 * that nothing executes, and those have the other jump. They are padding behind a return or jump
 * of the same function, or a lender has them: a run that is replaced as well, longer than its own
 * jump. Nobody but the function itself uses its code and the padding behind it.
 */
#pragma once

#include "jump_sites.h"

enum probe_fate {
	PROBE_PAD,   /* it has a pad if it has a site */
	PROBE_MAYBE, /* it may have one */
	PROBE_INT3,  /* it never has one */
};

/* Call for each probe of the function with its site, before gaps are looked for. */
void jump_gap_see(struct jump_sites *sites, uint64_t addr, const struct jump_site *site,
		  enum probe_fate fate);

/*
 * If the probe at @addr has no @site, let it have one with a gap, which is its own from now on.
 * Calls for the most important probes come first.
 */
void jump_gap_find(struct jump_sites *sites, uint64_t addr, struct jump_site *site);
