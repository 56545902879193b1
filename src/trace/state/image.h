/*
 * A program that inferiors run, and what is measured of its functions. Private to trace/ and its
 * tests.
 */
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
	unsigned *features; /* what each plan reads; behind the last one: the return address */
	size_t n;
	bool uses_xmm;
};

struct branch_watch; /* private to branches.c */

struct measured_function {
	const struct function *function;
	struct plan_set at_entry, at_return;
	unsigned *system; /* features of FROM_SYSTEM */
	size_t n_system;
	struct value *blank; /* [features + 1] the values of a call of which nothing was read */
	uint64_t begun;      /* calls so far */
	struct branch_watch *branches; /* NULL: they are not looked at */
	bool said_failure;             /* it could not be planted */
	unsigned governed;             /* its number for the governor */
	bool closed;                   /* its probes are lifted */
	bool disabled;                 /* so they are, because the user wants it */
	bool over;                     /* its window is over: it is closed before this stop ends */
	bool exits_stay; /* it is closed but for its exits, as some open call needs them */
	uint64_t closings;
	uint64_t given_up; /* of the abandoned calls: watching for their ends cost too much */
	/*
	 * The frame that returned last where that tells which frames are new; see call_matching.c.
	 */
	struct {
		pid_t tid;
		uint64_t cfa;
		uint64_t closings;
	} returned;
	struct function_account account;
};

/* A program that inferiors run: what is measured of it. */
struct image {
	unsigned index;
	const struct catalogue *catalogue;
	struct measured_function *functions; /* as many as the catalogue has */
	uint64_t closings;                   /* of all of them */
	unsigned n_closed;                   /* or disabled */
};
