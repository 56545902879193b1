/* The loop of experiments: session, threads, plan and table of experiments together. */
#include "causal_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "causal_plan.h"
#include "causal_threads.h"
#include "trace/session_halt.h"

static const uint64_t TICK_NS = 1000000;
/* A difference between threads that experiments may end with, and beyond that a share of them. */
static const int64_t UNBALANCED_NS = 5000000;
static const double UNBALANCED = 0.02;

/* Threads that run at the same time, more than there are processors: counting is not exact. */
static const double RUNNABLE_SLACK = 0.2;

/* A unit is worth experiments from this share of samples on, once there are enough to say. */
static const double WORTH = 0.01;
enum { SAMPLES_ENOUGH = 100 };

/* Pairs without a usable experiment until it is given up. */
enum { HOPELESS = 6 };

struct running {
	struct session *session;
	const struct causal_request *request;
	struct experiments *experiments;
	struct causal_outcome *outcome;
	struct causal_threads threads;
	struct causal_plan plan;
	struct clock_timer tick;
	uint64_t next_ns; /* when to look again */
	uint64_t began_ns;
	bool has_bias;
	uint64_t bias;
	double *samples; /* of the experiment, by unit */
	size_t n_samples;
	double visits; /* when it began */
	unsigned useless;
};

static double count_visits(const struct running *running)
{
	session_count(running->session);
	return (double)session_function_account(running->session, 0, running->request->point)
		->calls;
}

static bool is_worth(const struct running *running, unsigned unit)
{
	const struct causal_outcome *outcome = running->outcome;

	return outcome->in_units >= SAMPLES_ENOUGH &&
	       running->experiments->units[unit].samples >= WORTH * (double)outcome->in_units &&
	       running->request->is_wanted(running->request->self, unit);
}

static void count_sample(struct running *running, unsigned unit)
{
	size_t capacity = running->n_samples;

	running->outcome->in_units++;
	running->experiments->units[unit].samples++;
	if (unit >= running->n_samples) {
		running->samples = mem_grow(running->samples, &capacity, (size_t)unit + 1,
					    sizeof(*running->samples));
		memset(running->samples + running->n_samples, 0,
		       (capacity - running->n_samples) * sizeof(*running->samples));
		running->n_samples = capacity;
	}
	running->samples[unit]++;
}

static int64_t on_sample(void *self, uint64_t pc, uint64_t when_ns)
{
	struct running *running = self;
	const struct causal_request *request = running->request;
	const struct causal_plan *plan = &running->plan;
	int unit;

	running->outcome->samples++;
	if (!running->has_bias)
		return 0;
	unit = request->unit_of(request->self, pc - running->bias);
	if (unit < 0)
		return 0;
	count_sample(running, (unsigned)unit);
	if (is_worth(running, (unsigned)unit))
		causal_plan_offer(&running->plan, (unsigned)unit, when_ns);
	return plan->phase == CAUSAL_RUNNING && plan->unit == (unsigned)unit
		       ? (int64_t)(causal_plan_speedup(plan) * CAUSAL_SAMPLE_NS)
		       : 0;
}

static void begin_experiment(struct running *running)
{
	causal_account_begin(&running->threads.account);
	causal_threads_forget_times(&running->threads);
	memset(running->samples, 0, running->n_samples * sizeof(*running->samples));
	running->visits = count_visits(running);
}

/* Without a speedup, which makes threads run longer than the time that is counted. */
static bool lacks_processors(const struct running *running, double effective_s)
{
	return causal_plan_speedup(&running->plan) == 0 &&
	       causal_threads_ran_s(&running->threads) >
		       (RUNNABLE_SLACK + causal_threads_processors(&running->threads)) *
			       effective_s;
}

static enum experiment_flaw run_flaw(struct running *running, const struct experiment *experiment)
{
	const int64_t tolerance_ns =
		UNBALANCED_NS + (int64_t)(UNBALANCED * experiment->elapsed_s * 1e9);
	int64_t off_ns;

	if (lacks_processors(running, experiment_effective_s(experiment)))
		return EXPERIMENT_PROCESSORS;
	if (running->threads.lost ||
	    !causal_account_balanced(&running->threads.account, tolerance_ns, &off_ns))
		return EXPERIMENT_UNBALANCED;
	return EXPERIMENT_USABLE;
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

static void end_experiment(struct running *running, uint64_t now_ns)
{
	struct experiment experiment = {
		.unit = running->plan.unit,
		.pair = running->plan.pair,
		.speedup = causal_plan_speedup(&running->plan),
		.elapsed_s = (double)(now_ns - running->plan.began_ns) / 1e9,
		.inserted_s = (double)causal_account_inserted(&running->threads.account) / 1e9,
		.waited_s = (double)causal_threads_waited_ns(&running->threads) / 1e9,
		.visits = count_visits(running) - running->visits,
		.samples = running->samples,
		.n_samples = running->n_samples,
	};
	const bool second = running->plan.second;

	experiment.flaw = run_flaw(running, &experiment);
	experiment_table_add(running->experiments, &experiment);
	causal_plan_ended(&running->plan, now_ns, experiment.visits);
	causal_threads_release(&running->threads);
	if (second)
		note_usefulness(running);
}

/* Look at all threads, and do what is due. */
static bool run_turn(struct running *running, struct err *err)
{
	const uint64_t now_ns = clock_now_ns();
	uint64_t release_ns = UINT64_MAX;

	if (!running->has_bias)
		running->has_bias = session_load_bias(running->session, &running->bias);
	if (!causal_threads_look(&running->threads, err))
		return false;
	if (causal_plan_starts(&running->plan, now_ns))
		begin_experiment(running);
	if (causal_plan_ends(&running->plan, now_ns,
			     (uint64_t)causal_account_inserted(&running->threads.account),
			     causal_threads_waited_ns(&running->threads)))
		end_experiment(running, now_ns);
	if (running->plan.phase == CAUSAL_RUNNING)
		release_ns = causal_threads_pause(&running->threads);
	running->next_ns = now_ns + TICK_NS < release_ns ? now_ns + TICK_NS : release_ns;
	clock_timer_set(&running->tick, running->next_ns, TICK_NS);
	return true;
}

static void take_event(struct running *running, const struct session_event *event)
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
		take_event(running, &event);
		if (!running->outcome->is_over && clock_now_ns() >= running->next_ns &&
		    session_process(running->session) && !run_turn(running, err))
			return false;
	}
	return true;
}

bool causal_run(struct session *session, const struct causal_request *request,
		struct experiments *ret, struct causal_outcome *outcome, struct err *err)
{
	struct running running = {
		.session = session,
		.request = request,
		.experiments = ret,
		.outcome = outcome,
		.plan = {.fixed_speedup = request->fixed_speedup, .random = {request->seed}},
		.began_ns = clock_now_ns()};
	bool ok;

	*outcome = (struct causal_outcome){0};
	running.threads =
		(struct causal_threads){.session = session, .sampled = on_sample, .self = &running};
	causal_plan_begin(&running.plan);
	clock_timer_set(&running.tick, running.began_ns + TICK_NS, TICK_NS);
	ok = run_until_enough(&running, err);
	outcome->visits = (uint64_t)count_visits(&running);
	ret->runtime_s = (double)(clock_now_ns() - running.began_ns) / 1e9 -
			 (double)running.threads.account.front_ns / 1e9;
	clock_timer_deinit(&running.tick);
	causal_threads_deinit(&running.threads);
	session_detach(session);
	free(running.samples);
	return ok;
}
