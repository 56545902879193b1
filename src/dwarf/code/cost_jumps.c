/* Only the ELF part of the image is used: relocations say what an entry of the table is for. */
#include "cost_jumps.h"

#include <gelf.h>
#include <string.h>

enum { STUB_INSNS = 2 /* endbr64, jump */ };

struct resolver {
	const struct elf_file *image;
	struct insn_decoder *decoder;
	const struct cost_function *list;
	size_t n;
};

static bool decode(const struct resolver *resolver, uint64_t addr, struct insn *ret)
{
	size_t size = 0;
	const uint8_t *code = elf_file_code(resolver->image, addr, &size);

	return code && insn_decode(resolver->decoder, code, size, addr, ret);
}

/* The word that the stub at @addr of the linker's table jumps through; 0: there is no stub. */
static uint64_t stub_word(const struct resolver *resolver, uint64_t addr)
{
	struct insn insn;
	int32_t displacement;

	for (int i = 0; i < STUB_INSNS && decode(resolver, addr, &insn); i++) {
		addr += insn.size;
		if (insn.kind == INSN_NOP)
			continue;
		if (insn.kind != INSN_JUMP_INDIRECT || !insn.rip_offset || insn.operand.segment)
			break;
		memcpy(&displacement, insn.bytes + insn.rip_offset, sizeof(displacement));
		return addr + (uint64_t)(int64_t)displacement;
	}
	return 0;
}

/* The name of a function that is chosen at start by the code at @addr; NULL: none. */
static const char *chosen_name(const struct elf_file *image, uint64_t addr)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(image->elf, section))) {
		Elf_Data *data = NULL;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
			data = elf_getdata(section, NULL);
		for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
			if (GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC &&
			    symbol.st_value == addr)
				return elf_strptr(image->elf, header.sh_link, symbol.st_name);
	}
	return NULL;
}

static const char *relocated_name(const struct elf_file *image, const GElf_Shdr *header,
				  const GElf_Rela *relocation)
{
	Elf_Scn *table = elf_getscn(image->elf, header->sh_link);
	GElf_Shdr symbols;
	GElf_Sym symbol;
	Elf_Data *data;

	if (GELF_R_TYPE(relocation->r_info) == R_X86_64_IRELATIVE)
		return chosen_name(image, (uint64_t)relocation->r_addend);
	if (!table || !gelf_getshdr(table, &symbols) || !(data = elf_getdata(table, NULL)) ||
	    !gelf_getsym(data, (int)GELF_R_SYM(relocation->r_info), &symbol))
		return NULL;
	return elf_strptr(image->elf, symbols.sh_link, symbol.st_name);
}

/* The function whose address the loader puts at @word; NULL: not known. */
static const char *word_name(const struct elf_file *image, uint64_t word)
{
	Elf_Scn *section = NULL;
	GElf_Rela relocation;
	GElf_Shdr header;

	while (word && (section = elf_nextscn(image->elf, section))) {
		Elf_Data *data = NULL;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getrela(data, i, &relocation); i++)
			if (relocation.r_offset == word)
				return relocated_name(image, &header, &relocation);
	}
	return NULL;
}

/* Does a call of @from go on in one of kind @to, whose exits are probed? */
static bool goes_on_in(enum cost_call_kind from, enum cost_call_kind to)
{
	static const enum metric_source sources[] = {METRIC_HEAP, METRIC_LOCKS, METRIC_STREAMS};

	for (size_t i = 0; to != COST_FREE && i < sizeof(sources) / sizeof(*sources); i++) {
		const unsigned totals = metric_set_from(sources[i]);

		if (cost_call_is_wanted(from, totals, true) &&
		    cost_call_is_wanted(to, totals, true))
			return true;
	}
	return false;
}

static bool is_listed(const struct resolver *resolver, enum cost_call_kind from, uint64_t addr)
{
	for (size_t i = 0; i < resolver->n; i++)
		if (resolver->list[i].entry_addr == addr)
			return goes_on_in(from, resolver->list[i].kind);
	return false;
}

/* Is @jump of a function of @kind to be kept? */
static bool is_kept(const struct resolver *resolver, enum cost_call_kind kind,
		    struct cost_jump *jump)
{
	const char *name;
	struct insn insn;

	if (!decode(resolver, jump->addr, &insn) || !insn.target)
		return true;
	if (is_listed(resolver, kind, insn.target))
		return false;
	name = word_name(resolver->image, stub_word(resolver, insn.target));
	if (!name)
		return true;
	jump->gives_argument = insn.kind == INSN_JUMP && !strcmp(name, "memset");
	return !goes_on_in(kind, cost_call_kind(name));
}

void cost_jumps_resolve(const struct elf_file *image, struct insn_decoder *decoder,
			struct cost_function *list, size_t n)
{
	const struct resolver resolver = {image, decoder, list, n};

	for (size_t i = 0; i < n; i++) {
		struct cost_jump *jumps = (struct cost_jump *)list[i].jumps;
		size_t kept = 0;

		for (size_t j = 0; j < list[i].n_jumps; j++)
			if (is_kept(&resolver, list[i].kind, &jumps[j]))
				jumps[kept++] = jumps[j];
		list[i].n_jumps = kept;
	}
}
