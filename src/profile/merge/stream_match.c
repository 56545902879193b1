/* Both sides are sorted, then passed once. */
#include "stream_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "moment_match.h"

/* A piece of a stream, and whose it is. */
struct piece {
	struct message message;
	size_t index;
};

static int stream_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;
	int order = stream_compare_numbers(x->message.stream, y->message.stream);

	if (!order)
		order = stream_compare_numbers(x->message.from, y->message.from);
	if (!order)
		order = stream_compare_numbers(x->message.to, y->message.to);
	return order ? order : stream_compare_numbers(x->index, y->index);
}

/* Those on one stream, sorted. */
static struct piece *pieces_sorted(const struct message *messages, size_t n, size_t *ret_n)
{
	struct piece *pieces = mem_alloc((n + 1) * sizeof(*pieces));

	*ret_n = 0;
	for (size_t i = 0; i < n; i++)
		if (messages[i].peers == 1 && messages[i].way == MESSAGE_BY_POSITION &&
		    messages[i].from < messages[i].to)
			pieces[(*ret_n)++] = (struct piece){messages[i], i};
	qsort(pieces, *ret_n, sizeof(*pieces), compare_pieces);
	return pieces;
}

static bool is_before(const struct message *a, const struct message *b)
{
	return a->stream < b->stream || (a->stream == b->stream && a->to <= b->from);
}

/* Does @served, from @*first on, received exactly @asked? */
static struct match match_one(const struct message *asked, const struct piece *served, size_t n,
			      size_t *first)
{
	uint64_t until = asked->from;
	size_t i;

	while (*first < n && is_before(&served[*first].message, asked))
		(*first)++;
	for (i = *first; i < n && !is_before(asked, &served[i].message); i++) {
		const struct message *piece = &served[i].message;

		if (piece->from < asked->from || piece->to > asked->to)
			return (struct match){.reason = MATCH_AMBIGUOUS};
		if (piece->from > until)
			return (struct match){.reason = MATCH_NOT_KEPT};
		until = piece->to > until ? piece->to : until;
	}
	if (until < asked->to)
		return (struct match){.reason = MATCH_NOT_KEPT};
	return (struct match){MATCHED, *first, i - *first};
}

/* When @asked had its answer; UINT64_MAX: not known. */
static uint64_t answered_ns(const struct message *asked)
{
	const uint64_t ret = asked->ended_ns ? asked->ended_ns : asked->until_ns;

	return ret ? ret : UINT64_MAX;
}

/*
 * A thread may have received requests that another one worked for: if @served is all of the last
 * one of @asked and of such, which had their answers before that was sent, then it is that one.
 */
static void take_last(struct message *served, const struct piece *asked, size_t n)
{
	uint64_t until = served->from;
	size_t last = 0;

	while (last + 1 < n && !is_before(served, &asked[last + 1].message))
		last++;
	if (!n || asked[last].message.to != served->to || asked[last].message.from <= served->from)
		return;
	for (size_t i = 0; i < last; i++) {
		const struct message *other = &asked[i].message;

		if (answered_ns(other) > asked[last].message.began_ns || other->from > until)
			return;
		until = other->to > until ? other->to : until;
	}
	if (until >= asked[last].message.from)
		served->from = asked[last].message.from;
}

static void take_last_of_all(struct piece *served, size_t m, const struct piece *asked, size_t n)
{
	size_t first = 0;

	for (size_t i = 0; i < m; i++) {
		while (first < n && is_before(&asked[first].message, &served[i].message))
			first++;
		if (served[i].message.before)
			take_last(&served[i].message, &asked[first], n - first);
	}
	qsort(served, m, sizeof(*served), compare_pieces);
}

static bool any_is_before(const struct match *match, const struct piece *served)
{
	bool ret = false;

	for (size_t i = match->first; i < match->first + match->n; i++)
		ret = ret || served[i].message.before;
	return ret;
}

static int compare_ends(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;
	int order = stream_compare_numbers(x->message.stream, y->message.stream);

	if (!order)
		order = stream_compare_numbers(x->message.to, y->message.to);
	return order ? order : stream_compare_numbers(x->index, y->index);
}

/* For each of @asked, when the first of it and of those behind it on its stream was sent. */
static uint64_t *first_sent(const struct piece *asked, size_t n)
{
	uint64_t *ret = mem_alloc((n + 1) * sizeof(*ret));

	for (size_t i = n; i > 0; i--) {
		const struct message *now = &asked[i - 1].message;

		ret[i - 1] = now->began_ns;
		if (i < n && asked[i].message.stream == now->stream && ret[i] < ret[i - 1])
			ret[i - 1] = ret[i];
	}
	return ret;
}

/* When the first on its stream behind @asked was sent; UINT64_MAX: none was. */
static uint64_t sent_next(const struct message *asked, const struct piece *all, size_t n,
			  const uint64_t *sent)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (is_before(asked, &all[middle].message))
			high = middle;
		else
			low = middle + 1;
	}
	return low < n && all[low].message.stream == asked->stream ? sent[low] : UINT64_MAX;
}

/*
 * Whose request had been received when others on the connection were to be answered, too? @asked
 * is part of @all; what shares bytes is the same request, of a call and of one within it.
 */
