/*
 * What a watch knows of each annotated cost, and when it says that this changed. Plain data: what a
 * period showed and the time of it are arguments.
 *
 * A period speaks against a subject if
 * - the check of its samples finds them worse, by calls and by what runs differ by; or
 * - their mean cost, relative to the expected one, is above the processes' own level by more than
 *   the tolerance, and certainly by half of it. The level is learnt while the subject conforms: of
 *   one process runs cannot differ, so a change within it counts that may be chance between runs.
 *   Other processes have other levels; or
 * - it drifts: the cumulative sum (CUSUM) of what the means are above the level, less half of the
 *   tolerance, in their standard errors.
 * Two such periods in a row make it violated; three without make it conform again.
 *
 * The tests of period k share alpha * 6 / (pi k)^2, so that for ever the chance of any false alarm
 * by them is alpha; half of it is the check's. Drift alarms in a million periods once, by chance.
 *
 * Sources: L. Robbins, sequential alpha spending by a convergent series; E. S. Page, Continuous
 * inspection schemes, Biometrika 1954; D. Siegmund, Sequential Analysis, 1985, for the limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum watch_verdict { WATCH_WAITING /* for samples */, WATCH_CONFORMS, WATCH_VIOLATED };
enum watch_reason { WATCH_BY_NOTHING, WATCH_BY_CHECK, WATCH_BY_LEVEL, WATCH_BY_DRIFT };

struct watch_subject {
	enum watch_verdict verdict;
	enum watch_reason reason;   /* of the last period that spoke against it */
	unsigned bad, good;         /* periods in a row */
	double level, level_weight; /* mean, and 1 / (its standard error)^2 */
	unsigned level_periods;     /* that it is the mean of */
	double drift;               /* the cumulative sum */
	double ratio;               /* observed to expected cost, last; 0: none yet */
	uint64_t samples;           /* of all periods */
	int64_t since;              /* of the verdict, seconds since 1970 */
};

struct watch_state {
	struct watch_subject *subjects; /* [n] the caller's */
	size_t n;
	double alpha, tolerance;
	uint64_t periods;    /* that were tested */
	uint64_t generation; /* how often other processes came */
};

/* One subject in one period. */
struct watch_observation {
	size_t samples;
	double ratio, error; /* observed to expected cost, its standard error; error 0: not known */
	bool is_worse;       /* as the check has it */
};

/* What the check of the coming period may spend: of calls, and of what runs differ by. */
double watch_state_alpha(const struct watch_state *state);
double watch_state_alpha_runs(const struct watch_state *state);

/* Other processes than before are watched: their levels are learnt anew. */
void watch_state_renew(struct watch_state *state);

/* Take a period of the subject @at. True: its verdict is another one than before. */
bool watch_state_take(struct watch_state *state, size_t at,
		      const struct watch_observation *observation, int64_t now);

/* Those that were taken were a period. */
void watch_state_end_period(struct watch_state *state);

const char *watch_state_verdict_name(enum watch_verdict verdict); /* "violated" */
const char *watch_state_reason_name(enum watch_reason reason);    /* "drift" */
