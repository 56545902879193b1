/* Notes of section .note.stapsdt. Addresses are as if section .stapsdt.base were where they say. */
#include "stap_probes.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NOTE_STAPSDT = 3, ADDRESSES = 3 * sizeof(uint64_t) };

struct notes {
	const char *provider;
	uint64_t base_addr; /* of .stapsdt.base; 0: there is none */
	struct arena *arena;
	struct stap_probe *list;
	size_t n, capacity;
};

/* The next of the texts in [*@at, @end); NULL: it has no end there, or is none. */
static const char *note_text(const char **at, const char *end)
{
	const char *text = *at, *zero = memchr(text, '\0', (size_t)(end - text));

	*at = zero ? zero + 1 : end;
	for (const char *c = text; c < *at - 1; c++)
		if (iscntrl((unsigned char)*c))
			return NULL;
	return zero ? text : NULL;
}

static void note_take(struct notes *notes, const char *bytes, size_t n)
{
	const char *at = bytes + ADDRESSES, *end = bytes + n, *provider, *name, *arguments;
	uint64_t addrs[3]; /* of the probe, of the base, of the semaphore */
	uint64_t moved;

	if (n < ADDRESSES)
		return;
	memcpy(addrs, bytes, sizeof(addrs));
	provider = note_text(&at, end);
	name = note_text(&at, end);
	arguments = note_text(&at, end);
	if (!provider || !name || !arguments || strcmp(provider, notes->provider) != 0)
		return;
	moved = notes->base_addr ? notes->base_addr - addrs[1] : 0;
	notes->list = mem_grow(notes->list, &notes->capacity, notes->n + 1, sizeof(*notes->list));
	notes->list[notes->n++] = (struct stap_probe){
		.provider = notes->provider,
		.name = arena_strdup(notes->arena, name),
		.arguments = arena_strdup(notes->arena, arguments),
		.addr = addrs[0] + moved,
		.semaphore_addr = addrs[2] ? addrs[2] + moved : 0,
	};
}

static void notes_take(struct notes *notes, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, name, description;
	GElf_Nhdr header;

	while (data && data->d_buf && (at = gelf_getnote(data, at, &header, &name, &description)))
		if (header.n_type == NOTE_STAPSDT && header.n_namesz == sizeof("stapsdt") &&
		    !memcmp((const char *)data->d_buf + name, "stapsdt", sizeof("stapsdt")))
			note_take(notes, (const char *)data->d_buf + description, header.n_descsz);
}

static Elf_Scn *section_named(const struct elf_file *image, const char *name, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(image->elf, section))) {
		const char *found = gelf_getshdr(section, ret)
					    ? elf_strptr(image->elf, names, ret->sh_name)
					    : NULL;

		if (found && !strcmp(found, name))
			break;
	}
	return section;
}

size_t stap_probes_find(const struct elf_file *image, const char *provider, struct arena *arena,
			const struct stap_probe **ret)
{
	struct notes notes = {.provider = arena_strdup(arena, provider), .arena = arena};
	GElf_Shdr header;
	Elf_Scn *section;

	if (section_named(image, ".stapsdt.base", &header))
		notes.base_addr = header.sh_addr;
	section = section_named(image, ".note.stapsdt", &header);
	if (section && header.sh_type == SHT_NOTE)
		notes_take(&notes, section);
	*ret = arena_copy(arena, notes.list, notes.n * sizeof(*notes.list));
	free(notes.list);
	return notes.n;
}
