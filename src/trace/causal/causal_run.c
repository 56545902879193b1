/* The loop of experiments: session, threads, plan and table of experiments together. */
#include "causal_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "causal_counters.h"
#include "causal_plan.h"
#include "trace/session_halt.h"

static const uint64_t TICK_NS = 1000000;
/*
 * While nothing is as if faster, and nobody owes anything: each look costs some switches between
 * processes, and rings hold the samples of 50 ms.
 */
static const uint64_t CALM_TICK_NS = 12000000;
/* A difference between threads that experiments may end with, and beyond that a share of them. */
static const int64_t UNBALANCED_NS = 5000000;
static const double UNBALANCED = 0.02;

/* Threads that could run at the same time, more than processors are free: counting is not exact. */
static const double RUNNABLE_SLACK = 0.25;

/* Samples from which it can be said what a unit is worth. */
enum { SAMPLES_ENOUGH = 100 };

/* Arrivals from which their period is taken; before that no experiment begins. */
enum { ARRIVALS_ENOUGH = 20 };

/* Pairs without a usable experiment until it is given up. */
enum { HOPELESS = 6 };

/* Of one progress: how often it was passed, and how many are open. */
struct counting {
	double visits, ends; /* so far */
	double least;        /* visits - ends was never less: those open before it was counted */
	double before;       /* visits when the experiment began */
	double open_before;
	double sum; /* open, over the time of the experiment */
};

struct running {
	struct session *session;
	const struct causal_request *request;
	struct experiments *experiments;
	struct causal_outcome *outcome;
	struct causal_threads threads;
	struct causal_plan plan;
	struct clock_timer tick;
	uint64_t next_ns; /* when to look again */
	uint64_t looked_ns;
	uint64_t began_ns;
	bool follows; /* what is open, or counted by processes, is to be known all the time */
	struct causal_counters counters;
	double *speedups; /* [n_speedups] of the request, and what times are as shares */
	int64_t front_ns; /* at the last look */
	bool has_bias;
	uint64_t bias;
	double *samples; /* of the experiment, by unit */
	size_t n_samples;
	double calm_in_units;     /* samples of units while nothing was as if faster */
	struct counting *counted; /* [n_progress] */
	double passes[CAUSAL_PASSES_MAX];
	double summed_ns;    /* for counting.sum; without pauses */
	int64_t inserted_ns; /* up to then */
	unsigned useless;
};

static bool is_calm(const struct running *running)
{
	return causal_plan_speedup_now(&running->plan) == 0;
}

static double count_variable(struct running *running, unsigned counter)
{
	const struct causal_request *request = running->request;
	const struct causal_counter_reader reader = {request->read_counter, request->self};
	pid_t processes[CAUSAL_THREADS_MAX];
	const size_t n = causal_threads_processes(&running->threads, processes);

	return causal_counters_sum(&running->counters, counter, processes, n, &reader);
}

static double count_point(struct running *running, const struct causal_point *point)
{
	double sum = 0;
	size_t i;

	switch (point->kind) {
	case CAUSAL_RETURNS:
		return (double)session_function_account(running->session, 0, point->function)
			->calls;
	case CAUSAL_COUNTER:
		return count_variable(running, point->counter);
	case CAUSAL_PASSES:
		for (i = 0; i < point->places; i++)
			sum += running->passes[point->first + i];
		break;
	}
	return sum;
}

/* Before what begins is looked at: what has ended has begun. */
static void count_ends(struct running *running)
{
	session_count(running->session);
	for (size_t i = 0; i < running->experiments->n_progress; i++)
		if (running->request->aims[i].latency)
			running->counted[i].ends =
				count_point(running, &running->request->aims[i].end);
}

/* All points as of now; with latency what is open, over the time without pauses. */
static void count_all(struct running *running, uint64_t now_ns)
{
	const int64_t inserted_ns = causal_account_inserted(&running->threads.account);
	const double passed_ns = (double)(now_ns - running->looked_ns) -
				 (double)(inserted_ns - running->inserted_ns);
	size_t i;

	if (!running->follows)
		session_count(running->session);
	for (i = 0; i < running->experiments->n_progress; i++) {
		const struct causal_aim *aim = &running->request->aims[i];
		struct counting *counting = &running->counted[i];

		counting->visits = count_point(running, &aim->begin);
		if (!aim->latency)
			continue;
		counting->least = fmin(counting->least, counting->visits - counting->ends);
		counting->sum +=
			fmax(passed_ns, 0) * (counting->visits - counting->ends - counting->least);
	}
	running->summed_ns += fmax(passed_ns, 0);
	running->inserted_ns = inserted_ns;
}

