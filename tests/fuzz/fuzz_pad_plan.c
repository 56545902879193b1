/* Read plans as code of pads: the text of a plan, or bytes that choose its steps. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "pad_plan_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct pad_check *check;
	struct arena *arena = arena_create();
	char *text = mem_alloc(n + 1);
	struct read_plan plan;
	const char *wrong;
	struct value value;
	struct err err;

	if (!check)
		check = pad_check_create();
	memcpy(text, bytes, n);
	if (n && !read_plan_parse(text, arena, &plan, &err))
		plan = pad_check_plan(bytes, n, arena);
	if (n) {
		pad_check_draw(check, bytes[0] + 1);
		wrong = pad_check_run(check, &plan, &value);
		if (wrong) {
			fprintf(stderr, "%s\n", wrong);
			read_plan_print(&plan, stderr);
		}
		FUZZ_EXPECT(!wrong);
	}
	free(text);
	arena_destroy(arena);
	return 0;
}