static void refuse_at_once(const struct piece *asked, size_t n, const struct piece *all,
			   size_t n_all, const struct piece *served, struct match *ret)
{
	struct piece *ends = mem_copy(all, n_all, sizeof(*all));
	uint64_t *sent = first_sent(all, n_all);
	uint64_t stream = 0, answered = 0; /* the last of those before, on the stream */
	size_t end = 0;

	if (n)
		qsort(ends, n_all, sizeof(*ends), compare_ends);
	for (size_t i = 0; i < n; i++) {
		const struct message *now = &asked[i].message;
		struct match *match = &ret[asked[i].index];

		for (; end < n_all && is_before(&ends[end].message, now); end++) {
			const uint64_t ended = answered_ns(&ends[end].message);
			const bool same = ends[end].message.stream == stream;

			stream = ends[end].message.stream;
			answered = same && answered > ended ? answered : ended;
		}
		if (now->began_ns && match->reason == MATCHED && any_is_before(match, served) &&
		    ((stream == now->stream && answered > now->began_ns) ||
		     sent_next(now, all, n_all, sent) < answered_ns(now)))
			match->reason = MATCH_AT_ONCE;
	}
	free(sent);
	free(ends);
}

/* By what those on one stream are in order. */
static uint64_t place_of_message(const struct message *message)
{
	return message->way == MESSAGE_BY_POSITION ? message->from : message->began_ns;
}

static uint64_t end_of_message(const struct message *message)
{
	return message->way == MESSAGE_BY_POSITION ? message->to : message->ended_ns + 1;
}

static int compare_places(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;
	int order = stream_compare_numbers(x->message.stream, y->message.stream);

	if (!order)
		order = stream_compare_numbers(place_of_message(&x->message),
					       place_of_message(&y->message));
	return order ? order : stream_compare_numbers(x->index, y->index);
}

static bool may_be(const struct message *asked, const struct message *served)
{
	return asked->stream == served->stream && asked->way == served->way &&
	       place_of_message(served) < end_of_message(asked) &&
	       end_of_message(served) > place_of_message(asked);
}

/* How many of @several, sorted, begin before @asked ends. */
static size_t count_before(const struct piece *several, size_t n, const struct message *asked)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct message *at = &several[middle].message;

		if (at->stream < asked->stream ||
		    (at->stream == asked->stream && place_of_message(at) < end_of_message(asked)))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those that nobody served for certain, but perhaps one that may have worked for others. */
static void explain_undecided(const struct message *asked, size_t n, const struct message *served,
			      size_t m, struct match *ret)
{
	struct piece *several = mem_alloc((m + 1) * sizeof(*several));
	size_t n_several = 0;

	for (size_t i = 0; i < m; i++)
		if (served[i].peers > 1)
			several[n_several++] = (struct piece){served[i], i};
	qsort(several, n_several, sizeof(*several), compare_places);
	for (size_t i = 0; i < n; i++) {
		const size_t after = count_before(several, n_several, &asked[i]);

		if (ret[i].reason == MATCH_NOT_KEPT && after > 0 &&
		    may_be(&asked[i], &several[after - 1].message))
			ret[i] = (struct match){MATCH_UNDECIDED, several[after - 1].index,
						several[after - 1].message.peers};
	}
	free(several);
}

void stream_match(const struct stream_asked *asked, const struct message *served, size_t m,
		  struct match *ret, size_t *order)
{
	const size_t n = asked->n;
	size_t n_asking, n_all, n_serving, first = 0;
	struct piece *asking = pieces_sorted(asked->list, n, &n_asking);
	struct piece *all = pieces_sorted(asked->list, asked->n_all, &n_all);
	struct piece *serving = pieces_sorted(served, m, &n_serving);
	const struct message *longest = NULL; /* of those before, reaches farthest */

	take_last_of_all(serving, n_serving, all, n_all);
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct match){.reason = asked->list[i].peers > 1 ? MATCH_SEVERAL_PEERS
									   : MATCH_NO_REQUEST};
	for (size_t i = 0; i < n_asking; i++) {
		const struct message *now = &asking[i].message;

		ret[asking[i].index] = match_one(now, serving, n_serving, &first);
		if (longest && !is_before(longest, now))
			ret[asking[i].index].reason = MATCH_AMBIGUOUS;
		if (i + 1 < n_asking && !is_before(now, &asking[i + 1].message))
			ret[asking[i].index].reason = MATCH_AMBIGUOUS;
		if (!longest || is_before(longest, now) || longest->to < now->to)
			longest = now;
	}
	refuse_at_once(asking, n_asking, all, n_all, serving, ret);
	for (size_t i = 0; i < n_serving; i++)
		order[i] = serving[i].index;
	moment_match(asked->list, n, served, m, ret, order, &n_serving);
	explain_undecided(asked->list, n, served, m, ret);
	free(asking);
	free(all);
	free(serving);
}

struct message stream_match_name(double name)
{
	struct message ret = {.to = 1, .peers = !isnan(name)};

	name += 0; /* -0 is 0 */
	memcpy(&ret.stream, &name, sizeof(ret.stream));
	return ret;
}
