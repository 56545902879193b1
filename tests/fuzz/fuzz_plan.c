/* The text of read plans: parse, verify, print, parse again, run. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"

static char *printed(const struct read_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	read_plan_print(plan, out);
	fclose(out);
	return text;
}

/* A plan's own text means the same plan. */
static void check_text(const struct read_plan *plan, struct arena *arena)
{
	char *text = printed(plan), *again_text;
	struct read_plan again;
	struct err err;

	FUZZ_EXPECT(read_plan_parse(text, arena, &again, &err));
	again_text = printed(&again);
	FUZZ_EXPECT(!strcmp(text, again_text));
	free(text);
	free(again_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena *arena = arena_create();
	char *text = mem_alloc(n + 1);
	const struct read_plan *pointer;
	struct read_plan plan;
	struct err err = {0};

	memcpy(text, bytes, n);
	if (read_plan_parse(text, arena, &plan, &err)) {
		FUZZ_EXPECT(read_plan_verify(&plan, &err));
		check_text(&plan, arena);
		pointer = &plan;
		fuzz_run_plans(&pointer, 1);
	} else {
		FUZZ_EXPECT(err.code == ERR_FORMAT && err.text[0]);
	}
	free(text);
	arena_destroy(arena);
	return 0;
}