static bool is_worth(const struct running *running, unsigned unit)
{
	return running->calm_in_units >= SAMPLES_ENOUGH &&
	       running->experiments->units[unit].samples >= CAUSAL_WORTH * running->calm_in_units &&
	       running->request->is_wanted(running->request->self, unit);
}

static void count_sample(struct running *running, unsigned unit)
{
	size_t capacity = running->n_samples;

	running->outcome->in_units++;
	if (is_calm(running)) {
		running->experiments->units[unit].samples++;
		running->calm_in_units++;
	}
	if (unit >= running->n_samples) {
		running->samples = mem_grow(running->samples, &capacity, (size_t)unit + 1,
					    sizeof(*running->samples));
		memset(running->samples + running->n_samples, 0,
		       (capacity - running->n_samples) * sizeof(*running->samples));
		running->n_samples = capacity;
	}
	running->samples[unit]++;
}

/* By how much earlier each piece of work is to come, in this moment. */
static int64_t arrival_gain(const struct running *running)
{
	const double load = running->experiments->load;
	const bool at_load = running->request->load_unit == CAUSAL_NO_UNIT;
	const double share = !causal_plan_is_under_way(&running->plan) ? 0
			     : at_load                                 ? 1 - 1 / load
				       : causal_plan_speedup(&running->plan);

	return (int64_t)(share * (double)running->outcome->period_ns);
}

static int64_t on_pass(struct running *running, const struct causal_seen *seen)
{
	running->passes[seen->pass] += (double)seen->times;
	return running->threads.arrivals >> seen->pass & 1
		       ? arrival_gain(running) * (int64_t)seen->times
		       : 0;
}

static int on_sample(void *self, const struct causal_sample *sample)
{
	const struct running *running = self;

	return running->request->unit_of(running->request->self, sample);
}

static int64_t on_seen(void *self, const struct causal_seen *seen)
{
	struct running *running = self;
	const struct causal_plan *plan = &running->plan;

	if (seen->pass >= 0)
		return on_pass(running, seen);
	running->outcome->samples++;
	if (seen->unit < 0)
		return 0;
	count_sample(running, (unsigned)seen->unit);
	if (running->request->load_unit == CAUSAL_NO_UNIT && !running->request->trial &&
	    (running->experiments->arrival < 0 || running->outcome->period_ns) &&
	    is_worth(running, (unsigned)seen->unit))
		causal_plan_offer(&running->plan, (unsigned)seen->unit, seen->when_ns);
	return plan->unit == (unsigned)seen->unit
		       ? (int64_t)(causal_plan_speedup_now(plan) * CAUSAL_SAMPLE_NS)
		       : 0;
}

static void note_between(struct running *running)
{
	const uint64_t between_ns = causal_threads_between_ns(&running->threads);

	if (between_ns)
		running->outcome->between_ns = between_ns;
}

/* All before it was calm. */
static void begin_experiment(struct running *running)
{
	if (!running->plan.second)
		note_between(running);
	causal_account_begin(&running->threads.account);
	causal_threads_forget_times(&running->threads);
}

/* From now on it counts. */
static void begin_counting(struct running *running)
{
	size_t i;

	causal_account_count(&running->threads.account);
	causal_threads_forget_times(&running->threads);
	if (running->n_samples)
		memset(running->samples, 0, running->n_samples * sizeof(*running->samples));
	count_all(running, running->looked_ns);
	running->summed_ns = 0;
	running->inserted_ns = 0;
	for (i = 0; i < running->experiments->n_progress; i++) {
		struct counting *counting = &running->counted[i];

		counting->before = counting->visits;
		counting->open_before = counting->visits - counting->ends;
		counting->sum = 0;
	}
}

/* One thread alone has always enough. */
static bool lacks_processors(struct running *running)
{
	const double runnable = causal_threads_runnable(&running->threads);
	const double free = causal_threads_free(&running->threads);

	if (runnable <= 1 + RUNNABLE_SLACK || runnable <= free + RUNNABLE_SLACK)
		return false;
	running->outcome->runnable = runnable;
	running->outcome->free = free;
	return true;
}

