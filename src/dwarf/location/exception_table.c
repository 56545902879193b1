/* Reads .eh_frame as far as it says where code is entered; dwarf/location has its rules. */
#include "exception_table.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FORMAT_MASK = 0x0f, BASE_MASK = 0x70 };

/* Broken files may have anything refer to anything: more than this is not read again and again. */
enum { LEB128_SIZE_MAX = 16, LETTERS_MAX = 16, AREAS_SIZE_MAX = 256 << 20 };

/* Bytes being read, at `addr` in memory. */
struct cursor {
	const uint8_t *at, *end;
	uint64_t addr;
	bool bad; /* beyond the end, or not understood */
};

/* What a common information entry says about its functions' entries. */
struct common {
	uint64_t offset; /* of the entry */
	bool known;
	bool augmented; /* entries have a length of augmentation data */
	uint8_t address_encoding, area_encoding;
};

struct exceptions {
	const struct elf_file *image;
	void (*see)(void *self, uint64_t addr); /* NULL: areas are not read */
	void (*see_part)(void *self, struct address_range range);
	void *self;
	struct cursor section, areas;
	uint64_t areas_size;  /* what was read of them, each time */
	struct common common; /* the last one */
};

static uint64_t take(struct cursor *cursor, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(cursor->end - cursor->at) < size) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return 0;
	}
	memcpy(&value, cursor->at, size);
	cursor->at += size;
	cursor->addr += size;
	return value;
}

static int64_t take_signed(struct cursor *cursor, size_t size)
{
	const unsigned unused = 64 - 8 * (unsigned)size;

	return (int64_t)(take(cursor, size) << unused) >> unused;
}

static uint64_t take_leb128(struct cursor *cursor, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		if (shift == 7 * LEB128_SIZE_MAX)
			cursor->bad = true;
		byte = cursor->bad ? 0 : take(cursor, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= UINT64_MAX << shift;
	return value;
}

static uint64_t take_number(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & FORMAT_MASK) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return take(cursor, 8);
	case DW_EH_PE_uleb128:
		return take_leb128(cursor, false);
	case DW_EH_PE_sleb128:
		return take_leb128(cursor, true);
	case DW_EH_PE_udata2:
		return take(cursor, 2);
	case DW_EH_PE_sdata2:
		return take_signed(cursor, 2);
	case DW_EH_PE_udata4:
		return take(cursor, 4);
	case DW_EH_PE_sdata4:
		return take_signed(cursor, 4);
	default:
		cursor->bad = true;
		return 0;
	}
}

/* An encoded pointer; 0: none. */
static uint64_t take_pointer(struct cursor *cursor, uint8_t encoding)
{
	const uint64_t here = cursor->addr;
	uint64_t value;

	if (encoding == DW_EH_PE_omit)
		return 0;
	value = take_number(cursor, encoding);
	if (!value)
		return 0;
	if (encoding & DW_EH_PE_indirect || (encoding & BASE_MASK & ~DW_EH_PE_pcrel))
		cursor->bad = true;
	return encoding & DW_EH_PE_pcrel ? here + value : value;
}

/* The rest of the section from @addr on, as a file has it. */
static struct cursor cursor_at(const struct elf_file *image, uint64_t addr)
{
	size_t size = 0;
	const uint8_t *bytes = elf_file_data(image, addr, &size);

	return (struct cursor){bytes, bytes + size, addr, .bad = !bytes};
}

/* The first @size bytes of what @cursor has left, and skip them. */
static struct cursor cursor_split(struct cursor *cursor, uint64_t size)
{
	struct cursor part = *cursor;

	if (size > (uint64_t)(cursor->end - cursor->at)) {
		cursor->bad = part.bad = true;
		size = cursor->end - cursor->at;
	}
	part.end = part.at + size;
	cursor->at += size;
	cursor->addr += size;
	return part;
}

/* Areas mostly follow each other in the order of functions. */
static struct cursor area_at(struct exceptions *exceptions, uint64_t addr)
{
	struct cursor *areas = &exceptions->areas, rest;

	if (addr < areas->addr || addr - areas->addr >= (uint64_t)(areas->end - areas->at))
		*areas = cursor_at(exceptions->image, addr);
	rest = *areas;
	if (!rest.bad)
		cursor_split(&rest, addr - rest.addr);
	return rest;
}

