/* Read plans as code of pads against the interpreter, on the same registers and memory. */
#ifndef FATHOM_TESTS_PAD_PLAN_CHECK_H
#define FATHOM_TESTS_PAD_PLAN_CHECK_H

#include "base/arena.h"
#include "code_runner.h"

enum {
	PAD_CHECK_BASE = 0x20000000, /* the memory, of which some pages cannot be read */
	PAD_CHECK_PAGE = 4096,
	PAD_CHECK_PAGES = 8,
	PAD_CHECK_HOLE = 3, /* this page and the last one */
};

struct pad_check; /* the memory, and the interpreter's buffers */

struct pad_check *pad_check_create(void);
void pad_check_destroy(struct pad_check *check);

/* Draw other registers and memory; no sum of floats in it is NaN, whose bits may vary. */
void pad_check_draw(struct pad_check *check, uint64_t seed);
void pad_check_set_register(struct pad_check *check, unsigned reg, uint64_t number);
void pad_check_set_memory(struct pad_check *check, uint64_t address, const void *bytes, size_t n);

/*
 * Run a verified plan both ways. NULL if a pad cannot run it, or if both give the same and the code
 * changes nothing but what it may; else what is wrong. *@ret: what the interpreter gives.
 */
const char *pad_check_run(struct pad_check *check, const struct read_plan *plan, struct value *ret);

/* A verified plan made of @bytes, with steps in @arena. */
struct read_plan pad_check_plan(const uint8_t *bytes, size_t n, struct arena *arena);

#endif
