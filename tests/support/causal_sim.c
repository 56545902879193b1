#include "causal_sim.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "core/causal/experiment.h"
#include "trace/causal/causal_plan.h"

enum { PERIOD = SIM_MS, QUEUE = 64 };

enum state { RUNS, WAITS, SLEEPS, PAUSED };

struct actor {
	const struct sim_thread *program;
	struct causal_thread *account;
	size_t step;
	enum state state;
	int64_t left_ns;      /* of this step */
	int64_t to_sample_ns; /* own time until the next sample */
	int64_t until_ns;     /* asleep or paused */
	int64_t paused_at_ns;
	int64_t next_fill_ns; /* of what an outsider gives */
	bool woken;           /* what it waited for is done */
};

struct object {
	bool held;
	int64_t n;                     /* in a queue, or at a barrier */
	unsigned waiting[SIM_THREADS]; /* actors, first come first */
	size_t n_waiting;
};

struct sim {
	const struct sim_experiment *experiment;
	struct causal_account account;
	struct actor actors[SIM_THREADS];
	struct object objects[SIM_OBJECTS];
	struct random_state random;
	int64_t now_ns;
	double speedup, arrival_ns; /* as the experiment's, in this moment */
	uint64_t visits, arrivals;
};

/* By a third more or less, so that nothing keeps step with anything else, unless that is wanted. */
static int64_t about(struct sim *sim, int64_t ns)
{
	return sim->experiment->in_step
		       ? ns
		       : 2 * ns / 3 + (int64_t)(random_next(&sim->random) % (uint64_t)(2 * ns / 3));
}

static const struct sim_step *step_of(const struct actor *actor)
{
	return &actor->program->steps[actor->step];
}

static void begin_step(const struct sim *sim, struct actor *actor)
{
	const struct sim_step *step = step_of(actor);

	actor->left_ns = step->kind == SIM_RUN ? step->ns : step->kind == SIM_SPIN ? INT64_MAX : 0;
	if (step->kind == SIM_RUN && step->what == sim->experiment->code)
		actor->left_ns = (int64_t)((double)step->ns * (1 - sim->experiment->really));
}

static void next_step(const struct sim *sim, struct actor *actor)
{
	actor->step = (actor->step + 1) % actor->program->n;
	actor->woken = false;
	begin_step(sim, actor);
}

static void wait_for(struct sim *sim, struct actor *actor, struct object *object)
{
	actor->state = WAITS;
	object->waiting[object->n_waiting++] = (unsigned)(actor - sim->actors);
	causal_account_block(&sim->account, actor->account, (uint64_t)sim->now_ns);
}

static void wake_first(struct sim *sim, struct object *object)
{
	struct actor *actor;

	if (!object->n_waiting)
		return;
	actor = &sim->actors[object->waiting[0]];
	memmove(object->waiting, object->waiting + 1,
		--object->n_waiting * sizeof(*object->waiting));
	actor->state = RUNS;
	actor->woken = true;
	causal_account_wake(&sim->account, actor->account, (uint64_t)sim->now_ns,
			    sim->experiment->no_credit ? CAUSAL_WAKE_OUTSIDE : CAUSAL_WAKE_THREAD);
}

static void sleep_until(struct sim *sim, struct actor *actor, int64_t until_ns)
{
	actor->state = SLEEPS;
	actor->until_ns = until_ns;
	causal_account_block(&sim->account, actor->account, (uint64_t)sim->now_ns);
}

static bool at_barrier(struct sim *sim, struct actor *actor, struct object *barrier)
{
	if (actor->woken)
		return true;
	if (++barrier->n < step_of(actor)->ns) {
		wait_for(sim, actor, barrier);
		return false;
	}
	barrier->n = 0;
	while (barrier->n_waiting)
		wake_first(sim, barrier);
	return true;
}

/* A push or a pop waits, and tries again when woken. */
static bool at_queue(struct sim *sim, struct actor *actor, struct object *queue,
		     struct object *others)
{
	const struct sim_step *step = step_of(actor);
	const bool push = step->kind == SIM_PUSH;

