/* The list of files. dwarf/call_sites.h reads them. */
#include "opened_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct opened_file *opened_files_find(const struct opened_files *files,
				      const struct mapped_module *module)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->list[i]->low == module->low &&
		    !strcmp(files->list[i]->path, module->opens ? module->opens : module->path))
			return files->list[i];
	return NULL;
}

struct opened_file *opened_files_open(struct opened_files *files,
				      const struct mapped_module *module)
{
	struct opened_file *opened = arena_new(files->arena, struct opened_file);
	struct err err;

	opened->low = module->low;
	opened->path = arena_strdup(files->arena, module->opens ? module->opens : module->path);
	if (!module->opens)
		opened->why_not = "the file of its code is gone, or cannot be reached from here";
	else if (!call_sites_open(module->opens, files->request, &opened->sites, &err))
		opened->why_not = arena_strdup(files->arena, err.text);
	if (opened->sites) {
		opened->load_bias = module->low - call_sites_base(opened->sites);
		opened->chains = call_chain_open(opened->sites);
	}
	files->list = mem_grow(files->list, &files->capacity, files->n + 1, sizeof(*files->list));
	files->list[files->n++] = opened;
	return opened;
}

void opened_files_deinit(struct opened_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		call_chain_close(files->list[i]->chains);
		call_sites_close(files->list[i]->sites);
	}
	free(files->list);
}
