/*
 * Splits patterns into file and name, and compares files with them. core/cxx_name.c compares names.
 */
#include "pattern.h"

#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cxx_name.h"

/* Is @at within brackets? `f(auto:1)` is a generic lambda's. */
static bool in_brackets(const char *at)
{
	size_t level = 0;

	for (; *at; at++) {
		if (*at == '(' || *at == '{')
			level++;
		else if ((*at == ')' || *at == '}') && level-- == 0)
			return true;
	}
	return false;
}

/* The last single colon, or the one before a "::" that starts the name; NULL if there is none. */
static const char *separator(const char *given)
{
	const char *found = NULL;

	for (const char *at = given; *at;) {
		const size_t n = strspn(at, ":");

		if ((n == 1 || n == 3) && at > given && at[-1] != '[' && at[1] != ']' &&
		    !in_brackets(at))
			found = at;
		at += n ? n : 1;
	}
	return found;
}

static bool is_elf(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[SELFMAG];
	bool is = false;

	if (fd < 0)
		return false;
	is = pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
	close(fd);
	return is;
}

static bool is_library(const char *file)
{
	for (const char *at = strstr(file, ".so"); at; at = strstr(at + 1, ".so")) {
		if (strchr(".*?[", at[3])) /* also the end */
			return true;
	}
	return is_elf(file);
}

static bool line_number(const char *text, const char *end, unsigned *ret)
{
	char *after;
	const unsigned long number = strtoul(text, &after, 10);

	*ret = (unsigned)number;
	return *text >= '1' && *text <= '9' && after == end && number <= INT_MAX;
}

static void block_parse(struct pattern *ret)
{
	const char *dots = ret->source ? strstr(ret->name, "..") : NULL;
	const bool is_probe = ret->source && !strncmp(ret->source, "usdt:", 5);
	const bool is_line = dots && line_number(ret->name, dots, &ret->first_line) &&
			     line_number(dots + 2, dots + strlen(dots), &ret->last_line);

	ret->is_lone_probe = is_probe && !dots && *ret->name;
	if (is_line || (dots && dots > ret->name && dots[2] && is_probe))
		ret->block_end = dots + 2;
	else if (ret->is_lone_probe)
		ret->block_end = ret->name;
	if (!is_line)
		ret->first_line = ret->last_line = 0;
}

void pattern_parse(const char *given, struct arena *arena, struct pattern *ret)
{
	const char *colon = separator(given);
	const char *file = colon ? arena_printf(arena, "%.*s", (int)(colon - given), given) : NULL;

	*ret = (struct pattern){.given = given, .name = colon ? colon + 1 : given};
	if (file && is_library(file))
		ret->library = file;
	else if (file)
		ret->source = pattern_clean_path(file, arena);
	ret->text = cxx_name_canonical(arena, ret->name);
	ret->glob = cxx_name_is_glob(ret->text);
	ret->plain = cxx_name_plain(ret->text, &ret->n_plain);
	/*
	 * A conversion operator's type has several spellings, and a lambda's call operator no usual
	 * name.
	 */
	if (memchr(ret->plain, ' ', ret->n_plain) || (ret->glob && strpbrk(ret->text, "*?[")))
		ret->plain = NULL;
	block_parse(ret);
}

/* Is @file the end of @path after a slash, or a glob that matches such an end? */
static bool is_end(const char *file, const char *path)
{
	const size_t n_file = strlen(file), n_path = strlen(path);

	if (n_path >= n_file && !strcmp(path + n_path - n_file, file) &&
	    (n_path == n_file || file[0] == '/' || path[n_path - n_file - 1] == '/'))
		return true;
	if (!strpbrk(file, "*?["))
		return false;
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!fnmatch(file, at, 0))
			return true;
	}
	return false;
}

bool pattern_has_source(const struct pattern *pattern, const char *path)
{
	struct arena *arena;
	bool has;

	if (!pattern->source || !path)
		return !pattern->source;
	if (is_end(pattern->source, path))
		return true;
	arena = arena_create();
	has = is_end(pattern->source, pattern_clean_path(path, arena));
	arena_destroy(arena);
	return has;
}

bool pattern_has_library(const struct pattern *pattern, const char *path)
{
	struct stat a, b;

	return is_end(pattern->library, path) ||
	       (stat(pattern->library, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
		a.st_dev == b.st_dev);
}

const char *pattern_clean_path(const char *path, struct arena *arena)
{
	char *clean = arena_alloc(arena, strlen(path) + 2);
	const size_t root = *path == '/';
	size_t n = root;

	if (root)
		clean[0] = '/';
	while (*path) {
		const size_t length = strcspn(path, "/");

		if (length == 2 && !strncmp(path, "..", 2)) {
			for (n -= n > root; n > root && clean[n - 1] != '/'; n--)
				;
		} else if (length && !(length == 1 && *path == '.')) {
			memcpy(clean + n, path, length);
			n += length;
			clean[n++] = '/';
		}
		path += length + (path[length] == '/');
	}
	clean[n > 1 ? n - 1 : n] = '\0';
	return clean;
}
