/*
 * Frames: counts, absent bits, then the words of each feature, then a word for each loop and a byte
 * for each branch.
 */
#include "ring_layout.h"

#include <string.h>

#include "trace/call/branches.h"
#include "trace/state/callee_sums.h"

enum { CALLEE_WORDS = sizeof(struct pad_callee) / sizeof(uint64_t) };

static bool add_features(const struct plan_set *set, size_t n, uint32_t *bit, uint32_t *word,
			 struct pad_feature *features, const char **ret_why)
{
	for (size_t i = 0; i < n; i++) {
		if (!pad_plan_split(set->plans[i], &features[i].plan, ret_why))
			return false;
		features[i].bit = (*bit)++;
		features[i].word = *word;
		*word += features[i].plan.words;
	}
	return true;
}

static void add_strings(const struct plan_set *set, size_t n, struct ring_function *ret)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < set->plans[i]->n_steps; k++)
			if (set->plans[i]->steps[k].op == PLAN_STRLEN) {
				ret->strings[ret->n_strings++] = set->features[i];
				break;
			}
}

static bool add_all(const struct measured_function *measured, struct arena *arena,
		    struct ring_function *ret)
{
	/* The last plan at the entry reads the return address, which pads need not. */
	const size_t n_at_entry = measured->at_entry.n - 1;
	const size_t n = n_at_entry + measured->at_return.n;
	struct pad_feature *features = arena_array(arena, struct pad_feature, n);
	struct pad_function *code = &ret->code;
	const uint32_t counts = code->counts ? PAD_COUNTS_WORDS : 0;
	const uint32_t first = counts + code->n_callees * CALLEE_WORDS;
	uint32_t bit = 64 * first;

	code->callees = counts;
	code->n_absent = first + (n + 63) / 64;
	code->n_words = code->n_absent;
	if (!add_features(&measured->at_entry, n_at_entry, &bit, &code->n_words, features,
			  &ret->why) ||
	    !add_features(&measured->at_return, measured->at_return.n, &bit, &code->n_words,
			  features + n_at_entry, &ret->why))
		return false;
	code->at_entry = features;
	code->n_at_entry = n_at_entry;
	code->at_return = features + n_at_entry;
	code->n_at_return = measured->at_return.n;
	ret->features = arena_array(arena, unsigned, n);
	memcpy(ret->features, measured->at_entry.features, n_at_entry * sizeof(unsigned));
	if (measured->at_return.n)
		memcpy(ret->features + n_at_entry, measured->at_return.features,
		       measured->at_return.n * sizeof(unsigned));
	for (size_t i = 0; i < n; i++)
		features[i].is_rare = measured->function->features[ret->features[i]].is_rare;
	ret->strings = arena_array(arena, unsigned, n);
	add_strings(&measured->at_entry, n_at_entry, ret);
	add_strings(&measured->at_return, measured->at_return.n, ret);
	return true;
}

static bool add_filters(const struct measured_function *measured, struct arena *arena,
			struct ring_function *ret)
{
	struct pad_plan *filters = arena_array(arena, struct pad_plan, measured->n_filters);

	if (measured->n_filters > PAD_FILTERS_MAX)
		ret->why = "there are too many conditions";
	for (size_t i = 0; !ret->why && i < measured->n_filters; i++)
		pad_plan_whole(&measured->filters[i], &filters[i], &ret->why);
	ret->code.filters = filters;
	ret->code.n_filters = measured->n_filters;
	return !ret->why;
}

void ring_layout_make(const struct measured_function *measured, unsigned number, uint64_t load_bias,
		      struct ring_wants wants, const struct class_map *classes, struct arena *arena,
		      struct ring_function *ret)
{
	*ret = (struct ring_function){.why = measured->function->unmeasurable,
				      .by_stops = measured->by_stops,
				      .filters = measured->filters};
	if (measured->by_stops)
		ret->why = "its calls are to stop";
	if (measured->function->block)
		ret->why = "it is a block";
	if (ret->why)
		return;
	if (number >= PAD_FUNCTIONS_MAX) {
		ret->why = "there are too many functions";
		return;
	}
	ret->code.counts = wants.counts;
	ret->code.n_callees = wants.n_callees;
	if (!pad_plan_split(&measured->function->cfa, &ret->code.cfa, &ret->why) ||
	    !add_all(measured, arena, ret))
		return;
	if (!add_filters(measured, arena, ret))
		return;
	ret->code.number = number;
	ret->code.probe_in_loop = measured->function->probe_in_loop;
	ret->code.load_bias = load_bias;
	ret->code.classes = classes;
	ret->code.branches = ret->code.n_words;
	ret->code.n_branches = branches_count(measured);
	ret->code.n_words += (ret->code.n_branches + 7) / 8;
	if (ring_layout_size(ret) > PAD_RECORD_MAX)
		ret->why = "it has too many features";
}

