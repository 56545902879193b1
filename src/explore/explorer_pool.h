/*
 * Profiles that stay open between the explorer's calls, one for each thread that reads at the same
 * time: to open one takes as long as to read several functions. Any thread may call.
 */
#pragma once

#include "profile/profile.h"

struct explorer_pool;

/* A profile that is lent, and where it belongs. */
struct lent_profile {
	struct profile *profile;
	struct explorer_pool *pool;
};

/* For one profile, which does not grow meanwhile. */
struct explorer_pool *explorer_pool_create(void);

/* Those that are still lent are closed as they come back. NULL is fine. */
void explorer_pool_destroy(struct explorer_pool *pool);

/* @pool NULL: the profile @path is opened, and closed again. Errors of profile_open(). */
bool explorer_pool_lend(struct explorer_pool *pool, const char *path, struct lent_profile *ret,
			struct err *err);
void explorer_pool_take_back(const struct lent_profile *lent); /* no profile is fine */
