/*
 * Finds a thread's copy of thread-local objects. Source: ELF Handling For Thread-Local Storage,
 * variant II; the dynamic thread vector is glibc's (nptl/descr.h, sysdeps/x86_64/nptl/tls.h).
 */
#include "thread_local.h"

#include <gelf.h>

enum {
	RELOCATIONS_MAX = 1 << 22,
	DTV_POINTER = 8,     /* offset in the thread's control block, at fs.base */
	DTV_ENTRY_SHIFT = 4, /* entries have 16 bytes */
	DTV_COUNT = -16,     /* offset of the number of entries */
};

static bool program_header(const struct elf_file *image, unsigned type, GElf_Phdr *ret)
{
	size_t n;

	if (elf_getphdrnum(image->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(image->elf, (int)i, ret) && ret->p_type == type)
			return true;
	return false;
}

static bool dynamic_entry(const struct elf_file *image, int64_t tag, uint64_t *ret)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		Elf_Data *data;
		GElf_Shdr header;
		GElf_Dyn dyn;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
			*ret = dyn.d_un.d_val;
			if (dyn.d_tag == tag)
				return true;
		}
	}
	return false;
}

/* Is it a program, whose block adjoins the control block? (Some libraries can be executed too.) */
static bool tls_is_program(const struct elf_file *image)
{
	GElf_Phdr header;
	uint64_t flags = 0, name;

	if (!image->relocatable)
		return true;
	if (dynamic_entry(image, DT_FLAGS_1, &flags) && flags & DF_1_PIE)
		return true;
	return program_header(image, PT_INTERP, &header) && !dynamic_entry(image, DT_SONAME, &name);
}

/*
 * The distance of a program's block from fs.base, as linkers compute it: the block ends there,
 * apart from alignment. False: malformed header.
 */
static bool program_distance(const GElf_Phdr *tls, int64_t *ret)
{
	const uint64_t align = tls->p_align ? tls->p_align : 1;

	if ((align & (align - 1)) != 0 || align > UINT32_MAX || tls->p_memsz > INT32_MAX)
		return false;
	*ret = (int64_t)(tls->p_memsz + (-(tls->p_vaddr + tls->p_memsz) & (align - 1)));
	return true;
}

/* A word that the loader fills. */
struct slot {
	uint64_t addr;
	int64_t addend; /* of R_X86_64_TPOFF64: offset of the word's object in the block */
};

enum binding {
	BOUND_HERE, /* only this module can define the object */
	BOUND_ANY,  /* another module's exported object of that name would win */
};

/* Does the relocation refer to an object of this module? *@ret_offset: its offset in the block. */
static bool tls_is_own(Elf_Data *symbols, const GElf_Rela *rela, enum binding binding,
		       int64_t *ret_offset)
{
	const size_t index = GELF_R_SYM(rela->r_info);
	GElf_Sym symbol;

	*ret_offset = rela->r_addend;
	if (index == 0)
		return true;
	if (!symbols || !gelf_getsym(symbols, (int)index, &symbol) ||
	    symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_TLS)
		return false;
	*ret_offset += (int64_t)symbol.st_value;
	return binding == BOUND_ANY || GELF_ST_BIND(symbol.st_info) == STB_LOCAL ||
	       GELF_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT;
}

static bool slot_in(const struct elf_file *image, Elf_Scn *section, const GElf_Shdr *header,
		    unsigned type, enum binding binding, struct slot *ret)
{
	Elf_Scn *table = elf_getscn(image->elf, header->sh_link);
	Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;

	for (int i = 0; data && i < RELOCATIONS_MAX && gelf_getrela(data, i, &rela); i++) {
		if (GELF_R_TYPE(rela.r_info) != type ||
		    !tls_is_own(symbols, &rela, binding, &ret->addend))
			continue;
		ret->addr = rela.r_offset;
		return true;
	}
	return false;
}

