/* Costs in terms of callees' costs, of calls whose law is known. */
#include "model_table.h"

#include "base/arena.h"
#include "core/annotation/expectation.h"
#include "model/compose/compose.h"

enum { CALLS = 300 };

/* A caller with features a and b, and its callee with feature s; ids count over both. */
struct pair {
	struct table caller, callee;
	int64_t id;
	double inner; /* cost of the callees of the call that is being made */
};

static void pair_init(struct pair *pair, long seed)
{
	table_init(&pair->caller, seed);
	add_feature(&pair->caller, "a", FEATURE_INT, 0);
	add_feature(&pair->caller, "b", FEATURE_INT, 0);
	table_init(&pair->callee, seed + 1);
	free(pair->callee.samples->function);
	pair->callee.samples->function = strdup("sort");
	add_feature(&pair->callee, "s", FEATURE_INT, 0);
	pair->id = 0;
	pair->inner = 0;
}

static void pair_deinit(struct pair *pair)
{
	table_deinit(&pair->caller);
	table_deinit(&pair->callee);
}

/* The next call of the caller calls the callee with @s; ids are by the begin of calls. */
static void call(struct pair *pair, double s, double cost)
{
	struct table *callee = &pair->callee;
	const int64_t parent = 1000000 + (int64_t)pair->caller.samples->n_rows;
	const struct sample_key key = {.id = ++pair->id, .parent = parent, .start_ns = pair->id};

	set(callee, 0, cost);
	set(callee, 1, s);
	samples_append(callee->samples, &key, callee->cells);
	pair->inner += cost;
}

/* It ends. */
static void end(struct pair *pair, double a, double b, double own)
{
	struct table *caller = &pair->caller;
	const struct sample_key key = {.id = 1000000 + (int64_t)caller->samples->n_rows};

	set(caller, 0, own + pair->inner);
	set(caller, 1, a);
	set(caller, 2, b);
	samples_append(caller->samples, &key, caller->cells);
	pair->inner = 0;
}

struct result {
	struct arena *arena;
	struct annotation *direct, *callee;
	struct composition composition;
};

static void compose(const struct pair *pair, struct result *ret)
{
	const struct model_options options = {.min_r2 = 0.75};
	struct compose_callee callee = {.samples = pair->callee.samples};

	ret->arena = arena_create();
	ret->direct = model_build(pair->caller.samples, METRIC_TIME, &options);
	ret->callee = model_build(pair->callee.samples, METRIC_TIME, &options);
	callee.annotation = ret->callee;
	compose_function(pair->caller.samples, ret->direct, &callee, 1, &options, ret->arena,
			 &ret->composition);
}

static void result_deinit(struct result *result)
{
	annotation_destroy(result->direct);
	annotation_destroy(result->callee);
	annotation_destroy(result->composition.annotation);
	arena_destroy(result->arena);
}

/* The formula of the only case. */
static char *mean_of(const struct annotation *annotation)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(annotation->n_cases, 1);
	annotation_print_formula(annotation, &annotation->cases->models->mean, out);
	fclose(out);
	return text;
}

static double expect(const struct result *result, double a, double b)
{
	struct annotation *list[] = {result->composition.annotation, result->callee};
	const struct annotation_list all = {list, 2, 2};
	const struct annotation *annotation = result->composition.annotation;
	struct argument x[8] = {{0}};
	struct expectation expectation;
	struct err err;

	for (size_t i = 0; i < annotation->n_features; i++)
		x[i] = (struct argument){.known = true,
					 .number = *annotation->features[i].expression == 'a' ? a
											      : b};
	assert_true(expectation_find(annotation, &all, x, &expectation, &err));
	return expectation.mean;
}

/* Of the thesis: two lists are sorted, and something is done with each element of the second. */
static void two_calls_are_told_apart(void **state)
{
	struct pair pair;
	struct result result;
	char *text;

	(void)state;
	pair_init(&pair, 3);
	for (int i = 0; i < CALLS; i++) {
		const double a = floor(uniform(&pair.caller, 200, 9000));
		const double b = floor(uniform(&pair.caller, 200, 9000));

		call(&pair, a, 0.029 * a * log(a) * (1 + 0.03 * normal(&pair.callee)));
		call(&pair, b, 0.029 * b * log(b) * (1 + 0.03 * normal(&pair.callee)));
		end(&pair, a, b, 0.58 * b + 20 * normal(&pair.caller));
	}
	compose(&pair, &result);
	assert_null(result.composition.why);
	assert_non_null(result.composition.annotation);
	text = mean_of(result.composition.annotation);
	assert_non_null(strstr(text, "@sort[s:=a]"));
	assert_non_null(strstr(text, "@sort[s:=b]"));
	free(text);
	assert_int_equal(result.composition.annotation->cases->models->growth, GROWTH_NLOGN);
	/*
	 * The slope of the own part has the standard error 20 / sqrt(300) / 2540, 0.08 % of it,
	 * that of the callee 3 % / sqrt(600): far below 1 % together.
	 */
	assert_true(fabs(expect(&result, 90000, 90000) /
				 (2 * 0.029 * 90000 * log(90000) + 0.58 * 90000) -
			 1) < 0.01);
	result_deinit(&result);
	pair_deinit(&pair);
}

