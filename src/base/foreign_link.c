/* The mode of the folder decides: who owns the link may be anybody. */
#include "foreign_link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "err.h"

bool foreign_link_refuse(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct stat link, folder;
	char *name = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
	const bool foreign = lstat(path, &link) == 0 && S_ISLNK(link.st_mode) &&
			     stat(*name ? name : ".", &folder) == 0 &&
			     (folder.st_mode & (S_IWGRP | S_IWOTH));

	free(name);
	return !foreign || err_set(err, ERR_IO,
				   "%s is a symbolic link in a folder that others can write: "
				   "name the file itself",
				   path);
}