	if (push ? step->ns && queue->n == step->ns : !queue->n) {
		wait_for(sim, actor, push ? others : queue);
		return false;
	}
	queue->n += push ? 1 : -1;
	wake_first(sim, push ? queue : others);
	return true;
}

static bool at_lock(struct sim *sim, struct actor *actor, struct object *lock)
{
	if (!actor->woken && lock->held) {
		wait_for(sim, actor, lock);
		return false;
	}
	lock->held = true;
	return true;
}

static bool at_spin(struct object *lock)
{
	if (lock->held)
		return false;
	lock->held = true;
	return true;
}

/* The code that it runs; 0: none. */
static unsigned code_of(const struct sim_step *step)
{
	return step->kind == SIM_RUN ? step->what : step->kind == SIM_SPIN ? (unsigned)step->ns : 0;
}

static bool at_read(struct sim *sim, struct actor *actor)
{
	actor->next_fill_ns += actor->woken ? 0 : step_of(actor)->ns;
	if (actor->woken || actor->next_fill_ns <= sim->now_ns)
		return true;
	sleep_until(sim, actor, actor->next_fill_ns);
	return false;
}

/* Do what takes no time. False: it does. */
static bool do_step(struct sim *sim, struct actor *actor)
{
	const struct sim_step *step = step_of(actor);
	struct object *object = &sim->objects[step->what % SIM_OBJECTS];

	switch (step->kind) {
	case SIM_RUN:
		return actor->left_ns <= 0;
	case SIM_LOCK:
		return at_lock(sim, actor, object);
	case SIM_SPIN:
		return at_spin(object);
	case SIM_UNLOCK:
		object->held = object->n_waiting > 0;
		wake_first(sim, object);
		return true;
	case SIM_BARRIER:
		return at_barrier(sim, actor, object);
	case SIM_PUSH:
	case SIM_POP:
		return at_queue(sim, actor, object, &sim->objects[(step->what + 1) % SIM_OBJECTS]);
	case SIM_SLEEP:
		if (!actor->woken)
			sleep_until(sim, actor, sim->now_ns + step->ns);
		return actor->woken;
	case SIM_READ:
		return at_read(sim, actor);
	case SIM_VISIT:
		sim->visits++;
		return true;
	case SIM_ARRIVE:
		sim->arrivals++;
		causal_account_gain(&sim->account, actor->account, (int64_t)sim->arrival_ns);
		return true;
	}
	return false;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How long until something happens in this thread. */
static int64_t due_in(const struct sim *sim, const struct actor *actor)
{
	switch (actor->state) {
	case RUNS:
		return least(actor->left_ns, actor->to_sample_ns);
	case SLEEPS:
	case PAUSED:
		return actor->until_ns - sim->now_ns;
	case WAITS:
		break;
	}
	return INT64_MAX;
}

static void take_sample(struct sim *sim, struct actor *actor)
{
	const struct sim_step *step = step_of(actor);

	actor->to_sample_ns = about(sim, PERIOD);
	causal_account_sample(
		&sim->account, actor->account, (uint64_t)sim->now_ns,
		code_of(step) == sim->experiment->code ? (int64_t)(sim->speedup * PERIOD) : 0);
}

/* Let it go, unless it owes more by now. */
static void end_pause(struct sim *sim, struct actor *actor)
{
	causal_account_pause(actor->account, sim->now_ns - actor->paused_at_ns);
	actor->paused_at_ns = sim->now_ns;
	actor->until_ns = sim->now_ns +
			  causal_account_due(&sim->account, actor->account, (uint64_t)sim->now_ns);
	if (actor->until_ns == sim->now_ns)
		actor->state = RUNS;
}

static void begin_pause(const struct sim *sim, struct actor *actor)
{
	if (!causal_account_debt(&sim->account, actor->account))
		return;
	actor->state = PAUSED;
	actor->paused_at_ns = sim->now_ns;
	actor->until_ns = sim->now_ns +
			  causal_account_due(&sim->account, actor->account, (uint64_t)sim->now_ns);
}

static void begin_pauses(struct sim *sim)
{
	for (size_t i = 0; i < sim->experiment->n_threads; i++)
		if (sim->actors[i].state == RUNS)
			begin_pause(sim, &sim->actors[i]);
}

/* What it owes it pays at once: see hold_sleeper() in causal_threads.c. */
static void wake_sleeper(struct sim *sim, struct actor *actor)
{
	actor->state = RUNS;
	actor->woken = true;
	causal_account_wake(&sim->account, actor->account, (uint64_t)sim->now_ns,
			    step_of(actor)->kind == SIM_READ ? CAUSAL_WAKE_PACED
							     : CAUSAL_WAKE_OUTSIDE);
	begin_pause(sim, actor);
}

static void run_actor(struct sim *sim, struct actor *actor)
{
	if (actor->state == SLEEPS && actor->until_ns <= sim->now_ns)
		wake_sleeper(sim, actor);
	if (actor->state == PAUSED && actor->until_ns <= sim->now_ns)
		end_pause(sim, actor);
	if (actor->state == RUNS && actor->to_sample_ns <= 0)
		take_sample(sim, actor);
	while (actor->state == RUNS && do_step(sim, actor))
		next_step(sim, actor);
}

/* To the next thing that happens, at most to @until_ns. */
static void advance(struct sim *sim, int64_t until_ns)
{
	const size_t n = sim->experiment->n_threads;
	int64_t by_ns = until_ns - sim->now_ns;

	for (size_t i = 0; i < n; i++)
		by_ns = least(by_ns, due_in(sim, &sim->actors[i]));
	sim->now_ns += by_ns;
	for (size_t i = 0; i < n; i++)
		if (sim->actors[i].state == RUNS) {
			sim->actors[i].left_ns -= by_ns;
			sim->actors[i].to_sample_ns -= by_ns;
		}
	/* Twice: who spins sees at once what another does. */
	for (size_t i = 0; i < 2 * n; i++)
		run_actor(sim, &sim->actors[i % n]);
}

static void run_until(struct sim *sim, int64_t end_ns)
{
	const int64_t tick_ns = sim->experiment->tick_ns;
	int64_t tick = sim->now_ns + tick_ns;

	while (sim->now_ns < end_ns) {
		advance(sim, least(tick, end_ns));
		if (sim->now_ns < tick)
			continue;
		begin_pauses(sim);
		tick = sim->now_ns + about(sim, tick_ns);
	}
}

/* Pauses that are under way count for what they have been so far. */
static void settle(struct sim *sim)
{
	for (size_t i = 0; i < sim->experiment->n_threads; i++)
		if (sim->actors[i].state == PAUSED)
			end_pause(sim, &sim->actors[i]);
}

static void begin_sim(struct sim *sim)
{
	const struct sim_experiment *experiment = sim->experiment;

	for (size_t i = 0; i < experiment->n_threads; i++) {
		sim->actors[i].program = &experiment->threads[i];
		sim->actors[i].account = causal_account_add(&sim->account, (pid_t)i + 1, 0);
		sim->actors[i].to_sample_ns = (int64_t)(i + 1) * PERIOD / (SIM_THREADS + 1);
		begin_step(sim, &sim->actors[i]);
	}
}

struct sim_result sim_run(const struct sim_experiment *experiment)
{
	struct sim sim = {.experiment = experiment,
			  .speedup = experiment->speedup,
			  .arrival_ns = experiment->arrival_ns};
	struct sim_result result = {0};
	const int64_t warm_up_ns = 500 * SIM_MS;

	begin_sim(&sim);
	run_until(&sim, warm_up_ns);
	settle(&sim);
	causal_account_begin(&sim.account);
	sim.visits = sim.arrivals = 0;
	run_until(&sim, warm_up_ns + experiment->seconds * 1000 * SIM_MS);
	settle(&sim);
	result.elapsed_ns = sim.now_ns - warm_up_ns;
	result.effective_ns = result.elapsed_ns - causal_account_inserted(&sim.account);
	result.visits = sim.visits;
	result.arrivals = sim.arrivals;
	result.balanced = causal_account_balanced(
		&sim.account, experiment->tick_ns + PERIOD + (int64_t)experiment->arrival_ns,
		&result.off_ns);
	causal_account_deinit(&sim.account);
	return result;
}

double sim_gain(const struct sim_experiment *experiment)
{
	struct sim_experiment without = *experiment;
	struct sim_result then = sim_run(experiment), now;

	without.speedup = without.really = 0;
	now = sim_run(&without);
	return 100 * (1 - (double)then.effective_ns / (double)then.visits /
				  ((double)now.effective_ns / (double)now.visits));
}

/* What was seen of visits and of arrivals, while @effective_ns went by. */
struct planned {
	struct progress_seen seen[2];
	double effective_ns;
};

/* All let go. */
static void release_all(struct sim *sim)
{
	settle(sim);
	causal_account_begin(&sim->account);
	settle(sim);
	sim->speedup = sim->arrival_ns = 0;
}

static void speed_up(struct sim *sim, bool really)
{
	sim->speedup = really ? sim->experiment->speedup : 0;
	sim->arrival_ns = really ? sim->experiment->arrival_ns : 0;
	causal_account_begin(&sim->account);
}

/* One experiment of the plan, from its rest to its end. */
static struct planned run_planned(struct sim *sim, struct causal_plan *plan)
{
	uint64_t visits = 0, arrivals = 0;
	struct planned planned;
	int64_t inserted_ns;

	for (;;) {
		run_until(sim, sim->now_ns + SIM_MS);
		inserted_ns = causal_account_inserted(&sim->account);
		if (causal_plan_ends(plan, (uint64_t)sim->now_ns, inserted_ns, 0))
			break;
		if (causal_plan_settles(plan, (uint64_t)sim->now_ns, inserted_ns, 0)) {
			causal_account_count(&sim->account);
			visits = sim->visits;
			arrivals = sim->arrivals;
		}
		if (causal_plan_starts(plan, (uint64_t)sim->now_ns))
			speed_up(sim, causal_plan_speedup(plan) > 0);
	}
	planned = (struct planned){
		.seen = {{.visits = (double)(sim->visits - visits)},
			 {.visits = (double)(sim->arrivals - arrivals)}},
		.effective_ns = (double)(sim->now_ns - (int64_t)plan->began_ns - inserted_ns)};
	causal_plan_ended(plan, (uint64_t)sim->now_ns, planned.seen[0].visits);
	release_all(sim);
	return planned;
}

/* Of loads that are so much higher: is work left over from one to the other? */
static bool leaves_over(const struct planned *with, const struct planned *without)
{
	static const struct causal_progress progress[] = {{.name = "visits"}, {.name = "arrivals"}};
	struct experiments *all = experiment_table_create(progress, 2);
	bool left;

	all->arrival = 1;
	experiment_table_add_unit(all, "arrivals", NULL, 0);
	all->units[0].is_load = true;
	left = experiment_leaves_over(all, &(struct experiment){.seen = with->seen},
				      &(struct experiment){.seen = without->seen}, 0);
	experiment_table_destroy(all);
	return left;
}

struct sim_pairs sim_pairs(const struct sim_experiment *experiment, unsigned pairs)
{
	static const double speedups[] = {0.5}; /* only whether it is with one */
	struct sim sim = {.experiment = experiment};
	struct causal_plan plan = {.speedups = speedups, .n_speedups = 1, .random = {1}};
	struct sim_pairs result = {0};
	double sum = 0;

	begin_sim(&sim);
	causal_plan_begin(&plan);
	for (unsigned i = 0; i < pairs; i++) {
		struct planned of[2]; /* without, with */

		causal_plan_offer(&plan, 0, (uint64_t)sim.now_ns);
		for (unsigned half = 0; half < 2; half++) {
			const bool with = causal_plan_speedup(&plan) > 0;

			of[with] = run_planned(&sim, &plan);
			sum += (with ? 1 : -1) *
			       log(of[with].effective_ns / of[with].seen[0].visits);
		}
		result.left_over += experiment->arrival_ns > 0 && leaves_over(&of[1], &of[0]);
	}
	causal_account_deinit(&sim.account);
	result.gain = 100 * (1 - exp(sum / pairs));
	return result;
}
