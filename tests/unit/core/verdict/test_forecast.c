/* What annotations say of calls that are open: verdicts, and the words for them. */
#include "base/mem.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/verdict/forecast.h"

/* 10 µs each, give or take 5. */
static const char linear[] = "f.time { features: int n = n; annotations: Norm(10 * n, 5); }"
			     "g.time { features: int n = n; annotations: Norm(2 * @f[n := n], 0); }"
			     "h.time { features: int n = n; annotations: [n < 5] Norm(7, 1); }"
			     "l.time { features: int n = n; // 1 .. 50\n"
			     "annotations: Norm(10 * n, 5); }";

struct fixture {
	struct arena *arena;
	struct annotation_list list;
};

static int set_up(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));
	struct err err;

	f->arena = arena_create();
	if (!annotation_parse(linear, strlen(linear), &f->list, &err))
		fail_msg("%s", err.text);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	annotation_parse_deinit(&f->list);
	arena_destroy(f->arena);
	free(f);
	return 0;
}

enum { F, G, H, L };

static struct forecast find(struct fixture *f, unsigned annotation, double n, double at_least,
			    double at_most)
{
	const struct argument x = {.known = !isnan(n), .number = n};
	const struct forecast_facts facts = {.at_least = at_least, .at_most = at_most};

	return forecast_find(f->list.list[annotation], &f->list, &x, &facts, f->arena);
}

static char *text_of(struct fixture *f, const struct forecast *forecast)
{
	char *text = NULL, *ret;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);

	forecast_print(forecast, file);
	fclose(file);
	ret = arena_strdup(f->arena, text);
	free(text);
	return ret;
}

static void a_call_that_has_run_no_longer_than_expected_is_within_its_model(void **state)
{
	struct forecast forecast = find(*state, F, 100, 900, 1000);

	assert_int_equal(forecast.verdict, FORECAST_WITHIN);
	assert_true(isnan(forecast.deviations));
	assert_string_equal(text_of(*state, &forecast),
			    "within its model; it has run at least 900 µs, at most 1 ms; "
			    "expected 1 ms, 95 % of such calls between 990 µs and 1.01 ms");
}

/* It may have begun long ago: unknown. */
static void where_only_the_least_is_known_it_may_be_within(void **state)
{
	struct forecast forecast = find(*state, F, 100, 900, NAN);

	assert_int_equal(forecast.verdict, FORECAST_WITHIN);
	assert_non_null(
		strstr(text_of(*state, &forecast), "within its model, as far as is known;"));
	forecast = find(*state, F, 100, 900, 1e9);
	assert_non_null(strstr(text_of(*state, &forecast), "as far as is known"));
}

static void a_call_that_has_run_longer_is_so_many_deviations_beyond(void **state)
{
	struct forecast forecast = find(*state, F, 100, 1100, 5e6);

	assert_int_equal(forecast.verdict, FORECAST_BEYOND);
	assert_float_equal(forecast.deviations, 20, 1e-9);
	assert_non_null(strstr(text_of(*state, &forecast),
			       "longer than its model allows: at least 1.1 times what is expected; "
			       "it has run at least 1.1 ms, at most 5 s;"));
}

/* In a hundred calls some are as far out. */
static void two_deviations_are_no_news(void **state)
{
	assert_int_equal(find(*state, F, 100, 1011, 1011).verdict, FORECAST_WITHIN);
	assert_int_equal(find(*state, F, 100, 1016, 1016).verdict, FORECAST_BEYOND);
}

static void without_a_deviation_every_excess_is_beyond(void **state)
{
	struct forecast forecast = find(*state, G, 100, 2001, NAN);

	assert_float_equal(forecast.expectation.mean, 2000, 1e-9);
	assert_int_equal(forecast.verdict, FORECAST_BEYOND);
	assert_true(isinf(forecast.deviations));
	assert_non_null(strstr(text_of(*state, &forecast), "longer than its model allows; "));
}

