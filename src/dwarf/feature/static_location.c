/* Locations of static variables, and which can vary. */
#include "static_location.h"

#include <gelf.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dwarf/file/die.h"

enum { TYPES_MAX = 64 };

static struct static_location nowhere(enum absence absence, const char *why)
{
	return (struct static_location){.kind = PLACE_NOWHERE, .absence = absence, .why = why};
}

/* Is @die's type const, or an array of const? */
static bool is_const(Dwarf_Die *die)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < TYPES_MAX && die_reference(&at, DW_AT_type, &at); i++) {
		switch (dwarf_tag(&at)) {
		case DW_TAG_const_type:
		case DW_TAG_immutable_type:
			return true;
		case DW_TAG_typedef:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_array_type:
			break;
		default: /* most tags */
			return false;
		}
	}
	return false;
}

/* Memory that is relocated and then made read-only (RELRO) cannot vary either. */
static bool is_writable(const struct elf_file *image, uint64_t addr)
{
	bool writable = false;
	size_t n;

	if (elf_getphdrnum(image->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(image->elf, (int)i, &header) || addr < header.p_vaddr ||
		    addr - header.p_vaddr >= header.p_memsz)
			continue;
		if (header.p_type == PT_GNU_RELRO)
			return false;
		writable |= header.p_type == PT_LOAD && header.p_flags & PF_W;
	}
	return writable;
}

static struct static_location at_address(const struct elf_file *image, uint64_t addr)
{
	return (struct static_location){
		.kind = is_writable(image, addr) ? PLACE_ADDRESS : PLACE_FIXED,
		.value = addr,
	};
}

/*
 * An offset in the thread-local block. In split debug information gcc writes the object's address
 * in the block's initial image instead (-gsplit-dwarf, DW_OP_constx).
 */
static struct static_location in_thread(const struct elf_file *image, uint64_t number)
{
	size_t n;

	if (elf_getphdrnum(image->elf, &n) != 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_TLS)
			continue;
		if (number >= header.p_memsz)
			number -= header.p_vaddr;
		if (number < header.p_memsz)
			return (struct static_location){.kind = PLACE_THREAD, .value = number};
	}
	return nowhere(ABSENT_UNSUPPORTED,
		       "thread-local, and not in the file's thread-local block");
}

/* The number or address pushed by the operator. */
static bool operand(Dwarf_Attribute *attribute, const Dwarf_Op *op, uint64_t *ret)
{
	Dwarf_Attribute inner;

	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu:
		*ret = op->number;
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return dwarf_getlocation_attr(attribute, op, &inner) == 0 &&
		       (dwarf_formaddr(&inner, ret) == 0 || dwarf_formudata(&inner, ret) == 0);
	}
	return false;
}

static bool is_thread_operator(unsigned atom)
{
	return atom == DW_OP_form_tls_address || atom == DW_OP_GNU_push_tls_address;
}

/* The sum of added constants. False: another operation. */
static bool added(const Dwarf_Op *ops, size_t n, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom != DW_OP_plus_uconst)
			return false;
		*ret += ops[i].number;
	}
	return true;
}

static struct static_location by_expression(const struct elf_file *image,
					    Dwarf_Attribute *attribute)
{
	uint64_t number, more;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation(attribute, &ops, &n) != 0)
		return (struct static_location){
			.kind = PLACE_LOCAL}; /* a location list: it moves */
	if (n == 0)
		return nowhere(ABSENT_OPTIMIZED_OUT, "optimised out");
	if (ops[n - 1].atom == DW_OP_stack_value || ops[n - 1].atom == DW_OP_implicit_value)
		return (struct static_location){.kind = PLACE_FIXED};
	if (!operand(attribute, &ops[0], &number))
		return (struct static_location){.kind = PLACE_LOCAL};
	if (n > 1 && is_thread_operator(ops[1].atom) && added(ops + 2, n - 2, &more))
		return in_thread(image, number + more);
	if ((ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx ||
	     ops[0].atom == DW_OP_GNU_addr_index) &&
	    added(ops + 1, n - 1, &more))
		return at_address(image, number + more);
	return nowhere(ABSENT_UNSUPPORTED, "its location is computed, which is not supported");
}

/* A name within a linkage name, preceded by its length. */
static void mangle_part(struct text *out, const char *name, size_t length)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", length);
	text_add_string(out, number);
	text_add(out, name, length);
}

/* The linkage name of a variable in named, non-template scopes; NULL for others. */
static char *mangle(const char *scope, const char *name)
{
	struct text out = {0};

	text_add_string(&out, "_ZN");
	for (size_t length; *scope; scope += length + 2 * (scope[length] == ':')) {
		length = strcspn(scope, "<>() :");
		if (!length || (scope[length] && strncmp(scope + length, "::", 2) != 0)) {
			text_deinit(&out);
			return NULL;
		}
		mangle_part(&out, scope, length);
	}
	mangle_part(&out, name, strlen(name));
	text_add_string(&out, "E");
	return out.bytes;
}

/* clang omits the linkage names of declarations. */
static const struct elf_symbol *symbol_find(const struct elf_file *image, Dwarf_Die *die,
					    const char *scope)
{
	const char *linkage = die_linkage(die), *name = dwarf_diename(die);
	const struct elf_symbol *symbol;
	char *mangled;

	if (linkage || !name || !*scope)
		return linkage || name ? elf_file_object(image, linkage ? linkage : name) : NULL;
	mangled = mangle(scope, name);
	symbol = mangled ? elf_file_object(image, mangled) : NULL;
	free(mangled);
	return symbol;
}

static struct static_location by_symbol(const struct elf_file *image, Dwarf_Die *die,
					const char *scope)
{
	const struct elf_symbol *symbol = symbol_find(image, die, scope);

	if (!symbol)
		return nowhere(ABSENT_UNSUPPORTED, "defined in another file than its function");
	if (symbol->is_tls)
		return in_thread(image, symbol->addr);
	return at_address(image, symbol->addr);
}

struct static_location static_location(const struct elf_file *image, Dwarf_Die *die,
				       const char *scope)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute) || is_const(die))
		return (struct static_location){.kind = PLACE_FIXED};
	if (dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return by_expression(image, &attribute);
	if (!die_flag(die, DW_AT_external))
		return (struct static_location){.kind = PLACE_LOCAL};
	if (dwarf_hasattr(die, DW_AT_declaration))
		return by_symbol(image, die, scope);
	return nowhere(ABSENT_OPTIMIZED_OUT, "optimised out");
}

bool static_location_is_same(const struct static_location *a, const struct static_location *b)
{
	return a->kind == b->kind && a->value == b->value &&
	       (a->kind == PLACE_ADDRESS || a->kind == PLACE_THREAD);
}
