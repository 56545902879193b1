/* Paths, and the way back through commits. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static const char suffix[] = ".fathom";

bool store_open(struct arena *arena, struct store *ret, struct err *err)
{
	*ret = (struct store){.arena = arena};
	if (!git_top(arena, &ret->top, err))
		return false;
	ret->folder = arena_printf(arena, "%s/.fathom", ret->top);
	return true;
}

static const char *commit_folder(const struct store *store, const char *commit)
{
	return arena_printf(store->arena, "%s/commits/%s", store->folder, commit);
}

const char *store_path(const struct store *store, const char *commit, const char *key)
{
	return arena_printf(store->arena, "%s/%s%s", commit_folder(store, commit), key, suffix);
}

bool store_has(const struct store *store, const char *commit, const char *key)
{
	return access(store_path(store, commit, key), F_OK) == 0;
}

static bool make_folder(const char *path, struct err *err)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ||
	       err_set_errno(err, ERR_IO, errno, "cannot make the folder %s", path);
}

static bool write_ignored(const struct store *store, struct err *err)
{
	const char *path = arena_printf(store->arena, "%s/.gitignore", store->folder);
	FILE *file;

	if (access(path, F_OK) == 0)
		return true;
	file = fopen(path, "wex"); /* a link leads to what is somebody else's */
	if (!file && errno == EEXIST)
		return true;
	if (!file || fputs("commits/\n", file) < 0 || fclose(file) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
	return true;
}

bool store_prepare(const struct store *store, const char *commit, struct err *err)
{
	return make_folder(store->folder, err) && write_ignored(store, err) &&
	       make_folder(arena_printf(store->arena, "%s/commits", store->folder), err) &&
	       make_folder(commit_folder(store, commit), err);
}

static int is_profile(const struct dirent *entry)
{
	const size_t n = strlen(entry->d_name), end = sizeof(suffix) - 1;

	return n > end && *entry->d_name != '.' && !strcmp(entry->d_name + n - end, suffix);
}

const char **store_keys(const struct store *store, const char *commit)
{
	struct dirent **entries = NULL;
	const int n = scandir(commit_folder(store, commit), &entries, is_profile, alphasort);
	const char **keys = arena_array(store->arena, const char *, n > 0 ? n + 1 : 1);

	for (int i = 0; i < n; i++) {
		char *key = arena_strdup(store->arena, entries[i]->d_name);

		key[strlen(key) - (sizeof(suffix) - 1)] = '\0';
		keys[i] = key;
		free(entries[i]);
	}
	free(entries);
	return keys;
}

static size_t find_commit(const struct git_commits *commits, const char *id)
{
	size_t i;

	for (i = 0; i < commits->n && strcmp(commits->list[i].id, id) != 0; i++)
		continue;
	return i;
}

/* A walk back that ends at commits with a profile. */
struct walk {
	const struct store *store;
	const struct git_commits *commits;
	const char *key;
	bool *seen;
	size_t *found, n_found;
};

static void walk_from(struct walk *walk, size_t at)
{
	const struct git_commit *list = walk->commits->list;

	for (size_t i = 0; list[at].parents[i]; i++) {
		const size_t parent = find_commit(walk->commits, list[at].parents[i]);

		if (parent == walk->commits->n || walk->seen[parent])
			continue;
		walk->seen[parent] = true;
		if (store_has(walk->store, list[parent].id, walk->key))
			walk->found[walk->n_found++] = parent;
		else
			walk_from(walk, parent);
	}
}

size_t store_baselines(const struct store *store, const struct git_commits *commits, size_t of,
		       const char *key, size_t *ret)
{
	struct walk walk = {.store = store, .commits = commits, .key = key, .found = ret};

	walk.seen = mem_alloc((commits->n + 1) * sizeof(*walk.seen));
	walk_from(&walk, of);
	free(walk.seen);
	return walk.n_found;
}
