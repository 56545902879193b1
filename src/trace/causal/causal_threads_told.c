/* What threads did since causal_threads_forget_times(). */
#include <math.h>

#include "base/clock.h"
#include "causal_threads.h"
#include "causal_watch.h"

/* A thread with so many samples counts as one that works. */
enum { SAMPLES_ACTIVE = 5 };

struct causal_work causal_threads_work(const struct causal_threads *threads, bool with_arrivals)
{
	struct causal_work work = {0};
	size_t i;

	for (i = 0; i < threads->n; i++) {
		const struct causal_watch *watch = &threads->list[i];

		if ((watch->arrivals > 0) != with_arrivals)
			continue;
		work.threads +=
			watch->ran_ns - watch->ran_before_ns >= SAMPLES_ACTIVE * CAUSAL_SAMPLE_NS;
		work.ran_s += (double)(watch->ran_ns - watch->ran_before_ns) / 1e9;
	}
	return work;
}

uint64_t causal_threads_period_ns(const struct causal_threads *threads, size_t least)
{
	const struct causal_watch *most = NULL;
	size_t i;

	for (i = 0; i < threads->n; i++)
		if (!most || threads->list[i].arrivals > most->arrivals)
			most = &threads->list[i];
	return most && most->arrivals >= least && most->arrivals > 1
		       ? (most->arrival_ns - most->arrived_ns) / (most->arrivals - 1)
		       : 0;
}

uint64_t causal_threads_waited_ns(const struct causal_threads *threads)
{
	size_t active = 0, i;

	for (i = 0; i < threads->n; i++)
		active += threads->list[i].samples >= SAMPLES_ACTIVE;
	return threads->waited_ns / (active ? active : 1);
}

uint64_t causal_threads_between_ns(const struct causal_threads *threads)
{
	const uint64_t now_ns = clock_now_ns();
	struct causal_between between = threads->between;

	for (size_t i = 0; i < threads->n; i++)
		causal_between_add(&between, &threads->list[i].stretch, now_ns);
	return causal_between_median_ns(&between);
}

double causal_threads_paced(const struct causal_threads *threads)
{
	const double elapsed_ns = (double)(clock_now_ns() - threads->processors.began_ns);
	double maybe_ns = 0, paced_ns = 0, active = 0;
	size_t i;

	for (i = 0; i < threads->n; i++) {
		if (threads->list[i].samples < SAMPLES_ACTIVE)
			continue;
		maybe_ns += (double)threads->list[i].maybe_paced_ns;
		paced_ns += (double)threads->list[i].paced_ns;
		active++;
	}
	if (active > 1)
		maybe_ns += paced_ns;
	return active > 0 ? maybe_ns / (active * fmax(elapsed_ns, 1)) : 0;
}

double causal_threads_runnable(const struct causal_threads *threads)
{
	const double elapsed_ns = (double)(clock_now_ns() - threads->processors.began_ns);

	return (double)(threads->ran_ns + threads->waited_ns) / fmax(elapsed_ns, 1);
}

double causal_threads_free(const struct causal_threads *threads)
{
	return causal_processors_free(&threads->processors, threads->ran_ns);
}

void causal_threads_forget_times(struct causal_threads *threads)
{
	size_t i;

	const uint64_t now_ns = clock_now_ns();

	threads->ran_ns = threads->waited_ns = 0;
	threads->between = (struct causal_between){0};
	threads->lost = false;
	other_end_forget(&threads->ends);
	causal_processors_begin(&threads->processors, threads->n ? threads->list[0].tid : 0);
	for (i = 0; i < threads->n; i++) {
		threads->list[i].samples = threads->list[i].arrivals = 0;
		threads->list[i].ran_before_ns = threads->list[i].ran_ns;
		threads->list[i].maybe_paced_ns = threads->list[i].paced_ns = 0;
		causal_between_restart(&threads->list[i].stretch, now_ns);
	}
}
