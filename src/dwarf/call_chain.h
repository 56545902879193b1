/*
 * Chains of tail calls: a function that was called may have jumped to another one, whose frame then
 * stands where its own did.
 */
#pragma once

#include "call_sites.h"

struct call_chains;

/*
 * The only way by which the function whose code begins at @from, once called, comes to run the one
 * at @to in its place; none if there are several. It lives as long as @sites.
 */
const struct call_chain *call_chain_find(struct call_sites *sites, uint64_t from, uint64_t to);

/* That if it was looked for before, else NULL. */
const struct call_chain *call_chain_known(struct call_sites *sites, uint64_t from, uint64_t to);

void call_chain_forget(struct call_chains *chains); /* NULL is fine */