/* A load is by pauses of another kind: as long as work comes earlier. */
static bool is_late(const struct running *running)
{
	const double pause_ns = causal_plan_speedup(&running->plan) * CAUSAL_SAMPLE_NS;

	return running->request->load_unit == CAUSAL_NO_UNIT &&
	       causal_between_is_late(running->outcome->between_ns, pause_ns);
}

static enum experiment_flaw run_flaw(struct running *running, const struct experiment *experiment)
{
	const int64_t tolerance_ns =
		UNBALANCED_NS + (int64_t)(UNBALANCED * experiment->elapsed_s * 1e9);
	int64_t off_ns;
	const bool balanced =
		causal_account_balanced(&running->threads.account, tolerance_ns, &off_ns);

	/* With a speedup pauses leave processors to others, so it is asked only if it shows. */
	if ((causal_plan_speedup(&running->plan) == 0 || !balanced) && lacks_processors(running))
		return EXPERIMENT_PROCESSORS;
	if (running->threads.lost || !balanced)
		return EXPERIMENT_UNBALANCED;
	return is_late(running) ? EXPERIMENT_LATE : EXPERIMENT_USABLE;
}

/* After many pairs of which none was of use, and with nothing that waiting would change. */
static void note_usefulness(struct running *running)
{
	const struct experiment *list = running->experiments->list;
	const size_t n = running->experiments->n;
	const bool useful = !list[n - 1].flaw && !list[n - 2].flaw;

	running->useless = useful ? 0 : running->useless + 1;
	if (running->useless >= HOPELESS && running->plan.length_ns >= CAUSAL_LONGEST_NS)
		running->outcome->hopeless = true;
	if (running->useless >= HOPELESS && list[n - 1].flaw != EXPERIMENT_FEW_VISITS)
		running->outcome->hopeless = true;
}

/* Weighted by the time of experiments, in `threads` and `share` their sums until the end. */
static void add_busy(struct causal_busy *busy, const struct causal_work *work, double elapsed_s)
{
	busy->threads = fmax(busy->threads, work->threads);
	busy->share += work->ran_s / fmax(elapsed_s, 1e-9);
}

/* At the load that there is anyway. */
static void note_load(struct running *running, double elapsed_s)
{
	struct experiments *experiments = running->experiments;
	const struct causal_work bringing = causal_threads_work(&running->threads, true);
	const struct causal_work serving = causal_threads_work(&running->threads, false);
	const uint64_t period_ns = causal_threads_period_ns(&running->threads, ARRIVALS_ENOUGH);

	if (experiments->arrival < 0 || experiments->load != 1 || !is_calm(running))
		return;
	if (period_ns)
		running->outcome->period_ns = period_ns;
	experiments->bringing.share = experiments->serving.share = 0;
	add_busy(&experiments->bringing, &bringing, elapsed_s);
	add_busy(&experiments->serving, &serving, elapsed_s);
}

/* What was seen of each progress, while @elapsed_s went by. */
static void fill_seen(const struct running *running, struct progress_seen *ret)
{
	size_t i;

	for (i = 0; i < running->experiments->n_progress; i++) {
		const struct counting *counting = &running->counted[i];

		ret[i] = (struct progress_seen){
			.visits = counting->visits - counting->before,
			.open = running->summed_ns > 0 ? counting->sum / running->summed_ns : 0,
			.grown = counting->visits - counting->ends - counting->open_before};
	}
}

static double fewest_visits(const struct running *running, const struct progress_seen *seen)
{
	double fewest = INFINITY;
	size_t i;

	for (i = 0; i < running->experiments->n_progress; i++)
		fewest = fmin(fewest, seen[i].visits);
	return fewest;
}

static void end_experiment(struct running *running, uint64_t now_ns)
{
	struct progress_seen *seen = mem_alloc(running->experiments->n_progress * sizeof(*seen));
	struct experiment experiment = {
		.unit = running->plan.unit,
		.pair = running->plan.pair,
		.speedup = causal_plan_speedup(&running->plan),
		.elapsed_s = (double)(now_ns - running->plan.began_ns) / 1e9,
		.inserted_s = (double)causal_account_inserted(&running->threads.account) / 1e9,
		.waited_s = (double)causal_threads_waited_ns(&running->threads) / 1e9,
		.seen = seen,
		.samples = running->samples,
		.n_samples = running->n_samples,
	};
	const bool second = running->plan.second;

	if (experiment.speedup == 0) {
		note_between(running);
		running->experiments->paced = causal_threads_paced(&running->threads);
	}
	fill_seen(running, seen);
	if (running->experiments->whole)
		seen[0].visits = 1;
	experiment.flaw = run_flaw(running, &experiment);
	note_load(running, experiment.elapsed_s);
	experiment_table_add(running->experiments, &experiment);
	causal_plan_ended(&running->plan, now_ns, fewest_visits(running, seen));
	causal_threads_release(&running->threads);
	if (second)
		note_usefulness(running);
	free(seen);
}

