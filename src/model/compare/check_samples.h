/*
 * Do samples conform to annotations made before?
 *
 * Each case is tested for its location (does everything cost more or less), slope (does the cost
 * grow faster or slower), spread, and the shares of a mixture; each annotation for calls outside
 * all of its scopes. A change must exceed the tolerance and the samples' resolution, be beyond
 * chance if the truth were half the tolerance, and beyond what runs of one program differ by
 * (run_effect.h). It is a violation if it is for the worse; a smaller spread is no change, and a
 * larger one is told. All tests of one check share one rate of false alarms (decision.h).
 *
 * Residuals are in expected deviations. The sampling error of the model counts too, if the
 * annotation says how many samples it was made from. Consecutive calls are alike, so tests use a
 * smaller effective sample size (first-order autocorrelation of the residuals). Far calls are left
 * out and counted, by the same functions as of models, so that samples conform to their own models.
 */
#pragma once

#include "core/verdict/check.h"
#include "core/annotation/expectation.h"
#include "core/samples/samples.h"

struct check_options {
	double alpha;      /* probability of any violation by chance */
	double alpha_runs; /* the same, of what runs differ by; 0: as alpha */
	/* the smallest relative difference that counts; for shares the absolute one */
	double tolerance;
	bool strict; /* any change is a violation, also for the better */
	/* how much costs of two runs differ (relative standard deviation) if runs do not say */
	double run_spread;
};

/*
 * Test @samples against @annotation; @all are the annotations that it refers to. All are borrowed
 * as long as @check lives.
 */
void check_samples_add(struct check *check, const struct annotation *annotation,
		       const struct annotation_list *all, const struct samples *samples,
		       const struct check_options *options);

/* Decide, after everything was added, which tests are violated; returns how many. */
size_t check_samples_decide(struct check *check, const struct check_options *options);
