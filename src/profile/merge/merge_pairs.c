/* All requests of all calls are matched at once, then brought together by calls. */
#include "merge_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alone_match.h"
#include "base/mem.h"
#include "moment_match.h"

/* The requests of all calls, MESSAGE_ASKED_MOST of each. */
struct requests {
	struct message *asked;
	struct match *found; /* elements of `order` */
	size_t *order;       /* [3 * the servers' calls] */
	size_t n_order;
	size_t n;     /* of those whose servers are looked for */
	size_t n_all; /* of all functions of the client */
};

/*
 * Servers may have calls whose connection nobody could tell: those asked that nobody served may be
 * these, by when they were alone.
 */
static void requests_match_rest(struct requests *requests, const struct samples *client,
				const struct merge_side *servers)
{
	struct message *rest = mem_alloc((requests->n + 1) * sizeof(*rest));
	size_t unknown = 0;
	bool any = false;

	while (unknown < servers->n_calls && servers->messages[unknown].way != MESSAGE_BY_INTERVAL)
		unknown++;
	for (size_t i = 0; i < requests->n; i++) {
		rest[i] = (struct message){0};
		if (unknown == servers->n_calls || requests->asked[i].way != MESSAGE_BY_ORDER ||
		    requests->found[i].reason != MATCH_NOT_KEPT ||
		    merge_side_clock(client, i / MESSAGE_ASKED_MOST) !=
			    servers->calls[unknown].clock)
			continue;
		rest[i] = requests->asked[i];
		rest[i].way = MESSAGE_BY_INTERVAL;
		rest[i].stream = servers->messages[unknown].stream;
		requests->asked[i] = rest[i];
		any = true;
	}
	if (any)
		moment_match(rest, requests->n, servers->messages, servers->n_calls,
			     requests->found, requests->order, &requests->n_order);
	free(rest);
}

/* A call, and the process that it is of. */
struct processed {
	struct merge_process of;
	size_t call;
};

static int compare_processed(const void *a, const void *b)
{
	const struct processed *x = a, *y = b;

	return merge_side_compare_processes(&x->of, &y->of);
}

/* Sets `of` of the servers' calls @ret. */
static void number_processes(const struct merge_side *servers, struct alone_call *ret)
{
	struct processed *list = mem_alloc((servers->n_calls + 1) * sizeof(*list));
	size_t of = 0;

	for (size_t i = 0; i < servers->n_calls; i++)
		list[i] = (struct processed){merge_side_process(servers, &servers->calls[i]), i};
	qsort(list, servers->n_calls, sizeof(*list), compare_processed);
	for (size_t i = 0; i < servers->n_calls; i++) {
		of += i && compare_processed(&list[i - 1], &list[i]);
		ret[list[i].call].of = of;
	}
	free(list);
}

/* What is not known may have been at any time. */
static void set_when(uint64_t began_ns, uint64_t ended_ns, struct alone_call *ret)
{
	ret->began_ns = ended_ns ? began_ns : 0;
	ret->ended_ns = ended_ns ? ended_ns : UINT64_MAX - 1;
}

/* Moments of several clocks cannot be compared. */
static bool have_one_clock(const struct samples *samples, double *clock)
{
	bool ret = true;

	for (size_t i = 0; ret && i < samples->n_rows; i++) {
		const double now = merge_side_clock(samples, i);

		if (isnan(*clock))
			*clock = now;
		ret = isnan(now) || now == *clock;
	}
	return ret;
}

static bool all_have_one_clock(const struct merge_side *clients, const struct merge_side *servers)
{
	double clock = NAN;
	bool ret = true;

	for (size_t i = 0; ret && i < clients->n; i++)
		ret = have_one_clock(clients->tables[i], &clock);
	for (size_t i = 0; ret && i < servers->n; i++)
		ret = have_one_clock(servers->tables[i], &clock);
	return ret;
}

/* Threads of a server may hand requests to each other: when calls were alone is left. */
static void requests_match_alone(struct requests *requests, const struct merge_side *clients,
				 size_t n_rows, const struct merge_side *servers)
{
	const size_t before = requests->n_order;
	const struct stream_asked asked = {requests->asked, requests->n, requests->n_all};
	struct alone_call *served = mem_alloc((servers->n_calls + 1) * sizeof(*served));
	struct alone_call *client = mem_alloc((n_rows + 1) * sizeof(*client));
	const struct alone_calls calls = {served, client, n_rows};
	struct merge_run run = {0};
	size_t n = 0;

	number_processes(servers, served);
	for (size_t i = 0; i < servers->n_calls; i++) {
		const struct served_call *call = &servers->calls[i];
		const bool all_kept = call->samples->n_calls == call->samples->n_rows;

		set_when(call->began_ns, all_kept ? call->ended_ns : 0, &served[i]);
	}
	for (size_t i = 0; i < clients->n; i++)
		for (size_t j = 0; j < clients->tables[i]->n_rows; j++, n++) {
			const double peers = merge_side_number(clients->tables[i], j, COLUMN_KEY,
							       messages_keys[MESSAGE_ASKED_PEERS]);
			uint64_t began_ns, ended_ns;

			if (!merge_side_when(clients->tables[i], j, &run, &began_ns, &ended_ns))
				ended_ns = 0;
			set_when(began_ns, ended_ns, &client[n]);
			client[n].unknown = !(peers >= 1 && peers <= MESSAGE_ASKED_MOST);
		}
	alone_match(&asked, servers->messages, servers->n_calls, &calls, requests->found,
		    requests->order, &requests->n_order);
	for (size_t i = 0; i < requests->n; i++)
		if (requests->found[i].reason == MATCHED && requests->found[i].first >= before)
			requests->asked[i].way = MESSAGE_BY_INTERVAL;
	free(served);
	free(client);
}

