/*
 * Recognises hooks by their bytes and by the parameters' locations: no other call leaves a
 * parameter in the register in which it was passed.
 */
#include "entry_hook.h"

#include <string.h>

#include "location.h"

enum { CALL_SIZE = 5, CALL_INDIRECT_SIZE = 6, LIST_MAX = 4096 };

static const uint8_t ENDBR64[] = {0xf3, 0x0f, 0x1e, 0xfa};
/* A jump over room for a call. Source: LLVM, "XRay Instrumentation"; X86MCInstLower.cpp. */
static const uint8_t SLED[] = {0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00};

static bool starts_with(const uint8_t *code, size_t size, const uint8_t *bytes, size_t n)
{
	return size >= n && memcmp(code, bytes, n) == 0;
}

/* The size of what may be a hook at the beginning of @code; 0: nothing is. */
static size_t hook_size(const uint8_t *code, size_t size)
{
	if (starts_with(code, size, SLED, sizeof(SLED)))
		return sizeof(SLED);
	if (size > CALL_SIZE && code[0] == 0xe8)
		return CALL_SIZE;
	if (size > CALL_INDIRECT_SIZE && code[0] == 0xff && code[1] == 0x15)
		return CALL_INDIRECT_SIZE;
	return 0;
}

/* Is the parameter in a register that passes arguments from @addr on, and nowhere before? */
static bool is_first_at(Dwarf_Die *parameter, uint64_t addr)
{
	Dwarf_Addr base, start, end;
	Dwarf_Attribute attribute;
	bool found = false;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(parameter, DW_AT_location, &attribute) ||
	    !location_is_list(&attribute))
		return false;
	for (int i = 0; i < LIST_MAX; i++) {
		at = dwarf_getlocations(&attribute, at, &base, &start, &end, &ops, &n);
		if (at <= 0)
			break;
		if (start < addr)
			return false;
		found |= start == addr && n == 1 && ops[0].atom >= DW_OP_reg0 &&
			 ops[0].atom <= DW_OP_reg31 && ops[0].atom != DW_OP_reg0 &&
			 !location_is_own_register(&ops[0]);
	}
	return found;
}

uint64_t entry_hook_end(const struct elf_file *image, Dwarf_Die *die, uint64_t entry)
{
	uint64_t addr = entry;
	size_t size, hook;
	const uint8_t *code = elf_file_code(image, entry, &size);
	Dwarf_Die child;

	if (code && starts_with(code, size, ENDBR64, sizeof(ENDBR64))) {
		code += sizeof(ENDBR64);
		size -= sizeof(ENDBR64);
		addr += sizeof(ENDBR64);
	}
	hook = code ? hook_size(code, size) : 0;
	for (bool more = hook && die_first(die, &child); more; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    is_first_at(&child, addr + hook))
			return addr + hook;
	return entry;
}
