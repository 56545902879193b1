/*
 * What of work that was done at once somebody had to wait for: plain data. At each moment that is
 * the work which ended last. Private to merge/.
 */
#pragma once

#include <stddef.h>

/* When it was, by any clock, how much of that was work, and how much it lost to stops. */
struct path_stretch {
	double began_us, ended_us;
	double worked_us, lost_us;
	size_t of;         /* whose it is: the caller's */
	double awaited_us; /* found: what of the work is on the path */
};

/* Of @list[n], which is sorted: the work on the path, each one's too, and what was lost there. */
void critical_path_find(struct path_stretch *list, size_t n, double *ret_worked, double *ret_lost);