static bool servers_have_clock(const struct merge_side *servers, double clock)
{
	for (size_t i = 0; i < servers->n_calls; i++)
		if (servers->calls[i].clock == clock)
			return true;
	return false;
}

/* Why those were not found of which only moments tell. */
static void requests_explain(struct requests *requests, const struct samples *client,
			     const struct merge_side *servers)
{
	double before = NAN;
	bool known = false;

	for (size_t i = 0; i < requests->n; i++) {
		const double clock = merge_side_clock(client, i / MESSAGE_ASKED_MOST);

		if (requests->found[i].reason != MATCH_NOT_KEPT || isnan(clock) ||
		    requests->asked[i].way == MESSAGE_BY_POSITION)
			continue;
		if (clock != before)
			known = servers_have_clock(servers, clock);
		before = clock;
		if (!known)
			requests->found[i].reason = MATCH_OTHER_CLOCK;
	}
}

/* Of so many peers the call asked; what the first request says counts all of them. */
static unsigned call_peers(struct message *asked)
{
	const unsigned peers = asked->peers;

	asked->peers = peers > 0;
	return peers;
}

/* @first: where its pairs begin. */
static struct match call_match(const struct requests *requests, size_t row, unsigned peers,
			       size_t first, struct merge_pair *list)
{
	struct match ret = {MATCHED, first, 0};

	if (!peers)
		return (struct match){.reason = MATCH_NO_REQUEST};
	for (size_t i = 0; i < MESSAGE_ASKED_MOST; i++) {
		const size_t at = row * MESSAGE_ASKED_MOST + i;
		const struct match *found = &requests->found[at];

		if (!requests->asked[at].peers)
			continue;
		peers -= peers > 0;
		if (found->reason != MATCHED)
			return *found;
		for (size_t j = found->first; j < found->first + found->n; j++)
			list[first + ret.n++] =
				(struct merge_pair){requests->asked[at], requests->order[j]};
	}
	return peers ? (struct match){.reason = MATCH_SEVERAL_PEERS} : ret;
}

/*
 * What its other functions asked: it may have been on the same connections, at once. Returns how
 * many calls all have.
 */
static size_t requests_add_others(struct requests *requests, const struct samples *client,
				  const struct merge_side *clients)
{
	size_t n_rows = 0;

	for (size_t i = 0; i < clients->n; i++)
		n_rows += clients->tables[i]->n_rows;
	requests->asked = mem_alloc((n_rows * MESSAGE_ASKED_MOST + 1) * sizeof(*requests->asked));
	requests->n_all = requests->n;
	for (size_t i = 0; i < clients->n; i++)
		for (size_t j = 0; clients->tables[i] != client && j < clients->tables[i]->n_rows;
		     j++, requests->n_all += MESSAGE_ASKED_MOST) {
			struct message *asked = &requests->asked[requests->n_all];

			merge_side_asked(clients->tables[i], j, NULL, asked);
			asked->peers = asked->peers > 0;
		}
	return n_rows;
}

void merge_pairs_find(const struct samples *client, const struct merge_side *clients,
		      const struct merge_name *name, const struct merge_side *servers,
		      struct merge_pairs *ret)
{
	struct requests requests = {.n = client->n_rows * MESSAGE_ASKED_MOST};
	struct stream_asked asked;
	unsigned *peers = mem_alloc((client->n_rows + 1) * sizeof(*peers));
	const size_t n_rows = requests_add_others(&requests, client, clients);
	size_t n = 0;

	requests.found = mem_alloc((requests.n + 1) * sizeof(*requests.found));
	requests.order = mem_alloc((3 * servers->n_calls + 1) * sizeof(*requests.order));
	ret->matches = mem_alloc((client->n_rows + 1) * sizeof(*ret->matches));
	ret->list = mem_alloc((3 * servers->n_calls + 1) * sizeof(*ret->list));
	for (size_t i = 0; i < client->n_rows; i++) {
		struct message *own = &requests.asked[i * MESSAGE_ASKED_MOST];

		merge_side_asked(client, i, name, own);
		peers[i] = call_peers(own);
	}
	asked = (struct stream_asked){requests.asked, requests.n,
				      name ? requests.n : requests.n_all};
	stream_match(&asked, servers->messages, servers->n_calls, requests.found, requests.order);
	requests.n_order = servers->n_calls;
	requests_match_rest(&requests, client, servers);
	if (!name && all_have_one_clock(clients, servers))
		requests_match_alone(&requests, clients, n_rows, servers);
	requests_explain(&requests, client, servers);
	for (size_t i = 0; i < client->n_rows; i++) {
		ret->matches[i] = call_match(&requests, i, peers[i], n, ret->list);
		if (name && ret->matches[i].reason == MATCHED && ret->matches[i].n > 1)
			ret->matches[i].reason = MATCH_AMBIGUOUS;
		n += ret->matches[i].reason == MATCHED ? ret->matches[i].n : 0;
	}
	free(peers);
	free(requests.asked);
	free(requests.found);
	free(requests.order);
}

void merge_pairs_deinit(struct merge_pairs *pairs)
{
	free(pairs->matches);
	free(pairs->list);
}
