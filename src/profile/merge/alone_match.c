/* Moments are in sorted lists: as many are at work as began, less those that ended. */
#include "alone_match.h"

#include <stdlib.h>

#include "base/mem.h"

enum { NOBODY = -1 };

/* A moment, or a place on a stream. */
struct alone_stamp {
	uint64_t of, at;
	size_t index;
};

/* What began and ended, sorted: of each process, or of 0. */
struct alone_spans {
	struct alone_stamp *began, *ended;
	size_t n;
};

/* All of one match. */
struct alone {
	struct alone_spans work;     /* of the servers */
	struct alone_spans requests; /* of the client, by the process that reads them */
	struct alone_call *waits;    /* the same, unsorted */
	struct alone_spans client;   /* all its calls, and */
	struct alone_spans unknown;  /* those that may have asked anybody */
	struct alone_stamp *readers; /* [n_readers] of streams that one process alone reads: `at` */
	size_t n_readers;
	bool *others; /* [processes] that work for others, too, or not for all */
	bool *taken;  /* [calls of the servers] */
};

static int alone_compare_stamps(const void *a, const void *b)
{
	const struct alone_stamp *x = a, *y = b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* How many of @stamps[n] are less than @at of @of. */
static size_t stamps_less(const struct alone_stamp *stamps, size_t n, uint64_t of, uint64_t at)
{
	const struct alone_stamp key = {of, at, 0};
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (alone_compare_stamps(&stamps[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void alone_spans_init(struct alone_spans *spans, size_t most)
{
	spans->n = 0;
	spans->began = mem_alloc((most + 1) * sizeof(*spans->began));
	spans->ended = mem_alloc((most + 1) * sizeof(*spans->ended));
}

static void alone_spans_deinit(struct alone_spans *spans)
{
	free(spans->began);
	free(spans->ended);
}

static void alone_spans_add(struct alone_spans *spans, uint64_t of, uint64_t began, uint64_t ended,
			    size_t i)
{
	spans->began[spans->n] = (struct alone_stamp){of, began, i};
	spans->ended[spans->n++] = (struct alone_stamp){of, ended, i};
}

static void alone_spans_sort(struct alone_spans *spans)
{
	qsort(spans->began, spans->n, sizeof(*spans->began), alone_compare_stamps);
	qsort(spans->ended, spans->n, sizeof(*spans->ended), alone_compare_stamps);
}

/* How many there are in [@from, @to], all or in part; @to is less than UINT64_MAX. */
static size_t alone_spans_within(const struct alone_spans *spans, uint64_t of, uint64_t from,
				 uint64_t to)
{
	return stamps_less(spans->began, spans->n, of, to + 1) -
	       stamps_less(spans->ended, spans->n, of, from);
}

/* Sorts the streams, and keeps those that one process reads. */
static void find_readers(const struct message *served, size_t m, const struct alone_call *calls,
			 struct alone *alone)
{
	struct alone_stamp *readers = mem_alloc((m + 1) * sizeof(*readers));
	size_t n = 0, kept = 0, next;

	for (size_t i = 0; i < m; i++)
		if (served[i].peers == 1 && served[i].way == MESSAGE_BY_POSITION)
			readers[n++] = (struct alone_stamp){served[i].stream, calls[i].of, 0};
	qsort(readers, n, sizeof(*readers), alone_compare_stamps);
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && readers[next].of == readers[i].of;)
			next++;
		if (readers[i].at == readers[next - 1].at)
			readers[kept++] = readers[i];
	}
	alone->readers = readers;
	alone->n_readers = kept;
}

/* The process that reads what was asked, or NOBODY. */
static int64_t reader_of(const struct alone *alone, const struct message *asked)
{
	const size_t i = stamps_less(alone->readers, alone->n_readers, asked->stream, 0);

	if (asked->peers != 1 || asked->way != MESSAGE_BY_POSITION || !asked->began_ns ||
	    i == alone->n_readers || alone->readers[i].of != asked->stream)
		return NOBODY;
	return (int64_t)alone->readers[i].at;
}

static void alone_find_calls(const struct alone_calls *calls, size_t m, struct alone *alone)
{
	alone_spans_init(&alone->work, m);
	alone_spans_init(&alone->client, calls->n_client);
	alone_spans_init(&alone->unknown, calls->n_client);
	for (size_t i = 0; i < m; i++)
		alone_spans_add(&alone->work, calls->served[i].of, calls->served[i].began_ns,
				calls->served[i].ended_ns, i);
	for (size_t i = 0; i < calls->n_client; i++) {
		const struct alone_call *call = &calls->client[i];

		alone_spans_add(&alone->client, 0, call->began_ns, call->ended_ns, i);
		if (call->unknown)
			alone_spans_add(&alone->unknown, 0, call->began_ns, call->ended_ns, i);
	}
	alone_spans_sort(&alone->work);
	alone_spans_sort(&alone->client);
	alone_spans_sort(&alone->unknown);
}

/* UINT64_MAX - 1: it is not known. */
static uint64_t answered_at(const struct message *asked)
{
	const uint64_t ended = asked->ended_ns ? asked->ended_ns : asked->until_ns;

	return ended >= asked->began_ns && ended < UINT64_MAX ? ended : UINT64_MAX - 1;
}

/* A call and one within it may both have sent it: what shares bytes is one request. */
static void find_requests(const struct stream_asked *asked, struct alone *alone)
{
	struct alone_stamp *list = mem_alloc((asked->n_all + 1) * sizeof(*list));
	size_t n = 0, next;

	alone_spans_init(&alone->requests, asked->n_all);
	alone->waits = mem_alloc((asked->n_all + 1) * sizeof(*alone->waits));
	for (size_t i = 0; i < asked->n_all; i++)
		if (reader_of(alone, &asked->list[i]) != NOBODY)
			list[n++] =
				(struct alone_stamp){asked->list[i].stream, asked->list[i].from, i};
	qsort(list, n, sizeof(*list), alone_compare_stamps);
	for (size_t i = 0; i < n; i = next) {
		const struct message *first = &asked->list[list[i].index];
		const uint64_t of = (uint64_t)reader_of(alone, first);
		uint64_t began = first->began_ns, ended = answered_at(first), to = first->to;

		for (next = i + 1; next < n && list[next].of == list[i].of && list[next].at < to;
		     next++) {
			const struct message *same = &asked->list[list[next].index];

			to = same->to > to ? same->to : to;
			began = same->began_ns < began ? same->began_ns : began;
			ended = answered_at(same) > ended ? answered_at(same) : ended;
		}
		alone->waits[alone->requests.n] = (struct alone_call){of, began, ended, false};
		alone_spans_add(&alone->requests, of, began, ended, list[i].index);
	}
	alone_spans_sort(&alone->requests);
	free(list);
}

/*
 * May the process have worked for each request once? While one waited alone one call began. What is
 * before its first call, or behind its last one, it was perhaps not measured for.
 */
static bool may_be_of_one_call(const struct alone *alone, const struct alone_call *wait)
{
	const struct alone_spans *work = &alone->work;
	const size_t none = stamps_less(work->began, work->n, wait->of, 0);
	const size_t before = stamps_less(work->began, work->n, wait->of, wait->began_ns);
	const size_t until = stamps_less(work->began, work->n, wait->of, wait->ended_ns + 1);
	const size_t after = stamps_less(work->ended, work->n, wait->of, wait->ended_ns + 1);

	if (before == none || after == work->n || work->ended[after].of != wait->of)
		return true;
	if (alone_spans_within(&alone->requests, wait->of, wait->began_ns, wait->ended_ns) > 1)
		return alone_spans_within(work, wait->of, wait->began_ns, wait->ended_ns) > 0;
	return until == before + 1;
}

/* Who asks and is not seen is seen by the calls that work for him. */
static void find_others(struct alone *alone)
{
	const struct alone_spans *client = &alone->client;
	const struct alone_stamp *stamps = alone->work.began;

	for (size_t i = 0; i < alone->requests.n; i++)
		if (!may_be_of_one_call(alone, &alone->waits[i]))
			alone->others[alone->waits[i].of] = true;
	for (size_t i = 0; client->n && i < alone->work.n; i++)
		if (stamps[i].at >= client->began[0].at &&
		    stamps[i].at <= client->ended[client->n - 1].at &&
		    !alone_spans_within(client, 0, stamps[i].at, stamps[i].at))
			alone->others[stamps[i].of] = true;
}

/* The call that alone worked while @asked alone waited; -1: there is none, or others were there. */
static int64_t alone_find(const struct alone *alone, const struct message *served,
			  const struct message *asked)
{
	const struct alone_spans *work = &alone->work;
	const int64_t reader = reader_of(alone, asked);
	const uint64_t of = (uint64_t)reader, from = asked->began_ns, to = asked->ended_ns;
	size_t next, found;

	if (reader == NOBODY || alone->others[of] || to < from || to == UINT64_MAX ||
	    alone_spans_within(&alone->requests, of, from, to) != 1 ||
	    alone_spans_within(&alone->unknown, 0, from, to) ||
	    alone_spans_within(work, of, from, to) != 1)
		return NOBODY;
	next = stamps_less(work->began, work->n, of, from);
	if (next == work->n || work->began[next].of != of || work->began[next].at > to)
		return NOBODY;
	found = work->began[next].index;
	if (stamps_less(work->ended, work->n, of, to + 1) !=
		    stamps_less(work->ended, work->n, of, from) + 1 ||
	    alone->taken[found] || served[found].peers > 1 ||
	    (served[found].peers && served[found].stream != asked->stream))
		return NOBODY;
	return (int64_t)found;
}

void alone_match(const struct stream_asked *asked, const struct message *served, size_t m,
		 const struct alone_calls *calls, struct match *ret, size_t *order, size_t *n_order)
{
	struct alone alone = {.others = mem_alloc((m + 1) * sizeof(*alone.others)),
			      .taken = mem_alloc((m + 1) * sizeof(*alone.taken))};

	for (size_t i = 0; i < asked->n; i++)
		for (size_t j = 0; ret[i].reason == MATCHED && j < ret[i].n; j++)
			alone.taken[order[ret[i].first + j]] = true;
	find_readers(served, m, calls->served, &alone);
	alone_find_calls(calls, m, &alone);
	find_requests(asked, &alone);
	find_others(&alone);
	for (size_t i = 0; i < asked->n; i++) {
		const bool open =
			ret[i].reason == MATCH_NOT_KEPT || ret[i].reason == MATCH_AMBIGUOUS;
		const int64_t found = open ? alone_find(&alone, served, &asked->list[i]) : NOBODY;

		if (found == NOBODY)
			continue;
		ret[i] = (struct match){MATCHED, *n_order, 1};
		order[(*n_order)++] = (size_t)found;
		alone.taken[found] = true;
	}
	alone_spans_deinit(&alone.work);
	alone_spans_deinit(&alone.requests);
	alone_spans_deinit(&alone.client);
	alone_spans_deinit(&alone.unknown);
	free(alone.waits);
	free(alone.readers);
	free(alone.others);
	free(alone.taken);
}
