/*
 * What a profile tells of the measurement itself, profiles from before it did, and batches of
 * several tables.
 */
#include "profile_fixture.h"

#include "profile/graph/profile_spans.h"

static const struct function f = {.linkage = "_f", .file = "f.cc", .line = 3};

static struct samples *load_from_file(void)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;

	if (!profile_open("p.fathom", &profile, &err))
		fail_msg("%s", err.text);
	samples = load(profile, "_f", 1000);
	profile_close(profile);
	return samples;
}

static void a_run_tells_what_was_asked_for(void **state)
{
	struct profile *profile = open_to_add();
	struct run run = a_run;
	struct err err;

	(void)state;
	run.branches = true;
	run.max_overhead = 0.05;
	run.samples = 5000;
	run.period_ms = 250;
	assert_true(profile_begin_run(profile, &run, &err));
	profile_close(profile);
	assert_int_equal(
		query("SELECT count(*) FROM run WHERE branches = 1 AND max_overhead = 0.05 "
		      "AND samples = 5000 AND period_ms = 250"),
		1);
}

static void accounts_of_functions_add_up(void **state)
{
	const struct function_account account = {.calls = 100,
						 .abandoned = 1,
						 .time_ns = 1234567,
						 .kept = 10,
						 .stops = 201,
						 .stopped_ns = 7000,
						 .open_ns = 5000000};
	struct profile *profile;
	struct err err;
	int i;

	(void)state;
	write_profile();
	profile = open_to_add();
	begin(profile);
	add(profile, "_f", 3, 1, 10);
	for (i = 0; i < 2; i++)
		assert_true(profile_add_account(profile, &f, NULL, &account, &err));
	profile_close(profile);
	assert_int_equal(
		query("SELECT count(*) FROM account WHERE calls = 200 AND abandoned = 2 AND "
		      "kept = 20 AND stops = 402 AND stopped_ns = 14000 AND "
		      "open_ns = 5000000 AND time_ns = 2469134"),
		1);
}

/* One run has 100 calls of 2 ms, the next as many as @account says. */
static double total_of_two_runs(const struct function_account *account)
{
	const struct function_account before = {.calls = 100, .time_ns = 2000000, .kept = 10};
	struct profile *profile = open_to_add();
	struct samples *samples;
	double total_us;
	struct err err;
	int i;

	for (i = 0; i < 2; i++) {
		begin(profile);
		add(profile, "_f", 3, 1, 10);
		assert_true(profile_add_account(profile, &f, NULL, i ? account : &before, &err));
	}
	profile_close(profile);
	samples = load_from_file();
	total_us = samples->total_us;
	samples_destroy(samples);
	return total_us;
}

static void times_of_all_calls_add_up_over_runs(void **state)
{
	(void)state;
	assert_true(total_of_two_runs(&(struct function_account){
			    .calls = 50, .time_ns = 500000, .kept = 10}) == 2500);
}

/* What stops add is subtracted, so that nothing may become a little less than nothing. */
static void a_time_below_zero_is_a_part_of_the_sum(void **state)
{
	(void)state;
	assert_true(total_of_two_runs(&(struct function_account){
			    .calls = 50, .time_ns = -3000, .kept = 10}) == 1997);
}

static void a_sum_that_lacks_a_call_is_not_known(void **state)
{
	(void)state;
	assert_true(isnan(total_of_two_runs(&(struct function_account){
		.calls = 50, .time_ns = 490000, .untimed = 1, .kept = 10})));
	assert_int_equal(query("SELECT count(*) FROM account WHERE time_ns IS NULL"), 1);
}

/* It was killed, or goes on: there are samples, and no account. */
static void the_time_of_a_run_without_an_end_is_not_known(void **state)
{
	struct samples *samples;

	(void)state;
	write_profile();
	samples = load_from_file();
	assert_true(isnan(samples->total_us));
	samples_destroy(samples);
}

