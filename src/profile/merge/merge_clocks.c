/* Bounds are collected by pairs of clocks. */
#include "merge_clocks.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

bool merge_clocks_bound(const struct message *asked, const struct merge_side *servers, size_t call,
			struct clock_bound *ret)
{
	const struct message *served = &servers->messages[call];
	const double began =
		merge_side_number(servers->calls[call].samples, servers->calls[call].row,
				  COLUMN_KEY, messages_keys[MESSAGE_BEGAN]);
	int64_t began_ns = (int64_t)served->began_ns, ended_ns = (int64_t)served->ended_ns;

	if (!asked->began_ns || !asked->ended_ns || !served->began_ns)
		return false;
	if (began > (double)ended_ns && began < 0x1p62) /* others answered, later */
		ended_ns = (int64_t)began;
	if (served->before && served->from < asked->from && began < 0x1p62)
		began_ns = (int64_t)began; /* what came first was another request */
	*ret = (struct clock_bound){
		.low_at = (int64_t)asked->ended_ns,
		.low = ended_ns - (int64_t)asked->ended_ns,
		.high_at = (int64_t)asked->began_ns,
		.high = began_ns - (int64_t)asked->began_ns,
	};
	return true;
}

static struct merge_clock *clocks_pair(struct merge_clocks *clocks, double client, double server)
{
	for (size_t i = 0; i < clocks->n; i++)
		if (clocks->list[i].client == client && clocks->list[i].server == server)
			return &clocks->list[i];
	if (isnan(client) || isnan(server) || client == server || clocks->n == MERGE_CLOCKS_MOST)
		return NULL;
	clocks->list[clocks->n] = (struct merge_clock){client, server, {0}};
	return &clocks->list[clocks->n++];
}

/* A bound, and the pair of clocks that it is of. */
struct clocks_bound {
	size_t pair;
	struct clock_bound bound;
};

static void clocks_fit_pair(const struct clocks_bound *all, size_t n, size_t pair,
			    struct clock_fit *ret)
{
	struct clock_bound *bounds = mem_alloc((n + 1) * sizeof(*bounds));
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].pair == pair)
			bounds[found++] = all[i].bound;
	clock_fit(bounds, found, ret);
	free(bounds);
}

void merge_clocks_find(const struct samples *client, const struct merge_pairs *pairs,
		       const struct merge_side *servers, struct merge_clocks *ret)
{
	struct clocks_bound *all = mem_alloc((servers->n_calls + 1) * sizeof(*all));
	size_t n = 0;

	*ret = (struct merge_clocks){.n = 0};
	for (size_t i = 0; i < client->n_rows; i++)
		for (size_t j = 0; pairs->matches[i].reason == MATCHED && j < pairs->matches[i].n;
		     j++) {
			const struct merge_pair *match = &pairs->list[pairs->matches[i].first + j];
			const struct served_call *call = &servers->calls[match->served];
			const struct merge_clock *pair =
				clocks_pair(ret, merge_side_clock(client, i), call->clock);

			if (!pair || n == servers->n_calls ||
			    !merge_clocks_bound(&match->asked, servers, match->served,
						&all[n].bound))
				continue;
			all[n++].pair = (size_t)(pair - ret->list);
		}
	for (size_t i = 0; i < ret->n; i++)
		clocks_fit_pair(all, n, i, &ret->list[i].fit);
	free(all);
}

bool merge_clocks_fit(const struct merge_clocks *clocks, double client, double server,
		      struct clock_fit *ret)
{
	*ret = (struct clock_fit){0};
	if (client == server)
		return true;
	for (size_t i = 0; i < clocks->n; i++)
		if (clocks->list[i].client == client && clocks->list[i].server == server) {
			*ret = clocks->list[i].fit;
			return ret->n > ret->n_against;
		}
	return false;
}
