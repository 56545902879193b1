/* Names of sites, each looked up once. */
#include "site_names.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"
#include "base/mem.h"
#include "call_sites.h"

struct named_site {
	struct {
		uint64_t module, addr;
	} key;
	const char *name;
	UT_hash_handle hh;
};

struct site_name {
	const char *name; /* the hash's key */
	const char *file; /* NULL: none */
	UT_hash_handle hh;
};

struct site_names {
	const struct catalogue *catalogue;
	struct catalogue_request request;
	struct arena *arena;
	struct call_sites **opened; /* [catalogue's modules] */
	bool *tried;                /* likewise */
	struct named_site *sites;
	struct site_name *names;
};

struct site_names *site_names_create(const struct catalogue *catalogue, const char *debuginfo_path)
{
	struct site_names *names = mem_alloc(sizeof(*names));

	names->catalogue = catalogue;
	names->request = (struct catalogue_request){.debuginfo_path = debuginfo_path};
	names->arena = arena_create();
	names->opened = arena_array(names->arena, struct call_sites *, catalogue->n_modules);
	names->tried = arena_array(names->arena, bool, catalogue->n_modules);
	return names;
}

void site_names_destroy(struct site_names *names)
{
	if (!names)
		return;
	HASH_CLEAR(hh, names->sites);
	HASH_CLEAR(hh, names->names);
	for (size_t i = 0; i < names->catalogue->n_modules; i++)
		call_sites_close(names->opened[i]);
	arena_destroy(names->arena);
	free(names);
}

static const char *site_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct call_sites *open_module(struct site_names *names, unsigned module)
{
	struct err ignored;

	if (!names->tried[module])
		call_sites_open(names->catalogue->modules[module].path, &names->request,
				&names->opened[module], &ignored);
	names->tried[module] = true;
	return names->opened[module];
}

/* The function with code of its own: what was inlined there is a line of it. NULL: not known. */
static const struct call_place *site_place(struct site_names *names, unsigned module, uint64_t addr)
{
	struct call_sites *opened = open_module(names, module);
	const struct call_site *found = opened ? call_sites_find(opened, addr - 1) : NULL;

	return found ? &found->places[found->n_places - 1] : NULL;
}

/* Two files of one name are told apart by their folders. */
static const char *pooled(struct site_names *names, const char *name, const char *file)
{
	struct site_name *found;

	HASH_FIND_STR(names->names, name, found);
	if (found)
		return !file || !found->file || !strcmp(file, found->file) ? found->name : NULL;
	found = arena_new(names->arena, struct site_name);
	found->name = name;
	found->file = file;
	HASH_ADD_KEYPTR(hh, names->names, found->name, strlen(name), found);
	return name;
}

static const char *name_line(struct site_names *names, const struct call_place *place)
{
	const char *file = arena_strdup(names->arena, place->file);
	const char *name = pooled(
		names, arena_printf(names->arena, "%s:%u", site_base_name(file), place->line),
		file);

	return name ? name
		    : pooled(names, arena_printf(names->arena, "%s:%u", file, place->line), file);
}

/* What is in no module that is known counts as the program's, where nothing is found. */
static const char *name_site(struct site_names *names, unsigned module, uint64_t addr)
{
	const struct call_place *place = site_place(names, module, addr);
	const char *where = names->catalogue->modules[module].path;

	if (place && place->file && place->line)
		return name_line(names, place);
	if (!module && (!place || !place->function))
		return pooled(names, "elsewhere", NULL);
	return pooled(names, arena_strdup(names->arena, site_base_name(where)), NULL);
}

const char *site_names_find(struct site_names *names, unsigned module, uint64_t addr)
{
	struct named_site *found, like = {.key = {module, addr}};

	HASH_FIND(hh, names->sites, &like.key, sizeof(like.key), found);
	if (found)
		return found->name;
	found = arena_new(names->arena, struct named_site);
	found->key = like.key;
	found->name = name_site(names, module, addr);
	HASH_ADD(hh, names->sites, key, sizeof(found->key), found);
	return found->name;
}