static void a_profile_of_version_4_is_read_and_can_be_added_to(void **state)
{
	const struct function_account account = {.calls = 12, .time_ns = 5000};
	struct samples *samples;
	struct run run = a_run;
	struct profile *profile;
	struct err err;

	(void)state;
	write_profile();
	profile = open_to_add();
	begin(profile);
	assert_true(profile_add_account(profile, &f, NULL, &account, &err));
	profile_close(profile);
	alter("DROP VIEW \"ns::f(int)\"");
	downgrade_to_4();
	samples = load_from_file();
	assert_int_equal(samples->n_calls, 12);
	assert_true(isnan(samples->total_us));
	samples_destroy(samples);
	assert_int_equal(query("PRAGMA user_version"), 4);
	profile = open_to_add();
	run.probes = "pads";
	assert_true(profile_begin_run(profile, &run, &err));
	assert_true(profile_add_account(profile, &f, NULL, &account, &err));
	profile_close(profile);
	assert_int_equal(query("PRAGMA user_version"), PROFILE_VERSION);
	assert_int_equal(query("SELECT count(*) FROM account WHERE time_ns IS NULL"), 1);
	assert_int_equal(query("SELECT count(*) FROM account WHERE time_ns = 5000"), 1);
	assert_int_equal(query("SELECT count(*) FROM run WHERE probes IS NULL"), 2);
	assert_int_equal(query("SELECT count(*) FROM run WHERE probes = 'pads'"), 1);
	samples = load_from_file();
	assert_int_equal(samples->n_calls, 24);
	assert_true(isnan(samples->total_us));
	samples_destroy(samples);
}

static void samples_tell_their_stops(void **state)
{
	struct samples *samples = make_samples("_f", 3, 1, 3);
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	samples->keys[1].stops = 2;
	samples->keys[2].stops = 12;
	samples->keys[2].stopped_ns = 123456;
	assert_true(profile_add(profile, samples, &err));
	samples_destroy(samples);
	profile_close(profile);
	samples = load_from_file();
	assert_int_equal(samples->keys[0].stops, 0);
	assert_int_equal(samples->keys[1].stops, 2);
	assert_int_equal(samples->keys[1].stopped_ns, 0);
	assert_int_equal(samples->keys[2].stops, 12);
	assert_int_equal(samples->keys[2].stopped_ns, 123456);
	samples_destroy(samples);
	/* What is not known is not 0. */
	assert_int_equal(query("SELECT count(*) FROM \"ns::f(int)\" WHERE stops IS NULL AND "
			       "stopped_ns IS NULL"),
			 1);
}

static void calibrate_run(unsigned metrics, const struct calibration *calibration)
{
	struct profile *profile = open_to_add();
	struct run run = a_run;
	struct err err;

	run.metrics = metrics;
	run.calibration = calibration;
	assert_true(profile_begin_run(profile, &run, &err));
	add(profile, "_f", 3, 1, 2);
	profile_close(profile);
}

static void the_worst_resolution_of_the_runs_is_that_of_the_samples(void **state)
{
	const struct calibration first = {.pair = {[METRIC_TIME] = 1.5},
					  .stop = {[METRIC_TIME] = 1.25, [METRIC_CPU] = 9},
					  .resolution = {[METRIC_TIME] = 0.5, [METRIC_MEM] = 7},
					  .stop_cost_ns = 6500};
	const struct calibration second = {
		.resolution = {[METRIC_TIME] = 0.25, [METRIC_PFAULTS] = 2}};
	struct samples *samples;

	(void)state;
	calibrate_run(0, &first);
	calibrate_run(1u << (METRIC_SELF + METRIC_PFAULTS), &second);
	samples = load_from_file();
	assert_true(samples->resolution[METRIC_TIME] == 0.5);
	assert_true(samples->resolution[METRIC_PFAULTS] == 2);
	assert_true(samples->resolution[METRIC_MEM] == 0);
	samples_destroy(samples);
	/* What was not measured was not calibrated. */
	assert_int_equal(query("SELECT count(*) FROM calibration"), 3);
	assert_int_equal(
		query("SELECT count(*) FROM calibration WHERE run = 1 AND metric = 'time' AND "
		      "pair = 1.5 AND stop = 1.25"),
		1);
	assert_int_equal(query("SELECT count(*) FROM run WHERE stop_cost_ns = 6500 AND "
			       "stop_bias_ns = 1250"),
			 1);
}

/* Runs 1 and 2: with pads, that are certain to 0.02 and 0.03; run 3: without. */
static void calibrate_runs_with_pads(bool without)
{
	struct calibration calibration = {
		.resolution = {[METRIC_TIME] = 0.5, [METRIC_CPU] = 4},
		.pads = {.pair = 1, .call = 2, .record = 3, .drawn = 4, .word = 5}};

	calibration.pads.resolution = 0.02;
	calibrate_run(1u << METRIC_CPU, &calibration);
	calibration.pads.resolution = 0.03;
	calibrate_run(0, &calibration);
	calibration.pads = (struct pad_calibration){0};
	calibration.resolution[METRIC_TIME] = 0.25;
	if (without)
		calibrate_run(0, &calibration);
}

static void assert_resolution(double time)
{
	struct samples *samples = load_from_file();

	assert_true(samples->resolution[METRIC_TIME] == time);
	assert_true(samples->resolution[METRIC_CPU] == 4);
	samples_destroy(samples);
}

