/* Which reason is told why there is no causal profile, from experiments that were made up. */
#include "check.h"

#include <string.h>

#include "causal/causal_refusal.h"
#include "model/causal/causal_model.h"

/* A profile of a program that ran for 1000 samples, all in units, and has ended; nothing tried. */
static void begin(struct causal_profile *profile)
{
	const struct causal_progress progress[] = {{.name = "pushed"}, {.name = "arrived"}};

	*profile = (struct causal_profile){
		.arena = arena_create(),
		.experiments = experiment_table_create(progress, 2),
		.outcome = {.samples = 1000, .in_units = 1000, .is_over = true}};
	experiment_table_add_unit(profile->experiments, "parse", "queue.c", 10);
	profile->experiments->units[0].samples = 1000;
	profile->experiments->calm_s = 1;
}

static void end(struct causal_profile *profile)
{
	experiment_table_destroy(profile->experiments);
	arena_destroy(profile->arena);
}

/* @n pairs, whose faster half takes half the time if both are usable. */
static void add_pairs(struct causal_profile *profile, unsigned n, double pushed, double arrived,
		      enum experiment_flaw flaw)
{
	const double samples[] = {500};
	const struct progress_seen seen[] = {{.visits = pushed}, {.visits = arrived}};
	struct experiment one = {.flaw = flaw, .seen = seen, .samples = samples, .n_samples = 1};
	unsigned i;

	for (i = 0; i < 2 * n; i++) {
		one.pair = (unsigned)profile->experiments->n / 2;
		one.speedup = i % 2 ? 0.5 : 0;
		one.elapsed_s = i % 2 ? 1 : 2;
		experiment_table_add(profile->experiments, &one);
	}
}

/* NULL: not refused. */
static const char *refusal_of(struct causal_profile *profile)
{
	struct causal_gains *gains =
		causal_model_build(profile->experiments, &(struct causal_model_options){.seed = 1});
	const char *refusal = causal_refusal(profile, gains);

	causal_gains_destroy(gains);
	return refusal;
}

static void assert_refused(struct causal_profile *profile, const char *start)
{
	const char *refusal = refusal_of(profile);

	assert_non_null(refusal);
	if (strncmp(refusal, start, strlen(start)))
		fail_msg("it says '%s', not '%s'", refusal, start);
}

static void usable_pairs_are_not_refused_whatever_the_others_are(void **state)
{
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	add_pairs(&profile, 5, 100, 100, EXPERIMENT_PROCESSORS);
	assert_non_null(refusal_of(&profile));
	add_pairs(&profile, 1, 100, 100, EXPERIMENT_USABLE);
	assert_null(refusal_of(&profile));
	end(&profile);
}

/* In the order of what hampers first; each is the reason once the one before is gone. */
static void what_did_not_run_was_not_in_scope_or_tried_is_told(void **state)
{
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	profile.scope.only = "emit";
	profile.outcome.samples = profile.outcome.in_units = 0;
	assert_refused(&profile, "the program was not seen to run");
	profile.outcome.samples = 1000;
	assert_refused(&profile, "none of 1000 samples of the program's code was in the scope");
	profile.outcome.in_units = 800;
	assert_refused(&profile, "emit was not seen to run in a hundredth of 800 samples");
	profile.scope.only = NULL;
	assert_refused(&profile, "the program ended before two experiments");
	profile.outcome.ending = (struct ending){ENDED_SIGNALLED, 11};
	assert_refused(&profile, "the program was ended by signal 11 before two experiments");
	profile.outcome.is_over = false;
	assert_refused(&profile, "the time was over before two experiments");
	add_pairs(&profile, 1, 4, 100, EXPERIMENT_USABLE);
	assert_refused(&profile, "pushed was passed 4 times");
	end(&profile);
}

static void the_point_with_fewest_visits_is_named(void **state)
{
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	add_pairs(&profile, 3, 100, EXPERIMENT_VISITS - 1, EXPERIMENT_USABLE);
	assert_refused(&profile, "arrived was passed 4 times in an experiment of 1.0 s");
	end(&profile);
	begin(&profile);
	add_pairs(&profile, 3, 100, EXPERIMENT_VISITS, EXPERIMENT_USABLE);
	assert_null(refusal_of(&profile));
	end(&profile);
}

static void the_flaw_of_most_experiments_is_the_reason(void **state)
{
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	profile.outcome.runnable = 3.5;
	profile.outcome.free = 1.25;
	add_pairs(&profile, 3, 100, 100, EXPERIMENT_UNBALANCED);
	assert_refused(&profile, "threads could not be paused equally");
	/* Of which these are the cause. */
	add_pairs(&profile, 1, 100, 100, EXPERIMENT_PROCESSORS);
	assert_refused(&profile, "3.5 of its threads could run at a time, and 1.2 processors");
	add_pairs(&profile, 5, 100, 100, EXPERIMENT_PAUSES);
	assert_refused(&profile, "experiments were hardly anything but pauses");
	add_pairs(&profile, 6, 0, 100, EXPERIMENT_USABLE);
	assert_refused(&profile, "pushed was passed 0 times");
	end(&profile);
}

