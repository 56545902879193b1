/*
 * The functions that calibration measures, as they lie in this process and, but for the load bias,
 * in its copy.
 */
#pragma once

#include "core/run.h"

/* Calls of the outer functions by the copy, at most; calls of an empty one by each. */
enum { CALIBRATE_ROUNDS = 60, CALIBRATE_INNER = 10 };

/*
 * Pairs of calls that a stop ends: after so many µs without stops, and at once; and one that a stop
 * begins.
 */
enum { CALIBRATE_MIXED_ROUNDS = 25, CALIBRATE_PAUSE_US = CALIBRATED_LATE_US };

/* With pads, of which a call is a thousand times cheaper; and features read of each call. */
enum {
	CALIBRATE_PAD_ROUNDS = 2500,
	CALIBRATE_WORK_FEATURES = 1,
	CALIBRATE_RICH_FEATURES = 9,
};

/*
 * Measured functions; twins of those without calls are not. With pads they work for some 50 ns, as
 * the processor does nothing and a pad at once.
 */
enum role {
	ROLE_EMPTY,
	ROLE_OUTER,
	ROLE_BARE,
	ROLE_STOPS_COUNT,
	ROLE_WORK = ROLE_STOPS_COUNT,
	ROLE_WORK_BARE,   /* of its twin */
	ROLE_APART_OUTER, /* which works a little between its calls, */
	ROLE_APART_BARE,  /* of the twin, too */
	ROLE_RICH,        /* as ROLE_WORK, but for its features */
	ROLE_RICH_OUTER,
	ROLE_TAKE_OUTER, /* of ROLE_TAKE, an allocator */
	ROLE_TAKE_BARE,
	ROLE_NEST_OUTER, /* of ROLE_NEST, one that calls ROLE_TAKE */
	ROLE_NEST_BARE,
	ROLE_LOCK_OUTER, /* of ROLE_LOCK, which takes a lock, and ROLE_UNLOCK, as often */
	ROLE_LOCK_BARE,
	ROLE_ENDED, /* as ROLE_WORK, but a stop ends it */
	ROLE_BEGUN, /* or begins it */
	ROLE_MEASURED_COUNT,
	ROLE_TAKE = ROLE_MEASURED_COUNT,
	ROLE_NEST,
	ROLE_LOCK,
	ROLE_UNLOCK,
	ROLE_COUNT
};

struct calibrate_role {
	const char *name;
	/* Up to `body` and from `tail` to `end` a jump has room; `exit`: its only return. */
	void (*entry)(void), (*body)(void), (*tail)(void), (*exit)(void), (*end)(void);
};

extern const struct calibrate_role calibrate_roles[ROLE_COUNT];

/*
 * In a copy: call the functions many times. For what a far stop costs, on the last processor, while
 * a second thread sleeps; with pads; so that stops end calls that pads begin.
 */
void calibrate_inferior_stops(void);
void calibrate_inferior_far(void);
void calibrate_inferior_pads(void);
void calibrate_inferior_mixed(void);
