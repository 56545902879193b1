/* Conditions of the session: refused in one line, or decided for any values. */
#include <stdlib.h>

#include "base/mem.h"
#include "shell/condition.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena *arena = arena_create();
	const char *text = arena_printf(arena, "%.*s", (int)(n < 8192 ? n : 8192), bytes);
	const struct call_condition *watch;
	struct err err = {0};

	if (condition_parse(text, arena, &watch, &err))
		decide(watch, bytes, n);
	else
		FUZZ_EXPECT(err.code == ERR_FORMAT && err.text[0]);
	arena_destroy(arena);
	return 0;
}
