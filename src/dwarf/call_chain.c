/* Searches functions by their tail calls; call_values.c reads these, call_sites.c has the code. */
#include "call_chain.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/mem.h"
#include "call_scope.h"

/* Limits of one search; what is beyond is not known. */
enum { FUNCTIONS_MAX = 64, TAIL_CALLS_MAX = 32, STEPS_MAX = 1024 };

struct kept_chain {
	uint64_t ends[2];
	struct call_chain chain;
	UT_hash_handle hh;
};

struct jumping {
	uint64_t addr;
	struct call_hop hops[TAIL_CALLS_MAX];
	size_t n;
	bool is_known;
	bool is_open;    /* it is on the way that is tried */
	bool goes_round; /* a way leads back to it */
	UT_hash_handle hh;
};

struct call_chains {
	struct call_sites *sites;
	struct kept_chain *kept;
	struct jumping *functions;
};

struct chain_search {
	struct call_chains *chains;
	uint64_t to;
	struct jumping *way[CALL_CHAIN_MAX]; /* functions, and by which of its hops each is left */
	const struct call_hop *hops[CALL_CHAIN_MAX];
	size_t n_way, n_functions, n_steps;
	struct jumping *found[CALL_CHAIN_MAX];
	struct call_chain chain;
	size_t n_found;
};

struct call_chains *call_chain_open(struct call_sites *sites)
{
	struct call_chains *chains = mem_alloc(sizeof(*chains));

	chains->sites = sites;
	return chains;
}

void call_chain_close(struct call_chains *chains)
{
	struct jumping *function, *next_function;
	struct kept_chain *kept, *next_kept;

	if (!chains)
		return;
	HASH_ITER (hh, chains->functions, function, next_function) {
		HASH_DEL(chains->functions, function);
		free(function);
	}
	HASH_ITER (hh, chains->kept, kept, next_kept) {
		HASH_DEL(chains->kept, kept);
		free(kept);
	}
	free(chains);
}

/* NULL: too many are looked at. */
static struct jumping *jumping_get(struct chain_search *search, uint64_t addr)
{
	struct jumping *function;

	HASH_FIND(hh, search->chains->functions, &addr, sizeof(addr), function);
	if (function)
		return function;
	if (search->n_functions++ == FUNCTIONS_MAX)
		return NULL;
	function = mem_alloc(sizeof(*function));
	function->addr = addr;
	function->is_known = call_sites_tail_calls(search->chains->sites, addr, TAIL_CALLS_MAX,
						   function->hops, &function->n);
	HASH_ADD(hh, search->chains->functions, addr, sizeof(function->addr), function);
	return function;
}

static void chain_take(struct chain_search *search)
{
	if (search->n_found++)
		return;
	for (size_t i = 0; i < search->n_way; i++) {
		search->found[i] = search->way[i];
		search->chain.hops[i] = search->hops[i];
	}
	search->chain.n = search->n_way;
}

/* All between @function, which the way comes to again, and the end of the way go round with it. */
static void chain_close(struct chain_search *search, struct jumping *function)
{
	for (size_t i = search->n_way; i-- > 0;) {
		search->way[i]->goes_round = true;
		if (search->way[i] == function)
			return;
	}
}

/* False: something is not known, or there is more than one way. */
static bool chain_follow(struct chain_search *search, uint64_t addr)
{
	struct jumping *function = jumping_get(search, addr);
	const size_t at = search->n_way;
	bool ok = function && function->is_known && search->n_steps++ < STEPS_MAX;

	if (ok && function->is_open)
		chain_close(search, function);
	if (!ok || function->is_open)
		return ok;
	function->is_open = true;
	/* Of other files' functions none comes back, as far as can be known. */
	for (size_t i = 0; ok && i < function->n; i++) {
		const uint64_t callee = function->hops[i].passing.callee_addr;

		if (!callee)
			continue;
		ok = at < CALL_CHAIN_MAX;
		if (!ok)
			break;
		search->way[at] = function;
		search->hops[at] = &function->hops[i];
		search->n_way = at + 1;
		if (callee == search->to)
			chain_take(search);
		else
			ok = chain_follow(search, callee);
		search->n_way = at;
		ok = ok && search->n_found <= 1;
	}
	function->is_open = false;
	return ok;
}

const struct call_chain *call_chain_known(struct call_chains *chains, uint64_t from, uint64_t to)
{
	const uint64_t ends[2] = {from, to};
	struct kept_chain *kept;

	HASH_FIND(hh, chains->kept, ends, sizeof(ends), kept);
	return kept ? &kept->chain : NULL;
}

const struct call_chain *call_chain_find(struct call_chains *chains, uint64_t from, uint64_t to)
{
	struct chain_search search = {.chains = chains, .to = to};
	const struct call_chain *known = call_chain_known(chains, from, to);
	struct kept_chain *kept;

	if (known)
		return known;
	kept = mem_alloc(sizeof(*kept));
	kept->ends[0] = from;
	kept->ends[1] = to;
	if (chain_follow(&search, from))
		kept->chain = search.chain;
	for (size_t i = 0; i < kept->chain.n; i++)
		kept->chain.goes_round[i] = search.found[i]->goes_round;
	HASH_ADD(hh, chains->kept, ends, sizeof(kept->ends), kept);
	return &kept->chain;
}
