/* Reads the files; dwarf/written/container_table.c parses them. */
#include "container_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 1 << 20 };

static bool file_add(struct container_table *table, FILE *file, const char *path, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t n = getdelim(&text, &size, '\0', file);
	bool is_good;

	if (n < 0 && ferror(file))
		is_good = err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
	else if (n > TABLE_MAX || (n > 0 && !text[n - 1]))
		is_good = err_set(err, ERR_FORMAT, "%s is no table of containers", path);
	else
		is_good = n <= 0 || container_table_add(table, text, path, err);
	free(text);
	return is_good;
}

/* @is_optional: it need not be there. */
static bool path_add(struct container_table *table, const char *path, bool is_optional,
		     struct err *err)
{
	FILE *file = fopen(path, "re");
	bool is_good;

	if (!file)
		return is_optional || err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
	is_good = file_add(table, file, path, err);
	fclose(file);
	return is_good;
}

static bool own_add(struct container_table *table, struct err *err)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = NULL;
	bool is_good = true;

	if (folder && *folder == '/'
		    ? asprintf(&path, "%s/fathom/containers", folder) >= 0
		    : home && asprintf(&path, "%s/.config/fathom/containers", home) >= 0)
		is_good = path_add(table, path, true, err);
	free(path);
	return is_good;
}

bool container_files_read(const char *path, struct container_table **ret, struct err *err)
{
	struct container_table *table = container_table_create();

	if (own_add(table, err) && (!path || path_add(table, path, false, err))) {
		*ret = table;
		return true;
	}
	container_table_destroy(table);
	return false;
}