/* The language-specific data area at @addr, of the function at @function_addr. */
static bool area_read(struct exceptions *exceptions, uint64_t addr, uint64_t function_addr)
{
	struct cursor cursor = area_at(exceptions, addr), calls;
	uint64_t start_addr = function_addr;
	uint8_t encoding = take(&cursor, 1);

	if (encoding != DW_EH_PE_omit)
		start_addr = take_pointer(&cursor, encoding);
	if (take(&cursor, 1) != DW_EH_PE_omit)
		take_leb128(&cursor, false); /* where the types are */
	encoding = take(&cursor, 1);
	calls = cursor_split(&cursor, take_leb128(&cursor, false));
	exceptions->areas_size += (uint64_t)(calls.end - calls.at);
	if (exceptions->areas_size > AREAS_SIZE_MAX)
		return false;
	while (!calls.bad && calls.at < calls.end) {
		uint64_t pad;

		take_number(&calls, encoding);
		take_number(&calls, encoding);
		pad = take_number(&calls, encoding);
		take_leb128(&calls, false); /* the action */
		if (pad && !calls.bad)
			exceptions->see(exceptions->self, start_addr + pad);
	}
	return !cursor.bad && !calls.bad;
}

static void augmentation_read(struct cursor *entry, const char *letters, struct common *ret)
{
	struct cursor data;

	if (*letters != 'z') {
		entry->bad |= *letters != '\0';
		return;
	}
	ret->augmented = true;
	data = cursor_split(entry, take_leb128(entry, false));
	while (*++letters) {
		if (*letters == 'L')
			ret->area_encoding = take(&data, 1);
		else if (*letters == 'R')
			ret->address_encoding = take(&data, 1);
		else if (*letters == 'P')
			take_number(&data, take(&data, 1)); /* the personality */
		else if (*letters != 'S' && *letters != 'B')
			entry->bad = true;
	}
	entry->bad |= data.bad;
}

static bool common_read(struct cursor *entry, struct common *ret)
{
	const uint8_t version = take(entry, 1);
	const char *letters = (const char *)entry->at;
	size_t n_letters = 0;

	ret->address_encoding = DW_EH_PE_absptr;
	ret->area_encoding = DW_EH_PE_omit;
	ret->augmented = false;
	while (n_letters <= LETTERS_MAX && take(entry, 1))
		n_letters++;
	take_leb128(entry, false); /* alignment of code */
	take_leb128(entry, true);  /* alignment of data */
	if (version == 1)
		take(entry, 1); /* the return address's register */
	else
		take_leb128(entry, false);
	if (entry->bad || n_letters > LETTERS_MAX)
		return false;
	augmentation_read(entry, letters, ret);
	return ret->known = !entry->bad;
}

/* The body of the next entry, behind its identification; false: there is no other. */
static bool entry_next(struct cursor *section, struct cursor *ret, uint64_t *ret_id,
		       uint64_t *ret_id_addr)
{
	uint64_t length = take(section, 4);

	if (length == UINT32_MAX)
		length = take(section, 8);
	if (!length)
		return false;
	*ret = cursor_split(section, length);
	*ret_id_addr = ret->addr;
	*ret_id = take(ret, 4);
	return !ret->bad;
}

/* The common entry that begins @offset bytes into the section. */
static bool common_find(struct exceptions *exceptions, uint64_t offset)
{
	struct cursor rest = exceptions->section, entry;
	struct common *common = &exceptions->common;
	uint64_t id, id_addr;

	if (common->known && common->offset == offset)
		return true;
	*common = (struct common){.offset = offset};
	cursor_split(&rest, offset);
	return !rest.bad && entry_next(&rest, &entry, &id, &id_addr) && id == 0 &&
	       common_read(&entry, common);
}

