/*
 * The requests that the calls of a client's function made, and the servers' calls that worked for
 * them. Private to merge/.
 */
#pragma once

#include "merge_side.h"

struct merge_pair {
	struct message asked;
	size_t served; /* index of the servers' calls */
};

struct merge_pairs {
	struct match *matches; /* [rows of the client's table]: elements of `list` */
	struct merge_pair *list;
};

/* A call is matched if all of its requests are. @name: by a feature, or NULL. */
void merge_pairs_find(const struct samples *client, const struct merge_side *clients,
		      const struct merge_name *name, const struct merge_side *servers,
		      struct merge_pairs *ret);
void merge_pairs_deinit(struct merge_pairs *pairs);