/* Known addresses only: what is watched of a thread stays as it was in the beginning. */
static bool find_bias(struct running *running)
{
	const struct causal_request *request = running->request;
	struct causal_threads *threads = &running->threads;
	const int arrival = running->experiments->arrival;
	size_t i;

	if (running->has_bias ||
	    !session_load_bias(running->session, session_process(running->session), &running->bias))
		return running->has_bias;
	running->has_bias = true;
	for (i = 0; i < request->n_addrs; i++)
		threads->addresses[i] = request->addrs[i] + running->bias;
	threads->n_addresses = request->n_addrs;
	for (i = 0; arrival >= 0 && i < request->aims[arrival].begin.places; i++)
		threads->arrivals |= 1u << (request->aims[arrival].begin.first + i);
	causal_threads_forget_times(threads);
	return true;
}

/* The experiment that is to last as long as the process. */
static void begin_trial(struct running *running, uint64_t now_ns)
{
	const struct causal_trial *trial = running->request->trial;

	if (!trial || running->plan.phase == CAUSAL_RUNNING)
		return;
	running->plan.phase = CAUSAL_RUNNING;
	running->plan.unit = trial->unit < 0 ? UINT32_MAX : (unsigned)trial->unit;
	running->plan.pair = trial->pair;
	running->plan.speedup = trial->speedup;
	running->plan.with_first = true;
	running->plan.began_ns = now_ns;
	begin_experiment(running);
	begin_counting(running);
}

/* The time between arrivals is known, so of what share of it the times are that were asked for. */
static void know_period(struct running *running)
{
	const struct causal_request *request = running->request;
	const double period_ns = (double)running->outcome->period_ns;

	for (size_t i = 0; request->earlier_ns && i < request->n_speedups; i++) {
		if (!request->earlier_ns[i])
			continue;
		running->speedups[i] = request->earlier_ns[i] / period_ns;
		if (running->speedups[i] > CAUSAL_EARLIER_MOST)
			running->outcome->hopeless = true;
	}
}

/* Arrivals are like samples of the unit that they are. */
static void offer_load(struct running *running, uint64_t now_ns)
{
	struct causal_outcome *outcome = running->outcome;

	if (running->experiments->arrival < 0 || running->plan.phase != CAUSAL_CHOOSING)
		return;
	if (!outcome->period_ns) {
		outcome->period_ns = causal_threads_period_ns(&running->threads, ARRIVALS_ENOUGH);
		if (outcome->period_ns)
			know_period(running);
	}
	if (outcome->period_ns && running->request->load_unit != CAUSAL_NO_UNIT)
		causal_plan_offer(&running->plan, (unsigned)running->request->load_unit, now_ns);
}

/* Look at all threads, and do what is due. */
static bool run_turn(struct running *running, struct err *err)
{
	const struct causal_account *account = &running->threads.account;
	const uint64_t now_ns = clock_now_ns();
	uint64_t release_ns = UINT64_MAX, tick_ns = TICK_NS;
	int64_t inserted_ns;
	uint64_t waited_ns;
	bool ends;

	if (find_bias(running)) {
		running->threads.pauses = causal_plan_is_under_way(&running->plan);
		if (running->follows)
			count_ends(running);
		if (!causal_threads_look(&running->threads, err))
			return false;
		begin_trial(running, now_ns);
		inserted_ns = causal_account_inserted(account);
		waited_ns = causal_threads_waited_ns(&running->threads);
		ends = !running->request->trial &&
		       causal_plan_ends(&running->plan, now_ns, inserted_ns, waited_ns);
		if (running->plan.phase == CAUSAL_RUNNING && (ends || running->follows))
			count_all(running, now_ns);
		if (is_calm(running))
			running->experiments->calm_s += (double)(now_ns - running->looked_ns) / 1e9;
		running->looked_ns = now_ns;
		offer_load(running, now_ns);
		if (causal_plan_settles(&running->plan, now_ns, inserted_ns, waited_ns))
			begin_counting(running);
		if (causal_plan_starts(&running->plan, now_ns))
			begin_experiment(running);
		if (ends)
			end_experiment(running, now_ns);
		if (causal_plan_is_under_way(&running->plan))
			release_ns = causal_threads_pause(&running->threads);
		if (is_calm(running) && !running->follows && release_ns == UINT64_MAX &&
		    (running->front_ns == account->front_ns || running->threads.n == 1))
			tick_ns = CALM_TICK_NS;
		running->front_ns = account->front_ns;
	}
	running->next_ns = now_ns + tick_ns < release_ns ? now_ns + tick_ns : release_ns;
	clock_timer_set(&running->tick, running->next_ns, tick_ns);
	return true;
}

