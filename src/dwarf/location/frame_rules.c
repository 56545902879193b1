/* Sources: libdw.h, getrlimit(2), proc(5). */
#include "frame_rules.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * libdw has room for as many registers as the largest number that a file names, and copies of them
 * where the file says so: a kilobyte could ask for gigabytes. True rows are some kilobytes large;
 * other threads may need some memory meanwhile.
 */
enum { ROOM_SIZE = 64 << 20 };

/* Bytes that RLIMIT_DATA counts, or somewhat more; 0: unknown. */
static rlim_t data_size(void)
{
	unsigned long n_pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &n_pages) != 1)
		n_pages = 0;
	fclose(file);
	return (rlim_t)n_pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* False: there is nothing to be undone. */
static bool room_bound(struct rlimit *ret_before)
{
	const rlim_t size = data_size();
	struct rlimit bound;

	if (!size || getrlimit(RLIMIT_DATA, ret_before) != 0 ||
	    ret_before->rlim_cur <= size + ROOM_SIZE)
		return false;
	bound = (struct rlimit){size + ROOM_SIZE, ret_before->rlim_max};
	return setrlimit(RLIMIT_DATA, &bound) == 0;
}

static Dwarf_Frame *rules_from(Dwarf_CFI *cfi, Dwarf_Addr addr)
{
	Dwarf_Frame *rules = NULL;
	struct rlimit before;
	bool found, bounded;

	if (!cfi)
		return NULL;
	bounded = room_bound(&before);
	found = dwarf_cfi_addrframe(cfi, addr, &rules) == 0;
	if (bounded)
		setrlimit(RLIMIT_DATA, &before);
	return found ? rules : NULL;
}

Dwarf_Frame *frame_rules_find(const struct elf_file *image, uint64_t addr)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(image->module, &bias);
	Dwarf_Frame *rules = rules_from(cfi, addr - bias);

	if (rules)
		return rules;
	bias = 0;
	cfi = dwfl_module_dwarf_cfi(image->module, &bias);
	return rules_from(cfi, addr - bias);
}
