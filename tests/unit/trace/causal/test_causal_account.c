/*
 * The accounting of virtual speedups in simulated programs: what is predicted by pausing threads is
 * what comes true if the code does less, and what arithmetic says.
 *
 * Tolerance: the number of samples in a run of code differs by at most one from its mean, in 20 s
 * of at least 150 turns each; late pauses add what the rules at the end say. 2 points cover both.
 */
#include "check.h"

#include <math.h>

#include "causal_sim.h"

static const double POINTS = 2;

enum { CODE = 1, OTHER = 2 };

static struct sim_experiment two(const struct sim_step *first, size_t n_first,
				 const struct sim_step *second, size_t n_second)
{
	return (struct sim_experiment){.threads = {{first, n_first}, {second, n_second}},
				       .n_threads = 2,
				       .code = CODE,
				       .tick_ns = SIM_MS,
				       .seconds = 20};
}

static double predicted(struct sim_experiment experiment, double speedup)
{
	experiment.speedup = speedup;
	assert_true(sim_run(&experiment).balanced);
	return sim_gain(&experiment);
}

static double really(struct sim_experiment experiment, double speedup)
{
	experiment.really = speedup;
	return sim_gain(&experiment);
}

/* Arithmetic, the truth and the prediction are the same. */
static void check_gain(struct sim_experiment experiment, double speedup, double gain)
{
	assert_float_equal(really(experiment, speedup), gain, 0.5);
	assert_float_equal(predicted(experiment, speedup), gain, POINTS);
}