static void running_take_event(struct running *running, const struct session_event *event)
{
	const struct causal_request *request = running->request;

	if (event->kind == SESSION_NOTE)
		request->say(request->self, event->note);
	if (event->kind == SESSION_ENDED) {
		running->outcome->is_over = true;
		running->outcome->ending = event->ending;
	}
}

static bool run_until_enough(struct running *running, struct err *err)
{
	const struct causal_request *request = running->request;
	struct session_event event;

	while (!running->outcome->is_over && !running->outcome->hopeless &&
	       !request->is_over(request->self)) {
		if (!session_next(running->session, &event, err))
			return false;
		running_take_event(running, &event);
		if (!running->outcome->is_over && clock_now_ns() >= running->next_ns &&
		    session_process(running->session) && !run_turn(running, err))
			return false;
	}
	return true;
}

static void running_end(struct running *running)
{
	const uint64_t now_ns = clock_now_ns();
	const struct causal_trial *trial = running->request->trial;

	if (trial && trial->unit >= 0 && running->outcome->is_over &&
	    running->plan.phase == CAUSAL_RUNNING)
		end_experiment(running, now_ns);
	running->experiments->runtime_s += (double)(now_ns - running->began_ns) / 1e9 -
					   (double)running->threads.account.front_ns / 1e9;
	clock_timer_deinit(&running->tick);
	causal_threads_deinit(&running->threads);
	session_detach(running->session);
	free(running->samples);
	free(running->counted);
	free(running->speedups);
	causal_counters_deinit(&running->counters);
}

/* Of tables that go on: samples in units, and the number of the next pair. */
static void running_go_on(struct running *running)
{
	const struct experiments *experiments = running->experiments;
	size_t i;

	for (i = 0; i < experiments->n_units; i++)
		running->calm_in_units += experiments->units[i].samples;
	for (i = 0; i < experiments->n; i++)
		if (experiments->list[i].pair >= running->plan.pair)
			running->plan.pair = experiments->list[i].pair + 1;
}

bool causal_run(struct session *session, const struct causal_request *request,
		struct experiments *ret, struct causal_outcome *outcome, struct err *err)
{
	struct running running = {
		.session = session,
		.request = request,
		.experiments = ret,
		.outcome = outcome,
		.plan = {.n_speedups = request->n_speedups, .random = {request->seed}},
		.counted = mem_alloc(ret->n_progress * sizeof(struct counting)),
		.began_ns = clock_now_ns()};
	bool ok;

	outcome->hopeless = outcome->is_over = false;
	running.looked_ns = running.began_ns;
	running.threads = (struct causal_threads){.session = session,
						  .sight = {on_sample, on_seen, &running},
						  .n_functions = request->n_begins};
	memcpy(running.threads.functions, request->begins, request->n_begins * sizeof(unsigned));
	running.follows = request->n_begins > 0;
	for (size_t i = 0; i < ret->n_progress; i++)
		running.follows |=
			request->aims[i].latency || request->aims[i].begin.kind == CAUSAL_COUNTER;
	if (request->speedups) {
		running.speedups = mem_alloc((request->n_speedups + 1) * sizeof(double));
		memcpy(running.speedups, request->speedups, request->n_speedups * sizeof(double));
		running.plan.speedups = running.speedups;
	}
	running_go_on(&running);
	causal_plan_begin(&running.plan);
	clock_timer_set(&running.tick, running.began_ns + TICK_NS, TICK_NS);
	ok = run_until_enough(&running, err);
	running_end(&running);
	return ok;
}