uint32_t ring_layout_size(const struct ring_function *function)
{
	return PAD_FRAME_SIZE + function->code.n_words * (uint32_t)sizeof(uint64_t);
}

static struct value word_value(const struct ring_function *function,
			       const struct pad_feature *feature, const struct pad_frame *frame,
			       bool converted)
{
	const struct plan_context context = {.load_bias = function->code.load_bias,
					     .classes = function->code.classes};
	const uint64_t *words = &frame->words[feature->word];
	const bool absent = frame->words[feature->bit / 64] >> feature->bit % 64 & 1;
	struct value value = {.absence = PRESENT};

	if (absent)
		return (struct value){.absence = words[0] && words[0] < ABSENCE_COUNT
							 ? (enum absence)words[0]
							 : ABSENT_UNREADABLE};
	if (!converted)
		return pad_plan_finish(&feature->plan, words, PRESENT, &context);
	memcpy(&value.number, words, sizeof(value.number));
	return value;
}

void ring_layout_values(const struct ring_function *function, const struct pad_frame *frame,
			bool at_return, struct value *values)
{
	const struct pad_function *code = &function->code;
	const bool is_all = frame->flags & PAD_VALUES || rare_is_read(frame->rank);

	for (size_t i = 0; i < code->n_at_entry; i++)
		if (is_all || !code->at_entry[i].is_rare)
			values[function->features[i]] = word_value(
				function, &code->at_entry[i], frame, frame->flags & PAD_VALUES);
	for (size_t i = 0; at_return && i < code->n_at_return; i++)
		values[function->features[code->n_at_entry + i]] =
			word_value(function, &code->at_return[i], frame, false);
}

void ring_layout_words(const struct ring_function *function, const struct value *values,
		       struct pad_frame *frame)
{
	const struct pad_function *code = &function->code;

	frame->flags |= PAD_VALUES;
	memset(frame->words, 0, code->n_words * sizeof(uint64_t));
	for (size_t i = 0; i < code->n_at_entry; i++) {
		const struct pad_feature *feature = &code->at_entry[i];
		const struct value *value = &values[function->features[i]];

		if (value->absence == PRESENT) {
			memcpy(&frame->words[feature->word], &value->number, sizeof(double));
			continue;
		}
		frame->words[feature->bit / 64] |= UINT64_C(1) << feature->bit % 64;
		frame->words[feature->word] = value->absence;
	}
}

struct callee_sums *ring_layout_callees(const struct ring_function *function,
					const struct tsc_clock *clock,
					const struct pad_frame *frame)
{
	const struct pad_callee *words =
		(const struct pad_callee *)&frame->words[function->code.callees];
	struct callee_sums *ret;

	if (!function->code.n_callees || words[0].calls & PAD_CALLEES_UNKNOWN)
		return NULL;
	ret = callee_sums_create();
	for (unsigned i = 0; i < function->code.n_callees; i++) {
		struct callee_sum sum = {
			.function = i, .unknown = ~(1u << METRIC_TIME), .calls = words[i].calls};

		sum.costs[METRIC_TIME] = tsc_clock_ns(clock, (int64_t)words[i].ticks) / 1000;
		if (words[i].calls)
			callee_sums_add(&ret, &sum);
	}
	return ret;
}

void ring_layout_give_callees(const struct ring_function *function, const struct tsc_clock *clock,
			      const struct open_call *call, struct pad_callee *ret)
{
	bool lost = call->callees_lost || call->inner_unknown == ~0u;

	for (size_t i = 0; call->callees && i < call->callees->n; i++) {
		const struct callee_sum *sum = &call->callees->list[i];

		lost |= sum->unknown & 1u << METRIC_TIME;
		if (sum->function < function->code.n_callees)
			ret[sum->function] = (struct pad_callee){
				sum->calls,
				(uint64_t)tsc_clock_ticks(clock, sum->costs[METRIC_TIME] * 1000)};
	}
	if (lost && function->code.n_callees)
		ret[0].calls |= PAD_CALLEES_UNKNOWN;
}
