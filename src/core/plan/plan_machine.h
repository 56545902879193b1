/*
 * Machines: a read plan under way, which stops whenever it wants memory. Private to plan_runner.h.
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
	size_t span;            /* the index of the read that serves the wish; plan_runner.c's */
	uint64_t string_length; /* bytes of a string seen so far */
	uint64_t string_limit;  /* bytes of a string to look at */
	enum { WANTS_WORD, WANTS_STRING, WANTS_ARRAY } wants;
	struct plan_array array; /* WANTS_ARRAY */
};

void plan_machine_start(struct plan_machine *machine, const struct read_plan *plan);

/* Run until memory is wanted or the plan ends. */
void plan_machine_run(struct plan_machine *machine, const struct plan_context *context);

/* What a waiting machine wants is there, or cannot be read: it wants more, runs, or is done. */
void plan_machine_feed(struct plan_machine *machine, const uint8_t *bytes);
void plan_machine_starve(struct plan_machine *machine);

/* Of a machine that is done. */
struct value plan_machine_result(const struct plan_machine *machine);
