/*
 * Finding the loader's r_debug. The memory read may contain anything; invalid contents mean no
 * loader.
 */
#include "loader.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>

enum { HEADERS_MAX = 128, DYNAMIC_MAX = 512 };

static bool loader_read_memory(const struct target *target, pid_t tid, uint64_t address, void *to,
			       size_t size)
{
	struct memory_read read = {.address = address, .to = to, .size = size};

	target->ops->read(target->self, tid, &read, 1);
	return read.ok;
}

static bool find_dynamic(const struct target *target, pid_t tid, uint64_t *ret_addr, size_t *ret_n)
{
	uint64_t address = target->ops->auxiliary(target->self, tid, AT_PHDR);
	uint64_t n = target->ops->auxiliary(target->self, tid, AT_PHNUM);
	Elf64_Phdr headers[HEADERS_MAX];

	if (!address || !n || n > HEADERS_MAX ||
	    !loader_read_memory(target, tid, address, headers, n * sizeof(*headers)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (headers[i].p_type != PT_DYNAMIC)
			continue;
		*ret_addr = headers[i].p_vaddr;
		*ret_n = headers[i].p_memsz / sizeof(Elf64_Dyn);
		return true;
	}
	return false;
}

static uint64_t find_debug(const struct target *target, pid_t tid, uint64_t load_bias)
{
	Elf64_Dyn entries[DYNAMIC_MAX];
	uint64_t addr;
	size_t n;

	if (!find_dynamic(target, tid, &addr, &n))
		return 0;
	n = n < DYNAMIC_MAX ? n : DYNAMIC_MAX;
	if (!loader_read_memory(target, tid, load_bias + addr, entries, n * sizeof(*entries)))
		return 0;
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_DEBUG)
			return entries[i].d_un.d_ptr;
	return 0;
}

static bool is_code(const struct target *target, pid_t tid, uint64_t pc)
{
	struct region *regions;
	size_t n = target->ops->regions(target->self, tid, &regions);
	bool found = false;

	for (size_t i = 0; i < n; i++)
		found |= regions[i].code && pc >= regions[i].low && pc < regions[i].high;
	free(regions);
	return found;
}

bool loader_find(const struct target *target, pid_t tid, uint64_t load_bias, struct loader *ret)
{
	struct loader loader = {.debug = find_debug(target, tid, load_bias)};

	if (!loader.debug ||
	    !loader_read_memory(target, tid, loader.debug + offsetof(struct r_debug, r_brk),
				&loader.brk, sizeof(loader.brk)))
		return false;
	if (!is_code(target, tid, loader.brk))
		return false;
	*ret = loader;
	return true;
}

bool loader_is_busy(const struct loader *loader, const struct target *target, pid_t tid)
{
	int state;

	return loader_read_memory(target, tid, loader->debug + offsetof(struct r_debug, r_state),
				  &state, sizeof(state)) &&
	       state != RT_CONSISTENT;
}
