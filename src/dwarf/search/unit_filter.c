/*
 * Filters units by bytes. A DIE's name is in the unit itself, or in a string section to which the
 * DIE refers by offset (in the unit, or in a table of offsets). So a unit with neither the offset
 * nor the bytes cannot have the name; one with them may have them by chance.
 */
#include "unit_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dwarf/file/debug_section.h"

enum {
	PAIRS = 65536, /* of bytes */
	FEW = 12,      /* pairs searched for at sixteen positions at once */
};

/* Four-byte words and short texts searched for together, by their first two bytes. */
struct needles {
	uint8_t pairs[PAIRS / 8]; /* a bit per possible start of a needle */
	uint16_t few[FEW];        /* the same as a list, while short */
	size_t n_pairs;
	uint32_t *words; /* sorted before use */
	size_t n_words, capacity;
	bool sorted;
};

/* One file with debug information. */
struct file {
	Dwarf *dwarf;
	struct needles needles; /* offsets of names in its string sections, and of DIEs */
	size_t n_dies;          /* those of the filter's DIEs that are among the needles */
	struct debug_section info, types, offsets;
	bool refers;        /* its units may refer to each other's DIEs; set once there are any */
	bool unreadable;    /* its names cannot be read: pass every unit */
	bool offsets_known; /* `offsets_have_it` is set: the whole table of offsets has a name */
	bool offsets_have_it;
};

struct unit_filter {
	const struct elf_file *image;
	const char *const *names;
	size_t n_names;
	uint32_t *dies; /* offsets */
	size_t n_dies, dies_capacity;
	uint32_t *slots; /* the same as a hash table; no DIE has the offset 0 */
	size_t n_slots;  /* a power of two, at least twice as many */
	uint64_t *addrs;
	size_t n_addrs, addrs_capacity;
	struct files *files;
};

struct files {
	struct file *main; /* the image's own */
	struct file *last; /* cache: a program has thousands of split units */
};

