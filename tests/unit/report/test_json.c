/*
 * JSON of annotations and of the catalogue: parsed back by a parser, it says what the product said.
 */
#include "check.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"

/* std::list<int>::sort() costs 1 + 0.12 n log(n) for n < 10 and in one of two ways beyond. */
static struct annotation *make_annotation(void)
{
	static const char *const aliases[] = {"l->count"};
	static const char *const notes[] = {"a note"};
	static const struct annotation_feature features[] = {
		{"n", FEATURE_INT, "this->size", 2, 300, aliases, 1},
		{"p", FEATURE_ENUM, "kind", NAN, INFINITY, NULL, 0},
	};
	static const struct term mean[] = {
		{.coefficient = 1, .std_error = NAN},
		{.coefficient = 0.12, .std_error = 0.001, .n_factors = 1, .factors = {{0, 1, 1}}},
	};
	static const struct term deviation[] = {{.coefficient = 12.5}};
	static const struct model models[] = {
		{.probability = 0.75,
		 .heuristic = HEURISTIC_ENVELOPE,
		 .mean = {mean, 2},
		 .deviation = {deviation, 1},
		 .growth = GROWTH_NLOGN,
		 .n_samples = 100,
		 .r2 = 0.998,
		 .cv_r2 = NAN},
		{.probability = 0.25,
		 .heuristic = HEURISTIC_TREND,
		 .deviation = {mean, 2},
		 .spread = 2.5,
		 .r2 = NAN,
		 .cv_r2 = INFINITY},
	};
	static const struct condition scope[] = {
		{.feature = 0, .comparison = LESS, .number = 10},
		{.feature = 1, .comparison = NOT_EQUAL, .symbol = "BIG"},
		{.feature = 1, .comparison = IS_FALSE},
		{.feature = 0, .comparison = IS_ABSENT},
	};
	static const struct annotation_case cases[] = {{scope, 4, models, 1}, {NULL, 0, models, 2}};
	struct annotation *annotation = annotation_create();

	annotation->function = "std::list<int>::sort()";
	annotation->linkage = "_ZN4sort";
	annotation->metric = METRIC_TIME;
	annotation->n_samples = 149;
	annotation->features = features;
	annotation->n_features = 2;
	annotation->cases = cases;
	annotation->n_cases = 2;
	annotation->notes = notes;
	annotation->n_notes = 1;
	return annotation;
}

static json_t *parse(char *text, size_t size)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("line %d: %s in %s", error.line, error.text, text);
	assert_int_equal(json_integer_value(json_object_get(root, "fathom")), 1);
	free(text);
	return root;
}

static json_t *annotations_as_json(const struct annotation *annotation, const char *note)
{
	static const char *const probes = "stops";
	const struct json_models models = {.annotations = &annotation,
					   .n = 1,
					   .notes = &note,
					   .n_notes = 1,
					   .probes = &probes,
					   .n_probes = 1};
	struct err err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_true(json_annotations(&models, out, &err));
	fclose(out);
	return parse(text, size);
}

/* Functions are written one by one, and nobody can tell. */
static void assert_written_as_one(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	char *whole = json_dumps(root, JSON_INDENT(2));

	assert_memory_equal(text, whole, strlen(whole));
	assert_string_equal(text + strlen(whole), "\n");
	free(whole);
	json_decref(root);
}

static json_t *catalogue_as_json(const struct catalogue *catalogue, bool features)
{
	struct err err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_true(json_catalogue(catalogue, features, NULL, out, &err));
	fclose(out);
	assert_written_as_one(text);
	return parse(text, size);
}

static json_t *first(const json_t *object, const char *array)
{
	return json_array_get(json_object_get(object, array), 0);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "(no text)";
}

static double number_of(const json_t *object, const char *key)
{
	json_t *number = json_object_get(object, key);

	assert_true(json_is_number(number));
	return json_number_value(number);
}

