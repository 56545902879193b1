/* One bit for each byte of code, set by looking through all of the module once. */
#include "jump_targets.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "dwarf/location/exception_table.h"

enum { SECTIONS_MAX = 32 };

struct code_section {
	uint64_t addr;
	size_t size;
	const uint8_t *bytes;
	uint8_t *bits; /* owned */
};

struct jump_targets {
	struct code_section *sections;
	size_t n, capacity;
	bool fixed; /* code contains absolute addresses */
	const char *unknown;
};

static struct code_section *section_of(const struct jump_targets *targets, uint64_t addr)
{
	for (size_t i = 0; i < targets->n; i++)
		if (addr - targets->sections[i].addr < targets->sections[i].size)
			return &targets->sections[i];
	return NULL;
}

static void target_add(struct jump_targets *targets, uint64_t addr)
{
	struct code_section *section = section_of(targets, addr);

	if (!section)
		return;
	addr -= section->addr;
	section->bits[addr / 8] |= 1 << addr % 8;
}

static void target_see(void *self, uint64_t addr)
{
	target_add(self, addr);
}

static int32_t number_at(const uint8_t *bytes)
{
	int32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/*
 * Offset in an instruction that starts with these two bytes of its 32-bit distance to another; 0:
 * none.
 */
static size_t distance_offset(const uint8_t *bytes)
{
	if ((bytes[0] & 0xfe) == 0xe8) /* call, jmp */
		return 1;
	if ((bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80) || /* jcc */
	    (bytes[0] == 0x8d && (bytes[1] & 0xc7) == 0x05) || /* lea …(%rip) */
	    (bytes[0] == 0xc7 && bytes[1] == 0xf8))            /* xbegin */
		return 2;
	return 0;
}

/* mov $address, push $address, movq $address to memory or a register. */
static void absolutes_see(struct jump_targets *targets, const uint8_t *bytes)
{
	if ((bytes[0] & 0xf8) == 0xb8 || bytes[0] == 0x68)
		target_add(targets, (uint32_t)number_at(bytes + 1));
	if (bytes[0] != 0xc7)
		return;
	for (size_t at = 2; at <= 7; at++)
		target_add(targets, (uint32_t)number_at(bytes + at));
}

static void code_see(struct jump_targets *targets, const struct code_section *section)
{
	enum { LONGEST = 11 };
	static const bool begins[256] = {
		[0x0f] = true, [0x8d] = true, [0xc7] = true, [0xe8] = true, [0xe9] = true};
	uint8_t last[2 * LONGEST] = {0};
	const size_t n_last = section->size < LONGEST ? section->size : LONGEST;
	const size_t n_first = section->size - n_last;

	memcpy(last, section->bytes + n_first, n_last);
	for (size_t i = 0; i < section->size; i++) {
		const uint8_t *bytes = i < n_first ? section->bytes + i : last + (i - n_first);
		const size_t offset = begins[*bytes] ? distance_offset(bytes) : 0;

		if (offset)
			target_add(targets, section->addr + i + offset + 4 +
						    (int64_t)number_at(bytes + offset));
		if (targets->fixed)
			absolutes_see(targets, bytes);
	}
}

/* Addresses in data, as before relocation. */
static void words_see(struct jump_targets *targets, const Elf_Data *data)
{
	const uint8_t *bytes = data->d_buf;

	for (size_t i = 0; i + 8 <= data->d_size; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		target_add(targets, word);
	}
}

static void relocations_see(struct jump_targets *targets, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela relocation;

	for (int i = 0; data && gelf_getrela(data, i, &relocation); i++)
		target_add(targets, relocation.r_addend);
}

static void symbols_see(struct jump_targets *targets, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE &&
		    GELF_ST_TYPE(symbol.st_info) != STT_TLS)
			target_add(targets, symbol.st_value);
}

static void section_see(struct jump_targets *targets, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data;

	switch (header->sh_type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		symbols_see(targets, section);
		break;
	case SHT_RELA:
		if (header->sh_flags & SHF_ALLOC)
			relocations_see(targets, section);
		break;
	case SHT_PROGBITS:
	case SHT_INIT_ARRAY:
	case SHT_FINI_ARRAY:
	case SHT_PREINIT_ARRAY:
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf && header->sh_flags & SHF_ALLOC &&
		    !(header->sh_flags & SHF_EXECINSTR))
			words_see(targets, data);
		break;
	default:
		break;
	}
}

static void code_add(struct jump_targets *targets, Elf_Scn *section, const GElf_Shdr *header)
{
	const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;
	const Elf_Data *data;

	if (header->sh_type == SHT_NOBITS || (header->sh_flags & flags) != flags)
		return;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return;
	if (targets->n == SECTIONS_MAX) {
		targets->unknown = "the module has too many sections of code";
		return;
	}
	targets->sections = mem_grow(targets->sections, &targets->capacity, targets->n + 1,
				     sizeof(*targets->sections));
	targets->sections[targets->n++] = (struct code_section){
		header->sh_addr, data->d_size, data->d_buf, mem_alloc(data->d_size / 8 + 1)};
}

static void sections_walk(struct jump_targets *targets, const struct elf_file *image,
			  void (*see)(struct jump_targets *, Elf_Scn *, const GElf_Shdr *))
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &header))
			see(targets, section, &header);
}

struct jump_targets *jump_targets_create(const struct elf_file *image)
{
	struct jump_targets *targets = mem_alloc(sizeof(*targets));
	GElf_Ehdr header;

	targets->fixed = gelf_getehdr(image->elf, &header) && header.e_type == ET_EXEC;
	sections_walk(targets, image, code_add);
	sections_walk(targets, image, section_see);
	for (size_t i = 0; i < targets->n; i++)
		code_see(targets, &targets->sections[i]);
	for (size_t i = 0; i < image->n_symbols; i++) /* perhaps of a separate file */
		target_add(targets, image->symbols[i].addr);
	if (!exception_table_read(image, target_see, targets))
		targets->unknown = "the module's table of exceptions is not understood";
	return targets;
}

void jump_targets_destroy(struct jump_targets *targets)
{
	if (!targets)
		return;
	for (size_t i = 0; i < targets->n; i++)
		free(targets->sections[i].bits);
	free(targets->sections);
	free(targets);
}

bool jump_targets_has(const struct jump_targets *targets, uint64_t addr)
{
	const struct code_section *section = section_of(targets, addr);

	if (!section)
		return false;
	addr -= section->addr;
	return section->bits[addr / 8] >> addr % 8 & 1;
}

void jump_targets_calls(const struct jump_targets *targets, const uint64_t *entries, size_t n,
			void (*see)(void *self, uint64_t addr, uint64_t entry_addr), void *self)
{
	for (size_t i = 0; n && i < targets->n; i++) {
		const struct code_section *section = &targets->sections[i];

		for (size_t at = 0; at + JUMP_SIZE <= section->size; at++) {
			const uint64_t to = section->addr + at + JUMP_SIZE +
					    (int64_t)number_at(section->bytes + at + 1);
			size_t found;

			if (section->bytes[at] != 0xe8 || to < entries[0] || to > entries[n - 1])
				continue;
			found = BISECT_FIRST(j, n, entries[j] < to);
			if (entries[found] == to)
				see(self, section->addr + at, to);
		}
	}
}

const char *jump_targets_unknown(const struct jump_targets *targets)
{
	return targets->unknown;
}
