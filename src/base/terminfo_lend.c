#include "terminfo_lend.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal_builtin.h"

static bool is_lent;

/* As ncurses looks: in a folder of the first letter, or of its number. */
static bool is_in(const char *folder, const char *name)
{
	char path[4096];

	if (!folder || !*folder)
		return false;
	snprintf(path, sizeof(path), "%s/%c/%s", folder, name[0], name);
	if (access(path, R_OK) == 0)
		return true;
	snprintf(path, sizeof(path), "%s/%x/%s", folder, (unsigned char)name[0], name);
	return access(path, R_OK) == 0;
}

static bool is_installed(const char *name)
{
	static const char *const folders[] = {"/etc/terminfo", "/lib/terminfo",
					      "/usr/share/terminfo", "/usr/lib/terminfo"};
	const char *home = getenv("HOME");
	char own[4096];

	if (getenv("TERMINFO") || getenv("TERMINFO_DIRS"))
		return true; /* somebody knows better */
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (is_in(folders[i], name))
			return true;
	snprintf(own, sizeof(own), "%s/.terminfo", home ? home : "");
	return is_in(own, name);
}

/* A line of `terminal_builtin` is a name, a blank, and a value for TERMINFO. */
void terminfo_lend(void)
{
	const char *name = getenv("TERM");
	const char *line = terminal_builtin;
	char *value;

	if (!name || !*name || is_installed(name))
		return;
	for (; *line; line += strcspn(line, "\n") + 1) {
		const size_t length = strcspn(line, " ");

		if (length != strlen(name) || strncmp(line, name, length) != 0)
			continue;
		line += length + 1;
		if (asprintf(&value, "%.*s", (int)strcspn(line, "\n"), line) < 0)
			return;
		is_lent = setenv("TERMINFO", value, 1) == 0;
		free(value);
		return;
	}
}

void terminfo_lend_end(void)
{
	if (is_lent)
		unsetenv("TERMINFO");
	is_lent = false;
}
