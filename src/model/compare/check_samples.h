/*
 * Do samples conform to annotations that were made before?
 *
 * Each case of an annotation is tested for its location (does everything cost more or less), slope
 * (does the cost grow faster or slower), spread, and the shares of a mixture; each annotation for
 * calls outside all of its scopes. So that a test is violated, a difference must be seen to be more
 * than the tolerance, and be beyond chance if half the tolerance were the truth. All tests of one
 * check share one rate of false alarms (Holm's correction).
 *
 * Residuals count in parts of the deviation that is expected of their calls. The samples that a
 * model was made from, if it says how many, count among the errors. Calls that follow each other
 * are alike; the tests count with so many fewer (first-order autocorrelation of the residuals). A
 * few calls that are far away from all others are left out and counted.
 */
#pragma once

#include "core/verdict/check.h"
#include "core/annotation/expectation.h"
#include "core/samples/samples.h"

struct check_options {
	double alpha; /* the chance that anything at all is violated by accident */
	/* the least relative difference that matters; of shares, the absolute one */
	double tolerance;
};

/*
 * Test @samples against @annotation; @all has the annotations that it refers to. All live as long
 * as @check.
 */
void check_samples_add(struct check *check, const struct annotation *annotation,
		       const struct annotation_list *all, const struct samples *samples,
		       const struct check_options *options);

/* When everything was added: which are violated. Returns how many. */
size_t check_samples_decide(struct check *check, const struct check_options *options);
