/* From calls to a profile: names of enumerators and classes that occur. */
#include "profile_fixture.h"

#include "recorder.h"

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
	assert_string_equal(column_label(&samples->columns[1], -1), "BAD");
	assert_string_equal(column_label(&samples->columns[1], 5), "FIVE");
	assert_int_equal(samples->columns[2].n_labels, 2);
	assert_string_equal(column_label(&samples->columns[2], 900), "A");
	assert_string_equal(column_label(&samples->columns[2], 4503599627370495), "B");
	assert_int_equal(samples->columns[2].absence[2], ABSENT_UNKNOWN_CLASS);
	assert_int_equal(samples->columns[3].n_labels, 0);
	samples_destroy(samples);
	profile_close(profile);
}

/* Another program, whose function f has other features, and which has a library. */
static const struct feature other_features[] = {{"m", FEATURE_INT}};
static const struct function other_functions[] = {
	{.name = "f", .linkage = "f", .features = other_features, .n_features = 1},
	{.name = "g", .linkage = "g", .module = 1},
};
static const struct catalogue other = {.functions = other_functions, .n_functions = 2};
static const char *const other_modules[] = {"/bin/other", "/lib/l.so"};

static void record_other(struct recorder *recorder, int64_t id, unsigned index)
{
	const struct value values[] = {{7, PRESENT}};
	const struct call_record call = {.id = id,
					 .image = 1,
					 .function = index,
					 .process = 70,
					 .thread = 71,
					 .metrics = {{1, PRESENT}},
					 .features = values};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(names_of_numbers_that_occur_are_stored),
		IN_FOLDER(calls_of_several_programs_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