static int word_order(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool pair_has(const struct needles *needles, unsigned pair)
{
	return needles->pairs[pair / 8] >> pair % 8 & 1;
}

static void pair_set(struct needles *needles, unsigned pair)
{
	if (pair_has(needles, pair))
		return;
	needles->pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
	if (needles->n_pairs < FEW)
		needles->few[needles->n_pairs] = (uint16_t)pair;
	needles->n_pairs++;
}

typedef uint8_t block __attribute__((vector_size(16), aligned(1)));

/* Does one of the few pairs start at one of 16 positions from @bytes on? Reads 17 bytes. */
static bool block_has(const struct needles *needles, const uint8_t *bytes)
{
	const block first = *(const block *)bytes, second = *(const block *)(bytes + 1);
	block hits = {0};
	uint64_t halves[2];

	for (size_t i = 0; i < needles->n_pairs; i++)
		hits |= (block)(first == (uint8_t)needles->few[i]) &
			(block)(second == (uint8_t)(needles->few[i] >> 8));
	memcpy(halves, &hits, sizeof(halves));
	return halves[0] | halves[1];
}

/* The next position from @at on at which a needle may start; @n - 1 or more: none. */
static size_t pair_next(const struct needles *needles, const uint8_t *bytes, size_t at, size_t n)
{
	while (at + 1 < n) {
		if (needles->n_pairs <= FEW && at + 17 <= n && !block_has(needles, bytes + at))
			at += 16;
		else if (pair_has(needles, bytes[at] | (unsigned)bytes[at + 1] << 8))
			break;
		else
			at++;
	}
	return at;
}

static void word_add(struct needles *needles, uint32_t word)
{
	needles->words = mem_grow(needles->words, &needles->capacity, needles->n_words + 1,
				  sizeof(*needles->words));
	needles->words[needles->n_words++] = word;
	needles->sorted = false;
	pair_set(needles, word & 0xffff);
}

static bool word_has(struct needles *needles, uint32_t word)
{
	if (!needles->n_words)
		return false;
	if (!needles->sorted)
		qsort(needles->words, needles->n_words, sizeof(word), word_order);
	needles->sorted = true;
	return bsearch(&word, needles->words, needles->n_words, sizeof(word), word_order);
}

/* Does @byte end a name: its string, or the start of template arguments? */
static bool ends_name(uint8_t byte)
{
	return byte == '\0' || byte == '<' || byte == ' ';
}

/* Add the offsets at which the string @name starts: strings may share tails. */
static void name_offsets(struct needles *needles, const struct debug_section *strings,
			 const char *name)
{
	const size_t n = strlen(name);
	const uint8_t *at = strings->bytes, *end = at + strings->n;

	while (n && (size_t)(end - at) > n && (at = memmem(at, end - at, name, n))) {
		if (at + n < end && ends_name(at[n]))
			word_add(needles, (uint32_t)(at - strings->bytes));
		at++;
	}
}

static void strings_search(struct file *file, Dwarf *dwarf, const char *section,
			   const struct unit_filter *filter)
{
	const struct debug_section strings = debug_section_get(dwarf, section);

	if (strings.unreadable)
		file->unreadable = true;
	for (size_t i = 0; strings.bytes && i < filter->n_names; i++)
		name_offsets(&file->needles, &strings, filter->names[i]);
}

/* Add a name spelled in the unit itself, by its first two bytes. */
static void name_pair(struct needles *needles, const char *name)
{
	static const char ends[] = {'\0', '<', ' '};
	const uint8_t first = (uint8_t)name[0];

	if (name[0] && name[1])
		pair_set(needles, first | (unsigned)(uint8_t)name[1] << 8);
	for (size_t i = 0; name[0] && !name[1] && i < sizeof(ends); i++)
		pair_set(needles, first | (unsigned)(uint8_t)ends[i] << 8);
}

static struct file *file_create(const struct unit_filter *filter, Dwarf *dwarf)
{
	struct file *file = mem_alloc(sizeof(*file));
	Dwarf *alternate = dwarf_getalt(dwarf);

	file->dwarf = dwarf;
	file->info = debug_section_get(dwarf, "info");
	file->types = debug_section_get(dwarf, "types");
	file->offsets = debug_section_get(dwarf, "str_offsets");
	strings_search(file, dwarf, "str", filter);
	strings_search(file, dwarf, "line_str", filter);
	if (alternate)
		strings_search(file, alternate, "str", filter);
	for (size_t i = 0; i < filter->n_names; i++)
		name_pair(&file->needles, filter->names[i]);
	return file;
}

static void file_destroy(struct file *file)
{
	if (file)
		free(file->needles.words);
	free(file);
}

static bool is_name(const struct unit_filter *filter, const uint8_t *at, size_t left)
{
	for (size_t i = 0; i < filter->n_names; i++) {
		const size_t n = strlen(filter->names[i]);

		if (n && left > n && *at == (uint8_t)*filter->names[i] &&
		    !memcmp(at, filter->names[i], n) && ends_name(at[n]))
			return true;
	}
	return false;
}

/* Does a needle start at @at, with @left bytes available? Its first two bytes match. */
static bool needle_at(const struct unit_filter *filter, struct needles *needles, const uint8_t *at,
		      size_t left)
{
	uint32_t word = 0;

	memcpy(&word, at, left < 4 ? left : 4);
	return (left >= 4 && word_has(needles, word)) || is_name(filter, at, left);
}

/* The hot loop over every byte of a program: bytes that match no needle must be cheap. */
static bool bytes_have(const struct unit_filter *filter, struct file *file, const uint8_t *bytes,
		       size_t n)
{
	struct needles *needles = &file->needles;
	size_t at = needles->n_pairs ? pair_next(needles, bytes, 0, n) : n;

	for (; at + 1 < n; at = pair_next(needles, bytes, at + 1, n)) {
		if (needle_at(filter, needles, bytes + at, n - at))
			return true;
	}
	return false;
}

/* The entries of the unit's table of offsets, from its base to the length in the header. */
static bool offsets_have(const struct unit_filter *filter, struct file *file, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word base;
	uint32_t length;

	if (file->offsets.bytes && dwarf_attr(unit, DW_AT_str_offsets_base, &attribute) &&
	    dwarf_formudata(&attribute, &base) == 0 && base >= 8 && base <= file->offsets.n) {
		memcpy(&length, file->offsets.bytes + base - 8, 4);
		if (length >= 4 && length - 4 <= file->offsets.n - base)
			return bytes_have(filter, file, file->offsets.bytes + base, length - 4);
	}
	if (!file->offsets_known)
		file->offsets_have_it = bytes_have(filter, file, file->offsets.bytes,
						   file->offsets.bytes ? file->offsets.n : 0);
	file->offsets_known = true;
	return file->offsets_have_it;
}

/* If units cannot refer to each other, none mentions offsets of others' DIEs. */
static void dies_take(const struct unit_filter *filter, struct file *file)
{
	if (file->n_dies == filter->n_dies)
		return;
	if (!file->n_dies)
		file->refers =
			debug_section_has_references(file->dwarf) || dwarf_getalt(file->dwarf);
	for (; file->n_dies < filter->n_dies; file->n_dies++) {
		if (file->refers)
			word_add(&file->needles, filter->dies[file->n_dies]);
	}
}

static struct file *file_of(const struct unit_filter *filter, Dwarf *dwarf)
{
	struct files *files = filter->files;
	struct file **slot = dwarf == filter->image->dwarf ? &files->main : &files->last;

	if (*slot && (*slot)->dwarf != dwarf) {
		file_destroy(*slot);
		*slot = NULL;
	}
	if (!*slot)
		*slot = file_create(filter, dwarf);
	dies_take(filter, *slot);
	return *slot;
}

static bool holds_die(const struct unit_filter *filter, Dwarf_Die *unit, size_t size)
{
	const Dwarf_Off start = dwarf_dieoffset(unit);

	for (size_t i = 0; i < filter->n_dies; i++) {
		if ((uint32_t)(filter->dies[i] - (uint32_t)start) < size)
			return true;
	}
	return false;
}

static bool holds_address(const struct unit_filter *filter, Dwarf_Die *unit)
{
	for (size_t i = 0; i < filter->n_addrs; i++) {
		if (dwarf_haspc(unit, filter->addrs[i]) > 0)
			return true;
	}
	return false;
}

struct unit_filter *unit_filter_create(const struct elf_file *image, const char *const *names,
				       size_t n)
{
	struct unit_filter *filter = mem_alloc(sizeof(*filter));

	*filter = (struct unit_filter){.image = image, .names = names, .n_names = n};
	filter->files = mem_alloc(sizeof(*filter->files));
	return filter;
}

void unit_filter_destroy(struct unit_filter *filter)
{
	if (!filter)
		return;
	file_destroy(filter->files->main);
	file_destroy(filter->files->last);
	free(filter->files);
	free(filter->dies);
	free(filter->slots);
	free(filter->addrs);
	free(filter);
}

/* Insert @offset into the hash table; false if present. */
static bool slot_take(struct unit_filter *filter, uint32_t offset)
{
	size_t at = (offset * 2654435761u) & (filter->n_slots - 1);

	while (filter->slots[at] && filter->slots[at] != offset)
		at = (at + 1) & (filter->n_slots - 1);
	if (filter->slots[at])
		return false;
	filter->slots[at] = offset;
	return true;
}

static void slots_grow(struct unit_filter *filter)
{
	free(filter->slots);
	filter->n_slots = filter->n_slots ? 2 * filter->n_slots : 64;
	filter->slots = mem_alloc(filter->n_slots * sizeof(*filter->slots));
	for (size_t i = 0; i < filter->n_dies; i++)
		slot_take(filter, filter->dies[i]);
}

void unit_filter_add_die(struct unit_filter *filter, Dwarf_Die *die)
{
	const uint32_t offset = (uint32_t)dwarf_dieoffset(die);

	if (2 * filter->n_dies >= filter->n_slots)
		slots_grow(filter);
	if (!offset || !slot_take(filter, offset))
		return;
	filter->dies = mem_grow(filter->dies, &filter->dies_capacity, filter->n_dies + 1,
				sizeof(*filter->dies));
	filter->dies[filter->n_dies++] = offset;
}

size_t unit_filter_dies(const struct unit_filter *filter)
{
	return filter->n_dies;
}

void unit_filter_add_address(struct unit_filter *filter, uint64_t addr)
{
	filter->addrs = mem_grow(filter->addrs, &filter->addrs_capacity, filter->n_addrs + 1,
				 sizeof(*filter->addrs));
	filter->addrs[filter->n_addrs++] = addr;
}

bool unit_filter_passes(const struct unit_filter *filter, Dwarf_Die *unit)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	struct file *file = dwarf ? file_of(filter, dwarf) : NULL;
	struct debug_section bytes;

	if (!file || file->unreadable ||
	    (!debug_section_unit(&file->info, unit, &bytes) &&
	     !debug_section_unit(&file->types, unit, &bytes)))
		return true;
	return holds_die(filter, unit, bytes.n) || bytes_have(filter, file, bytes.bytes, bytes.n) ||
	       offsets_have(filter, file, unit) || holds_address(filter, unit);
}

bool unit_filter_below(const struct unit_filter *filter, Dwarf_Die *die)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(die->cu);
	struct file *file = dwarf ? file_of(filter, dwarf) : NULL;
	Dwarf_Die next;

	/*
	 * References within a unit use unit offsets, not the file's. And without DW_AT_sibling
	 * libdw itself walks over everything below.
	 */
	if (!file || file->unreadable || file->offsets.bytes || filter->n_dies ||
	    !dwarf_hasattr(die, DW_AT_sibling) || dwarf_siblingof(die, &next) != 0 ||
	    (const uint8_t *)next.addr < (const uint8_t *)die->addr)
		return true;
	return bytes_have(filter, file, die->addr,
			  (size_t)((const uint8_t *)next.addr - (const uint8_t *)die->addr));
}
