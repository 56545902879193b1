/* A program that inferiors run, and the state of its measured functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/catalogue/catalogue.h"
#include "core/run.h"

/* Plans that are run together. */
struct plan_set {
	const struct read_plan **plans;
	unsigned *features; /* that each plan reads; the last plan reads the return address */
	size_t n;
	bool uses_xmm;
};

struct branch_set; /* defined in branches.c */

struct measured_function {
	const struct function *function;
	struct plan_set at_entry, at_return;
	struct plan_set few; /* of at_entry, in nine of ten calls; empty: in all calls all */
	unsigned *system;    /* indices of FROM_SYSTEM features */
	size_t n_system;
	struct value *blank;         /* [features + 1] values of a call of which nothing was read */
	uint64_t begun;              /* calls so far */
	struct branch_set *branches; /* NULL: not measured */
	bool said_failure;           /* noted that it could not be planted */
	unsigned governed;           /* its number in the governor */
	bool closed;                 /* by the governor: its probes are lifted */
	bool disabled;               /* by the user: likewise */
	bool known;                  /* its cost is: others' calls tell more */
	uint64_t disabled_at_ns;     /* of its time in windows; if it is */
	uint64_t disabled_ns;        /* of that, how long it was, up to the last time */
	bool over;                   /* its window is over: closed before this stop ends */
	bool exits_stay;             /* closed, but open calls need its exits */
	double passed_ns;            /* what passing its closed pads has cost since it closed */
	bool withdrawn;              /* that is too much: its jumps are to be withdrawn */
	uint32_t strings;            /* bytes that pads look at for the end of a string */
	struct {
		double strings_ns, calls_ns; /* of records since it was lowered */
	} read;
	bool by_stops;   /* never by pads: its calls are to be seen while they last */
	bool asks;       /* its pads follow no pointers: too many lead nowhere */
	unsigned faults; /* of its pads' loads, since: */
	uint64_t faults_ns;
	uint64_t begun_before_faults; /* `begun` then */
	/* As in struct session_watch. */
	bool tells_beginnings;
	const struct read_plan *filters;
	size_t n_filters;
	const uint64_t *lines;
	size_t n_lines;
	uint64_t closings;
	uint64_t given_up; /* calls abandoned as their ends were too costly to see */
	/* The last frame that returned, for entry_facts.has_returned (call_stack.h). */
	struct {
		pid_t tid;
		uint64_t cfa;
		uint64_t closings;
	} returned;
	struct {
		double n, mean, squares; /* of deviations from the mean, of which @n were summed */
	} times;                         /* of samples, in µs */
	struct function_account account;
};

struct image {
	unsigned index;
	const unsigned *blocks; /* [n_blocks] parts of functions, the innermost first */
	size_t n_blocks;
	const struct catalogue *catalogue;
	struct measured_function *functions; /* [catalogue's functions] */
	uint64_t closings;                   /* sum over functions */
	uint64_t changed_ns;                 /* when a function was opened or closed last */
	unsigned n_closed;                   /* or disabled */
};
