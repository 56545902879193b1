/*
 * Rates, shares, windows and the account of what was spent. Each cycle begins in governor_turn(),
 * whose budget_of_cycle() and find_level() decide what each function may spend.
 */
#include "governor.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"

/* Of program time, in ns. */
static const double CYCLE = 200e6;
static const double CYCLE_MAX = 2e9;

static const double START_CREDIT = 40e6; /* ns of stops: short programs are measured completely */
static const double PLANNED = 0.8;       /* of the budget: cold caches and wake-ups cost unseen */
static const double SHARE_MIN = 500e3;   /* not worth opening for less: cycles get longer */
static const double MEMORY = 0.8;        /* weight of each earlier cycle when rates are estimated */
static const double GROWTH = 2;          /* of a window per cycle, at most */
static const double CUT = 8;             /* a window that costs so many times its plan is cut */

static const double TURNING = 0.25; /* of the budget: cycles are long enough for that */

static const double LOUD_CALLS = 1e5; /* they tell enough: the credit is not for more */

static const double CUT_TOGETHER = 2; /* all windows of a cycle: chance evens out among many */

static const double DOUBT = 2;           /* stop cost / window time above which that is uncertain */
static const double DOUBTFUL_MAX = 0.25; /* share of calls that may be counted so */
static const double UNKNOWN_MAX = 0.1;   /* share of time that cuts may leave unobserved */

static const int64_t FOR_EVER = INT64_MAX;

struct subject {
	bool open;
	bool pinned;
	bool removed;
	int64_t added_at, opened_at, until; /* program time */
	int64_t open_before;                /* time in earlier windows */
	int64_t open_at_cycle;              /* time in windows when the cycle began */
	double cycle_cost, cycle_calls;
	int64_t cut_at;  /* when this cycle's window was cut; -1: it was not */
	int64_t unknown; /* time closed after cuts, in earlier cycles */
	/* seemed cheap but was cut, and its new rate is unknown */
	bool surprised;
	double calls, doubtful; /* of earlier cycles: estimate; the uncertain part of it */
	double cost, time;      /* of earlier cycles, with weights falling by MEMORY */
	double rate;
	double weight;  /* of its share */
	double planned; /* planned cost of a cycle */
	double length;  /* of the last window; 0: it had no end */
	double cost_in_vain;
};

struct governor {
	double max_overhead;
	struct random_state random;
	int64_t start_ns;
	double spent;
	double waited;  /* by governor_wait() */
	double balance; /* available; negative: to be paid back */
	int64_t earned_at;
	double turning; /* in this cycle, */
	double common;  /* as governor_spend_in_common() was told, */
	double begun;   /* calls of all functions */
	double cycle;   /* expected length */
	int64_t began;  /* of this cycle, in program time */
	int64_t next;   /* when the next begins, in program time */
	struct subject *subjects;
	size_t n, capacity;
	size_t n_removed;
	size_t n_closed;
	struct claim {
		double rate, weight;
	} * order; /* scratch: sorted */
	size_t order_capacity;
};

static int64_t program_time(const struct governor *governor, uint64_t now_ns)
{
	return (int64_t)now_ns - governor->start_ns - (int64_t)(governor->spent + governor->waited);
}

/* Exponentially distributed: memoryless. */
static double random_length(struct governor *governor, double mean)
{
	const double uniform = ((random_next(&governor->random) >> 11) + 0.5) * 0x1p-53;

	return -mean * log(uniform);
}

struct governor *governor_create(double max_overhead, uint64_t seed, uint64_t now_ns)
{
	struct governor *governor = mem_alloc(sizeof(*governor));

	governor->max_overhead = PLANNED * max_overhead;
	governor->random.state = seed;
	governor->start_ns = now_ns;
	governor->balance = START_CREDIT;
	governor->cycle = CYCLE;
	governor->next = CYCLE / 2 + random_length(governor, CYCLE / 2);
	return governor;
}

void governor_destroy(struct governor *governor)
{
	if (!governor)
		return;
	free(governor->subjects);
	free(governor->order);
	free(governor);
}

static unsigned governor_take_number(struct governor *governor)
{
	unsigned number = 0;

	if (governor->n_removed) {
		while (!governor->subjects[number].removed)
			number++;
		governor->n_removed--;
		return number;
	}
	governor->subjects = mem_grow(governor->subjects, &governor->capacity, governor->n + 1,
				      sizeof(*governor->subjects));
	return governor->n++;
}

unsigned governor_add(struct governor *governor, uint64_t now_ns)
{
	const int64_t now = program_time(governor, now_ns);
	const unsigned number = governor_take_number(governor);

	governor->subjects[number] =
		(struct subject){.open = true,
				 .added_at = now,
				 .opened_at = now,
				 .until = FOR_EVER,
				 .cut_at = -1,
				 .weight = 1,
				 .planned = governor->max_overhead * governor->cycle};
	return number;
}