static void experiments_without_partners_are_told(void **state)
{
	const struct progress_seen seen[] = {{.visits = 100}, {.visits = 100}};
	struct experiment one = {.speedup = 0.5, .elapsed_s = 1, .seen = seen};
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	experiment_table_add(profile.experiments, &one);
	one.pair = 1;
	experiment_table_add(profile.experiments, &one);
	assert_refused(&profile, "no experiment has a usable partner");
	end(&profile);
}

static void work_that_piles_up_has_no_latency(void **state)
{
	const struct causal_progress request = {.name = "request", .latency = true};
	struct progress_seen seen = {.visits = 100, .open = 5, .grown = 11};
	struct experiment one = {.elapsed_s = 1, .seen = &seen};
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	experiment_table_destroy(profile.experiments);
	profile.experiments = experiment_table_create(&request, 1);
	experiment_table_add_unit(profile.experiments, "parse", NULL, 0);
	experiment_table_add(profile.experiments, &one);
	one.speedup = 0.5;
	experiment_table_add(profile.experiments, &one);
	assert_refused(&profile, "ever more of request were begun and not ended");
	end(&profile);
}

/* Ten pairs: @with times as much arrives, of which @left pieces are done in the partner. */
static void add_loads(struct causal_profile *profile, double with, double left)
{
	struct progress_seen seen[] = {{.visits = 0}, {.visits = 0}};
	struct experiment one = {.unit = 1, .elapsed_s = 1, .seen = seen};
	unsigned pair;

	for (pair = 0; pair < 10; pair++) {
		one.pair = (unsigned)profile->experiments->n / 2;
		one.speedup = 0;
		seen[0].visits = 3 * (100 + left); /* of each piece three times */
		seen[1].visits = 100;
		experiment_table_add(profile->experiments, &one);
		one.speedup = 1 - 1 / with;
		seen[0].visits = 3 * (100 * with - left);
		seen[1].visits = 100 * with;
		experiment_table_add(profile->experiments, &one);
	}
}

static void begin_loads(struct causal_profile *profile)
{
	begin(profile);
	profile->experiments->arrival = 1;
	profile->outcome.period_ns = 10000000;
	experiment_table_add_unit(profile->experiments, "arrivals", NULL, 0);
	profile->experiments->units[1].is_load = true;
	profile->experiments->bringing = (struct causal_busy){1, 0.01};
	profile->experiments->serving = (struct causal_busy){1, 0.5};
}

static void a_load_of_which_work_is_left_over_is_refused(void **state)
{
	struct causal_gains *gains;
	struct causal_profile profile;

	(void)state;
	begin_loads(&profile);
	add_loads(&profile, 4, 100); /* twice as much is all that it can do */
	assert_refused(&profile, "more work came at arrived than was done, and what was left over "
				 "was done in the next experiment, so that it is not known how "
				 "much passes: let less come (by arithmetic up to 2.0 times");
	gains = causal_model_build(profile.experiments,
				   &(struct causal_model_options){.progress = 1, .seed = 1});
	assert_int_equal(gains->n, 0); /* that it arrives is no gain then */
	assert_int_equal(gains->unstable, 10);
	causal_gains_destroy(gains);
	add_loads(&profile, 1.5, 0);
	assert_null(refusal_of(&profile)); /* the lower one of two is known */
	end(&profile);
}

/* A tenth may be, as with latencies: 145 are done beside 105, for 1.5 times; not 142 beside 108. */
static void a_load_of_which_hardly_anything_is_left_over_is_not(void **state)
{
	struct causal_profile profile;

	(void)state;
	begin_loads(&profile);
	add_loads(&profile, 1.5, 5);
	assert_null(refusal_of(&profile));
	end(&profile);
	begin_loads(&profile);
	add_loads(&profile, 1.5, 8);
	assert_refused(&profile, "more work came at arrived than was done");
	end(&profile);
}

/* Even with gains: they mean nothing then. */
static void loads_need_arrivals_and_somebody_else_who_works(void **state)
{
	struct causal_profile profile;

	(void)state;
	begin(&profile);
	add_pairs(&profile, 3, 100, 100, EXPERIMENT_USABLE);
	assert_null(refusal_of(&profile));
	profile.experiments->arrival = 1;
	assert_refused(&profile, "no thread passed arrived 20 times");
	profile.outcome.period_ns = 1000000;
	assert_null(refusal_of(&profile));
	profile.experiments->bringing = (struct causal_busy){1, 0.91};
	profile.experiments->serving = (struct causal_busy){1, 0.09};
	assert_refused(&profile, "the threads that pass arrived do 91 % of all work themselves: in "
				 "an event loop");
	profile.experiments->bringing.share = 0.89;
	profile.experiments->serving.share = 0.11;
	assert_null(refusal_of(&profile));
	end(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usable_pairs_are_not_refused_whatever_the_others_are),
		cmocka_unit_test(what_did_not_run_was_not_in_scope_or_tried_is_told),
		cmocka_unit_test(the_point_with_fewest_visits_is_named),
		cmocka_unit_test(the_flaw_of_most_experiments_is_the_reason),
		cmocka_unit_test(experiments_without_partners_are_told),
		cmocka_unit_test(work_that_piles_up_has_no_latency),
		cmocka_unit_test(a_load_of_which_work_is_left_over_is_refused),
		cmocka_unit_test(a_load_of_which_hardly_anything_is_left_over_is_not),
		cmocka_unit_test(loads_need_arrivals_and_somebody_else_who_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
