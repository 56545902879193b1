/* From calls to a profile: what is kept, names of enumerators and classes that occur, branches. */
#include "profile_fixture.h"

#include "recorder_calls.h"

static const struct label kinds[] = {{-1, "BAD"}, {0, "NONE"}, {5, "FIVE"}};
static const struct feature features[] = {
	{"kind", FEATURE_ENUM, .labels = kinds, .n_labels = 3},
	{"class", FEATURE_CLASS},
	{"n", FEATURE_INT},
};
static const struct function function = {
	.name = "f", .linkage = "f", .features = features, .n_features = 3};

/* Sorted by name, as in a catalogue; the numbers are not. */
static const struct class_type classes[] = {{"A", 900}, {"B", 4503599627370495}, {"C", 12}};
static const struct catalogue catalogue = {
	.functions = &function, .n_functions = 1, .classes = classes, .n_classes = 3};

static const char *const modules[] = {NULL, "/lib/l.so"};

static struct recorder *make_recorder(struct profile *profile)
{
	struct recorder *recorder =
		recorder_create(profile, &(struct recorder_options){.period_ms = 1000});

	recorder_add_image(recorder, 0, &catalogue, modules);
	return recorder;
}

static void record(struct recorder *recorder, int64_t id, double kind, struct value class_number)
{
	const struct value values[] = {{kind, PRESENT}, class_number, {5, PRESENT}};
	const struct call_record call = {.id = id, .metrics = {{1, PRESENT}}, .features = values};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

static void names_of_numbers_that_occur_are_stored(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	record(recorder, 1, -1, (struct value){900, PRESENT});
	record(recorder, 2, 5, (struct value){4503599627370495, PRESENT});
	record(recorder, 3, 6, (struct value){0, ABSENT_UNKNOWN_CLASS});
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	assert_int_equal(samples->n_rows, 3);
	assert_int_equal(samples->columns[1].n_labels, 2);
	assert_string_equal(samples_label(&samples->columns[1], -1), "BAD");
	assert_string_equal(samples_label(&samples->columns[1], 5), "FIVE");
	assert_int_equal(samples->columns[2].n_labels, 2);
	assert_string_equal(samples_label(&samples->columns[2], 900), "A");
	assert_string_equal(samples_label(&samples->columns[2], 4503599627370495), "B");
	assert_int_equal(samples->columns[2].absence[2], ABSENT_UNKNOWN_CLASS);
	assert_int_equal(samples->columns[3].n_labels, 0);
	samples_destroy(samples);
	profile_close(profile);
}

/* What was written before, and a table that was begun before, had only calls that returned. */
static void how_calls_ended_has_a_column_once_one_did_not_return(void **state)
{
	const struct value values[] = {{5, PRESENT}, {900, PRESENT}, {5, PRESENT}};
	const struct call_record thrown = {
		.id = 3, .metrics = {{1, PRESENT}}, .features = values, .exit = CALL_THROWN};
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	const struct column *column;
	struct samples *samples;
	struct err err;
	size_t at;

	(void)state;
	begin(profile);
	record(recorder, 1, 5, values[1]);
	assert_true(recorder_flush(recorder, &err));
	samples = load(profile, "f", 1000);
	assert_int_equal(samples_find_column(samples, COLUMN_FEATURE, FEATURE_EXIT),
			 samples->n_columns);
	samples_destroy(samples);
	record(recorder, 2, 5, values[1]);
	assert_true(recorder_add(recorder, &thrown, &err));
	record(recorder, 4, 5, values[1]);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	at = samples_find_column(samples, COLUMN_FEATURE, FEATURE_EXIT);
	assert_true(at < samples->n_columns);
	column = &samples->columns[at];
	assert_int_equal(column->type, FEATURE_ENUM);
	assert_int_equal(column->provenance, FROM_RETURN);
	assert_int_equal(samples->n_rows, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(column->absence[i], PRESENT);
		assert_true(column->numbers[i] == (i == 2 ? CALL_THROWN : CALL_RETURNED));
	}
	assert_string_equal(samples_label(column, CALL_THROWN), "thrown");
	samples_destroy(samples);
	profile_close(profile);
}

static void a_call_that_had_begun_before_is_no_sample(void **state)
{
	const struct value values[] = {{5, PRESENT}, {900, PRESENT}, {5, PRESENT}};
	const struct call_record part = {
		.id = 1, .metrics = {{1, PRESENT}}, .features = values, .is_adopted = true};
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	assert_true(recorder_add(recorder, &part, &err));
	record(recorder, 2, 5, (struct value){900, PRESENT});
	assert_int_equal(recorder_kept(recorder, 0, 0), 1);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	assert_int_equal(samples->n_rows, 1);
	samples_destroy(samples);
	profile_close(profile);
}

static void calls_that_were_halted_or_left_out_are_counted_apart(void **state)
{
	const struct value values[] = {{5, PRESENT}, {900, PRESENT}, {5, PRESENT}};
	const struct call_record halted = {
		.id = 1, .metrics = {{1, PRESENT}}, .features = values, .was_halted = true};
	const struct call_record left_out = {
		.id = 2, .metrics = {{1, PRESENT}}, .features = values};
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct err err;

	(void)state;
	begin(profile);
	assert_int_equal(recorder_halted(recorder, 0, 0), 0);
	assert_true(recorder_add(recorder, &halted, &err));
	recorder_leave_out(recorder, &left_out);
	recorder_leave_out(recorder, &left_out);
	assert_int_equal(recorder_kept(recorder, 0, 0), 0);
	assert_int_equal(recorder_halted(recorder, 0, 0), 1);
	assert_int_equal(recorder_left_out(recorder, 0, 0), 2);
	recorder_destroy(recorder);
	profile_close(profile);
}

static void calls_of_several_programs_are_kept_apart(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	recorder_add_image(recorder, 1, &other, other_modules);
	recorder_add_image(recorder, 1, &catalogue, modules);
	record(recorder, 1, -1, (struct value){900, PRESENT});
	record_other(recorder, 2, 0);
	record_other(recorder, 3, 1);
	record_other(recorder, 4, 0);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	assert_int_equal(samples->n_rows, 1);
	assert_int_equal(samples->n_columns, 1 + 3);
	samples_destroy(samples);
	samples = load(profile, "f@/bin/other", 1000);
	assert_int_equal(samples->n_rows, 2);
	assert_int_equal(samples->n_columns, 1 + 1);
	assert_int_equal(samples->keys[1].process, 70);
	assert_int_equal(samples->keys[1].thread, 71);
	samples_destroy(samples);
	samples = load(profile, "g", 1000);
	assert_string_equal(samples->module, "/lib/l.so");
	samples_destroy(samples);
	profile_close(profile);
}

/* Three branches: in a loop, reached late, never reached. */
static const struct branch_site sites[] = {
	{.addr = 0x10, .file = "b.c", .line = 1, .name = "b.c:1 at b+0x10"},
	{.addr = 0x20, .file = "b.c", .line = 2, .name = "b.c:2 at b+0x20"},
	{.addr = 0x30, .file = "b.c", .line = 2, .name = "b.c:2 at b+0x30"},
};
static const struct feature branch_features[] = {{"n", FEATURE_INT}};
static const struct function branching = {.name = "b",
					  .linkage = "b",
					  .branches = sites,
					  .n_branches = 3,
					  .features = branch_features,
					  .n_features = 1};
static const struct catalogue branch_catalogue = {.functions = &branching, .n_functions = 1};

static void call_branching(struct recorder *recorder, int64_t id, struct value first,
			   struct value second)
{
	const struct value values[] = {{id, PRESENT}};
	const struct value branches[] = {first, second, {0, ABSENT_NOT_REACHED}};
	const struct call_record call = {
		.id = id, .metrics = {{1, PRESENT}}, .features = values, .branches = branches};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

static struct profile *begin_branching(struct recorder **ret)
{
	struct profile *profile = open_to_add();
	struct run run = a_run;
	struct err err;

	run.branches = true;
	assert_true(profile_begin_run(profile, &run, &err));
	*ret = recorder_create(profile, &(struct recorder_options){.samples = 0});
	recorder_add_image(*ret, 0, &branch_catalogue, modules);
	return profile;
}

static const struct value taken = {1, PRESENT}, not_taken = {0, PRESENT},
			  not_reached = {0, ABSENT_NOT_REACHED}, looped = {0, ABSENT_LOOPED};

static void branches_have_columns_when_they_tell_something(void **state)
{
	struct recorder *recorder;
	struct profile *profile = begin_branching(&recorder);
	struct samples *samples;
	const struct column *column;
	struct err err;

	(void)state;
	call_branching(recorder, 1, taken, not_reached);
	assert_true(recorder_flush(recorder, &err));
	call_branching(recorder, 2, not_taken, not_reached);
	call_branching(recorder, 3, not_reached, taken);
	call_branching(recorder, 4, taken, not_taken);
	assert_true(recorder_flush(recorder, &err));
	call_branching(recorder, 5, taken, taken);
	assert_true(recorder_flush(recorder, &err));
	assert_true(recorder_add_looped(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_rows, 5);
	assert_int_equal(samples->n_columns, 1 + 1 + 2);
	column = &samples->columns[2];
	assert_int_equal(column->role, COLUMN_BRANCH);
	assert_non_null(strstr(column->name, "b.c:1"));
	assert_true(column->numbers[0] == 1);
	assert_int_equal(column->absence[0], PRESENT);
	assert_true(column->numbers[1] == 0);
	assert_int_equal(column->absence[1], PRESENT);
	assert_int_equal(column->absence[2], ABSENT_NOT_REACHED);
	column = &samples->columns[3];
	assert_int_equal(column->absence[0], ABSENT_NOT_REACHED);
	assert_int_equal(column->absence[1], ABSENT_NOT_REACHED);
	assert_true(column->numbers[2] == 1);
	assert_int_equal(column->absence[3], PRESENT);
	assert_true(column->numbers[4] == 1);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM branch"), 2);
	assert_int_equal(query("SELECT count(*) FROM b WHERE \"b.c:2 at b+0x20\" = 1"), 2);
}

static void a_branch_that_a_call_came_to_twice_is_left_out(void **state)
{
	struct recorder *recorder;
	struct profile *profile = begin_branching(&recorder);
	struct samples *samples;
	struct err err;

	(void)state;
	call_branching(recorder, 1, taken, taken);
	call_branching(recorder, 2, looped, taken);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_columns, 1 + 1 + 1);
	assert_non_null(strstr(samples->columns[2].name, "b.c:2"));
	samples_destroy(samples);
	profile_close(profile);
}

/* Whose call was the only one, and not kept, or in a run where the branch told nothing before. */
static void a_branch_that_looped_in_another_run_is_left_out(void **state)
{
	struct recorder *recorder;
	struct profile *profile = begin_branching(&recorder);
	struct samples *samples;
	struct err err;

	(void)state;
	call_branching(recorder, 1, taken, taken);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	profile_close(profile);
	profile = begin_branching(&recorder);
	call_branching(recorder, 1, looped, not_reached);
	assert_true(recorder_flush(recorder, &err));
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_columns, 1 + 1 + 2);
	assert_int_equal(samples->columns[3].absence[1], ABSENT_NOT_REACHED);
	samples_destroy(samples);
	assert_true(recorder_add_looped(recorder, &err));
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_columns, 1 + 1 + 1);
	samples_destroy(samples);
	recorder_destroy(recorder);
	profile_close(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(names_of_numbers_that_occur_are_stored),
		IN_FOLDER(how_calls_ended_has_a_column_once_one_did_not_return),
		IN_FOLDER(a_call_that_had_begun_before_is_no_sample),
		IN_FOLDER(calls_that_were_halted_or_left_out_are_counted_apart),
		IN_FOLDER(calls_of_several_programs_are_kept_apart),
		IN_FOLDER(branches_have_columns_when_they_tell_something),
		IN_FOLDER(a_branch_that_a_call_came_to_twice_is_left_out),
		IN_FOLDER(a_branch_that_looped_in_another_run_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
