/* The rules of watch_state.h. */
#include "watch_state.h"

#include <math.h>

/* Periods in a row that make a verdict. */
enum { BAD_PERIODS = 2, GOOD_PERIODS = 3 };

/* A level is known if so many periods made it, and its error is this part of the tolerance. */
enum { LEVEL_PERIODS = 3 };
#define LEVEL_PART (1.0 / 6)

/*
 * CUSUM: what is taken off in each period, the alarm, and the most that one period adds. In-control
 * run length by Siegmund: (exp(2 k b) - 2 k b - 1) / (2 k^2), b = h + 1.166, is 10^6.
 */
#define DRIFT_SLACK 0.25
#define DRIFT_ALARM 22.3
#define DRIFT_MOST  5.0

/* The part of a period's alpha that the check spends; levels have the other one. */
#define CHECK_PART 0.5

static double spend_part(double alpha, uint64_t k)
{
	return alpha * 6 / (M_PI * M_PI * (double)k * (double)k);
}

double watch_state_alpha(const struct watch_state *state)
{
	return CHECK_PART * spend_part(state->alpha, state->periods + 1);
}

double watch_state_alpha_runs(const struct watch_state *state)
{
	return CHECK_PART * spend_part(state->alpha, state->generation + 1);
}

void watch_state_renew(struct watch_state *state)
{
	state->generation++;
	for (size_t i = 0; i < state->n; i++) {
		struct watch_subject *subject = &state->subjects[i];

		subject->level = subject->level_weight = subject->drift = 0;
		subject->level_periods = 0;
	}
}

static bool level_is_known(const struct watch_state *state, const struct watch_subject *subject)
{
	return subject->level_periods >= LEVEL_PERIODS &&
	       sqrt(1 / subject->level_weight) <=
		       LEVEL_PART * state->tolerance * fabs(subject->level);
}

static void learn_level(struct watch_subject *subject, const struct watch_observation *seen)
{
	const double error = fmax(seen->error, 1e-9); /* the weight stays finite */
	const double weight = 1 / (error * error);

	subject->level_weight += weight;
	subject->level += (seen->ratio - subject->level) * weight / subject->level_weight;
	subject->level_periods++;
}

/* How far the cost is above the level and half the tolerance, in standard errors. */
static double above_level(const struct watch_state *state, const struct watch_subject *subject,
			  const struct watch_observation *seen)
{
	const double border = subject->level * (1 + state->tolerance / 2);

	return (seen->ratio - border) / hypot(seen->error, sqrt(1 / subject->level_weight));
}

static bool is_drifting(struct watch_subject *subject, double above)
{
	subject->drift += fmin(above, DRIFT_MOST) - DRIFT_SLACK;
	subject->drift = fmin(fmax(subject->drift, 0), 2 * DRIFT_ALARM);
	return subject->drift > DRIFT_ALARM;
}

static enum watch_reason judge_level(const struct watch_state *state, struct watch_subject *subject,
				     const struct watch_observation *seen)
{
	const double alpha = (1 - CHECK_PART) * spend_part(state->alpha, state->periods + 1);
	double above;
	bool drifts;

	if (!(seen->error > 0) || !isfinite(seen->ratio) || !isfinite(seen->error))
		return WATCH_BY_NOTHING;
	if (!level_is_known(state, subject)) {
		if (!seen->is_worse && subject->verdict != WATCH_VIOLATED)
			learn_level(subject, seen);
		return WATCH_BY_NOTHING;
	}
	above = above_level(state, subject, seen);
	drifts = is_drifting(subject, above);
	if (seen->ratio > subject->level * (1 + state->tolerance) &&
	    0.5 * erfc(above / M_SQRT2) < alpha / (double)state->n)
		return WATCH_BY_LEVEL;
	return drifts ? WATCH_BY_DRIFT : WATCH_BY_NOTHING;
}

static bool set_verdict(struct watch_subject *subject, enum watch_verdict verdict, int64_t now)
{
	const bool was_waiting = subject->verdict == WATCH_WAITING;

	if (subject->verdict == verdict)
		return false;
	subject->verdict = verdict;
	subject->since = now;
	if (verdict == WATCH_CONFORMS)
		subject->drift = 0;
	return !was_waiting || verdict == WATCH_VIOLATED;
}

bool watch_state_take(struct watch_state *state, size_t at,
		      const struct watch_observation *observation, int64_t now)
{
	struct watch_subject *subject = &state->subjects[at];
	const enum watch_reason level = judge_level(state, subject, observation);
	const enum watch_reason reason = observation->is_worse ? WATCH_BY_CHECK : level;

	subject->samples += observation->samples;
	if (isfinite(observation->ratio) && observation->ratio > 0)
		subject->ratio = observation->ratio;
	if (reason == WATCH_BY_NOTHING) {
		subject->bad = 0;
		subject->good += subject->good < GOOD_PERIODS;
	} else {
		subject->reason = reason;
		subject->good = 0;
		subject->bad += subject->bad < BAD_PERIODS;
	}
	if (subject->bad == BAD_PERIODS)
		return set_verdict(subject, WATCH_VIOLATED, now);
	if (subject->good == GOOD_PERIODS)
		return set_verdict(subject, WATCH_CONFORMS, now);
	return false;
}

void watch_state_end_period(struct watch_state *state)
{
	state->periods++;
}

const char *watch_state_verdict_name(enum watch_verdict verdict)
{
	static const char *const names[] = {[WATCH_WAITING] = "waiting",
					    [WATCH_CONFORMS] = "conforms",
					    [WATCH_VIOLATED] = "violated"};

	return names[verdict];
}

const char *watch_state_reason_name(enum watch_reason reason)
{
	static const char *const names[] = {[WATCH_BY_NOTHING] = "none",
					    [WATCH_BY_CHECK] = "check",
					    [WATCH_BY_LEVEL] = "level",
					    [WATCH_BY_DRIFT] = "drift"};

	return names[reason];
}
