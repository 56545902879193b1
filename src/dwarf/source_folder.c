/* Line tables are decoded only of units that were compiled where such a file is. */
#include "source_folder.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/file/elf_file.h"

static bool unit_names_file(Dwarf_Die *unit, const char *file)
{
	Dwarf_Files *files;
	size_t n, i = 0;

	if (dwarf_getsrcfiles(unit, &files, &n) != 0)
		return false;
	for (; i < n; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (name && !strcmp(name, file))
			break;
	}
	return i < n;
}

const char *source_folder_find(const char *program, const char *file, struct arena *arena)
{
	const char *folder, *ret = NULL;
	Dwarf_Attribute attribute;
	struct elf_file *image;
	Dwarf_CU *unit = NULL;
	char path[PATH_MAX];
	struct err ignored;
	Dwarf_Die die;

	if (!elf_file_open_any(program, NULL, &image, &ignored))
		return NULL;
	while (!ret && image->dwarf &&
	       dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		folder = dwarf_attr(&die, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute)
								      : NULL;
		if (!folder || snprintf(path, sizeof(path), "%s/%s", folder, file) >= PATH_MAX)
			continue;
		if (access(path, R_OK) == 0 && unit_names_file(&die, file))
			ret = arena_strdup(arena, path);
	}
	elf_file_close(image);
	return ret;
}
