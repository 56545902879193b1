/* Command line, host, date and stops of each run, as named texts; report/html.c prints them. */
#include "measured_facts.h"

#include <stdio.h>
#include <time.h>

#include "profile/profile_history.h"

enum { RUNS_MOST = 10, FACTS_OF_RUN = 12 };

struct facts {
	struct arena *arena;
	struct html_fact *list;
	size_t n;
};

/* Skips unknown facts. */
static void fact_add(struct facts *facts, const char *name, const char *text)
{
	if (text && *text)
		facts->list[facts->n++] = (struct html_fact){name, text};
}

/* NULL: unknown, as for imported samples. */
static const char *date_text(struct arena *arena, int64_t seconds)
{
	const time_t time = seconds;
	char text[64];
	struct tm parts;

	if (!seconds || !gmtime_r(&time, &parts) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts))
		return NULL;
	return arena_strdup(arena, text);
}

static const char *ending_text(struct arena *arena, const struct past_run *run)
{
	if (!run->has_ended)
		return "not yet, or fathom was killed";
	switch (run->ending.how) {
	case ENDED_UNKNOWN:
		return NULL;
	case ENDED_EXITED:
		return arena_printf(arena, "with exit status %d", run->ending.number);
	case ENDED_SIGNALLED:
		return arena_printf(arena, "by signal %d", run->ending.number);
	case ENDED_DETACHED:
		return "it was left running";
	}
	return NULL;
}

static const char *duration_text(struct arena *arena, const struct past_run *run)
{
	if (!run->account.duration_ns)
		return NULL;
	return arena_printf(arena, "%.3g s", run->account.duration_ns / 1e9);
}

static const char *stops_text(struct arena *arena, const struct past_run *run)
{
	if (!run->account.stops)
		return NULL;
	return arena_printf(arena, "%llu, %.3g s in them", (unsigned long long)run->account.stops,
			    run->account.stopped_ns / 1e9);
}

static void facts_add_run(struct facts *facts, const struct past_run *run)
{
	struct arena *arena = facts->arena;

	fact_add(facts, "Command", run->run.command);
	fact_add(facts, "Program", run->run.executable);
	fact_add(facts, "Build-id", run->run.build_id);
	fact_add(facts, "Host", run->run.host);
	fact_add(facts, "Kernel", run->run.kernel);
	fact_add(facts, "Processor", run->run.cpu);
	fact_add(facts, "Date", date_text(arena, run->run.started));
	fact_add(facts, "Duration", duration_text(arena, run));
	fact_add(facts, "Ended", ending_text(arena, run));
	fact_add(facts, "Probes", run->run.probes);
	fact_add(facts, "Stops", stops_text(arena, run));
}

static void facts_add_runs(struct facts *facts, const struct past_run *runs, size_t n, size_t n_all)
{
	if (n_all > n)
		fact_add(facts, "Runs",
			 arena_printf(facts->arena, "%zu; the last %zu are:", n_all, n));
	for (size_t i = 0; i < n; i++) {
		if (n_all > 1)
			fact_add(facts, NULL,
				 arena_printf(facts->arena, "Run %lld", (long long)runs[i].id));
		facts_add_run(facts, &runs[i]);
	}
}

bool measured_facts(struct profile *profile, struct arena *arena, const struct html_fact **ret,
		    size_t *ret_n, struct err *err)
{
	struct facts facts = {.arena = arena};
	struct past_run *runs;
	size_t n;

	if (!profile_history(profile, RUNS_MOST, arena, &runs, &n, err))
		return false;
	facts.list = arena_array(arena, struct html_fact, 1 + n * FACTS_OF_RUN);
	facts_add_runs(&facts, runs, n, profile_runs(profile));
	*ret = facts.list;
	*ret_n = facts.n;
	return true;
}
