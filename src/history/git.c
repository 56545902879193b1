/* Arguments of git and what it prints. */
#include "git.h"

#include <stdlib.h>
#include <string.h>

#include "spawned.h"

/* @words: NULL at the end. */
static bool git_ask(const char *const *words, struct arena *arena, const char **ret,
		    struct err *err)
{
	const char *ignored;

	if (spawned_run(NULL, words, arena, ret ? ret : &ignored, err))
		return true;
	if (err->code == ERR_NOT_FOUND)
		return err_set(err, ERR_NOT_FOUND, "there is no git: install it");
	err->code = ERR_NOT_FOUND;
	return false;
}

/* Without the newline at its end. */
static bool ask_line(const char *const *words, struct arena *arena, const char **ret,
		     struct err *err)
{
	const char *text;
	char *line;

	if (!git_ask(words, arena, &text, err))
		return false;
	line = arena_strdup(arena, text);
	line[strcspn(line, "\n")] = '\0';
	*ret = line;
	return true;
}

bool git_top(struct arena *arena, const char **ret, struct err *err)
{
	return ask_line((const char *const[]){"git", "rev-parse", "--show-toplevel", NULL}, arena,
			ret, err);
}

bool git_resolve(const char *revision, struct arena *arena, const char **ret, struct err *err)
{
	const char *commit = arena_printf(arena, "%s^{commit}", revision);

	if (ask_line((const char *const[]){"git", "rev-parse", "--verify", "--quiet",
					   "--end-of-options", commit, NULL},
		     arena, ret, err) &&
	    **ret)
		return true;
	return err_set(err, ERR_NOT_FOUND, "there is no commit %s here", revision);
}

bool git_changed(struct arena *arena, const char **ret, struct err *err)
{
	const char *line;

	if (!ask_line((const char *const[]){"git", "status", "--porcelain", "--untracked-files=no",
					    NULL},
		      arena, &line, err))
		return false;
	*ret = strlen(line) > 3 ? line + 3 : NULL;
	return true;
}

/* Cut @line at @separator; returns what is before, and moves *@line behind. */
static char *take_field(char **line, char separator)
{
	char *field = *line;
	char *end = strchrnul(field, separator);

	*line = *end ? end + 1 : end;
	*end = '\0';
	return field;
}

static const char **git_split(char *text, char separator, struct arena *arena)
{
	const char **words = arena_array(arena, const char *, strlen(text) / 2 + 2);
	size_t n = 0;

	while (*text)
		words[n++] = take_field(&text, separator);
	return words;
}

bool git_log(const char *revision, enum git_way way, size_t most, struct arena *arena,
	     struct git_commits *ret, struct err *err)
{
	const char *count = arena_printf(arena, "--max-count=%zu", most);
	const char *words[] = {"git",
			       "log",
			       "--topo-order",
			       count,
			       way == GIT_ALL ? "--no-decorate" : "--first-parent",
			       "--format=%H%x09%h%x09%cs%x09%P%x09%s",
			       "--end-of-options",
			       revision,
			       "--",
			       NULL};
	const char *text;
	char *line, *rest;

	if (!git_ask(words, arena, &text, err))
		return false;
	rest = arena_strdup(arena, text);
	*ret = (struct git_commits){arena_array(arena, struct git_commit, most + 1), 0};
	while (*rest && ret->n < most) {
		struct git_commit *commit = &ret->list[ret->n++];

		line = take_field(&rest, '\n');
		commit->id = take_field(&line, '\t');
		commit->name = take_field(&line, '\t');
		commit->date = take_field(&line, '\t');
		commit->parents = git_split(take_field(&line, '\t'), ' ', arena);
		commit->title = line;
	}
	return true;
}

bool git_candidates(const char *bad, const char *const *goods, struct arena *arena,
		    const char ***ret, struct err *err)
{
	const char **words;
	const char *text;
	size_t n = 0, i;

	while (goods[n])
		n++;
	words = arena_array(arena, const char *, n + 6);
	words[0] = "git";
	words[1] = "rev-list";
	words[2] = "--bisect-all";
	words[3] = bad;
	words[4] = "--not";
	for (i = 0; i < n; i++)
		words[5 + i] = goods[i];
	if (!git_ask(words, arena, &text, err))
		return false;
	*ret = git_split(arena_strdup(arena, text), '\n', arena);
	/* Behind an id: how well it halves. */
	for (i = 0; (*ret)[i]; i++)
		((char *)(*ret)[i])[strcspn((*ret)[i], " ")] = '\0';
	return true;
}

bool git_worktree_add(const char *folder, const char *commit, struct arena *arena, struct err *err)
{
	return git_ask((const char *const[]){"git", "worktree", "add", "--detach", "--quiet",
					     folder, commit, NULL},
		       arena, NULL, err);
}

bool git_worktree_move(const char *folder, const char *commit, struct arena *arena, struct err *err)
{
	return git_ask((const char *const[]){"git", "-C", folder, "checkout", "--detach", "--force",
					     "--quiet", commit, NULL},
		       arena, NULL, err);
}

void git_worktree_remove(const char *folder, struct arena *arena)
{
	struct err ignored;

	git_ask((const char *const[]){"git", "worktree", "remove", "--force", folder, NULL}, arena,
		NULL, &ignored);
}

bool git_build(const char *folder, const char *build, struct err *err)
{
	if (spawned_run(folder, (const char *const[]){"sh", "-c", build, NULL}, NULL, NULL, err))
		return true;
	return err_set(err, ERR_IO, "the build command fails: %s", build);
}
