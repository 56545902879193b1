/* Calls are sorted by process and begin; those of processes that hand nothing over are dropped. */
#include "handed_over.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A connection that a thread read a request of, before a call of it began. */
struct reader {
	struct merge_process of;
	uint64_t stream;
	int64_t thread;
};

static int compare_stamps(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_spans(const void *a, const void *b)
{
	const struct worked_span *x = a, *y = b;
	const int order = merge_side_compare_processes(&x->of, &y->of);

	return order ? order : compare_stamps(x->began_ns, y->began_ns);
}

static int compare_readers(const void *a, const void *b)
{
	const struct reader *x = a, *y = b;
	const int order = merge_side_compare_processes(&x->of, &y->of);

	return order ? order : compare_stamps(x->stream, y->stream);
}

static bool left_to_others(const struct message *served)
{
	return served->before && served->ended_ns == served->began_ns;
}

static void add_worked(const struct samples *samples, size_t origin, struct handed_over *ret)
{
	struct merge_run run = {0};

	for (size_t i = 0; i < samples->n_rows; i++) {
		const struct sample_key *key = &samples->keys[i];
		struct worked_span *span = &ret->list[ret->n];

		if (key->parent ||
		    !merge_side_when(samples, i, &run, &span->began_ns, &span->ended_ns))
			continue;
		span->of = (struct merge_process){origin, key->run, key->process};
		span->thread = key->thread;
		span->unasked = !merge_side_number(samples, i, COLUMN_KEY,
						   messages_keys[MESSAGE_SERVED_PEERS]);
		ret->n++;
	}
}

static struct reader *readers_sorted(const struct merge_side *servers, size_t *ret_n)
{
	struct reader *list = mem_alloc((servers->n_calls + 1) * sizeof(*list));

	*ret_n = 0;
	for (size_t i = 0; i < servers->n_calls; i++) {
		const struct served_call *call = &servers->calls[i];

		if (left_to_others(&servers->messages[i]))
			list[(*ret_n)++] = (struct reader){merge_side_process(servers, call),
							   servers->messages[i].stream,
							   call->samples->keys[call->row].thread};
	}
	qsort(list, *ret_n, sizeof(*list), compare_readers);
	return list;
}

/* Have several threads read of a connection? */
static bool takes_turns(const struct reader *readers, size_t n, const struct merge_process *process)
{
	for (size_t i = 1; i < n; i++)
		if (!merge_side_compare_processes(&readers[i].of, process) &&
		    !compare_readers(&readers[i], &readers[i - 1]) &&
		    readers[i].thread != readers[i - 1].thread)
			return true;
	return false;
}

void handed_over_find(const struct merge_side *servers, struct handed_over *ret)
{
	size_t n_rows = 0, n_readers, kept = 0, next;
	struct reader *readers = readers_sorted(servers, &n_readers);

	for (size_t i = 0; i < servers->n; i++)
		n_rows += servers->tables[i]->n_rows;
	*ret = (struct handed_over){mem_alloc((n_rows + 1) * sizeof(*ret->list)), 0};
	for (size_t i = 0; n_readers && i < servers->n; i++)
		add_worked(servers->tables[i], merge_side_origin(servers, i), ret);
	qsort(ret->list, ret->n, sizeof(*ret->list), compare_spans);
	for (size_t i = 0; i < ret->n; i = next) {
		const struct merge_process process = ret->list[i].of;
		bool hands = takes_turns(readers, n_readers, &process);
		uint64_t last = 0;

		for (next = i;
		     next < ret->n && !merge_side_compare_processes(&ret->list[next].of, &process);
		     next++) {
			struct worked_span *span = &ret->list[next];

			hands |= span->unasked;
			last = span->ended_last_ns = span->ended_ns > last ? span->ended_ns : last;
		}
		if (hands) {
			memmove(ret->list + kept, ret->list + i, (next - i) * sizeof(*ret->list));
			kept += next - i;
		}
	}
	ret->n = kept;
	free(readers);
}

void handed_over_deinit(struct handed_over *handed)
{
	free(handed->list);
	*handed = (struct handed_over){0};
}

/* How many calls are of processes before that, or began by @until_ns in it. */
static size_t count_until(const struct handed_over *handed, const struct merge_process *process,
			  double until_ns)
{
	size_t low = 0, high = handed->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct worked_span *span = &handed->list[middle];
		const int order = merge_side_compare_processes(&span->of, process);

		if (order < 0 || (!order && (double)span->began_ns <= until_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool handed_over_may(const struct handed_over *handed, const struct merge_side *servers,
		     size_t served, double from_ns, double until_ns)
{
	const struct served_call *call = &servers->calls[served];
	const int64_t thread = call->samples->keys[call->row].thread;
	struct merge_process process;

	if (!handed->n || !left_to_others(&servers->messages[served]))
		return false;
	process = merge_side_process(servers, call);
	for (size_t i = count_until(handed, &process, until_ns); i > 0; i--) {
		const struct worked_span *span = &handed->list[i - 1];

		if (merge_side_compare_processes(&span->of, &process) ||
		    (double)span->ended_last_ns < from_ns)
			return false;
		if (span->thread != thread && (double)span->ended_ns >= from_ns)
			return true;
	}
	return false;
}
