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
