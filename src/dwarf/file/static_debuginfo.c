#include "static_debuginfo.h"

#ifdef FATHOM_STATIC

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILD_ID_MAX = 64 };

/*
 * libdebuginfod needs the C library that it was built with, and a static executable has another
 * one: so this is linked as dlopen(), libdw
 * finds none, and the machine's own command is asked.
 */
void *static_debuginfo_no_library(const char *path, int flags)
{
	(void)path, (void)flags;
	return NULL;
}

static int ask_server(Dwfl_Module *module)
{
	const unsigned char *id;
	GElf_Addr where;
	char command[sizeof("debuginfod-find debuginfo  2>/dev/null") + 2 * BUILD_ID_MAX];
	char path[PATH_MAX] = "";
	const int n = dwfl_module_build_id(module, &id, &where);
	char *to = stpcpy(command, "debuginfod-find debuginfo ");
	FILE *answer;

	if (n <= 0 || n > BUILD_ID_MAX || !getenv("DEBUGINFOD_URLS"))
		return -1;
	for (int i = 0; i < n; i++)
		to += sprintf(to, "%02x", id[i]);
	strcpy(to, " 2>/dev/null");
	answer = popen(command, "re");
	if (!answer)
		return -1;
	if (fgets(path, sizeof(path), answer))
		path[strcspn(path, "\n")] = '\0';
	pclose(answer);
	return *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

int static_debuginfo_find(Dwfl_Module *module, void **data, const char *name, GElf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **ret)
{
	const int fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, ret);

	return fd < 0 ? ask_server(module) : fd;
}

#endif
