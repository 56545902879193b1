/* Reading and writing the history file. shell_line.c adds the lines. */
#include "shell_history.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

enum { ENTRIES_MAX = 1000, BYTES_MAX = 1 << 20 };

static const char NAME[] = ".fathom_history";

static bool is_our_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

const char *shell_history_path(struct arena *arena)
{
	const char *home = getenv("HOME");

	if (!home || *home != '/' || !is_our_folder(home))
		return NULL;
	return arena_printf(arena, "%s/%s", home, NAME);
}

/* Is it our own file, or missing? Others' files, links and devices are left alone. */
static bool is_our_file(const char *path, bool *ret_is_there)
{
	struct stat status;

	*ret_is_there = lstat(path, &status) == 0;
	return !*ret_is_there || (S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
				  status.st_size <= BYTES_MAX);
}

static void add_lines(FILE *file)
{
	size_t capacity = 0;
	char *line = NULL;
	ssize_t n;

	while ((n = getline(&line, &capacity, file)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && strlen(line) + 1 >= (size_t)n)
			add_history(line);
	}
	free(line);
}

void shell_history_load(const char *path)
{
	bool is_there;
	FILE *file;

	stifle_history(ENTRIES_MAX);
	if (!is_our_file(path, &is_there) || !is_there || !(file = fopen(path, "re")))
		return;
	add_lines(file);
	fclose(file);
}

/* The first of the newest entries that fit into BYTES_MAX. */
static int first_to_write(HIST_ENTRY *const *entries)
{
	size_t bytes = 0;
	int at = 0;

	while (entries[at])
		at++;
	while (at > 0 && (bytes += strlen(entries[at - 1]->line) + 1) < BYTES_MAX)
		at--;
	return at;
}

static bool write_lines(int fd)
{
	HIST_ENTRY *const *entries = history_list();
	FILE *file = fdopen(fd, "w");
	bool ok;

	if (!file) {
		close(fd);
		return false;
	}
	for (int i = entries ? first_to_write(entries) : 0; entries && entries[i]; i++)
		fprintf(file, "%s\n", entries[i]->line);
	ok = !ferror(file);
	return fclose(file) == 0 && ok;
}

void shell_history_save(const char *path)
{
	struct arena *arena = arena_create();
	char *beside = arena_printf(arena, "%s.XXXXXX", path);
	bool is_there;
	int fd = -1;

	if (is_our_file(path, &is_there))
		fd = mkostemp(beside, O_CLOEXEC); /* mode 0600 */
	if (fd >= 0 && (!write_lines(fd) || rename(beside, path) != 0))
		unlink(beside);
	arena_destroy(arena);
}
