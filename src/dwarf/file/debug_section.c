/*
 * Reads debug sections as bytes, since libdw gives DIEs only one by one. Callers interpret the
 * bytes.
 */
#include "debug_section.h"

#include <gelf.h>
#include <string.h>

static bool section_is_called(const char *section, const char *name)
{
	const size_t n = strlen(name);

	if (!strncmp(section, ".debug_", 7))
		section += 7;
	else if (!strncmp(section, ".zdebug_", 8))
		section += 8;
	else
		return false;
	return !strncmp(section, name, n) && (!section[n] || !strcmp(section + n, ".dwo"));
}

/* libdw decompressed the sections that it knows in place when it opened the file. */
static void section_read(Elf_Scn *section, const GElf_Shdr *header, const char *name,
			 struct debug_section *ret)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	if ((header->sh_flags & SHF_COMPRESSED) || !strncmp(name, ".z", 2) || !data ||
	    !data->d_buf) {
		ret->unreadable = header->sh_size > 0;
		return;
	}
	ret->bytes = data->d_buf;
	ret->n = data->d_size;
}

struct debug_section debug_section_get(Dwarf *dwarf, const char *name)
{
	struct debug_section ret = {NULL, 0, false};
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0) {
		ret.unreadable = true;
		return ret;
	}
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *found = gelf_getshdr(section, &header)
					    ? elf_strptr(elf, names, header.sh_name)
					    : NULL;

		if (!found || header.sh_type == SHT_NOBITS || !section_is_called(found, name))
			continue;
		if (ret.bytes) /* libdw uses only one of the two */
			ret.unreadable = true;
		else
			section_read(section, &header, found, &ret);
	}
	return ret;
}

bool debug_section_unit(const struct debug_section *section, Dwarf_Die *unit,
			struct debug_section *ret)
{
	const Dwarf_Off in_unit = dwarf_cuoffset(unit);
	const uint8_t *start = (const uint8_t *)unit->addr - in_unit;
	uint64_t length = 0, header = 4;
	size_t left;

	if (in_unit == (Dwarf_Off)-1 || !section->bytes || start < section->bytes ||
	    start >= section->bytes + section->n)
		return false;
	left = section->bytes + section->n - start;
	if (left < 12)
		return false;
	memcpy(&length, start, 4);
	if (length == 0xffffffff) {
		memcpy(&length, start + 4, 8);
		header = 12;
	}
	if (length > left - header)
		return false;
	*ret = (struct debug_section){start, length + header, false};
	return true;
}

/* Skips unsigned and signed LEB128 alike; false at the end of the section. */
static bool leb128(const struct debug_section *section, size_t *at, uint64_t *ret)
{
	unsigned shift = 0;

	for (*ret = 0; *at < section->n; shift += 7) {
		const uint8_t byte = section->bytes[(*at)++];

		if (shift < 64)
			*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool form_refers(uint64_t form)
{
	return form == DW_FORM_ref_addr || form == DW_FORM_GNU_ref_alt ||
	       form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 || form == DW_FORM_indirect;
}

/* One abbreviation at @at: tag, children, attributes. */
static bool abbreviation_refers(const struct debug_section *section, size_t *at)
{
	uint64_t tag, attribute, form, constant;

	if (!leb128(section, at, &tag) || *at >= section->n)
		return false;
	for (++*at; leb128(section, at, &attribute) && leb128(section, at, &form);) {
		if (!attribute && !form)
			return false;
		if (form_refers(form))
			return true;
		if (form == DW_FORM_implicit_const)
			leb128(section, at, &constant);
	}
	return false;
}

bool debug_section_has_references(Dwarf *dwarf)
{
	const struct debug_section section = debug_section_get(dwarf, "abbrev");
	uint64_t code;
	size_t at = 0;

	if (!section.bytes)
		return section.unreadable;
	while (leb128(&section, &at, &code)) {
		if (code && abbreviation_refers(&section, &at))
			return true;
	}
	return false;
}