static void calls_without_stops_have_the_resolution_of_pads(void **state)
{
	(void)state;
	calibrate_runs_with_pads(false);
	alter("UPDATE sample_1 SET stops = NULL");
	assert_resolution(0.03);
	assert_int_equal(query("SELECT count(*) FROM pad_calibration WHERE pair = 1 AND call = 2 "
			       "AND record = 3 AND drawn = 4 AND word = 5"),
			 2);
	alter("UPDATE sample_1 SET stops = 2");
	assert_resolution(0.5);
}

static void without_pads_the_resolution_is_that_of_stops(void **state)
{
	(void)state;
	calibrate_runs_with_pads(true);
	alter("UPDATE sample_1 SET stops = NULL");
	assert_resolution(0.25);
	assert_int_equal(query("SELECT count(*) FROM pad_calibration WHERE run = 3"), 0);
}

static void the_end_of_a_run_tells_what_was_subtracted(void **state)
{
	const struct calibration guess = {.stop = {[METRIC_TIME] = 1}};
	const struct account account = {
		.stops = 5,
		.calibration = {.stop = {[METRIC_TIME] = 2}, .resolution = {[METRIC_TIME] = 3}}};
	struct run run = a_run;
	const struct ending ending = {.how = ENDED_EXITED};
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	run.calibration = &guess;
	assert_true(profile_begin_run(profile, &run, &err));
	assert_true(profile_end_run(profile, &ending, &account, &err));
	profile_close(profile);
	assert_int_equal(
		query("SELECT count(*) FROM calibration WHERE stop = 2 AND resolution = 3"), 1);
	assert_int_equal(query("SELECT count(*) FROM run WHERE stops = 5 AND stop_bias_ns = 2000"),
			 1);
}

/* What version 3 wrote. */
static void write_version_3(void)
{
	const struct function_account account = {.calls = 12};
	struct profile *profile;
	struct err err;

	write_profile();
	profile = open_to_add();
	begin(profile);
	assert_true(profile_add_account(profile, &f, NULL, &account, &err));
	profile_close(profile);
	alter("DROP VIEW \"ns::f(int)\"");
	downgrade_to_3();
	alter("CREATE VIEW \"ns::f(int)\" AS SELECT id, v1 AS time FROM sample_1");
}

static void a_profile_of_version_3_is_read_as_it_is(void **state)
{
	struct samples *samples;

	(void)state;
	write_version_3();
	samples = load_from_file();
	assert_int_equal(samples->n_rows, 10);
	assert_int_equal(samples->n_calls, 12);
	assert_int_equal(samples->keys[9].thread, 7);
	assert_int_equal(samples->keys[9].stops, 0);
	assert_true(samples->resolution[METRIC_TIME] == 0);
	samples_destroy(samples);
	assert_int_equal(query("PRAGMA user_version"), 3);
}

static void a_profile_of_version_3_can_be_added_to(void **state)
{
	const struct calibration calibration = {.resolution = {[METRIC_TIME] = 0.5}};
	const struct function_account account = {.calls = 3, .kept = 2, .open_ns = 9};
	struct samples *samples;
	struct profile *profile;
	struct err err;

	(void)state;
	write_version_3();
	calibrate_run(0, &calibration);
	profile = open_to_add();
	begin(profile);
	assert_true(profile_add_account(profile, &f, NULL, &account, &err));
	profile_close(profile);
	assert_int_equal(query("PRAGMA user_version"), PROFILE_VERSION);
	samples = load_from_file();
	assert_int_equal(samples->n_rows, 12);
	assert_int_equal(samples->n_calls, 15);
	assert_true(samples->resolution[METRIC_TIME] == 0.5);
	samples_destroy(samples);
	assert_int_equal(query("SELECT count(*) FROM account WHERE kept IS NULL"), 1);
	assert_int_equal(query("SELECT count(*) FROM account WHERE kept = 2 AND open_ns = 9"), 1);
	assert_int_equal(query("SELECT count(stops) + count(stopped_ns) FROM \"ns::f(int)\""), 0);
	assert_int_equal(query("SELECT count(*) FROM branch"), 0);
}

/* A function called like one of the new tables gives up that name. */
static void a_function_called_calibration_keeps_its_samples(void **state)
{
	struct samples *samples = samples_create("calibration", "calibration", NULL, 0);
	const struct column time = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};
	const struct sample_key key = {.id = 1};
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	samples_add_column(samples, &time);
	samples_append(samples, &key, &(struct value){5});
	begin(profile);
	assert_true(profile_add(profile, samples, &err));
	profile_close(profile);
	alter("DROP VIEW '#1 calibration'; UPDATE function SET view = name");
	downgrade_to_3();
	alter("CREATE VIEW calibration AS SELECT id, v1 AS time FROM sample_1");
	profile = open_to_add();
	begin(profile);
	assert_true(profile_add(profile, samples, &err));
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT sum(time) FROM '#1 calibration'"), 10);
	assert_int_equal(query("SELECT count(*) FROM calibration"), 0);
}

