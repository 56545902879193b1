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
	struct recorder *recorder = recorder_create(profile);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(names_of_numbers_that_occur_are_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
