/* Running read plans of any origin on registers and memory that are made up, with holes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/plan/plan_runner.h"
#include "fuzz.h"

enum { PAGE = 4096, READABLE_OF_8 = 7, LEVELS_MAX = 1024 };

#ifdef __clang__
__attribute__((no_sanitize("unsigned-integer-overflow")))
#endif
unsigned
fuzz_parts(const uint8_t *bytes, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = (sum + bytes[i]) * 0x9e3779b1u;
	sum >>= 12;
	return (sum & 3 ? 0 : FUZZ_GRAPH) | (sum >> 10 & 63 ? 0 : FUZZ_LIBRARIES) |
	       (sum >> 2 & 3 ? 0 : FUZZ_WRITTEN) | (sum >> 4 & 3 ? 0 : FUZZ_DEEP);
}

void fuzz_failed(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

static bool page_readable(uint64_t address)
{
	return address / PAGE % 8 < READABLE_OF_8;
}

/* Most bytes are such that pointers lead back to what can be read, and strings end. */
static void made_up_read(void *self, struct memory_read *reads, size_t n)
{
	(void)self;
	for (size_t i = 0; i < n; i++) {
		uint8_t *to = reads[i].to;

		FUZZ_EXPECT(reads[i].size > 0 && reads[i].size <= 1 << 24);
		reads[i].ok = page_readable(reads[i].address) &&
			      page_readable(reads[i].address + reads[i].size - 1);
		for (size_t k = 0; reads[i].ok && k < reads[i].size; k++)
			to[k] = (uint8_t)((reads[i].address + k) * 0x9e3779b1u >> 13);
	}
}

static const struct class_map *classes(void)
{
	static const struct class_map_range ranges[] = {{0x1000, 0x8000000000000000, 0}};
	static const struct class_type types[] = {{"A", 1}};
	static const struct class_cast_entry entries[] = {{0, 16}};
	static const struct class_cast casts[] = {{"A", entries, 1}};
	static const struct class_map map = {ranges, 1, types, casts, 1};

	return &map;
}

void fuzz_run_plans(const struct read_plan *const *plans, size_t n)
{
	struct plan_runner *runner = plan_runner_create();
	struct plan_context context = {
		.load_bias = 0x555500000000, .memory = {made_up_read, NULL}, .classes = classes()};
	struct value *values = mem_alloc((n ? n : 1) * sizeof(*values));

	for (size_t i = 0; i < PLAN_REGISTERS; i++)
		context.registers[i] = 0x7fff00000000 + i * 0x10008;
	FUZZ_EXPECT(plan_runner_run(runner, plans, n, &context, values) <= LEVELS_MAX);
	for (size_t i = 0; i < n; i++)
		FUZZ_EXPECT((unsigned)values[i].absence < ABSENCE_COUNT &&
			    (values[i].absence || isfinite(values[i].number)));
	free(values);
	plan_runner_destroy(runner);
}
