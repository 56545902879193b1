/* Which experiment comes next. Who pauses in it: causal_account.c. */
#include "causal_plan.h"

#include "core/causal/experiment.h"

static const uint64_t FIRST_NS = 500000000;
static const uint64_t REST_NS = 10000000;

/* The first is what a programmer might reach; more than 90 % leaves hardly anything but pauses. */
static const double SPEEDUPS[] = {0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9};

void causal_plan_begin(struct causal_plan *plan)
{
	plan->length_ns = FIRST_NS;
	if (plan->speedups)
		return;
	plan->speedups = SPEEDUPS;
	plan->n_speedups = sizeof(SPEEDUPS) / sizeof(SPEEDUPS[0]);
}

static void plan_rest(struct causal_plan *plan, uint64_t now_ns)
{
	plan->phase = CAUSAL_RESTING;
	plan->until_ns = now_ns + REST_NS;
}

void causal_plan_offer(struct causal_plan *plan, unsigned unit, uint64_t now_ns)
{
	if (plan->phase != CAUSAL_CHOOSING)
		return;
	plan->unit = unit;
	plan->speedup = plan->speedups[random_next(&plan->random) % plan->n_speedups];
	plan->with_first = random_next(&plan->random) % 2;
	plan->second = false;
	plan_rest(plan, now_ns);
}

double causal_plan_speedup(const struct causal_plan *plan)
{
	return plan->with_first != plan->second ? plan->speedup : 0;
}

bool causal_plan_is_under_way(const struct causal_plan *plan)
{
	return plan->phase == CAUSAL_SETTLING || plan->phase == CAUSAL_RUNNING;
}

double causal_plan_speedup_now(const struct causal_plan *plan)
{
	return causal_plan_is_under_way(plan) ? causal_plan_speedup(plan) : 0;
}

bool causal_plan_starts(struct causal_plan *plan, uint64_t now_ns)
{
	if (plan->phase != CAUSAL_RESTING || now_ns < plan->until_ns)
		return false;
	plan->phase = CAUSAL_SETTLING;
	plan->began_ns = now_ns;
	return true;
}

/* Is @length_ns over in @elapsed_ns, pauses taken off, or is hardly anything else left? */
static bool plan_is_through(double length_ns, double elapsed_ns, int64_t inserted_ns,
			    uint64_t waited_ns)
{
	return elapsed_ns >= length_ns + (double)inserted_ns ||
	       (elapsed_ns - (double)waited_ns) * EXPERIMENT_EFFECTIVE > length_ns;
}

bool causal_plan_settles(struct causal_plan *plan, uint64_t now_ns, int64_t inserted_ns,
			 uint64_t waited_ns)
{
	if (plan->phase != CAUSAL_SETTLING ||
	    !plan_is_through(EXPERIMENT_SETTLING * (double)plan->length_ns,
			     (double)(now_ns - plan->began_ns), inserted_ns, waited_ns))
		return false;
	plan->phase = CAUSAL_RUNNING;
	plan->began_ns = now_ns;
	return true;
}

bool causal_plan_ends(const struct causal_plan *plan, uint64_t now_ns, int64_t inserted_ns,
		      uint64_t waited_ns)
{
	return plan->phase == CAUSAL_RUNNING &&
	       plan_is_through((double)plan->length_ns, (double)(now_ns - plan->began_ns),
			       inserted_ns, waited_ns);
}

void causal_plan_ended(struct causal_plan *plan, uint64_t now_ns, double visits)
{
	const bool shorter = visits > 4 * CAUSAL_VISITS_WANTED && plan->length_ns > FIRST_NS;

	if (!plan->second) {
		plan->second = true;
		plan_rest(plan, now_ns);
		return;
	}
	plan->pair++;
	plan->phase = CAUSAL_CHOOSING;
	if (visits < CAUSAL_VISITS_WANTED && plan->length_ns < CAUSAL_LONGEST_NS)
		plan->length_ns *= 2;
	else if (shorter)
		plan->length_ns /= 2;
}