static bool function_read(struct exceptions *exceptions, struct cursor *entry, uint64_t id,
			  uint64_t id_addr)
{
	const struct common *common = &exceptions->common;
	uint64_t addr, size, area_addr;
	struct cursor data;

	if (!common_find(exceptions, id_addr - id - exceptions->section.addr))
		return false;
	addr = take_pointer(entry, common->address_encoding);
	size = take_number(entry, common->address_encoding);
	if (entry->bad)
		return false;
	if (exceptions->see_part && addr + size > addr)
		exceptions->see_part(exceptions->self, (struct address_range){addr, addr + size});
	if (!exceptions->see)
		return true;
	exceptions->see(exceptions->self, addr);
	if (!common->augmented)
		return true;
	data = cursor_split(entry, take_leb128(entry, false));
	area_addr = take_pointer(&data, common->area_encoding);
	return !entry->bad && !data.bad && (!area_addr || area_read(exceptions, area_addr, addr));
}

/* Linkers may leave ends of lists between entries. */
static bool section_read(struct exceptions *exceptions)
{
	struct cursor rest = exceptions->section, entry;
	uint64_t id, id_addr;
	bool ok = true;

	while (rest.at < rest.end && !rest.bad) {
		if (!entry_next(&rest, &entry, &id, &id_addr))
			continue;
		if (id)
			ok &= function_read(exceptions, &entry, id, id_addr);
	}
	return ok && !rest.bad;
}

static bool exceptions_read(struct exceptions *exceptions)
{
	const struct elf_file *image = exceptions->image;
	Elf_Scn *section = NULL;
	size_t names;
	bool ok = elf_getshdrstrndx(image->elf, &names) == 0;

	while (ok && (section = elf_nextscn(image->elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(image->elf, names, header.sh_name);
		if (!name || strcmp(name, ".eh_frame") != 0 || !header.sh_size)
			continue;
		exceptions->section = cursor_at(image, header.sh_addr);
		exceptions->common.known = false;
		ok = !exceptions->section.bad && section_read(exceptions);
	}
	return ok;
}

bool exception_table_read(const struct elf_file *image, void (*see)(void *self, uint64_t addr),
			  void *self)
{
	struct exceptions exceptions = {.image = image, .see = see, .self = self};

	return exceptions_read(&exceptions);
}

/* The part that has an address. */
struct wanted {
	uint64_t addr;
	struct address_range range;
};

static void part_compare(void *self, struct address_range range)
{
	struct wanted *wanted = self;

	if (wanted->addr >= range.low_addr && wanted->addr < range.high_addr)
		wanted->range = range;
}

static bool exception_table_around(const struct elf_file *image, uint64_t addr,
				   struct address_range *ret)
{
	struct wanted wanted = {.addr = addr};
	struct exceptions exceptions = {.image = image, .see_part = part_compare, .self = &wanted};

	exceptions_read(&exceptions);
	*ret = wanted.range;
	return wanted.range.high_addr > addr;
}

uint64_t exception_table_size(const struct elf_file *image, uint64_t addr)
{
	struct address_range range;

	return exception_table_around(image, addr, &range) && range.low_addr == addr
		       ? range.high_addr - addr
		       : 0;
}

struct parts_seen {
	struct address_range *list;
	size_t n, capacity;
};

static void part_keep(void *self, struct address_range range)
{
	struct parts_seen *parts = self;

	parts->list = mem_grow(parts->list, &parts->capacity, parts->n + 1, sizeof(range));
	parts->list[parts->n++] = range;
}

static int part_order(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return (x->low_addr > y->low_addr) - (x->low_addr < y->low_addr);
}

/* In broken files only do they overlap. */
static size_t parts_cut(struct address_range *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && list[i + 1].low_addr < list[i].high_addr)
			list[i].high_addr = list[i + 1].low_addr;
		if (list[i].high_addr > list[i].low_addr)
			list[kept++] = list[i];
	}
	return kept;
}

size_t exception_table_parts(const struct elf_file *image, struct arena *arena,
			     const struct address_range **ret)
{
	struct parts_seen parts = {.n = 0};
	struct exceptions exceptions = {.image = image, .see_part = part_keep, .self = &parts};

	exceptions_read(&exceptions);
	if (parts.n)
		qsort(parts.list, parts.n, sizeof(*parts.list), part_order);
	parts.n = parts_cut(parts.list, parts.n);
	*ret = arena_copy(arena, parts.list, parts.n * sizeof(*parts.list));
	free(parts.list);
	return parts.n;
}
