/*
 * Running read plans: all plans of one function, level by level.
 *
 * A level is one vectored read of the inferior's memory. Every plan runs until it needs memory; the
 * requests of all plans are sorted, merged and read at once; then every plan goes on. So a sample
 * costs one read per level, however many features it has (long strings cost more).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/class_type.h"
#include "read_plan.h"
#include "core/value.h"

struct memory_read {
	uint64_t address; /* run-time */
	void *to;
	size_t size;
	bool ok; /* out: all bytes were read */
};

/* Memory of the inferior. @read fills in every element's @ok; it never fails as a whole. */
struct memory {
	void (*read)(void *self, struct memory_read *reads, size_t n);
	void *self;
};

struct plan_context {
	uint64_t registers[PLAN_REGISTERS]; /* as of PLAN_REG */
	/* bit N: register N is unknown, plans that need it give ABSENT_UNKNOWN_REGISTER */
	uint64_t unknown;
	const struct class_map *classes; /* NULL: none known */
	uint64_t load_bias;              /* run-time minus link-time address of the module */
	struct memory memory;
};

struct plan_runner; /* buffers, reused from sample to sample */

struct plan_runner *plan_runner_create(void);
void plan_runner_destroy(struct plan_runner *runner); /* NULL is fine */

/*
 * Run @n verified plans (a plan without steps gives ABSENT_OPTIMIZED_OUT) and fill @ret[0..n).
 * Returns the number of vectored reads.
 */
unsigned plan_runner_run(struct plan_runner *runner, const struct read_plan *const *plans, size_t n,
			 const struct plan_context *context, struct value *ret);

/* A whole word: doubles do not hold all of them. */
struct word {
	uint64_t bits; /* meaningful only when PRESENT */
	enum absence absence;
};

/* The same for the words that plans leave, whatever their `result` and `size`. */
unsigned plan_runner_run_words(struct plan_runner *runner, const struct read_plan *const *plans,
			       size_t n, const struct plan_context *context, struct word *ret);

/*
 * Run the steps of a verified plan from step @from on, with @words on the stack, as many as the
 * steps before would leave. These steps read no memory; @context's is not used.
 */
struct value plan_runner_finish(const struct read_plan *plan, unsigned from, const uint64_t *words,
				const struct plan_context *context);
