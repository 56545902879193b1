/*
 * The folder .fathom of a repository: commits/ID/KEY.fathom are profiles, of a commit and of what
 * was measured how (the key, which the caller makes: only equal ones are compared); config is
 * watched.h's. commits/ is ignored by git.
 */
#pragma once

#include "git.h"

struct store {
	struct arena *arena; /* borrowed, of all texts */
	const char *top;     /* of the repository */
	const char *folder;
};

/* Of the repository that we are in. Makes nothing. */
bool store_open(struct arena *arena, struct store *ret, struct err *err);

/* The path of a profile, there or not. */
const char *store_path(const struct store *store, const char *commit, const char *key);
bool store_has(const struct store *store, const char *commit, const char *key);

/* Make the folder of @commit. ERR_IO. */
bool store_prepare(const struct store *store, const char *commit, struct err *err);

/* The keys of a commit's profiles, sorted, NULL at the end. */
const char **store_keys(const struct store *store, const char *commit);

/*
 * With what a commit's profile is compared: on the way from each of its parents back, the first
 * commit with a profile of @key among @commits. Indices in @ret[commits->n]; returns how many.
 */
size_t store_baselines(const struct store *store, const struct git_commits *commits, size_t of,
		       const char *key, size_t *ret);
