/* When a watch says that a cost changed: rarely by chance, however long it lasts, and soon if it did. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "drawn.h"
#include "random_numbers.h"
#include "watch/watch_state.h"

enum { SUBJECTS = 20, MINUTE = 60, MONTH = 30 * 24 * 60 };

static void begin(struct watch_state *state, struct watch_subject *subjects)
{
	memset(subjects, 0, SUBJECTS * sizeof(*subjects));
	*state = (struct watch_state){
		.subjects = subjects, .n = SUBJECTS, .alpha = 0.01, .tolerance = 0.1};
}

/* A period in which subject 0 costs @ratio, the others what is expected, with an error of 3 %. */
static unsigned period(struct watch_state *state, struct random *random, double ratio)
{
	const int64_t now = MINUTE * (int64_t)state->periods;
	unsigned changes = 0;
	size_t i;

	for (i = 0; i < SUBJECTS; i++) {
		const struct watch_observation seen = {.samples = 100,
						       .ratio = (i ? 1 : ratio) +
								0.03 * random_normal(random),
						       .error = 0.03};

		changes += watch_state_take(state, i, &seen, now);
	}
	watch_state_end_period(state);
	return changes;
}

/* 43,200 periods of 20 costs; the state is as large as at the beginning, since it has no pointer. */
static void a_month_without_a_change_has_no_alarm(void **context)
{
	const unsigned months = drawn(20);
	unsigned alarms = 0, i, j;

	(void)context;
	for (i = 0; i < months; i++) {
		struct watch_subject subjects[SUBJECTS];
		struct watch_state state;
		struct random random;

		begin(&state, subjects);
		random_init(&random, i + 1);
		for (j = 0; j < MONTH; j++)
			alarms += period(&state, &random, 1) > 0;
		assert_int_equal(subjects[0].verdict, WATCH_CONFORMS);
		assert_int_equal(subjects[0].samples, 100u * MONTH);
	}
	/* By drift: once in 10^6 periods of a cost if its level were exact and changes of 5 % none. */
	assert_int_equal(alarms, 0);
}

static void a_step_is_noticed_within_three_periods_and_its_end_within_six(void **context)
{
	struct watch_subject subjects[SUBJECTS];
	struct watch_state state;
	struct random random;
	unsigned i;

	(void)context;
	begin(&state, subjects);
	random_init(&random, 3);
	for (i = 0; i < 500; i++)
		assert_int_equal(period(&state, &random, 1.05), 0);
	for (i = 0; i < 3 && subjects[0].verdict != WATCH_VIOLATED; i++)
		period(&state, &random, 1.05 * 1.3);
	assert_int_equal(subjects[0].verdict, WATCH_VIOLATED);
	assert_int_equal(subjects[0].reason, WATCH_BY_LEVEL);
	assert_true(subjects[0].since >= 500 * MINUTE && subjects[0].since < 503 * MINUTE);
	for (i = 0; i < 6 && subjects[0].verdict != WATCH_CONFORMS; i++)
		period(&state, &random, 1.05);
	assert_int_equal(subjects[0].verdict, WATCH_CONFORMS);
	for (i = 1; i < SUBJECTS; i++)
		assert_int_equal(subjects[i].since, subjects[1].since);
}

/* Too small a difference for any single period: 7.5 %, in errors of 3 %. */
static void a_drift_is_noticed(void **context)
{
	struct watch_subject subjects[SUBJECTS];
	struct watch_state state;
	struct random random;
	unsigned i;

	(void)context;
	begin(&state, subjects);
	random_init(&random, 5);
	for (i = 0; i < 100; i++)
		assert_int_equal(period(&state, &random, 1), 0);
	for (i = 0; i < 1000 && subjects[0].verdict != WATCH_VIOLATED; i++)
		period(&state, &random, 1 + fmin(0.001 * i, 0.075));
	assert_int_equal(subjects[0].verdict, WATCH_VIOLATED);
	assert_int_equal(subjects[0].reason, WATCH_BY_DRIFT);
}

/* The check's word counts when it comes twice in a row; once is chance, or a moment. */
static void one_bad_period_is_no_change(void **context)
{
	const struct watch_observation good = {100, 1, 0.01, false}, bad = {100, 2, 0.01, true};
	struct watch_subject subjects[SUBJECTS];
	struct watch_state state;
	unsigned i;

	(void)context;
	begin(&state, subjects);
	for (i = 0; i < 10; i++) {
		assert_false(watch_state_take(&state, 0, &bad, 1));
		assert_false(watch_state_take(&state, 0, &good, 2));
	}
	assert_false(watch_state_take(&state, 0, &bad, 3));
	assert_true(watch_state_take(&state, 0, &bad, 4));
	assert_int_equal(subjects[0].reason, WATCH_BY_CHECK);
	assert_false(watch_state_take(&state, 0, &bad, 5));
	assert_false(watch_state_take(&state, 0, &good, 6));
	assert_false(watch_state_take(&state, 0, &good, 7));
	assert_true(watch_state_take(&state, 0, &good, 8));
	assert_int_equal(subjects[0].since, 8);
}

/* Another process may have another level, by as much as runs differ: that is the check's affair. */
static void other_processes_have_other_levels(void **context)
{
	struct watch_subject subjects[SUBJECTS];
	struct watch_state state;
	struct random random;
	unsigned i;

	(void)context;
	begin(&state, subjects);
	random_init(&random, 9);
	for (i = 0; i < 100; i++)
		period(&state, &random, 1);
	watch_state_renew(&state);
	for (i = 0; i < 100; i++)
		assert_int_equal(period(&state, &random, 1.15), 0);
	assert_int_equal(subjects[0].verdict, WATCH_CONFORMS);
}

static void what_is_spent_for_ever_is_alpha(void **context)
{
	struct watch_subject subjects[SUBJECTS];
	struct watch_state state;
	double sum = 0;

	(void)context;
	begin(&state, subjects);
	while (state.periods < 1000000) {
		sum += watch_state_alpha(&state);
		watch_state_end_period(&state);
	}
	assert_true(sum < 0.005 && sum > 0.00499);
	assert_true(watch_state_alpha(&state) > 0);
}

static void what_is_no_number_decides_nothing(void **context)
{
	static const struct watch_observation odd[] = {
		{100, NAN, 0.1, false}, {100, 1, NAN, false},    {100, INFINITY, INFINITY, false},
		{100, -1, 0, false},    {100, 1, 1e-200, false}, {100, 0, 0.1, false}};
	struct watch_subject subjects[SUBJECTS];
	struct watch_state state;
	unsigned i;

	(void)context;
	begin(&state, subjects);
	for (i = 0; i < 100; i++) {
		assert_false(watch_state_take(&state, 0, &odd[i % 6], i));
		assert_true(isfinite(subjects[0].level) && isfinite(subjects[0].drift));
	}
	assert_int_equal(subjects[0].verdict, WATCH_CONFORMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_month_without_a_change_has_no_alarm),
		cmocka_unit_test(a_step_is_noticed_within_three_periods_and_its_end_within_six),
		cmocka_unit_test(a_drift_is_noticed),
		cmocka_unit_test(one_bad_period_is_no_change),
		cmocka_unit_test(other_processes_have_other_levels),
		cmocka_unit_test(what_is_spent_for_ever_is_alpha),
		cmocka_unit_test(what_is_no_number_decides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
