/*
 * What tests of the recorder share: calls of a function of which only the time is known, and of
 * another program.
 */
#ifndef FATHOM_TESTS_RECORDER_CALLS_H
#define FATHOM_TESTS_RECORDER_CALLS_H

#include "profile_fixture.h"

#include "base/random.h"
#include "record/recorder.h"

/* A function of which only the time is known. */
static const struct function plain = {.name = "p", .linkage = "p"};
static const struct catalogue plain_catalogue = {.functions = &plain, .n_functions = 1};

static const char *const no_modules[] = {NULL};

static inline struct recorder *record_plain(struct profile *profile, size_t samples,
					    unsigned period_ms)
{
	const struct recorder_options options = {.samples = samples, .period_ms = period_ms};
	struct recorder *recorder = recorder_create(profile, &options);

	recorder_add_image(recorder, 0, &plain_catalogue, no_modules);
	return recorder;
}

/* Always the same ones: a test that passes goes on to. */
static inline uint32_t next_rank(void)
{
	static struct random_state chance = {.state = 12};

	return (uint32_t)(random_next(&chance) >> 32);
}

static inline bool call_plain(struct recorder *recorder, int64_t id, struct err *err)
{
	const struct call_record call = {.id = id,
					 .rank = next_rank(),
					 .limit = SESSION_RANK_ALL,
					 .stops = 2,
					 .stopped_ns = 3000,
					 .metrics = {{id, PRESENT}}};

	return recorder_add(recorder, &call, err);
}

static inline void calls_plain(struct recorder *recorder, int64_t first, size_t n)
{
	struct err err;
	size_t i;

	for (i = 0; i < n; i++)
		assert_true(call_plain(recorder, first + i, &err));
}

/* Another program, whose function f has other features, and which has a library. */
static const struct feature other_features[] = {{"m", FEATURE_INT}};
static const struct function other_functions[] = {
	{.name = "f", .linkage = "f", .features = other_features, .n_features = 1},
	{.name = "g", .linkage = "g", .module = 1},
};
static const struct catalogue other = {.functions = other_functions, .n_functions = 2};
static const char *const other_modules[] = {"/bin/other", "/lib/l.so"};

static inline void record_other(struct recorder *recorder, int64_t id, unsigned index)
{
	const struct value values[] = {{7, PRESENT}};
	const struct call_record call = {.id = id,
					 .image = 1,
					 .function = index,
					 .process = 70,
					 .thread = 71,
					 .rank = next_rank(),
					 .limit = SESSION_RANK_ALL,
					 .metrics = {{1, PRESENT}},
					 .features = values};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

#endif
