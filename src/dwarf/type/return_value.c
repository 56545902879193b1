/*
 * Return values: from the classes of a type's eightbytes to registers. libdwfl's own answer is
 * right only for structures of integers, so it is not used.
 */
#include "return_value.h"

#include <string.h>

#include "base/bisect.h"
#include "eightbytes.h"

enum { REG_RAX = 0, REG_RDX = 1 };

/* The unit of a DIE, NULL if it has none. */
static Dwarf_Die *unit_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	return dwarf_diecu(die, ret, NULL, NULL);
}

/* Languages that follow the C ABI throughout. */
static bool is_c_family(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!unit_of(die, &unit))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* DW_LANG_C_plus_plus_17, which older headers lack */
	case 0x2c: /* DW_LANG_C17 */
		return true;
	}
	return false;
}

static bool is_llvm(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *producer = NULL;
	Dwarf_Die unit;

	if (unit_of(die, &unit) && dwarf_attr_integrate(&unit, DW_AT_producer, &attribute))
		producer = dwarf_formstring(&attribute);
	return producer && (strstr(producer, "clang") || strstr(producer, "LLVM"));
}

/*
 * Is the function invisible to other modules and units? With link-time optimisation the symbol
 * decides.
 */
static bool is_internal(const struct elf_file *image, Dwarf_Die *die, Dwarf_Addr entry)
{
	size_t low;

	if (!die_flag(die, DW_AT_external))
		return true;
	low = BISECT_FIRST(i, image->n_symbols, image->symbols[i].addr < entry);
	if (low == image->n_symbols || image->symbols[low].addr != entry)
		return false;
	for (; low < image->n_symbols && image->symbols[low].addr == entry; low++)
		if (!image->symbols[low].is_local)
			return false;
	return true;
}

/*
 * If all callers are known and none uses the result, compilers drop it. gcc makes a clone for that.
 * clang (14, dead argument elimination) leaves no mark, but describes calls when it optimises.
 */
static const char *dropped(const struct elf_file *image, Dwarf_Die *die)
{
	Dwarf_Addr entry;
	const char *symbol;

	if (!die_entry(die, &entry))
		return NULL;
	symbol = elf_file_symbol(image, entry, NULL);
	if (symbol && (strstr(symbol, ".isra.") || strstr(symbol, ".part.")))
		return "optimised out: this copy of the function may return nothing";
	if (is_llvm(die) &&
	    (die_flag(die, DW_AT_call_all_calls) || die_flag(die, DW_AT_GNU_all_call_sites)) &&
	    is_internal(image, die, entry))
		return "optimised out, perhaps: clang drops what no caller uses, and does not say "
		       "so";
	return NULL;
}

static void register_locate(unsigned reg, struct location *ret)
{
	*ret = (struct location){
		.kind = LOCATION_REGISTER, .reg = reg, .where = location_register_name(reg)};
}

static void eightbyte_locate(enum eightbyte_class class, unsigned *n_integer, unsigned *n_sse,
			     struct location *ret)
{
	static const unsigned integers[] = {REG_RAX, REG_RDX};

	switch (class) {
	case EIGHTBYTE_INTEGER:
		register_locate(integers[(*n_integer)++], ret);
		break;
	case EIGHTBYTE_SSE:
		register_locate(PLAN_XMM0 + (*n_sse)++, ret);
		break;
	case EIGHTBYTE_SSE_UPPER:
		location_absent(ret, ABSENT_UNSUPPORTED,
				"in the upper part of xmm0, which is not read");
		break;
	case EIGHTBYTE_X87:
		location_absent(ret, ABSENT_UNSUPPORTED, "in st(0), which is not read");
		break;
	case EIGHTBYTE_NONE:
	case EIGHTBYTE_MEMORY:
		location_absent(ret, ABSENT_OPTIMIZED_OUT, "it has no contents");
		break;
	}
}

static void registers_locate(const struct eightbytes *eightbytes, struct arena *arena,
			     struct location *ret)
{
	unsigned n_integer = 0, n_sse = 0;
	struct piece *pieces;

	if (eightbytes->classes[1] == EIGHTBYTE_NONE || eightbytes->classes[0] == EIGHTBYTE_X87) {
		eightbyte_locate(eightbytes->classes[0], &n_integer, &n_sse, ret);
		return;
	}
	pieces = arena_array(arena, struct piece, 2);
	for (size_t i = 0; i < 2; i++) {
		pieces[i].offset = 8 * i;
		pieces[i].size = i ? eightbytes->size - 8 : 8;
		eightbyte_locate(eightbytes->classes[i], &n_integer, &n_sse, &pieces[i].at);
	}
	*ret = (struct location){.kind = LOCATION_PIECES,
				 .where = "several pieces",
				 .pieces = pieces,
				 .n_pieces = 2};
}

/* Objects in memory: the caller provides the room, and rax points to it. */
static void memory_locate(struct location *ret)
{
	*ret = (struct location){.kind = LOCATION_MEMORY, .where = location_register_name(REG_RAX)};
	location_push(&ret->steps, PLAN_REG, REG_RAX);
}

static void type_locate(const struct type *type, struct arena *arena, struct location *ret)
{
	struct eightbytes eightbytes;
	const char *why;

	switch (eightbytes_copy(type)) {
	case EIGHTBYTE_BY_REFERENCE:
		memory_locate(ret);
		return;
	case EIGHTBYTE_UNCERTAIN:
		location_absent(ret, ABSENT_UNSUPPORTED,
				"whether it is returned in memory is not in the debug information");
		return;
	case EIGHTBYTE_BY_VALUE:
		break;
	}
	if (!eightbytes_classify(type, &eightbytes, &why))
		location_absent(ret, ABSENT_UNSUPPORTED,
				arena_printf(arena, "how it is returned is not known: %s", why));
	else if (eightbytes.classes[0] == EIGHTBYTE_MEMORY)
		memory_locate(ret);
	else
		registers_locate(&eightbytes, arena, ret);
}

static bool returned_is_word(const struct type *type)
{
	return type_is_scalar(type) || type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE;
}

bool return_value_locate(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
			 struct location *ret)
{
	const struct type type = type_of(die);
	uint64_t convention;
	const char *why;

	if (type.kind == TYPE_VOID || die_flag(die, DW_AT_noreturn))
		return false;
	why = dropped(image, die);
	if (die_number(die, DW_AT_calling_convention, &convention) && convention != DW_CC_normal &&
	    convention != DW_CC_program)
		location_absent(ret, ABSENT_UNSUPPORTED,
				"the function has its own calling convention");
	else if (why)
		location_absent(ret, ABSENT_OPTIMIZED_OUT, why);
	else if (!is_c_family(die) && !returned_is_word(&type))
		location_absent(ret, ABSENT_UNSUPPORTED,
				"how this language returns it is not known");
	else
		type_locate(&type, arena, ret);
	return true;
}
