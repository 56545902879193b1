/* What pads of a session share: the clock, and what they cost. */
#include "pads.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "ring_locks.h"
#include "ring_streams.h"

static const struct ring_cost uncalibrated = {
	.call_ns = 35, .record_ns = 20, .word_ns = 2, .heap_ns = 3, .lock_ns = 20};

bool pads_measure(unsigned metrics, const char **ret_why)
{
	const unsigned totals = metric_totals(metrics);
	const unsigned counted = ring_counts_metrics(ring_counts_for(totals));

	if (totals & ~counted & ~ring_costs_metrics() & ~ring_locks_metrics() &
	    ~ring_streams_metrics() & ~(1u << METRIC_TIME))
		*ret_why = "what the processor counts cannot be measured without stops";
	else if (metrics & 1u << (METRIC_SELF + METRIC_REMOTE))
		*ret_why = "what callees wait for peers is told by stops alone";
	else if (counted & ~counters_since_birth(counted))
		*ret_why = "the kernel does not tell in /proc what it counts";
	else
		return true;
	return false;
}

static int32_t ticks_of(const struct ring *ring, double us)
{
	return (int32_t)lround(us * 1000 / ring->clock.ns_per_tick);
}

/* What pads subtract, and what they take from the program's time. */
static void set_costs(struct ring *ring, const struct pad_calibration *found)
{
	ring->costs = (struct pad_costs){.pair = ticks_of(ring, found->pair),
					 .call = ticks_of(ring, found->call),
					 .record = ticks_of(ring, found->record),
					 .drawn = ticks_of(ring, found->drawn),
					 .word = ticks_of(ring, found->word),
					 .heap = ticks_of(ring, found->heap),
					 .heap_inner = ticks_of(ring, found->heap_inner),
					 .lock = ticks_of(ring, found->lock)};
	ring->cost = (struct ring_cost){.call_ns = 1000 * (found->pair + found->call),
					.record_ns = 1000 * (found->record + found->drawn),
					.word_ns = 1000 * found->word,
					.heap_ns = 1000 * found->heap,
					.lock_ns = 1000 * found->lock};
	if (!found->resolution)
		ring->cost = uncalibrated;
}

/* Calibrated without: they would fill their ring. Reading the clock is nearly all they take. */
static void add_events(const struct ring *ring, struct pad_costs *costs)
{
	if (ring->blocks || ring->streams)
		costs->record += 2 * costs->pair;
	if (ring->blocks)
		costs->heap += costs->pair;
	if (ring->sites)
		costs->heap += costs->pair;
}

bool pads_session_create(struct session *session, const char **ret_why)
{
	const unsigned counts = ring_counts_for(metric_totals(session->options.metrics));
	struct ring *ring = mem_alloc(sizeof(*ring));

	if (session->options.clock)
		ring->clock = *session->options.clock;
	else if (!tsc_clock_init(&ring->clock, ret_why)) {
		free(ring);
		return false;
	}
	set_costs(ring, &session->account.calibration.pads);
	ring->processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	ring->keep_all = session->options.every_call;
	ring->grant = PAD_BUDGET;
	ring->counts = counts;
	ring->sites = session->options.sites;
	ring->blocks = ring->sites ||
		       metric_totals(session->options.metrics) & metric_set_from(METRIC_BLOCKS);
	ring->mem = ring->blocks || metric_totals(session->options.metrics) & 1u << METRIC_MEM;
	ring->streams = metric_totals(session->options.metrics) & ring_streams_metrics();
	add_events(ring, &ring->costs);
	ring->wait = metric_totals(session->options.metrics) & 1u << METRIC_WAIT;
	ring->hold = metric_totals(session->options.metrics) & 1u << METRIC_HOLD;
	ring->own = session->options.metrics & 1u << (METRIC_SELF + METRIC_TIME);
	if (counts)
		ring->cost.record_ns += ring_counts_calibrate(&ring->clock, counts, &ring->costs);
	/* Between two looks it is not known which sleep ended late: one in a wait for a peer? */
	if (ring->streams)
		session->target.ops->certain_waits(session->target.self);
	session->ring = ring;
	return true;
}

void pads_session_destroy(struct session *session)
{
	for (size_t i = 0; session->ring && i < RING_TOGETHER; i++) {
		free(session->ring->reads[i].sums);
		for (size_t j = 0; j < 2; j++)
			free(session->ring->reads[i].pieces[j].bytes);
	}
	free(session->ring);
	session->ring = NULL;
}
