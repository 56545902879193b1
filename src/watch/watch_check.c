/* model/compare checks; ratios to expected costs are those of its tests of location. */
#include "watch_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/samples/derived_columns.h"
#include "judge/annotated_functions.h"
#include "results/where.h"

/* Fewer calls wait for more. */
enum { SAMPLES_MIN = 20 };

/* Of one function. */
struct watch_checked {
	const char *key;
	struct sample_key *rows; /* [n] that were checked, owned; none: they wait */
	size_t n;
};

struct watch_checking {
	struct profile *profile;
	const struct annotation_list *annotations;
	const struct check_options *options;
	struct check *check;
	struct watch_checked *checked;
	size_t n_checked, capacity;
};

static void watch_check_calls(struct watch_checking *checking, const struct annotation *annotation,
			      struct samples *samples)
{
	derived_columns_add_for(samples, annotation);
	check_samples_add(checking->check, annotation, checking->annotations, samples,
			  checking->options);
}

/* Those that fulfil the annotation's condition; other annotations want all of them. */
static bool watch_check_selected(struct watch_checking *checking,
				 const struct annotation *annotation, const char *key,
				 struct err *err)
{
	struct samples *samples;
	bool ok;

	if (!annotated_functions_load(checking->profile, 0, key, &samples, err))
		return false;
	ok = where_select(samples, annotation->where, annotation, err);
	if (ok)
		watch_check_calls(checking, annotation, samples);
	samples_destroy(samples);
	return ok || err->code == ERR_NOT_FOUND;
}

static bool is_checked(const struct watch_checking *checking, const char *key)
{
	for (size_t i = 0; i < checking->n_checked; i++)
		if (checking->checked[i].key == key)
			return true;
	return false;
}

/* A `take`. */
static bool watch_take_samples(void *context, size_t at, const char *key, struct samples *samples,
			       struct err *err)
{
	struct watch_checking *checking = context;
	const struct annotation *annotation = checking->annotations->list[at];
	const size_t n = samples->n_rows < SAMPLES_MIN ? 0 : samples->n_rows;

	if (!is_checked(checking, key)) {
		checking->checked = mem_grow(checking->checked, &checking->capacity,
					     checking->n_checked + 1, sizeof(*checking->checked));
		checking->checked[checking->n_checked++] = (struct watch_checked){
			key, mem_copy(samples->keys, n, sizeof(*samples->keys)), n};
	}
	if (n && annotation->where)
		return watch_check_selected(checking, annotation, key, err);
	if (n)
		watch_check_calls(checking, annotation, samples);
	return true;
}

static bool forget_checked(const struct watch_checking *checking, struct err *err)
{
	for (size_t i = 0; i < checking->n_checked; i++) {
		const struct watch_checked *checked = &checking->checked[i];

		if (!profile_forget(checking->profile, checked->key, checked->rows, checked->n,
				    err))
			return false;
	}
	return true;
}

/* Samples of functions that no annotation is of must not pile up. */
static bool forget_rest(const struct watch_checking *checking, struct err *err)
{
	const char *const *keys;
	const size_t n = profile_functions(checking->profile, &keys);
	struct samples *samples;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		if (is_checked(checking, keys[i]))
			continue;
		if (!annotated_functions_load(checking->profile, 0, keys[i], &samples, err))
			return false;
		ok = profile_forget(checking->profile, keys[i], samples->keys, samples->n_rows,
				    err);
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

	ret.is_worse = check_verdict(check, subject, &tests, &violated) == CHECK_WORSE;
	if (!tests)
		return ret;
	ret.samples = subject->n_samples;
	for (size_t i = 0; i < check->n_tests; i++)
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

	for (size_t i = 0; i < checking->annotations->n; i++)
		ret[i] = (struct watch_observation){.ratio = NAN};
	for (size_t j = 0; j < check->n_subjects; j++)
		for (size_t i = 0; i < checking->annotations->n; i++)
			if (checking->annotations->list[i] == check->subjects[j].annotation)
				ret[i] = observe(check, &check->subjects[j]);
}

bool watch_check_period(const char *path, const struct annotation_list *annotations,
			const struct check_options *options, struct watch_observation *ret,
			struct err *err)
{
	struct watch_checking checking = {
		.annotations = annotations, .options = options, .check = check_create()};
	struct annotated_functions functions = {annotations, 0, watch_take_samples, &checking,
						NULL};
	bool ok = profile_open_to_add(path, NULL, &checking.profile, err);

	if (ok) {
		ok = annotated_functions_each(&functions, checking.profile, err) &&
		     forget_checked(&checking, err) && forget_rest(&checking, err);
		profile_close(checking.profile);
		free(functions.found);
	}
	if (ok) {
		check_samples_decide(checking.check, options);
		observe_all(&checking, ret);
	}
	check_destroy(checking.check);
	for (size_t i = 0; i < checking.n_checked; i++)
		free(checking.checked[i].rows);
	free(checking.checked);
	return ok;
}
