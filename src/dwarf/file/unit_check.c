/* Checks each unit once for missing parts. dwarf/search/die_walk.c reads their contents. */
#include "unit_check.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The file name of the .dwo that a skeleton unit (-gsplit-dwarf) lacks because libdw did not find
 * it.
 */
static const char *split_name(Dwarf_Die *skeleton)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr(skeleton, DW_AT_dwo_name, &attribute) ||
	    dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name && *name ? name : "a .dwo file";
}

static void split_see(struct unit_check *units, Dwarf_Die *skeleton)
{
	Dwarf_Attribute attribute;

	units->split_missing = split_name(skeleton);
	if (dwarf_attr(skeleton, DW_AT_comp_dir, &attribute))
		units->split_folder = dwarf_formstring(&attribute);
}

/* Does the file exist, but in a form libdw cannot read? Looks where libdw does. */
static bool split_exists(const struct unit_check *units, const char *path)
{
	const char *name = units->split_missing, *slash = strrchr(path, '/');
	char file[2 * PATH_MAX];

	snprintf(file, sizeof(file), "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
	if (access(file, F_OK) == 0)
		return true;
	snprintf(file, sizeof(file), "%s/%s", units->split_folder ? units->split_folder : ".",
		 name);
	return access(*name == '/' ? name : file, F_OK) == 0;
}

static void units_count(Dwarf *dwarf, struct unit_check *units)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	int found;

	while ((found = dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split)) == 0) {
		if (die.cu)
			units->broken_at = dwarf_dieoffset(&die) - dwarf_cuoffset(&die);
		if (type != DW_UT_skeleton || split.cu)
			units->n_whole += type == DW_UT_compile || type == DW_UT_skeleton;
		else if (units->n_split_missing++ == 0) /* the first */
			split_see(units, &die);
	}
	units->broken = found < 0;
	if (units->broken)
		units->broken_why = dwarf_errmsg(-1);
}

static bool split_check(const struct unit_check *units, const char *path, struct err *err)
{
	char package[PATH_MAX];

	if (units->n_whole || !units->n_split_missing)
		return true;
	snprintf(package, sizeof(package), "%s.dwp", path);
	if (access(package, F_OK) == 0)
		return err_set(
			err, ERR_UNSUPPORTED,
			"%s: its debug information is in %s.dwp, which this version of libdw "
			"(%s) does not read: keep the .dwo files, or build without "
			"-gsplit-dwarf",
			path, path, dwfl_version(NULL));
	if (split_exists(units, path))
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: its split debug information cannot be read (%s): the file is "
			       "broken, or gcc made it with -fdebug-types-section, which libdw "
			       "does not read in split files",
			       path, units->split_missing);
	return err_set(err, ERR_UNSUPPORTED,
		       "%s: its split debug information cannot be found (%s): put the .dwo "
		       "files where the compiler wrote them, or beside the program",
		       path, units->split_missing);
}

/* dwz moves what several programs share to a separate file. */
static bool common_check(Dwarf *dwarf, const char *path, struct err *err)
{
	const char *name = NULL;
	const void *build_id;

	if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) <= 0 || dwarf_getalt(dwarf))
		return true;
	return err_set(
		err, ERR_UNSUPPORTED,
		"%s: a part of its debug information (made by dwz) is in %s, which cannot be "
		"found or read: put that file there",
		path, name);
}

bool unit_check_run(Dwarf *dwarf, const char *path, struct unit_check *ret, struct err *err)
{
	*ret = (struct unit_check){0};
	units_count(dwarf, ret);
	return split_check(ret, path, err) && common_check(dwarf, path, err);
}

void unit_check_notes(const struct unit_check *units, const char *path, struct arena *arena,
		      void (*note)(void *self, const char *text), void *self)
{
	if (units->n_split_missing)
		note(self,
		     arena_printf(
			     arena,
			     "%s: the split debug information of %zu unit%s is missing, first %s; "
			     "their functions are left out",
			     path, units->n_split_missing, units->n_split_missing == 1 ? "" : "s",
			     units->split_missing));
	if (units->broken)
		note(self,
		     arena_printf(arena,
				  "%s: the debug information is broken behind the unit at offset "
				  "0x%" PRIx64 " of .debug_info (%s); what is there is left out",
				  path, units->broken_at, units->broken_why));
}