static void calls_are_counted_by_a_feature(void **state)
{
	struct pair pair;
	struct result result;
	char *text;

	(void)state;
	pair_init(&pair, 5);
	for (int i = 0; i < CALLS; i++) {
		const double a = floor(uniform(&pair.caller, 0, 30));
		const double b = floor(uniform(&pair.caller, 100, 500));

		for (int j = 0; j < a; j++)
			call(&pair, 2 * b + 1, 3 * (2 * b + 1));
		end(&pair, a, b, 5 * b);
	}
	compose(&pair, &result);
	assert_non_null(result.composition.annotation);
	text = mean_of(result.composition.annotation);
	assert_string_equal(text, "5*b + @sort[s:=1 + 2*b]*a");
	free(text);
	assert_string_equal(result.composition.annotation->notes[0], result.composition.parts);
	assert_int_equal(result.composition.annotation->cases->models->growth, GROWTH_LINEAR);
	result_deinit(&result);
	pair_deinit(&pair);
}

static void what_differs_from_call_to_call_is_a_part_without_a_reference(void **state)
{
	struct pair pair;
	struct result result;

	(void)state;
	pair_init(&pair, 7);
	for (int i = 0; i < CALLS; i++) {
		const double a = floor(uniform(&pair.caller, 1, 30));
		const double own = 1.5 * a * (a - 1); /* as much as the callee */

		for (int j = 0; j < a; j++)
			call(&pair, j, 3 * j);
		end(&pair, a, 0, own);
	}
	compose(&pair, &result);
	assert_null(result.composition.annotation);
	assert_string_equal(result.composition.parts,
			    "Parts: sort 50 % (no reference: its s is no feature of the caller), "
			    "own 50 %.");
	result_deinit(&result);
	pair_deinit(&pair);
}

/* What the callee does not know of its own cost, its caller may. */
static void parts_that_predict_worse_are_refused(void **state)
{
	struct pair pair;
	struct result result;

	(void)state;
	pair_init(&pair, 9);
	for (int i = 0; i < CALLS; i++) {
		const double a = floor(uniform(&pair.caller, 1, 100));
		const double b = floor(uniform(&pair.caller, 1, 100));

		call(&pair, b, 50 * a);
		end(&pair, a, b, 5 * b);
	}
	compose(&pair, &result);
	assert_null(result.composition.annotation);
	assert_non_null(strstr(result.composition.why, "explain other calls worse"));
	result_deinit(&result);
	pair_deinit(&pair);
}

/* While the callee was closed its calls were missed: the caller's self time is absent. */
static void calls_some_of_whose_callees_were_missed_do_not_count(void **state)
{
	const struct column self = {.name = "self.time",
				    .role = COLUMN_METRIC,
				    .metric = (enum metric)(METRIC_SELF + METRIC_TIME)};
	struct pair pair;
	struct result result;
	char *text;

	(void)state;
	pair_init(&pair, 11);
	samples_add_column(pair.caller.samples, &self);
	for (int i = 0; i < CALLS; i++) {
		const double a = floor(uniform(&pair.caller, 1, 100));
		const bool missed = i % 5 == 0;

		if (missed) {
			pair.inner = 7 * a;
			set_absent(&pair.caller, 3);
		} else {
			call(&pair, a, 7 * a);
			set(&pair.caller, 3, 2 * a);
		}
		end(&pair, a, 0, 2 * a);
	}
	compose(&pair, &result);
	assert_non_null(result.composition.annotation);
	text = mean_of(result.composition.annotation);
	assert_string_equal(text, "@sort[s:=a] + 2*a");
	free(text);
	assert_string_equal(result.composition.parts, "Parts: sort 78 %, own 22 %.");
	result_deinit(&result);
	pair_deinit(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_calls_are_told_apart),
		cmocka_unit_test(calls_are_counted_by_a_feature),
		cmocka_unit_test(what_differs_from_call_to_call_is_a_part_without_a_reference),
		cmocka_unit_test(parts_that_predict_worse_are_refused),
		cmocka_unit_test(calls_some_of_whose_callees_were_missed_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
