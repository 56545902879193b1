/* Small answers about DIEs. libdw bounds chains of references and keeps siblings in order. */
#include "dwarf/die.h"

bool die_flag(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	bool flag = false;

	if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formflag(&found, &flag) != 0)
		return false;
	return flag;
}

bool die_number(Dwarf_Die *die, unsigned attribute, uint64_t *ret)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &number) != 0)
		return false;
	*ret = number;
	return true;
}

const char *die_linkage(Dwarf_Die *die)
{
	Dwarf_Attribute found;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &found) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &found))
		name = dwarf_formstring(&found);
	return name && *name ? name : NULL;
}

/*
 * Not dwarf_decl_file(): that takes number 0 for none, which is the unit's own file since DWARF 5.
 */
const char *die_file(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t n;

	if (!dwarf_attr_integrate(die, attribute, &found) ||
	    dwarf_formudata(&found, &number) != 0 ||
	    dwarf_cu_info(found.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n ||
	    (number == 0 && version < 5))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

bool die_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret)
{
	Dwarf_Attribute found;

	return dwarf_attr_integrate(die, attribute, &found) && dwarf_formref_die(&found, ret);
}

bool die_first(Dwarf_Die *parent, Dwarf_Die *ret)
{
	return dwarf_child(parent, ret) == 0;
}

bool die_next(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || next.addr <= die->addr)
		return false;
	*die = next;
	return true;
}