static void assert_null_at(const json_t *object, const char *key)
{
	if (!json_is_null(json_object_get(object, key)))
		fail_msg("%s is not null", key);
}

static void an_annotation_says_what_it_is_about(void **state)
{
	struct annotation *annotation = make_annotation();
	json_t *root = annotations_as_json(annotation, "a remark");
	json_t *object = first(root, "annotations");
	json_t *feature = first(object, "features");

	(void)state;
	assert_string_equal(text_of(object, "function"), "std::list<int>::sort()");
	assert_string_equal(text_of(object, "linkage"), "_ZN4sort");
	assert_null_at(object, "file");
	assert_null_at(object, "line");
	assert_string_equal(text_of(object, "metric"), "time");
	assert_string_equal(text_of(object, "unit"), "us");
	assert_true(number_of(object, "samples") == 149);
	assert_string_equal(text_of(feature, "name"), "n");
	assert_string_equal(text_of(feature, "type"), "int");
	assert_string_equal(text_of(feature, "expression"), "this->size");
	assert_true(number_of(feature, "max") == 300);
	assert_string_equal(json_string_value(first(feature, "aliases")), "l->count");
	assert_non_null(strstr(text_of(object, "text"), "std::list<int>::sort()"));
	assert_string_equal(json_string_value(first(object, "notes")), "a note");
	assert_string_equal(json_string_value(first(root, "notes")), "a remark");
	assert_string_equal(json_string_value(first(root, "probes")), "stops");
	json_decref(root);
	annotation_destroy(annotation);
}

static void a_model_says_its_formula(void **state)
{
	struct annotation *annotation = make_annotation();
	json_t *root = annotations_as_json(annotation, "");
	json_t *model = first(first(root, "annotations"), "models");
	json_t *terms = json_object_get(model, "terms");
	json_t *factor = first(json_array_get(terms, 1), "factors");

	(void)state;
	assert_int_equal(json_array_size(terms), 2);
	assert_int_equal(json_array_size(json_object_get(json_array_get(terms, 0), "factors")), 0);
	assert_null_at(json_array_get(terms, 0), "stderr");
	assert_true(number_of(json_array_get(terms, 1), "coefficient") == 0.12);
	assert_string_equal(text_of(factor, "feature"), "n");
	assert_true(number_of(factor, "power") == 1);
	assert_true(number_of(factor, "log") == 1);
	assert_true(number_of(model, "deviation") == 12.5);
	assert_true(number_of(model, "probability") == 0.75);
	assert_string_equal(text_of(model, "heuristic"), "R");
	assert_true(number_of(model, "r2") == 0.998);
	assert_null_at(model, "cv_r2");
	assert_string_equal(text_of(model, "class"), "nlogn");
	json_decref(root);
	annotation_destroy(annotation);
}

static void a_scope_is_a_list_of_conditions(void **state)
{
	struct annotation *annotation = make_annotation();
	json_t *root = annotations_as_json(annotation, "");
	json_t *scope = json_object_get(first(first(root, "annotations"), "models"), "scope");

	(void)state;
	assert_int_equal(json_array_size(scope), 4);
	assert_string_equal(text_of(json_array_get(scope, 0), "feature"), "n");
	assert_string_equal(text_of(json_array_get(scope, 0), "op"), "<");
	assert_true(number_of(json_array_get(scope, 0), "value") == 10);
	assert_string_equal(text_of(json_array_get(scope, 1), "op"), "!=");
	assert_string_equal(text_of(json_array_get(scope, 1), "value"), "BIG");
	assert_true(json_is_false(json_object_get(json_array_get(scope, 2), "value")));
	assert_string_equal(text_of(json_array_get(scope, 3), "op"), "defined");
	assert_true(json_is_false(json_object_get(json_array_get(scope, 3), "value")));
	json_decref(root);
	annotation_destroy(annotation);
}

