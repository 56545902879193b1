/*
 * Diffs of many pairs: what did not change is left alone as often as is said, and a moved workload
 * is no regression.
 */
#include "diff_table.h"
#include "drawn.h"

/* What is asserted fails by accident about once in a thousand times, at most. */
#define ACCIDENT 0.001

enum { PAIRS = 200 };

/* What they are, without finding out first. */
static const char linear[] =
	"f(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(100 + 2*n, 20);\n}\n";
static const char nlogn[] =
	"f(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(50 + 0.3*n*log(n), 20);\n}\n";

/* How many of pairs of tables by the two laws get each verdict. */
struct verdicts {
	unsigned pairs;
	unsigned counts[DIFF_CONFORMS + 1];
	unsigned moved;
};

/* @pairs of tables. */
static struct verdicts judge(unsigned pairs, const struct cost_law *old, const struct cost_law *new,
			     const char *model, size_t n, double alpha, double tolerance)
{
	struct verdicts verdicts = {.pairs = pairs};
	unsigned i;

	for (i = 0; i < verdicts.pairs; i++) {
		struct table tables[2];
		struct diff *diff;

		fill(&tables[0], 1000 + 2 * i, n, old);
		fill(&tables[1], 1001 + 2 * i, n, new);
		diff = compare(&tables[0], &tables[1], model, alpha, tolerance);
		verdicts.counts[diff->subjects[0].verdict]++;
		verdicts.moved += diff->subjects[0].moved;
		diff_destroy(diff);
		table_deinit(&tables[0]);
		table_deinit(&tables[1]);
	}
	return verdicts;
}

static unsigned alarms(const struct verdicts *verdicts)
{
	return verdicts->counts[DIFF_WORSE] + verdicts->counts[DIFF_BETTER];
}

/*
 * With next to no tolerance the rate of false alarms is alpha itself, or less. None at all of many
 * would show that nothing can alarm, so that all are drawn but before a commit.
 */
static void the_rate_of_false_alarms_is_what_is_said(void **state)
{
	const struct cost_law *const laws[] = {&usual, &sorting};
	const char *const models[] = {NULL, nlogn};
	const unsigned pairs = draws_few() ? drawn(PAIRS) : PAIRS;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct verdicts v = judge(pairs, laws[i], laws[i], models[i], ROWS, 0.05, 1e-9);

		assert_in_range(alarms(&v), least_by_chance(v.pairs, 0.05, ACCIDENT) > 0,
				most_by_chance(v.pairs, 0.05, ACCIDENT));
		assert_int_equal(v.counts[DIFF_INCONCLUSIVE], 0);
	}
}

static void calls_that_are_alike_do_not_alarm(void **state)
{
	struct cost_law drifting = usual;
	struct verdicts v;

	(void)state;
	drifting.alike = 0.8;
	drifting.even = 50;
	v = judge(drawn(PAIRS), &drifting, &drifting, linear, ROWS, 0.01, 1e-9);
	assert_in_range(alarms(&v), 0, most_by_chance(v.pairs, 0.01, ACCIDENT));
}

/* In 99 % of the pairs. */
static void what_is_a_fifth_slower_is_caught(void **state)
{
	const struct cost_law *const laws[] = {&usual, &sorting};
	const char *const models[] = {NULL, nlogn};
	const size_t rows[] = {ROWS, 800}; /* 20 % of noise needs more samples */
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const struct cost_law now = slower(*laws[i], 1.2);
		struct verdicts v =
			judge(drawn(PAIRS), laws[i], &now, models[i], rows[i], 0.01, 0.1);

		assert_in_range(v.counts[DIFF_WORSE], least_by_chance(v.pairs, 0.99, ACCIDENT),
				v.pairs);
	}
}

static void another_workload_is_no_regression(void **state)
{
	struct cost_law laws[] = {usual, sorting, usual};
	size_t i;

	(void)state;
	laws[2] = (struct cost_law){
		.constant = 10, .quadratic = 0.01, .relative = 0.05, .low = 10, .high = 1000};
	for (i = 0; i < 3; i++) {
		struct cost_law now = laws[i];
		struct verdicts v;

		now.low = laws[i].low * 10;
		now.high = laws[i].high * 3;
		v = judge(drawn(PAIRS), &laws[i], &now, NULL, ROWS, 0.01, 0.1);
		assert_in_range(alarms(&v), 0, most_by_chance(v.pairs, 0.01, ACCIDENT));
		assert_in_range(v.moved, least_by_chance(v.pairs, 0.99, ACCIDENT), v.pairs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_of_false_alarms_is_what_is_said),
		cmocka_unit_test(calls_that_are_alike_do_not_alarm),
		cmocka_unit_test(what_is_a_fifth_slower_is_caught),
		cmocka_unit_test(another_workload_is_no_regression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
