/* Each reason with what to do. */
#include "causal_refusal.h"

#include <math.h>
#include <string.h>

/* The threads that bring work, from which share of all work on they do it, too. */
static const double ALONE = 0.9;

/* The flaw of most experiments. Who lacks processors cannot be paused equally either. */
static enum experiment_flaw main_flaw(const struct causal_gains *gains)
{
	size_t flaws[EXPERIMENT_FLAWS];
	unsigned flaw, most = EXPERIMENT_FEW_VISITS;

	memcpy(flaws, gains->flaws, sizeof(flaws));
	if (flaws[EXPERIMENT_PROCESSORS]) {
		flaws[EXPERIMENT_PROCESSORS] += flaws[EXPERIMENT_UNBALANCED];
		flaws[EXPERIMENT_UNBALANCED] = 0;
	}
	for (flaw = most; flaw < EXPERIMENT_FLAWS; flaw++)
		if (flaws[flaw] > flaws[most])
			most = flaw;
	return (enum experiment_flaw)most;
}

static const char *refuse_visits(const struct causal_profile *profile)
{
	const struct experiments *all = profile->experiments;
	const struct experiment *last = &all->list[all->n - 1];
	size_t i, fewest = 0;

	while (last->flaw != EXPERIMENT_FEW_VISITS)
		last--;
	for (i = 1; i < all->n_progress; i++)
		if (last->seen[i].visits < last->seen[fewest].visits)
			fewest = i;
	return arena_printf(profile->arena,
			    "%s was passed %.0f times in an experiment of %.1f s: choose a "
			    "point that is passed more often, or let the program do more",
			    all->progress[fewest].name, last->seen[fewest].visits, last->elapsed_s);
}

static const char *refuse_flaw(const struct causal_profile *profile,
			       const struct causal_gains *gains)
{
	switch (main_flaw(gains)) {
	case EXPERIMENT_FEW_VISITS:
		return gains->flaws[EXPERIMENT_FEW_VISITS] ? refuse_visits(profile)
							   : "no experiment has a usable partner";
	case EXPERIMENT_PROCESSORS:
		return arena_printf(
			profile->arena,
			"%.1f of its threads could run at a time, and %.1f processors were free "
			"for it, so that a pause of one makes others faster: give it fewer "
			"threads, or more processors, or wait until others need less",
			profile->outcome.runnable, profile->outcome.free);
	case EXPERIMENT_PAUSES:
		return "experiments were hardly anything but pauses: try a lower speedup with "
		       "--fixed";
	case EXPERIMENT_UNBALANCED:
		return "threads could not be paused equally: is the machine busy with other "
		       "things?";
	case EXPERIMENT_LATE:
		return arena_printf(
			profile->arena,
			"its threads wait for each other after %.2g ms, and pauses of "
			"more than a third of that come too late: try up to %.0f %% with "
			"--fixed",
			(double)profile->outcome.between_ns / 1e6,
			floor(100 * CAUSAL_PAUSE_MOST * (double)profile->outcome.between_ns /
			      CAUSAL_SAMPLE_NS));
	case EXPERIMENT_USABLE:
	case EXPERIMENT_FLAWS:
		break;
	}
	return "no experiment has a usable partner";
}

/* Nobody else would serve what comes earlier. */
static bool is_event_loop(const struct experiments *experiments)
{
	const double bringing = experiments->bringing.share;

	return experiments->arrival >= 0 && bringing > 0 &&
	       bringing > ALONE * (bringing + experiments->serving.share);
}

static const char *refuse_unstable(const struct causal_profile *profile,
				   const struct causal_gains *gains)
{
	const struct experiments *all = profile->experiments;
	const char *name = all->progress[gains->progress].name;
	const double most = causal_gains_served(gains, INFINITY);

	if (all->progress[gains->progress].latency)
		return arena_printf(profile->arena,
				    "ever more of %s were begun and not ended, so that there is no "
				    "time that they take: let less work come",
				    name);
	return arena_printf(profile->arena,
			    "more work came at %s than was done, and what was left over was done "
			    "in the next experiment, so that it is not known how much passes: let "
			    "less come%s",
			    all->progress[all->arrival].name,
			    isfinite(most) ? arena_printf(profile->arena,
							  " (by arithmetic up to %.1f times as "
							  "much is done)",
							  most)
					   : "");
}

static const char *refuse_load(const struct causal_profile *profile)
{
	const struct experiments *all = profile->experiments;

	if (all->arrival >= 0 && !profile->outcome.period_ns)
		return arena_printf(profile->arena,
				    "no thread passed %s 20 times: choose another --arrival, or "
				    "let the program run longer",
				    all->progress[all->arrival].name);
	for (size_t i = 0; profile->earlier_ns && i < profile->n_speedups; i++)
		if (profile->earlier_ns[i] >
		    CAUSAL_EARLIER_MOST * (double)profile->outcome.period_ns)
			return arena_printf(profile->arena,
					    "work arrives each %.4g ms, so that it cannot come "
					    "%.4g ms earlier",
					    (double)profile->outcome.period_ns / 1e6,
					    profile->earlier_ns[i] / 1e6);
	if (is_event_loop(all))
		return arena_printf(
			profile->arena,
			"the threads that pass %s do %.0f %% of all work themselves: in an event "
			"loop work cannot come earlier than the one before is done, so only idle "
			"time would be shortened, which pauses of others do not do",
			all->progress[all->arrival].name,
			100 * all->bringing.share / (all->bringing.share + all->serving.share));
	return NULL;
}

/* Was enough seen of the only unit that is wanted? */
static bool is_worthwhile(const struct causal_profile *profile)
{
	const struct experiments *all = profile->experiments;
	size_t i = 0;

	while (i < all->n_units &&
	       (!causal_units_is_called(&all->units[i], profile->scope.only) ||
		all->units[i].samples < CAUSAL_WORTH * (double)profile->outcome.in_units))
		i++;
	return i < all->n_units;
}

const char *causal_refusal(const struct causal_profile *profile, const struct causal_gains *gains)
{
	const struct causal_outcome *outcome = &profile->outcome;
	const struct experiments *all = profile->experiments;
	const char *refusal = refuse_load(profile);

	if (refusal || gains->n)
		return refusal;
	if (gains->unstable)
		return refuse_unstable(profile, gains);
	if (!outcome->samples)
		return "the program was not seen to run: it ended too soon, or waited all the time";
	if (!outcome->in_units)
		return arena_printf(profile->arena,
				    "none of %llu samples of the program's code was in the scope: "
				    "choose another --scope",
				    (unsigned long long)outcome->samples);
	if (profile->scope.only && !all->n && !is_worthwhile(profile))
		return arena_printf(profile->arena,
				    "%s was not seen to run in a hundredth of %llu samples: "
				    "without --fixed it is shown what does",
				    profile->scope.only, (unsigned long long)outcome->in_units);
	if (all->n < 2 && outcome->is_over && outcome->ending.how == ENDED_SIGNALLED)
		return arena_printf(profile->arena,
				    "the program was ended by signal %d before two experiments",
				    outcome->ending.number);
	if (all->n < 2)
		return arena_printf(profile->arena, "%s before two experiments: let it %s",
				    outcome->is_over ? "the program ended" : "the time was over",
				    outcome->is_over ? "do more, or several times the same"
						     : "have more (--for)");
	return refuse_flaw(profile, gains);
}