/* An upper bound of 3 days says nothing about a call of a millisecond; half a millisecond does. */
static void what_has_run_for_nobody_knows_how_long_is_judged_only_if_it_cannot_be_long(void **state)
{
	struct forecast forecast = find(*state, F, 100, NAN, 1e9);

	assert_int_equal(forecast.verdict, FORECAST_UNKNOWN);
	assert_non_null(strstr(forecast.why, "fathom attach --stuck"));
	assert_true(forecast.is_expected);
	assert_int_equal(find(*state, F, 100, NAN, 500).verdict, FORECAST_WITHIN);
	forecast = find(*state, F, 100, NAN, NAN);
	assert_int_equal(forecast.verdict, FORECAST_UNKNOWN);
	assert_null(strstr(text_of(*state, &forecast), "; it has run"));
}

static void a_call_that_waits_is_blocked_and_says_for_what(void **state)
{
	struct fixture *f = *state;
	const struct argument x = {.known = true, .number = 100};
	struct forecast_facts facts = {
		.at_least = 100, .at_most = 500, .waits_for = "waits for child 7\033 to end"};
	struct forecast forecast = forecast_find(f->list.list[F], &f->list, &x, &facts, f->arena);

	assert_int_equal(forecast.verdict, FORECAST_BLOCKED);
	assert_true(isnan(forecast.deviations));
	assert_non_null(
		strstr(text_of(f, &forecast), "blocked: waits for child 7? to end; it has"));
	facts.at_least = facts.at_most = 1100;
	forecast = forecast_find(f->list.list[F], &f->list, &x, &facts, f->arena);
	assert_int_equal(forecast.verdict, FORECAST_BLOCKED);
	assert_float_equal(forecast.deviations, 20, 1e-9);
	assert_non_null(strstr(text_of(f, &forecast),
			       "; longer than its model allows: 1.1 times what is "
			       "expected; it has run 1.1 ms; expected"));
}

static void a_feature_that_cannot_be_read_is_told_with_the_reason(void **state)
{
	struct fixture *f = *state;
	const struct argument x = {.known = false};
	const char *const absences[] = {"optimised out here"};
	const struct forecast_facts facts = {.at_least = 5, .at_most = NAN, .absences = absences};
	struct forecast forecast = forecast_find(f->list.list[F], &f->list, &x, &facts, f->arena);

	assert_int_equal(forecast.verdict, FORECAST_UNKNOWN);
	assert_false(forecast.is_expected);
	assert_string_equal(forecast.why, "n must be known; n: optimised out here");
	assert_string_equal(text_of(f, &forecast),
			    "cannot be judged: n must be known; n: optimised out here; it has run "
			    "at least 5 µs");
}

/* A lower bound of 0 is as good as none. */
static void a_call_that_was_watched_for_no_time_is_as_unknown(void **state)
{
	struct fixture *f = *state;
	const struct forecast unknown = find(f, F, 100, NAN, 1e9), none = find(f, F, 100, 0, 1e9);
	struct forecast followed;

	assert_int_equal(none.verdict, FORECAST_UNKNOWN);
	assert_string_equal(text_of(f, &none), text_of(f, &unknown));
	followed = forecast_go_on(&none, 0, 1e9, NULL);
	assert_int_equal(followed.verdict, FORECAST_UNKNOWN);
	assert_null(strstr(followed.why, "fathom attach"));
	followed = forecast_go_on(&none, 1, 1e9, NULL);
	assert_int_equal(followed.verdict, FORECAST_WITHIN);
}

static void what_is_expected_beyond_what_was_observed_is_said_to_be_so(void **state)
{
	struct fixture *f = *state;
	struct forecast forecast = find(f, L, 50, 100, 200);

	assert_int_equal(forecast.n_outside, 0);
	assert_null(strstr(text_of(f, &forecast), "outside"));
	forecast = find(f, L, 2000000, 90e6, 95e6);
	assert_int_equal(forecast.verdict, FORECAST_BEYOND);
	assert_int_equal(forecast.n_outside, 1);
	assert_string_equal(forecast.outside[0], "n");
	assert_non_null(strstr(text_of(f, &forecast),
			       "; n=2e+06 is outside of what was observed (1 .. 50): "
			       "the formula may not hold there"));
}

