/*
 * Machines: a read plan being run, which stops whenever it needs memory. Private to plan_runner.c.
 */
#pragma once

#include "plan_runner.h"

enum { MACHINE_PAGE = 4096 };

enum plan_machine_state { RUNNING, WAITING, DONE };

struct plan_machine {
	const struct read_plan *plan;
	uint64_t stack[PLAN_STACK];
	unsigned depth;
	unsigned step;
	enum plan_machine_state state;
	enum absence absence;
	uint64_t want_address; /* WAITING */
	size_t want_size;
	size_t span;            /* index of the read that covers the request; plan_runner.c's */
	uint64_t string_length; /* bytes of a string seen so far */
	uint64_t string_limit;  /* how many bytes of a string may be read */
	enum { WANTS_WORD, WANTS_STRING, WANTS_ARRAY } wants;
	struct plan_array array; /* WANTS_ARRAY */
};

void plan_machine_start(struct plan_machine *machine, const struct read_plan *plan);

/* Run until it needs memory or the plan ends. */
void plan_machine_run(struct plan_machine *machine, const struct plan_context *context);

/* The requested @bytes are there, or cannot be read: request more, go on, or end. */
void plan_machine_feed(struct plan_machine *machine, const uint8_t *bytes);
void plan_machine_starve(struct plan_machine *machine);

/* What a plan gives whose steps leave @word. */
struct value plan_machine_value(const struct read_plan *plan, uint64_t word);

/* Of a machine in state DONE. */
struct value plan_machine_result(const struct plan_machine *machine);