static void what_is_unknown_or_infinite_is_null(void **state)
{
	struct annotation *annotation = make_annotation();
	json_t *root = annotations_as_json(annotation, "");
	json_t *object = first(root, "annotations");
	json_t *feature = json_array_get(json_object_get(object, "features"), 1);
	json_t *model = json_array_get(json_object_get(object, "models"), 2);

	(void)state;
	assert_null_at(feature, "min");
	assert_null_at(feature, "max");
	assert_null_at(model, "r2");
	assert_null_at(model, "cv_r2");
	assert_int_equal(json_array_size(json_object_get(model, "terms")), 0);
	json_decref(root);
	annotation_destroy(annotation);
}

static void a_deviation_that_depends_on_features_has_terms(void **state)
{
	struct annotation *annotation = make_annotation();
	json_t *root = annotations_as_json(annotation, "");
	json_t *model = json_array_get(json_object_get(first(root, "annotations"), "models"), 2);

	(void)state;
	assert_true(number_of(model, "deviation") == 2.5);
	assert_int_equal(json_array_size(json_object_get(model, "deviation_terms")), 2);
	json_decref(root);
	annotation_destroy(annotation);
}

static void texts_are_made_valid_utf8(void **state)
{
	static const struct {
		const char *bytes;
		const char *text;
	} cases[] = {
		{"plain", "plain"},
		{"µ€😀", "µ€😀"},
		{"a\x80z", "a\xef\xbf\xbdz"},
		{"\xc3", "\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xff\"\n\x01", "\xef\xbf\xbd\"\n\x01"},
	};
	struct annotation *annotation = annotation_create();
	size_t i;

	(void)state;
	annotation->linkage = "f";
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *root;

		annotation->function = cases[i].bytes;
		root = annotations_as_json(annotation, cases[i].bytes);
		assert_string_equal(text_of(first(root, "annotations"), "function"), cases[i].text);
		assert_string_equal(json_string_value(first(root, "notes")), cases[i].text);
		json_decref(root);
	}
	annotation_destroy(annotation);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
	const struct json_models none = {.n = 0};
	FILE *full = fopen("/dev/full", "w");
	struct err err;

	(void)state;
	if (!full)
		skip();
	assert_false(json_annotations(&none, full, &err));
	assert_int_equal(err.code, ERR_IO);
	fclose(full);
}

static const struct feature catalogue_features[] = {
	{.expression = "strlen(s)", .type = FEATURE_INT, .depth = 1, .explanation = "in rdi"},
	{.expression = "n", .type = FEATURE_FLOAT, .absence = ABSENT_OPTIMIZED_OUT},
};

static struct catalogue make_catalogue(void)
{
	static const struct module module = {.path = "/bin/prog"};
	static const struct address_range range = {0x1000, 0x1080};
	static const struct exit_site site = {0x107f, EXIT_RETURN};
	static const struct branch_site branches[] = {
		{"f.c:8 at f+0x10", BRANCH_CONDITIONAL, 0x1010, 0x1020, .file = "f.c", .line = 8},
		{"f+0x18", BRANCH_SWITCH, 0x1018, .index = {.reg = 5, .scale = 1}},
	};
	static const struct function functions[] = {
		{.name = "f",
		 .linkage = "f",
		 .file = "f.c",
		 .line = 7,
		 .ranges = &range,
		 .n_ranges = 1,
		 .entry_addr = 0x1000,
		 .probe_addr = 0x1004,
		 .exits = &site,
		 .n_exits = 1,
		 .branches = branches,
		 .n_branches = 2,
		 .switches_cut = 4,
		 .features = catalogue_features,
		 .n_features = 2,
		 .features_cut = 3},
		{.name = "g", .module = 99, .unmeasurable = "it is inlined everywhere"},
	};
	return (struct catalogue){
		.modules = &module, .n_modules = 1, .functions = functions, .n_functions = 2};
}