static bool slot_bound(const struct elf_file *image, unsigned type, enum binding binding,
		       struct slot *ret)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    header.sh_flags & SHF_ALLOC &&
		    slot_in(image, section, &header, type, binding, ret))
			return true;
	}
	return false;
}

static bool slot_find(const struct elf_file *image, unsigned type, struct slot *ret)
{
	return slot_bound(image, type, BOUND_HERE, ret) || slot_bound(image, type, BOUND_ANY, ret);
}

static void from_thread(struct location *ret, int64_t offset)
{
	*ret = (struct location){.kind = LOCATION_MEMORY, .where = "fs.base"};
	location_push(&ret->steps, PLAN_REG, PLAN_FS_BASE);
	location_add(ret, offset);
}

/* The slot contains the distance from fs.base: the library must be loaded at the start. */
static void from_distance(struct location *ret, const struct slot *slot, uint64_t offset)
{
	*ret = (struct location){.kind = LOCATION_MEMORY, .where = "the thread's block"};
	location_push(&ret->steps, PLAN_REG, PLAN_FS_BASE);
	location_push(&ret->steps, PLAN_ADDRESS, (int64_t)slot->addr);
	location_push(&ret->steps, PLAN_LOAD, 8);
	location_push(&ret->steps, PLAN_PLUS, 0);
	location_push(&ret->steps, PLAN_ADD, -slot->addend);
	location_add(ret, (int64_t)offset);
}

/*
 * The slot contains the module number, an index of the dynamic thread vector. Until a thread uses
 * the module's objects its vector is too short, or has an entry of -1.
 */
static void from_vector(struct location *ret, const struct slot *slot, uint64_t offset)
{
	*ret = (struct location){.kind = LOCATION_MEMORY, .where = "the thread's block"};
	location_push(&ret->steps, PLAN_REG, PLAN_FS_BASE);
	location_push(&ret->steps, PLAN_ADD, DTV_POINTER);
	location_push(&ret->steps, PLAN_LOAD, 8);
	location_push(&ret->steps, PLAN_ADDRESS, (int64_t)slot->addr);
	location_push(&ret->steps, PLAN_LOAD, 8);
	location_push(&ret->steps, PLAN_NONNULL, 0);
	location_push(&ret->steps, PLAN_PICK, 1);
	location_push(&ret->steps, PLAN_ADD, DTV_COUNT);
	location_push(&ret->steps, PLAN_LOAD, 8);
	location_push(&ret->steps, PLAN_BOUND, 0);
	location_push(&ret->steps, PLAN_CONST, DTV_ENTRY_SHIFT);
	location_push(&ret->steps, PLAN_SHL, 0);
	location_push(&ret->steps, PLAN_PLUS, 0);
	location_push(&ret->steps, PLAN_LOAD, 8);
	location_push(&ret->steps, PLAN_ADD, 1);
	location_push(&ret->steps, PLAN_NONNULL, 0);
	location_push(&ret->steps, PLAN_ADD, -1);
	location_add(ret, (int64_t)offset);
}

void thread_local_locate(const struct elf_file *image, uint64_t offset, struct location *ret)
{
	struct slot slot;
	int64_t distance;
	GElf_Phdr tls;

	if (!program_header(image, PT_TLS, &tls) || offset >= tls.p_memsz)
		location_absent(ret, ABSENT_UNSUPPORTED,
				"thread-local, and not in the file's thread-local block");
	else if (tls_is_program(image) && program_distance(&tls, &distance))
		from_thread(ret, (int64_t)offset - distance);
	else if (slot_find(image, R_X86_64_TPOFF64, &slot))
		from_distance(ret, &slot, offset);
	else if (slot_find(image, R_X86_64_DTPMOD64, &slot))
		from_vector(ret, &slot, offset);
	else
		location_absent(ret, ABSENT_UNSUPPORTED,
				"thread-local in a library that does not tell where its threads' "
				"blocks are");
}
