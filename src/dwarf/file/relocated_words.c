/* By all relocations with addends of sections that are loaded. */
#include "relocated_words.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"

struct relocated_list {
	const struct elf_file *image;
	struct relocated_word *words;
	size_t n, capacity;
};

static int relocated_order(const void *a, const void *b)
{
	const struct relocated_word *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void relocated_add(struct relocated_list *list, const GElf_Rela *relocation,
			  Elf_Data *symbols, size_t strings)
{
	struct relocated_word word = {.addr = relocation->r_offset,
				      .value = (uint64_t)relocation->r_addend};
	const size_t index = GELF_R_SYM(relocation->r_info);
	GElf_Sym symbol;

	if (index) {
		if (!symbols || !gelf_getsym(symbols, (int)index, &symbol))
			return;
		word.value += symbol.st_value;
		if (symbol.st_shndx == SHN_UNDEF)
			word.name = elf_strptr(list->image->elf, strings, symbol.st_name);
	}
	list->words = mem_grow(list->words, &list->capacity, list->n + 1, sizeof(word));
	list->words[list->n++] = word;
}

static void relocated_add_section(struct relocated_list *list, Elf_Scn *section,
				  const GElf_Shdr *header)
{
	Elf_Scn *table = elf_getscn(list->image->elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *symbols = NULL;
	GElf_Rela relocation;
	GElf_Shdr linked;
	size_t strings = 0;

	if (table && gelf_getshdr(table, &linked)) {
		symbols = elf_getdata(table, NULL);
		strings = linked.sh_link;
	}
	for (int i = 0; data && gelf_getrela(data, i, &relocation); i++)
		relocated_add(list, &relocation, symbols, strings);
}

void relocated_words_find(const struct elf_file *image, struct relocated_word **ret, size_t *ret_n)
{
	struct relocated_list list = {.image = image};
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    header.sh_flags & SHF_ALLOC)
			relocated_add_section(&list, section, &header);
	if (list.n)
		qsort(list.words, list.n, sizeof(*list.words), relocated_order);
	*ret = list.words;
	*ret_n = list.n;
}

const struct relocated_word *relocated_words_at(const struct relocated_word *words, size_t n,
						uint64_t addr)
{
	const size_t at = BISECT_FIRST(i, n, words[i].addr < addr);

	return at < n && words[at].addr == addr ? &words[at] : NULL;
}
