/* What is not there yet finds nothing. */
#include "dwarf/classes.h"
#include "dwarf/definition.h"
#include "dwarf/location.h"
#include "dwarf/return_value.h"
#include "dwarf/variables.h"

bool classes_is_dynamic(struct classes *classes, Dwarf_Die *record)
{
	(void)classes;
	(void)record;
	return false;
}

size_t classes_derived(struct classes *classes, Dwarf_Die *record, const struct derived_class **ret)
{
	(void)classes;
	(void)record;
	*ret = NULL;
	return 0;
}

bool classes_covers(struct classes *classes, Dwarf_Die *record, Dwarf_Die *base)
{
	(void)classes;
	return record->addr == base->addr;
}

bool definitions_find(struct definitions *definitions, Dwarf_Die *declaration, Dwarf_Die *ret)
{
	(void)definitions;
	(void)declaration;
	(void)ret;
	return false;
}

bool return_value_locate(const struct image *image, Dwarf_Die *die, struct arena *arena,
			 struct location *ret)
{
	(void)image;
	(void)die;
	(void)arena;
	(void)ret;
	return false;
}

void variables_each(struct variables *variables, Dwarf_Die *function, enum globals which,
		    bool (*each)(void *self, const struct variable *variable), void *self)
{
	(void)variables;
	(void)function;
	(void)which;
	(void)each;
	(void)self;
}


void variables_thread_local(const struct image *image, uint64_t offset, struct arena *arena,
			    struct location *ret)
{
	(void)image;
	(void)offset;
	(void)arena;
	location_absent(ret, ABSENT_UNSUPPORTED, "pending");
}
