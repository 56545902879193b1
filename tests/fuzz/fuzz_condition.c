/* Conditions of the session: refused in one line, or decided for any values. */
#include <stdlib.h>

#include "base/mem.h"
#include "core/plan/plan_runner.h"
#include "shell/condition_filter.h"
#include "fuzz.h"

static void decide(const struct call_condition *watch, const uint8_t *bytes, size_t n)
{
	const struct condition_name *names;
	size_t n_names = condition_names(watch, &names);
	struct value *values = mem_alloc((n_names + 1) * sizeof(*values));

	for (size_t i = 0; i < n_names; i++) {
		FUZZ_EXPECT(names[i].kind != CONDITION_FEATURE || names[i].expression);
		FUZZ_EXPECT(names[i].kind != CONDITION_PREDICTED || names[i].metric < METRIC_COUNT);
		values[i].number = bytes[i % n];
		values[i].absence = bytes[i % n] % 5 ? PRESENT : ABSENT_NULL;
	}
	FUZZ_EXPECT(condition_holds(watch, values) <= CONDITION_UNKNOWN);
	FUZZ_EXPECT(condition_is_early(watch) || n_names);
	free(values);
}

/* Name number i is register i, of one of some types, or unknown; its symbol is 1. */
static struct value read_name(const struct condition_name *name, unsigned reg, uint8_t kind,
			      struct plan_context *context, struct arena *arena,
			      struct condition_reading *ret)
{
	static const char *const types[] = {"signed 1",   "signed 4", "signed 8",
					    "unsigned 2", "bool 4",   "unsigned 8"};
	const char *type = types[kind % 6];
	struct read_plan *plan = arena_new(arena, struct read_plan);
	const struct read_plan *plans[] = {plan};
	struct plan_runner *runner = plan_runner_create();
	struct value value;
	struct err err;

	FUZZ_EXPECT(
		read_plan_parse(arena_printf(arena, "reg %u; %s", reg, type), arena, plan, &err));
	plan_runner_run(runner, plans, 1, context, &value);
	plan_runner_destroy(runner);
	*ret = (struct condition_reading){.plan = plan, .symbol = 1};
	if (value.absence == PRESENT && name->symbol)
		value.number = value.number == 1;
	return value;
}

/* A filter gives 0 only if the condition does not hold. */
static void filter(const struct call_condition *condition, const uint8_t *bytes, size_t n,
		   struct arena *arena)
{
	struct plan_runner *runner;
	struct condition_reading readings[16];
	const struct condition_name *names;
	struct plan_context context = {0};
	struct value values[16];
	struct read_plan plan;
	const struct read_plan *plans[] = {&plan};
	struct word word;

	if (condition_names(condition, &names) > 16)
		return;
	runner = plan_runner_create();
	for (size_t i = 0; i < condition_names(condition, &names); i++) {
		context.registers[i] = (uint64_t)(int64_t)(int8_t)bytes[i % n]
				       << bytes[i % n] % 3 * 8;
		context.unknown |= (uint64_t)(bytes[i % n] % 5 == 0) << i;
		values[i] =
			read_name(&names[i], i, bytes[(i + 1) % n], &context, arena, &readings[i]);
	}
	if (condition_filter(condition, readings, arena, &plan)) {
		plan_runner_run_words(runner, plans, 1, &context, &word);
		FUZZ_EXPECT(word.absence != PRESENT || word.bits ||
			    condition_holds(condition, values) != CONDITION_YES);
	}
	plan_runner_destroy(runner);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena *arena = arena_create();
	const char *text = arena_printf(arena, "%.*s", (int)(n < 8192 ? n : 8192), bytes);
	const struct call_condition *watch;
	struct err err = {0};

	if (condition_parse(text, NULL, arena, &watch, &err)) {
		decide(watch, bytes, n);
		filter(watch, bytes, n, arena);
	} else {
		FUZZ_EXPECT(err.code == ERR_FORMAT && err.text[0]);
	}
	arena_destroy(arena);
	return 0;
}