void governor_weigh(struct governor *governor, unsigned function, double weight)
{
	governor->subjects[function].weight = weight;
}

unsigned governor_functions(const struct governor *governor)
{
	return governor->n;
}

void governor_remove(struct governor *governor, unsigned function)
{
	struct subject *subject = &governor->subjects[function];

	governor->n_closed -= !subject->open;
	governor->n_removed++;
	*subject = (struct subject){.open = true, .removed = true, .until = FOR_EVER};
}

bool governor_pin(struct governor *governor, unsigned function, bool pinned, uint64_t now_ns)
{
	struct subject *subject = &governor->subjects[function];
	const bool was_closed = !subject->open;

	subject->pinned = pinned;
	if (!pinned)
		return false;
	if (was_closed) {
		const int64_t now = program_time(governor, now_ns);

		subject->open = true;
		subject->opened_at = now;
		subject->unknown += subject->cut_at >= 0 ? now - subject->cut_at : 0;
		subject->cut_at = -1;
		governor->n_closed--;
	}
	subject->until = FOR_EVER;
	return was_closed;
}

bool governor_is_open(const struct governor *governor, unsigned function)
{
	return governor->subjects[function].open;
}

/* A window ends as planned, even if its probes are lifted later. */
static int64_t open_time(const struct subject *subject, int64_t now)
{
	const int64_t end = subject->until < now ? subject->until : now;

	if (!subject->open || end < subject->opened_at)
		return subject->open_before;
	return subject->open_before + end - subject->opened_at;
}

/*
 * Unspent budget can be spent later, but at most a cycle's: else an idle hour would pay for a slow
 * minute.
 */
static void earn(struct governor *governor, int64_t now)
{
	const double most = governor->max_overhead * governor->cycle;
	const double earned = governor->max_overhead * (double)(now - governor->earned_at);

	if (now <= governor->earned_at)
		return;
	if (governor->balance < most)
		governor->balance = fmin(most, governor->balance + earned);
	governor->earned_at = now;
}

/* What @subject has cost in this cycle, with its calls' part of what all have cost in common. */
static double subject_cost(const struct governor *governor, const struct subject *subject)
{
	const double part = governor->begun > 0 ? subject->cycle_calls / governor->begun : 0;

	return subject->cycle_cost + part * governor->common;
}

/*
 * One alone costs many times its plan; or all together do, as hundreds that are new, or were idle
 * until now: then each may use its part.
 */
static bool is_cut(const struct governor *governor, const struct subject *subject, int64_t now)
{
	const double most =
		governor->max_overhead * fmax(CUT * CYCLE, CUT_TOGETHER * governor->cycle);
	const double cost = subject_cost(governor, subject);

	if (!subject->time && subject->cycle_calls > LOUD_CALLS &&
	    cost > GOVERNOR_LOUD * (double)(now - subject->opened_at))
		return true;
	if (governor->balance >= 0)
		return false;
	return cost > CUT * subject->planned ||
	       (governor->balance < -most &&
		cost > most / (double)(governor->n - governor->n_removed));
}

bool governor_may_close(const struct governor *governor, unsigned function)
{
	const struct subject *subject = &governor->subjects[function];

	return governor->max_overhead && subject->open && !subject->pinned;
}

bool governor_hit(struct governor *governor, unsigned function, uint64_t now_ns)
{
	const int64_t now = program_time(governor, now_ns);
	const struct subject *subject = &governor->subjects[function];

	if (!governor_may_close(governor, function))
		return true;
	earn(governor, now);
	return now < subject->until && !is_cut(governor, subject, now);
}

bool governor_is_spent(const struct governor *governor)
{
	return governor->max_overhead && governor->balance < 0;
}

void governor_close(struct governor *governor, unsigned function, uint64_t now_ns)
{
	struct subject *subject = &governor->subjects[function];
	const int64_t now = program_time(governor, now_ns);

	if (!subject->open)
		return;
	subject->open_before = open_time(subject, now);
	if (now < subject->until) {
		subject->cut_at = now;
		subject->surprised |= subject->time > 0 && subject->until == FOR_EVER;
	}
	subject->open = false;
	subject->cost_in_vain = 0;
	governor->n_closed++;
}

static void spend(struct governor *governor, double cost_ns)
{
	governor->spent += cost_ns;
	governor->balance -= cost_ns;
}

void governor_spend_turning(struct governor *governor, uint64_t cost_ns)
{
	spend(governor, (double)cost_ns);
	governor->turning += (double)cost_ns;
}