static void code_of_one_thread_counts_by_its_share(void **state)
{
	static const struct sim_step steps[] = {
		{SIM_RUN, CODE, 6 * SIM_MS}, {SIM_RUN, OTHER, 4 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment serial = two(steps, 3, NULL, 0);

	(void)state;
	serial.n_threads = 1;
	for (double s = 0.1; s < 0.95; s += 0.2)
		check_gain(serial, s, 60 * s);
	serial.code = OTHER;
	check_gain(serial, 0.5, 20);
}

static void before_a_barrier_only_the_later_thread_counts_and_up_to_the_other(void **state)
{
	static const struct sim_step late[] = {
		{SIM_RUN, CODE, 67 * SIM_MS}, {SIM_BARRIER, 0, 2}, {SIM_VISIT, 0, 0}};
	static const struct sim_step early[] = {{SIM_RUN, OTHER, 64 * SIM_MS}, {SIM_BARRIER, 0, 2}};
	struct sim_experiment ab = two(late, 3, early, 2);

	(void)state;
	check_gain(ab, 0.02, 2);
	for (double s = 0.25; s < 0.95; s += 0.2)
		check_gain(ab, s, 100 * 3 / 67.0);
	ab.code = OTHER;
	check_gain(ab, 0.9, 0);
}

/* Held for @ns, wanted again @ns / 2 later. */
static struct sim_experiment saturated_lock(int64_t ns, struct sim_step steps[5])
{
	steps[0] = (struct sim_step){SIM_LOCK, 0, 0};
	steps[1] = (struct sim_step){SIM_RUN, CODE, ns};
	steps[2] = (struct sim_step){SIM_UNLOCK, 0, 0};
	steps[3] = (struct sim_step){SIM_RUN, OTHER, ns / 2};
	steps[4] = (struct sim_step){SIM_VISIT, 0, 0};
	return two(steps, 5, steps, 5);
}

static void a_saturated_lock_counts_until_the_rest_is_longer(void **state)
{
	struct sim_step steps[5];
	struct sim_experiment lock;

	(void)state;
	for (int64_t ns = 4 * SIM_MS; ns <= 20 * SIM_MS; ns += 8 * SIM_MS) {
		lock = saturated_lock(ns, steps);
		check_gain(lock, 0.25, 25);
		check_gain(lock, 0.5, 50);
		check_gain(lock, 0.75, 62.5);
		lock.code = OTHER;
		check_gain(lock, 0.75, 0);
	}
}

static void without_credit_waiting_for_a_lock_would_be_paid_twice(void **state)
{
	struct sim_step steps[5];
	struct sim_experiment lock = saturated_lock(10 * SIM_MS, steps);

	(void)state;
	lock.no_credit = true;
	lock.speedup = 0.5;
	assert_true(sim_gain(&lock) < 25);
}

/* Late ones would be lost on who waits by then, were waiting credited beyond its length. */
static void pauses_later_than_the_time_between_waits_do_not_overstate(void **state)
{
	struct sim_step steps[5];
	struct sim_experiment lock = saturated_lock(4 * SIM_MS, steps);

	(void)state;
	lock.speedup = 0.9;
	for (lock.tick_ns = SIM_MS; lock.tick_ns <= 10 * SIM_MS; lock.tick_ns += 9 * SIM_MS)
		assert_in_range(sim_gain(&lock), 63, 72); /* 70, less a tenth at most */
}

/* Up to a third as long as threads run between two waits: within 2 points or a tenth. */
static void short_pauses_between_frequent_waits_are_nearly_exact(void **state)
{
	struct sim_step steps[5];
	struct sim_experiment lock;

	(void)state;
	for (int64_t ns = 2 * SIM_MS; ns >= SIM_MS / 8; ns /= 2) {
		const double speedup = fmin(0.9, 1.5 * (double)ns / SIM_MS / 3);
		const double gain = 100 * (speedup < 0.5 ? speedup : 0.25 + speedup / 2);

		lock = saturated_lock(ns, steps);
		assert_float_equal(predicted(lock, speedup), gain, fmax(POINTS, gain / 10));
	}
}

/* Held for @ns, wanted again @ns / 2 later, by trying again and again. */
static struct sim_experiment spinning(int64_t ns, struct sim_step steps[5])
{
	struct sim_experiment spins = saturated_lock(ns, steps);

	steps[0] = (struct sim_step){SIM_SPIN, 0, CODE};
	steps[1].what = OTHER;
	return spins;
}

/*
 * Nobody sees the lock given away: who does that is to have paid by then. In step it is that who
 * pauses is let go shortly before a sample, each time.
 */
static void who_spins_for_a_lock_gains_nothing_by_being_faster(void **state)
{
	struct sim_step steps[5];
	struct sim_experiment spins;

	(void)state;
	for (int64_t ns = 8 * SIM_MS; ns <= 20 * SIM_MS; ns += 4 * SIM_MS) {
		spins = spinning(ns, steps);
		for (double s = 0.25; s < 0.95; s += 0.25)
			check_gain(spins, s, 0);
		spins.in_step = true;
		check_gain(spins, 0.75, 0);
	}
}

/* A queue of at most @room; 0: of any size. */
static void check_pipeline(int64_t room)
{
	const struct sim_step producer[] = {{SIM_RUN, CODE, 20 * SIM_MS}, {SIM_PUSH, 0, room}};
	const struct sim_step consumer[] = {
		{SIM_POP, 0, room}, {SIM_RUN, OTHER, 12 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment pipeline = two(producer, 2, consumer, 3);

	check_gain(pipeline, 0.2, 20);
	check_gain(pipeline, 0.7, 40);
	pipeline.code = OTHER;
	check_gain(pipeline, 0.7, 0);
}

static void the_slower_end_of_a_queue_counts(void **state)
{
	(void)state;
	check_pipeline(0);
	check_pipeline(10);
}

/*
 * What an experiment leaves in a queue is done in the next one. Of 20 pairs each has 40 visits or
 * more, of which one may be on the other side of its end: less than a point in the mean.
 */
static void what_is_left_in_a_queue_is_not_counted_as_work_of_the_next_experiment(void **state)
{
	static const struct sim_step producer[] = {{SIM_RUN, CODE, 20 * SIM_MS / 3},
						   {SIM_PUSH, 0, 10}};
	static const struct sim_step consumer[] = {
		{SIM_POP, 0, 10}, {SIM_RUN, OTHER, 4 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment pipeline = two(producer, 2, consumer, 3);

	(void)state;
	pipeline.speedup = 0.7;
	assert_float_equal(sim_pairs(&pipeline, 20).gain, 40, POINTS);
	pipeline.speedup = 0.3;
	assert_float_equal(sim_pairs(&pipeline, 20).gain, 30, POINTS);
}

static void several_consumers_together_are_an_end_of_the_queue(void **state)
{
	static const struct sim_step producer[] = {{SIM_RUN, CODE, 20 * SIM_MS}, {SIM_PUSH, 0, 10}};
	static const struct sim_step consumer[] = {
		{SIM_POP, 0, 10}, {SIM_RUN, OTHER, 57 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment pool = two(producer, 2, consumer, 3);

	(void)state;
	pool.n_threads = 4;
	pool.threads[2] = pool.threads[3] = pool.threads[1];
	check_gain(pool, 0.5, 5);
	pool.code = OTHER;
	check_gain(pool, 0.9, 0);
}

/* Run for 5 ms, sleep for 5 ms: the sleep is not made shorter, nor what came in it forgotten. */
static void who_sleeps_owes_what_came_meanwhile(void **state)
{
	static const struct sim_step sleeper[] = {
		{SIM_RUN, OTHER, 5 * SIM_MS}, {SIM_SLEEP, 0, 5 * SIM_MS}, {SIM_VISIT, 0, 0}};
	static const struct sim_step worker[] = {{SIM_RUN, CODE, 7 * SIM_MS}};
	struct sim_experiment sleep = two(sleeper, 3, worker, 1);

	(void)state;
	check_gain(sleep, 0.3, 0);
	sleep.code = OTHER;
	check_gain(sleep, 0.5, 25);
}

/* One brings work each 10 ms, and runs for so short a time that only its wake is a chance to pause. */
static void who_hardly_runs_pays_when_it_wakes(void **state)
{
	static const struct sim_step bringer[] = {{SIM_SLEEP, 0, 10 * SIM_MS - SIM_MS / 100},
						  {SIM_RUN, OTHER, SIM_MS / 100},
						  {SIM_PUSH, 0, 0}};
	static const struct sim_step server[] = {
		{SIM_POP, 0, 0}, {SIM_RUN, CODE, 5 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment pool = two(bringer, 3, server, 3);

	(void)state;
	check_gain(pool, 0.3, 0);
	check_gain(pool, 0.6, 0);
}

static void what_an_outsider_paces_gains_nothing(void **state)
{
	static const struct sim_step reader[] = {{SIM_RUN, OTHER, 2 * SIM_MS},
						 {SIM_RUN, CODE, 8 * SIM_MS},
						 {SIM_READ, 0, 20 * SIM_MS},
						 {SIM_VISIT, 0, 0}};
	struct sim_experiment reads = two(reader, 4, NULL, 0);

	(void)state;
	reads.n_threads = 1;
	for (double s = 0.1; s < 0.95; s += 0.2)
		check_gain(reads, s, 0);
	reads.code = OTHER;
	check_gain(reads, 0.9, 0);
}

/* What comes faster than it can be dealt with paces nobody. */
static void who_is_slower_than_the_outsider_gains(void **state)
{
	static const struct sim_step reader[] = {
		{SIM_RUN, CODE, 10 * SIM_MS}, {SIM_READ, 0, 2 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment reads = two(reader, 3, NULL, 0);

	(void)state;
	reads.n_threads = 1;
	check_gain(reads, 0.5, 50);
}

/*
 * Others pause for what is lost once, at the begin: 4.5 ms, or 9 for two readers, in 20 s, which is
 * no tenth of a point.
 */
static void what_is_lost_to_an_outsider_costs_others_nothing(void **state)
{
	static const struct sim_step reader[] = {
		{SIM_RUN, CODE, 5 * SIM_MS}, {SIM_PUSH, 0, 0}, {SIM_READ, 0, 20 * SIM_MS}};
	static const struct sim_step server[] = {
		{SIM_POP, 0, 0}, {SIM_RUN, OTHER, 12 * SIM_MS}, {SIM_VISIT, 0, 0}};
	static const struct sim_step apart[] = {{SIM_RUN, OTHER, 7 * SIM_MS}, {SIM_VISIT, 0, 0}};
	struct sim_experiment served = two(reader, 3, server, 3);
	struct sim_experiment parallel = two(reader, 3, apart, 2);
	struct sim_experiment readers = two(reader, 3, reader, 3);

	(void)state;
	check_gain(served, 0.5, 0);
	check_gain(served, 0.9, 0);
	check_gain(parallel, 0.5, 0);
	check_gain(parallel, 0.9, 0);
	parallel.code = OTHER; /* the reader may be in a long pause when the time is over */
	parallel.speedup = 0.5;
	assert_float_equal(sim_gain(&parallel), 50, POINTS);
	readers.n_threads = 3;
	readers.threads[2] = parallel.threads[1];
	check_gain(readers, 0.9, 0);
}

static void a_debt_that_is_slept_on_is_no_balance(void **state)
{
	struct causal_account account = {0};
	struct causal_thread *a = causal_account_add(&account, 1, 0);
	struct causal_thread *b = causal_account_add(&account, 2, 0);
	int64_t off_ns;

	(void)state;
	causal_account_block(&account, b, 1000);
	causal_account_gain(&account, a, 10);
	assert_true(causal_account_balanced(&account, 5, &off_ns)); /* it came meanwhile */
	causal_account_wake(&account, b, 2000, CAUSAL_WAKE_OUTSIDE);
	causal_account_block(&account, b, 3000);
	assert_false(causal_account_balanced(&account, 5, &off_ns));
	assert_int_equal(off_ns, 10);
	causal_account_begin(&account);
	assert_true(causal_account_balanced(&account, 0, &off_ns));
	causal_account_deinit(&account);
}

/* @consumers of @work_ms each, behind a producer of 20 ms, whose tasks come earlier by pauses. */
static struct sim_experiment amplified(struct sim_step steps[6], size_t consumers, int64_t work_ms,
				       double by)
{
	struct sim_experiment pool;

	/* Before it is handed over, as most arrival points are. */
	steps[0] = (struct sim_step){SIM_RUN, OTHER, 20 * SIM_MS};
	steps[1] = (struct sim_step){SIM_ARRIVE, 0, 0};
	steps[2] = (struct sim_step){SIM_PUSH, 0, 0};
	steps[3] = (struct sim_step){SIM_POP, 0, 0};
	steps[4] = (struct sim_step){SIM_RUN, CODE, work_ms * SIM_MS};
	steps[5] = (struct sim_step){SIM_VISIT, 0, 0};
	pool = two(steps, 3, steps + 3, 3);
	pool.n_threads = 1 + consumers;
	for (size_t i = 2; i <= consumers; i++)
		pool.threads[i] = pool.threads[1];
	pool.arrival_ns = by * 20 * SIM_MS;
	return pool;
}

static double throughput(const struct sim_experiment *experiment)
{
	const struct sim_result result = sim_run(experiment);

	assert_true(result.balanced);
	return (double)result.visits / (double)result.effective_ns * SIM_MS;
}

static void amplified_load_is_served_up_to_what_consumers_can(void **state)
{
	struct sim_step steps[6];
	struct sim_experiment pool;

	(void)state;
	for (size_t consumers = 1; consumers <= 4; consumers++)
		for (double by = 0.25; by < 0.8; by += 0.25) {
			pool = amplified(steps, consumers, 20, by);
			assert_float_equal(throughput(&pool) * 20,
					   fmin(1 / (1 - by), (double)consumers), 0.04 / (1 - by));
		}
}

/*
 * Consumers of 10 ms each have room for twice what comes: the throughput is the lesser of that and
 * the load. Tolerance: at the end of 20 s / load, pauses taken off, one piece of work may not be
 * counted yet, or its pause of less than 20 ms not made: 20 ms in 20 s / load, of the throughput
 * and of 1.
 */
static void loads_of_2_4_and_8_are_served_up_to_what_consumers_can(void **state)
{
	struct sim_step steps[6];
	struct sim_experiment pool;

	(void)state;
	for (size_t consumers = 1; consumers <= 4; consumers++)
		for (double load = 2; load <= 8; load *= 2) {
			const double served = fmin(load, 2 * (double)consumers);

			pool = amplified(steps, consumers, 10, 1 - 1 / load);
			assert_float_equal(throughput(&pool) * 20, served,
					   (served + 1) * load / 1000);
		}
}

/*
 * A consumer of 10 ms for what comes each 20 ms can do twice as much. Up to that all is done in its
 * own experiment; what is more is left over, and done in the next one.
 */
static void of_what_is_more_than_can_be_done_something_is_left_over(void **state)
{
	static const double loads[] = {1.25, 1.5, 1.9};
	struct sim_step steps[6];
	struct sim_experiment pool;
	struct sim_pairs pairs;

	(void)state;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		pool = amplified(steps, 1, 10, 1 - 1 / loads[i]);
		pairs = sim_pairs(&pool, 20);
		assert_int_equal(pairs.left_over, 0);
		assert_float_equal(pairs.gain, 100 * (1 - 1 / loads[i]), POINTS);
	}
	for (double load = 3; load <= 8; load++) {
		pool = amplified(steps, 1, 10, 1 - 1 / load);
		assert_int_equal(sim_pairs(&pool, 20).left_over, 20);
	}
}

/* What a task takes is the larger of the arrivals' distance and the consumers' share of it. */
static void check_guidance(size_t consumers, int64_t work_ms, double by, double speedup)
{
	struct sim_step steps[6];
	struct sim_experiment pool = amplified(steps, consumers, work_ms, by);
	const double served = (double)work_ms / (double)consumers;
	const double gain =
		1 - fmax(20 * (1 - by), served * (1 - speedup)) / fmax(20 * (1 - by), served);

	assert_float_equal(predicted(pool, speedup), 100 * gain, POINTS);
}

static void at_a_higher_load_other_code_counts(void **state)
{
	(void)state;
	for (double speedup = 0.25; speedup < 0.8; speedup += 0.25) {
		check_guidance(1, 20, 0.2, speedup);
		check_guidance(1, 20, 0.5, speedup);
		check_guidance(2, 40, 0.2, speedup);
		check_guidance(2, 30, 0.25, speedup);
		check_guidance(2, 30, 0.5, speedup);
	}
}

static void the_front_never_falls_and_a_late_thread_owes_the_distance(void **state)
{
	struct causal_account account = {0};
	struct causal_thread *a = causal_account_add(&account, 1, 0);
	struct causal_thread *b = causal_account_add(&account, 2, 0);
	int64_t off_ns;

	(void)state;
	causal_account_gain(&account, a, 10);
	causal_account_gain(&account, b, 4);
	assert_int_equal(causal_account_debt(&account, a), 0);
	assert_int_equal(causal_account_debt(&account, b), 6);
	assert_false(causal_account_balanced(&account, 5, &off_ns));
	assert_int_equal(off_ns, 6);
	causal_account_pause(b, 9); /* more than it owed: the others do not pay for that */
	assert_int_equal(causal_account_inserted(&account), 10);
	assert_int_equal(causal_account_debt(&account, a), 0);
	causal_account_gain(&account, a, 5);
	assert_int_equal(causal_account_debt(&account, b), 2);
	causal_account_begin(&account);
	assert_int_equal(causal_account_inserted(&account), 0);
	assert_int_equal(causal_account_debt(&account, b), 0);
	causal_account_deinit(&account);
}

static void a_new_thread_owes_what_its_creator_does(void **state)
{
	struct causal_account account = {0};
	struct causal_thread *a = causal_account_add(&account, 1, 0);

	(void)state;
	causal_account_add(&account, 2, 0);
	causal_account_gain(&account, a, 10);
	assert_int_equal(causal_account_debt(&account, causal_account_add(&account, 3, 2)), 10);
	assert_int_equal(causal_account_debt(&account, causal_account_add(&account, 4, 1)), 0);
	assert_int_equal(causal_account_debt(&account, causal_account_add(&account, 5, 99)), 0);
	causal_account_remove(&account, 3);
	assert_null(causal_account_find(&account, 3));
	causal_account_remove(&account, 3);
	causal_account_deinit(&account);
}

static void a_debt_shrinks_by_what_is_waited_for_another_thread(void **state)
{
	struct causal_account account = {0};
	struct causal_thread *a = causal_account_add(&account, 1, 0);
	struct causal_thread *b = causal_account_add(&account, 2, 0);

	(void)state;
	causal_account_gain(&account, a, 10);
	causal_account_block(&account, b, 1000);
	assert_int_equal(causal_account_debt(&account, b), 0); /* it waits */
	causal_account_gain(&account, a, 100);
	causal_account_wake(&account, b, 1007, CAUSAL_WAKE_THREAD);
	assert_int_equal(causal_account_debt(&account, b), 103);
	causal_account_block(&account, b, 2000);
	causal_account_wake(&account, b, 9000, CAUSAL_WAKE_OUTSIDE);
	assert_int_equal(causal_account_debt(&account, b), 103);
	causal_account_wake(&account, b, 9100, CAUSAL_WAKE_THREAD); /* it did not wait */
	assert_int_equal(causal_account_debt(&account, b), 103);
	causal_account_block(&account, b, 10000);
	causal_account_wake(&account, b, 20000, CAUSAL_WAKE_THREAD);
	assert_int_equal(causal_account_debt(&account, b), 0);
	causal_account_deinit(&account);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_one_thread_counts_by_its_share),
		cmocka_unit_test(before_a_barrier_only_the_later_thread_counts_and_up_to_the_other),
		cmocka_unit_test(a_saturated_lock_counts_until_the_rest_is_longer),
		cmocka_unit_test(without_credit_waiting_for_a_lock_would_be_paid_twice),
		cmocka_unit_test(pauses_later_than_the_time_between_waits_do_not_overstate),
		cmocka_unit_test(short_pauses_between_frequent_waits_are_nearly_exact),
		cmocka_unit_test(who_spins_for_a_lock_gains_nothing_by_being_faster),
		cmocka_unit_test(the_slower_end_of_a_queue_counts),
		cmocka_unit_test(
			what_is_left_in_a_queue_is_not_counted_as_work_of_the_next_experiment),
		cmocka_unit_test(several_consumers_together_are_an_end_of_the_queue),
		cmocka_unit_test(who_sleeps_owes_what_came_meanwhile),
		cmocka_unit_test(who_hardly_runs_pays_when_it_wakes),
		cmocka_unit_test(what_an_outsider_paces_gains_nothing),
		cmocka_unit_test(who_is_slower_than_the_outsider_gains),
		cmocka_unit_test(what_is_lost_to_an_outsider_costs_others_nothing),
		cmocka_unit_test(a_debt_that_is_slept_on_is_no_balance),
		cmocka_unit_test(amplified_load_is_served_up_to_what_consumers_can),
		cmocka_unit_test(loads_of_2_4_and_8_are_served_up_to_what_consumers_can),
		cmocka_unit_test(of_what_is_more_than_can_be_done_something_is_left_over),
		cmocka_unit_test(at_a_higher_load_other_code_counts),
		cmocka_unit_test(the_front_never_falls_and_a_late_thread_owes_the_distance),
		cmocka_unit_test(a_new_thread_owes_what_its_creator_does),
		cmocka_unit_test(a_debt_shrinks_by_what_is_waited_for_another_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
