/*
 * What history asks a git repository, by the executable `git`: it knows every form of repository,
 * worktree, setting and permission as the user's own commands do, and worktrees for bisection; a
 * library would be one more version to agree with it. All fail with what git says; ERR_NOT_FOUND:
 * there is no git, no repository or no such commit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct git_commit {
	const char *id;       /* 40 digits or more */
	const char *name;     /* a short id */
	const char *date;     /* 2026-11-01 */
	const char *title;    /* the first line of its message */
	const char **parents; /* ids, NULL at the end */
};

/* The folder that the repository's files are in. */
bool git_top(struct arena *arena, const char **ret, struct err *err);

/* The id of the commit that @revision names. */
bool git_resolve(const char *revision, struct arena *arena, const char **ret, struct err *err);

/* A file that differs from its commit; NULL: none. Files that git does not know are no matter. */
bool git_changed(struct arena *arena, const char **ret, struct err *err);

struct git_commits {
	struct git_commit *list;
	size_t n;
};

enum git_way { GIT_ALL, GIT_FIRST_PARENTS };

/* At most @most commits from @revision back, children before parents. */
bool git_log(const char *revision, enum git_way way, size_t most, struct arena *arena,
	     struct git_commits *ret, struct err *err);

/*
 * The commits that are in @bad and in none of @goods (NULL at the end), those first that halve them
 * best; NULL at the end.
 */
bool git_candidates(const char *bad, const char *const *goods, struct arena *arena,
		    const char ***ret, struct err *err);

/* Files of a commit in a folder of their own, which must not exist; of another; and no more. */
bool git_worktree_add(const char *folder, const char *commit, struct arena *arena, struct err *err);
bool git_worktree_move(const char *folder, const char *commit, struct arena *arena,
		       struct err *err);
void git_worktree_remove(const char *folder, struct arena *arena);

/* Run the command line @build with the shell in @folder; its output goes to standard error. */
bool git_build(const char *folder, const char *build, struct err *err);
