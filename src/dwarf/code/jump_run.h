/*
 * Runs of instructions that a jump may replace.
 *
 * A run's instructions follow each other in memory and in execution. Behind a return or jump, only
 * padding may follow: nop or int3 that is never executed, up to aligned code or what is known to be
 * entered.
 *
 * A closed run has loops: all direct jumps into its middle are its own, and none leads into the
 * bytes that a jump at its beginning replaces. So a thread in its middle may go on there.
 *
 * If two runs of a module overlap, both together are a run as well: the second's beginning is in
 * the first one's middle, so nothing jumps there.
 */
#pragma once

#include "jump_insn.h"

/*
 * The shortest run of at least @wanted bytes with the instruction at @addr. For a probe address
 * with an endbr64 the run begins behind it.
 */
struct jump_site jump_run_at(const struct jump_sites *sites, uint64_t addr, size_t wanted);

/*
 * If the probe at @addr has no @site, look for a closed run. Call when all gaps are found, as its
 * bytes cannot be lent.
 */
void jump_run_closed(const struct jump_sites *sites, uint64_t addr, struct jump_site *site);

/* Does the instruction behind @i in the list stand behind it in memory? */
bool jump_run_follows(const struct jump_sites *sites, size_t i);

/* The last instruction of the padding behind the return or jump @i; @i: there is none. */
size_t jump_run_padding(const struct jump_sites *sites, size_t i);