void governor_spend_in_common(struct governor *governor, uint64_t cost_ns)
{
	spend(governor, (double)cost_ns);
	governor->common += (double)cost_ns;
}

void governor_spend_aside(struct governor *governor, uint64_t cost_ns)
{
	governor->spent += cost_ns;
}

void governor_wait(struct governor *governor, uint64_t ns)
{
	governor->waited += ns;
}

void governor_spend(struct governor *governor, unsigned function, uint64_t cost_ns, bool in_vain)
{
	struct subject *subject = &governor->subjects[function];

	if (subject->pinned)
		governor->spent += cost_ns;
	else
		spend(governor, (double)cost_ns);
	subject->cycle_cost += cost_ns;
	if (!subject->open && in_vain)
		subject->cost_in_vain += cost_ns;
}

void governor_reserve(struct governor *governor, unsigned function, uint64_t cost_ns)
{
	struct subject *subject = &governor->subjects[function];

	if (!subject->pinned)
		governor->balance -= cost_ns;
	subject->cycle_cost += cost_ns;
}

bool governor_is_tired(const struct governor *governor, unsigned function)
{
	const struct subject *subject = &governor->subjects[function];

	return !subject->open && subject->cost_in_vain > fmax(subject->planned, SHARE_MIN);
}

uint64_t governor_due_ns(const struct governor *governor, uint64_t now_ns)
{
	const int64_t left = governor->next - program_time(governor, now_ns);

	if (!governor->n_closed)
		return 0;
	return left > 0 ? now_ns + left : now_ns;
}

void governor_begun(struct governor *governor, unsigned function, uint64_t n)
{
	governor->subjects[function].cycle_calls += (double)n;
	governor->begun += (double)n;
}

/*
 * Extrapolate from the windows of a cycle to all of it. Window lengths are the clock less the
 * estimated cost of stops: where that was most of it, the rest is too uncertain. Returns the
 * estimated number of calls.
 */
static double calls_of_cycle(const struct governor *governor, const struct subject *subject,
			     int64_t now, bool *ret_doubtful)
{
	const int64_t began =
		subject->added_at > governor->began ? subject->added_at : governor->began;
	const double open = (double)(open_time(subject, now) - subject->open_at_cycle);

	*ret_doubtful = subject->cycle_cost > DOUBT * open && open < (double)(now - began);
	if (open <= 0 || now <= began)
		return subject->cycle_calls;
	return subject->cycle_calls * fmax(1, (double)(now - began) / open);
}

static double unknown_time(const struct subject *subject, int64_t now)
{
	return (double)(subject->unknown + (subject->cut_at >= 0 ? now - subject->cut_at : 0));
}

bool governor_calls(const struct governor *governor, unsigned function, uint64_t now_ns,
		    double *ret)
{
	const struct subject *subject = &governor->subjects[function];
	const int64_t now = program_time(governor, now_ns);
	bool doubtful;
	double last = calls_of_cycle(governor, subject, now, &doubtful);

	*ret = subject->calls + last;
	if (subject->surprised ||
	    unknown_time(subject, now) > UNKNOWN_MAX * (double)(now - subject->added_at))
		return false;
	return subject->doubtful + (doubtful ? last : 0) <= DOUBTFUL_MAX * *ret;
}

static void governor_count_calls(const struct governor *governor, struct subject *subject,
				 int64_t now)
{
	bool doubtful;
	const double calls = calls_of_cycle(governor, subject, now, &doubtful);

	subject->calls += calls;
	subject->doubtful += doubtful ? calls : 0;
	subject->cycle_calls = 0;
	subject->unknown = (int64_t)unknown_time(subject, now);
	subject->cut_at = -1;
}

/* Update each function's cost rate while open from the ending cycle. */
static void governor_learn(struct governor *governor, int64_t now)
{
	for (size_t i = 0; i < governor->n; i++) {
		struct subject *subject = &governor->subjects[i];
		const int64_t open = open_time(subject, now);

		if (subject->cut_at < 0 && subject_cost(governor, subject) >= subject->planned / 2)
			subject->surprised = false;
		subject->cost = MEMORY * subject->cost + subject_cost(governor, subject);
		governor_count_calls(governor, subject, now);
		subject->time = MEMORY * subject->time + (double)(open - subject->open_at_cycle);
		subject->cycle_cost = 0;
		subject->open_at_cycle = open;
		subject->rate = subject->time > 0 ? subject->cost / subject->time : 0;
	}
}

/* Does it take a share of the budget? */
static bool is_governed(const struct subject *subject)
{
	return !subject->pinned && !subject->removed;
}

