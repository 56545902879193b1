/* Looks where the compiler ran, here, and in the folders above the program, in this order. */
#include "source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "dwarf/source_folder.h"

enum { SOURCE_MOST = 16 << 20 /* bytes */ };

static bool source_is_there(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= SOURCE_MOST;
}

const char *source_file_find(struct arena *arena, const char *file, const char *program)
{
	const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *folder = program ? realpath(program, NULL) : NULL;
	const char *ret = program && *file != '/' ? source_folder_find(program, file, arena) : NULL;
	char *slash;

	if (!ret && source_is_there(file))
		ret = arena_strdup(arena, file);
	while (!ret && folder && (slash = strrchr(folder, '/'))) {
		const char *const tries[] = {file, name};

		*slash = '\0';
		for (size_t i = 0; i < 2 && !ret; i++) {
			const char *path = arena_printf(arena, "%s/%s", folder, tries[i]);

			ret = source_is_there(path) ? path : NULL;
		}
	}
	free(folder);
	return ret;
}

char *source_file_read(const char *path)
{
	FILE *in = source_is_there(path) ? fopen(path, "re") : NULL;
	char *text;
	size_t n;

	if (!in)
		return NULL;
	text = mem_alloc(SOURCE_MOST + 1);
	n = fread(text, 1, SOURCE_MOST, in);
	fclose(in);
	text[n] = '\0';
	return text;
}