static void where_no_case_holds_nothing_is_expected(void **state)
{
	struct forecast forecast = find(*state, H, 9, 5, 6);

	assert_int_equal(forecast.verdict, FORECAST_UNKNOWN);
	assert_string_equal(forecast.why, "no case of h holds there");
}

static void a_call_that_has_ended_is_judged_by_what_it_took(void **state)
{
	struct fixture *f = *state;
	const struct argument x = {.known = true, .number = 100};
	const struct forecast_facts facts = {
		.at_least = NAN, .at_most = NAN, .waits_for = "sleeps"};
	struct forecast open = forecast_find(f->list.list[F], &f->list, &x, &facts, f->arena);
	struct forecast over = forecast_go_on(&open, 1005, 1010, NULL);

	over.is_over = true;
	assert_int_equal(over.verdict, FORECAST_WITHIN);
	assert_string_equal(text_of(f, &over),
			    "within its model; it took at least 1 ms, at most 1.01 ms; "
			    "expected 1 ms, 95 % of such calls between 990 µs and 1.01 ms");
	over = forecast_go_on(&open, 2000, 3000, NULL);
	assert_int_equal(over.verdict, FORECAST_BEYOND);
}

static void of_two_calls_the_weaker_bounds_are_true(void **state)
{
	struct forecast forecast = find(*state, F, 100, 1100, 1200);
	const struct forecast longer = find(*state, F, 100, 1150, 9000);
	const struct forecast unknown = find(*state, F, 100, NAN, NAN);

	forecast_join(&forecast, &longer);
	assert_float_equal(forecast.at_least, 1100, 0);
	assert_float_equal(forecast.at_most, 9000, 0);
	assert_float_equal(forecast.deviations, 20, 1e-9);
	forecast_join(&forecast, &unknown);
	assert_true(isnan(forecast.at_least));
	assert_true(isnan(forecast.at_most));
}

static void durations_have_three_digits_and_a_unit_that_fits(void **state)
{
	static const struct {
		double us;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{0.85, "850 ns"},
		{1, "1 µs"},
		{999.4, "999 µs"},
		{999.9, "1 ms"},
		{1234, "1.23 ms"},
		{59.9e6, "59.9 s"},
		{90e6, "1.5 min"},
		{3600e6 * 30, "1.25 days"},
		{86400e6 * 4321, "4321 days"},
	};
	char text[FORECAST_DURATION];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		forecast_duration(cases[i].us, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_has_run_no_longer_than_expected_is_within_its_model),
		cmocka_unit_test(where_only_the_least_is_known_it_may_be_within),
		cmocka_unit_test(a_call_that_has_run_longer_is_so_many_deviations_beyond),
		cmocka_unit_test(two_deviations_are_no_news),
		cmocka_unit_test(without_a_deviation_every_excess_is_beyond),
		cmocka_unit_test(
			what_has_run_for_nobody_knows_how_long_is_judged_only_if_it_cannot_be_long),
		cmocka_unit_test(a_call_that_waits_is_blocked_and_says_for_what),
		cmocka_unit_test(a_feature_that_cannot_be_read_is_told_with_the_reason),
		cmocka_unit_test(a_call_that_was_watched_for_no_time_is_as_unknown),
		cmocka_unit_test(what_is_expected_beyond_what_was_observed_is_said_to_be_so),
		cmocka_unit_test(where_no_case_holds_nothing_is_expected),
		cmocka_unit_test(a_call_that_has_ended_is_judged_by_what_it_took),
		cmocka_unit_test(of_two_calls_the_weaker_bounds_are_true),
		cmocka_unit_test(durations_have_three_digits_and_a_unit_that_fits),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
