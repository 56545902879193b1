/* model/compare checks; ratios to expected costs are those of its tests of location. */
#include "watch_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/samples/derived_columns.h"
#include "judge/annotated_functions.h"

/* Fewer calls wait for more. */
enum { SAMPLES_MIN = 20 };

enum { ANY_CELLS = 64 << 20 };

struct watch_checking {
	struct profile *profile;
	const struct annotation_list *annotations;
	const struct check_options *options;
	struct check *check;
	const char **annotated; /* keys of functions that annotations are of */
	size_t n_annotated, capacity;
};

/* A `take`. */
static bool take_samples(void *context, size_t at, const char *key, struct samples *samples,
			 struct err *err)
{
	struct watch_checking *checking = context;
	const struct annotation *annotation = checking->annotations->list[at];

	checking->annotated = mem_grow(checking->annotated, &checking->capacity,
				       checking->n_annotated + 1, sizeof(*checking->annotated));
	checking->annotated[checking->n_annotated++] = key;
	if (samples->n_rows < SAMPLES_MIN)
		return true;
	if (!profile_forget(checking->profile, key, samples, err))
		return false;
	derived_columns_add_for(samples, annotation);
	check_samples_add(checking->check, annotation, checking->annotations, samples,
			  checking->options);
	return true;
}

static bool is_annotated(const struct watch_checking *checking, const char *key)
{
	size_t i;

	for (i = 0; i < checking->n_annotated; i++)
		if (checking->annotated[i] == key)
			return true;
	return false;
}

/* Samples of functions that no annotation is of must not pile up. */
static bool forget_rest(const struct watch_checking *checking, struct err *err)
{
	const char *const *keys;
	const size_t n = profile_functions(checking->profile, &keys);
	struct samples *samples;
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < n; i++) {
		if (is_annotated(checking, keys[i]))
			continue;
		if (!profile_load(checking->profile, keys[i], ANY_CELLS, &samples, err))
			return false;
		ok = profile_forget(checking->profile, keys[i], samples, err);
		samples_destroy(samples);
	}
	return ok;
}

static void observe_test(const struct check_test *test, double *observed, double *expected,
			 double *variance)
{
	const double n = (double)test->n;

	if (test->kind != CHECK_LOCATION)
		return;
	*observed += n * test->observed;
	*expected += n * test->expected;
	*variance += pow(n * test->error, 2);
}

static struct watch_observation observe(const struct check *check,
					const struct check_subject *subject)
{
	struct watch_observation ret = {.ratio = NAN};
	double observed = 0, expected = 0, variance = 0;
	size_t tests, violated;
	size_t i;

	ret.is_worse = check_verdict(check, subject, &tests, &violated) == CHECK_WORSE;
	if (!tests)
		return ret;
	ret.samples = subject->n_samples;
	for (i = 0; i < check->n_tests; i++)
		if (check->tests[i].annotation == subject->annotation)
			observe_test(&check->tests[i], &observed, &expected, &variance);
	if (expected > 0) {
		ret.ratio = observed / expected;
		ret.error = sqrt(variance) / expected;
	}
	return ret;
}

static void observe_all(const struct watch_checking *checking, struct watch_observation *ret)
{
	const struct check *check = checking->check;
	size_t i, j;

	for (i = 0; i < checking->annotations->n; i++)
		ret[i] = (struct watch_observation){.ratio = NAN};
	for (j = 0; j < check->n_subjects; j++)
		for (i = 0; i < checking->annotations->n; i++)
			if (checking->annotations->list[i] == check->subjects[j].annotation)
				ret[i] = observe(check, &check->subjects[j]);
}

bool watch_check_period(const char *path, const struct annotation_list *annotations,
			const struct check_options *options, struct watch_observation *ret,
			struct err *err)
{
	struct watch_checking checking = {
		.annotations = annotations, .options = options, .check = check_create()};
	struct annotated_functions functions = {annotations, 0, take_samples, &checking, NULL};
	bool ok = profile_open_to_add(path, NULL, &checking.profile, err);

	if (ok) {
		ok = annotated_functions_each(&functions, checking.profile, err) &&
		     forget_rest(&checking, err);
		profile_close(checking.profile);
		free(functions.found);
		free(checking.annotated);
	}
	if (ok) {
		check_samples_decide(checking.check, options);
		observe_all(&checking, ret);
	}
	check_destroy(checking.check);
	return ok;
}