static void the_catalogue_says_where_functions_are_probed(void **state)
{
	struct catalogue catalogue = make_catalogue();
	json_t *root = catalogue_as_json(&catalogue, false);
	json_t *function = first(root, "functions");

	(void)state;
	assert_string_equal(text_of(function, "name"), "f");
	assert_string_equal(text_of(function, "module"), "/bin/prog");
	assert_true(number_of(function, "line") == 7);
	assert_string_equal(text_of(function, "entry"), "0x1000");
	assert_string_equal(text_of(function, "probe"), "0x1004");
	assert_string_equal(text_of(first(function, "exits"), "address"), "0x107f");
	assert_string_equal(text_of(first(function, "exits"), "kind"), "return");
	assert_string_equal(text_of(first(function, "ranges"), "high"), "0x1080");
	assert_null_at(function, "unmeasurable");
	assert_null(json_object_get(function, "features"));
	json_decref(root);
}

static void branches_and_switches_are_told_apart(void **state)
{
	struct catalogue catalogue = make_catalogue();
	json_t *root = catalogue_as_json(&catalogue, false);
	json_t *function = first(root, "functions");
	json_t *branch = first(function, "branches");
	json_t *way = json_array_get(json_object_get(function, "branches"), 1);

	(void)state;
	assert_string_equal(text_of(branch, "name"), "f.c:8 at f+0x10");
	assert_string_equal(text_of(branch, "kind"), "conditional");
	assert_string_equal(text_of(branch, "target"), "0x1020");
	assert_true(number_of(branch, "line") == 8);
	assert_string_equal(text_of(way, "kind"), "switch");
	assert_string_equal(text_of(way, "address"), "0x1018");
	assert_null_at(way, "target");
	assert_null_at(way, "file");
	assert_true(number_of(function, "switches_cut") == 4);
	json_decref(root);
}

static void an_unmeasurable_function_says_why(void **state)
{
	struct catalogue catalogue = make_catalogue();
	json_t *root = catalogue_as_json(&catalogue, true);
	json_t *function = json_array_get(json_object_get(root, "functions"), 1);

	(void)state;
	assert_string_equal(text_of(function, "unmeasurable"), "it is inlined everywhere");
	assert_null_at(function, "probe");
	assert_null_at(function, "module");
	assert_int_equal(json_array_size(json_object_get(function, "features")), 0);
	json_decref(root);
}

static void features_are_listed_when_asked_for(void **state)
{
	struct catalogue catalogue = make_catalogue();
	json_t *root = catalogue_as_json(&catalogue, true);
	json_t *function = first(root, "functions");
	json_t *feature = first(function, "features");
	json_t *second = json_array_get(json_object_get(function, "features"), 1);

	(void)state;
	assert_string_equal(text_of(feature, "expression"), "strlen(s)");
	assert_string_equal(text_of(feature, "type"), "int");
	assert_string_equal(text_of(feature, "provenance"), "parameter");
	assert_true(number_of(feature, "depth") == 1);
	assert_string_equal(text_of(feature, "explanation"), "in rdi");
	assert_true(json_is_true(json_object_get(feature, "readable")));
	assert_true(json_is_false(json_object_get(second, "readable")));
	assert_null_at(second, "explanation");
	assert_true(number_of(function, "features_cut") == 3);
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_annotation_says_what_it_is_about),
		cmocka_unit_test(a_model_says_its_formula),
		cmocka_unit_test(a_scope_is_a_list_of_conditions),
		cmocka_unit_test(what_is_unknown_or_infinite_is_null),
		cmocka_unit_test(a_deviation_that_depends_on_features_has_terms),
		cmocka_unit_test(texts_are_made_valid_utf8),
		cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
		cmocka_unit_test(the_catalogue_says_where_functions_are_probed),
		cmocka_unit_test(branches_and_switches_are_told_apart),
		cmocka_unit_test(an_unmeasurable_function_says_why),
		cmocka_unit_test(features_are_listed_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
