/*
 * The functions that calibration measures, as they lie in this process and, but for the load bias,
 * in its copy.
 */
#pragma once

/* Calls of the outer functions by the copy, at most; calls of an empty one by each. */
enum { CALIBRATE_ROUNDS = 60, CALIBRATE_INNER = 10 };

/* Measured functions; the empty one's twin is not. */
enum role { ROLE_EMPTY, ROLE_OUTER, ROLE_BARE, ROLE_COUNT };

struct calibrate_role {
	const char *name;
	void (*entry)(void), (*exit)(void), (*end)(void); /* `exit`: its only return */
};

extern const struct calibrate_role calibrate_roles[ROLE_COUNT];
