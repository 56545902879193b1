/*
 * Chains of tail calls: a function that was called may have jumped to another one, whose frame then
 * stands where its own did.
 */
#pragma once

#include "call_sites.h"

/* Those of one file, as they are asked for; @sites is borrowed. */
struct call_chains;

struct call_chains *call_chain_open(struct call_sites *sites);
void call_chain_close(struct call_chains *chains); /* NULL is fine */

/*
 * The only way by which the function whose code begins at @from, once called, comes to run the one
 * at @to in its place; none if there are several. It lives as long as @chains.
 */
const struct call_chain *call_chain_find(struct call_chains *chains, uint64_t from, uint64_t to);

/* That if it was looked for before, else NULL. */
const struct call_chain *call_chain_known(struct call_chains *chains, uint64_t from, uint64_t to);
