/* Both sides are sorted by connection and moment. */
#include "moment_match.h"

#include <stdlib.h>

#include "base/mem.h"

struct moment {
	const struct message *message;
	size_t index;
	size_t meant; /* of those that served: by so many it may have been asked */
};

static int moment_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int moment_compare(const void *a, const void *b)
{
	const struct moment *x = a;
	const struct moment *y = b;
	int order = moment_compare_numbers(x->message->stream, y->message->stream);

	if (!order)
		order = moment_compare_numbers(x->message->began_ns, y->message->began_ns);
	return order ? order : moment_compare_numbers(x->index, y->index);
}

static struct moment *moments_sorted(const struct message *messages, size_t n, size_t *ret_n)
{
	struct moment *moments = mem_alloc((n + 1) * sizeof(*moments));

	*ret_n = 0;
	for (size_t i = 0; i < n; i++)
		if (messages[i].peers == 1 && messages[i].way != MESSAGE_BY_POSITION &&
		    messages[i].began_ns)
			moments[(*ret_n)++] = (struct moment){&messages[i], i, 0};
	qsort(moments, *ret_n, sizeof(*moments), moment_compare);
	return moments;
}

/* The first of @served that was asked no earlier than @asked began. */
static size_t first_since(const struct moment *served, size_t m, const struct moment *asked)
{
	size_t low = 0, high = m;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct message *at = served[middle].message;
		int order = moment_compare_numbers(at->stream, asked->message->stream);

		if (!order)
			order = moment_compare_numbers(at->began_ns, asked->message->began_ns);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those of @served from @first on that were asked while @asked waited. */
static size_t meanwhile(const struct moment *served, size_t m, size_t first,
			const struct moment *asked)
{
	size_t end = first;

	while (end < m && served[end].message->stream == asked->message->stream &&
	       served[end].message->began_ns <= asked->message->ended_ns)
		end++;
	return end - first;
}

static struct match moment_match_one(const struct moment *asked, const struct moment *served,
				     size_t first, size_t n)
{
	const uint64_t sent = asked->message->to - asked->message->from;
	uint64_t received = 0;

	for (size_t i = first; i < first + n; i++) {
		if (served[i].meant != 1 || served[i].message->ended_ns > asked->message->ended_ns)
			return (struct match){.reason = MATCH_AMBIGUOUS};
		received += served[i].message->to - served[i].message->from;
	}
	if (received != sent)
		return (struct match){.reason = received < sent ? MATCH_NOT_KEPT : MATCH_AMBIGUOUS};
	return (struct match){MATCHED, first, n};
}

void moment_match(const struct message *asked, size_t n, const struct message *served, size_t m,
		  struct match *ret, size_t *order, size_t *n_order)
{
	size_t n_asking, n_serving;
	struct moment *asking = moments_sorted(asked, n, &n_asking);
	struct moment *serving = moments_sorted(served, m, &n_serving);
	size_t *first = mem_alloc((n_asking + 1) * sizeof(*first));

	for (size_t i = 0; i < n_asking; i++) {
		first[i] = first_since(serving, n_serving, &asking[i]);
		for (size_t j = meanwhile(serving, n_serving, first[i], &asking[i]); j > 0; j--)
			serving[first[i] + j - 1].meant++;
	}
	for (size_t i = 0; i < n_asking; i++) {
		struct match *match = &ret[asking[i].index];

		*match = moment_match_one(&asking[i], serving, first[i],
					  meanwhile(serving, n_serving, first[i], &asking[i]));
		match->first += *n_order;
	}
	for (size_t i = 0; i < n_serving; i++)
		order[(*n_order)++] = serving[i].index;
	free(first);
	free(asking);
	free(serving);
}