/* By what they take of a share. */
static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a;
	const struct claim *y = b;
	const double left = x->rate * y->weight;
	const double right = y->rate * x->weight;

	return (left > right) - (left < right);
}

/*
 * The cost level that caps each, times its weight, so that all together cost @budget: max-min
 * fairness by water filling. If all are cheap, the dearest could also use the rest.
 */
static double find_level(struct governor *governor, double budget)
{
	double left = budget;
	double weights = 0;
	size_t n = 0;

	governor->order = mem_grow(governor->order, &governor->order_capacity, governor->n + 1,
				   sizeof(*governor->order));
	for (size_t i = 0; i < governor->n; i++) {
		const struct subject *subject = &governor->subjects[i];

		if (!is_governed(subject))
			continue;
		governor->order[n++] = (struct claim){subject->rate, subject->weight};
		weights += subject->weight;
	}
	if (n)
		qsort(governor->order, n, sizeof(*governor->order), compare_claims);
	for (size_t i = 0; i < n; i++) {
		const struct claim *claim = &governor->order[i];

		if (claim->rate * weights > left * claim->weight)
			return left / weights;
		left -= claim->rate;
		weights -= claim->weight;
	}
	return n ? left + governor->order[n - 1].rate / governor->order[n - 1].weight : left;
}

/* Settle debt and credit gradually, so that no single cycle pays for them. */
static double budget_of_cycle(const struct governor *governor)
{
	const double factor =
		1 + governor->balance / (2 * governor->max_overhead * governor->cycle);

	return governor->max_overhead * fmin(fmax(factor, 0.2), 1.25);
}

/* Windows of one that seems idle grow slowly: bursts fall between windows. */
static int64_t window_end(struct subject *subject, int64_t now, double level, double cycle)
{
	double length = subject->rate > level ? level * cycle / subject->rate : cycle;

	if (subject->length && subject->length * GROWTH < length)
		length = subject->length * GROWTH;
	else if (subject->rate <= level)
		length = 0;
	subject->length = length;
	return length ? now + (int64_t)ceil(length) : FOR_EVER;
}

static void open_all(struct governor *governor, int64_t now, double level)
{
	for (size_t i = 0; i < governor->n; i++) {
		struct subject *subject = &governor->subjects[i];

		subject->open_before = open_time(subject, now);
		subject->open = true;
		subject->opened_at = now;
		subject->until =
			is_governed(subject)
				? window_end(subject, now, level * subject->weight, governor->cycle)
				: FOR_EVER;
		subject->planned = level * subject->weight * governor->cycle;
	}
	governor->n_closed = 0;
}

bool governor_is_due(struct governor *governor, uint64_t now_ns)
{
	const int64_t now = program_time(governor, now_ns);

	if (now < governor->next || !governor->max_overhead)
		return false;
	earn(governor, now);
	if (governor->balance < -governor->max_overhead * governor->cycle / 2) {
		governor->next = now - (int64_t)(governor->balance / governor->max_overhead);
		return false;
	}
	return true;
}

void governor_put_off(struct governor *governor, uint64_t now_ns, uint64_t ns)
{
	governor->next = program_time(governor, now_ns) + (int64_t)ns;
}

bool governor_turn(struct governor *governor, uint64_t now_ns)
{
	const int64_t now = program_time(governor, now_ns);
	const bool was_closed = governor->n_closed;
	double level;

	if (!governor_is_due(governor, now_ns))
		return false;
	governor_learn(governor, now);
	governor->common = governor->begun = 0;
	governor->began = now;
	level = find_level(governor, budget_of_cycle(governor));
	governor->cycle = level > 0 ? fmin(fmax(SHARE_MIN / level, CYCLE), CYCLE_MAX) : CYCLE_MAX;
	governor->cycle =
		fmin(fmax(governor->turning / (TURNING * governor->max_overhead), governor->cycle),
		     CYCLE_MAX);
	governor->turning = 0;
	open_all(governor, now, level);
	governor->next =
		now + (int64_t)(governor->cycle / 2 + random_length(governor, governor->cycle / 2));
	return was_closed;
}

uint64_t governor_open_ns(const struct governor *governor, unsigned function, uint64_t now_ns)
{
	return open_time(&governor->subjects[function], program_time(governor, now_ns));
}

double governor_share(const struct governor *governor, unsigned function, uint64_t now_ns)
{
	const struct subject *subject = &governor->subjects[function];
	const int64_t now = program_time(governor, now_ns);

	if (now <= subject->added_at)
		return 1;
	return (double)open_time(subject, now) / (double)(now - subject->added_at);
}

double governor_overhead(const struct governor *governor, uint64_t now_ns)
{
	const int64_t now = program_time(governor, now_ns);

	return now > 0 ? governor->spent / (double)now : 0;
}