/* Ids of a run that are in use already make a table that cannot be added. */
static void a_batch_of_several_tables_is_added_as_a_whole_or_not_at_all(void **state)
{
	struct samples *tables[] = {make_samples("_g", 7, 100, 5), make_samples("_f", 3, 1, 5)};
	struct profile *profile = open_to_add();
	const char *const *functions;
	struct err err;

	(void)state;
	begin(profile);
	add(profile, "_f", 3, 1, 2);
	assert_false(profile_add_batch(profile, tables, 2, &err));
	assert_int_equal(profile_functions(profile, &functions), 1);
	assert_string_equal(functions[0], "_f");
	samples_destroy(tables[1]);
	tables[1] = make_samples("_f", 3, 50, 5);
	assert_true(profile_add_batch(profile, tables, 2, &err));
	assert_int_equal(profile_functions(profile, &functions), 2);
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 7);
	assert_int_equal(rows_in_file("_g"), 5);
	samples_destroy(tables[0]);
	samples_destroy(tables[1]);
}

/* As of an inline function of a header that two units have copies of. */
static void two_tables_of_one_function_are_one_in_the_profile(void **state)
{
	struct samples *tables[] = {make_samples("_f", 3, 1, 5), make_samples("_f", 3, 50, 5)};
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	assert_true(profile_add_batch(profile, tables, 2, &err));
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 10);
	assert_int_equal(query("SELECT count(*) FROM function"), 1);
	samples_destroy(tables[0]);
	samples_destroy(tables[1]);
}

static void a_feature_that_is_called_stops_has_that_name_in_the_view(void **state)
{
	struct samples *samples = make_samples("_f", 3, 1, 1);
	const struct column stops = {.name = "stops", .role = COLUMN_FEATURE, .type = FEATURE_INT};
	const struct value cells[] = {{1}, {2}, {3}, {4}};
	const struct sample_key key = {.id = 2, .stops = 99};
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	samples_add_column(samples, &stops);
	samples_append(samples, &key, cells);
	assert_true(profile_add(profile, samples, &err));
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT sum(stops) FROM \"ns::f(int)\""), 4);
	assert_int_equal(query("SELECT sum(\"stops:1\") FROM \"ns::f(int)\""), 99);
}

static void spans_of_too_many_calls_are_refused_before_any_is_read(void **state)
{
	struct profile_spans spans;
	struct profile *profile;
	struct err err;

	(void)state;
	write_profile();
	assert_true(profile_open("p.fathom", &profile, &err));
	assert_true(profile_spans_read(profile, rows_in_file("_f"), &spans, &err));
	profile_spans_deinit(&spans);
	assert_false(profile_spans_read(profile, rows_in_file("_f") - 1, &spans, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_int_equal(spans.n_runs, 0);
	profile_spans_deinit(&spans);
	profile_close(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_run_tells_what_was_asked_for),
		IN_FOLDER(accounts_of_functions_add_up),
		IN_FOLDER(times_of_all_calls_add_up_over_runs),
		IN_FOLDER(a_time_below_zero_is_a_part_of_the_sum),
		IN_FOLDER(a_sum_that_lacks_a_call_is_not_known),
		IN_FOLDER(the_time_of_a_run_without_an_end_is_not_known),
		IN_FOLDER(a_profile_of_version_4_is_read_and_can_be_added_to),
		IN_FOLDER(samples_tell_their_stops),
		IN_FOLDER(the_worst_resolution_of_the_runs_is_that_of_the_samples),
		IN_FOLDER(calls_without_stops_have_the_resolution_of_pads),
		IN_FOLDER(without_pads_the_resolution_is_that_of_stops),
		IN_FOLDER(the_end_of_a_run_tells_what_was_subtracted),
		IN_FOLDER(a_profile_of_version_3_is_read_as_it_is),
		IN_FOLDER(a_profile_of_version_3_can_be_added_to),
		IN_FOLDER(a_function_called_calibration_keeps_its_samples),
		IN_FOLDER(a_batch_of_several_tables_is_added_as_a_whole_or_not_at_all),
		IN_FOLDER(two_tables_of_one_function_are_one_in_the_profile),
		IN_FOLDER(a_feature_that_is_called_stops_has_that_name_in_the_view),
		IN_FOLDER(spans_of_too_many_calls_are_refused_before_any_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
