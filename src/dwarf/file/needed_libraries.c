/*
 * The loader's search for libraries, by dynamic sections and ld.so.conf. Does not look at their
 * functions.
 */
#include "needed_libraries.h"

#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LIBRARIES_MAX = 512,
	NEEDED_MAX = 256, /* per file */
	FOLDERS_MAX = 1024,
	INCLUDES_MAX = 8, /* nested */
};

struct folders {
	const char *path[FOLDERS_MAX];
	size_t n;
};

/* The dynamic section of one file. */
struct dynamic {
	const char *names[NEEDED_MAX];
	size_t n;
	const char *rpath, *runpath;
};

struct library {
	const char *path;
	Elf *elf;                     /* of the program, borrowed; others are opened */
	const char *rpath;            /* ignored with a run path; else inherited by needed files */
	const struct library *loader; /* that needs it, NULL for the program */
};

struct loader {
	struct arena *arena;
	struct folders *system; /* configured and built-in; NULL until one is searched there */
	struct library *libraries;
	size_t n;
};

static void folder_add(struct folders *folders, const char *path)
{
	if (*path && folders->n < FOLDERS_MAX)
		folders->path[folders->n++] = path;
}

static void configuration_read(struct folders *folders, const char *path, unsigned depth,
			       struct arena *arena);

static void include(struct folders *folders, const char *pattern, unsigned depth,
		    struct arena *arena)
{
	const char *full = *pattern == '/' ? pattern : arena_printf(arena, "/etc/%s", pattern);
	glob_t found;

	if (glob(full, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			configuration_read(folders, found.gl_pathv[i], depth + 1, arena);
		globfree(&found);
	}
}

/* Each line is a folder, or "include" and a file pattern. */
static void configuration_read(struct folders *folders, const char *path, unsigned depth,
			       struct arena *arena)
{
	FILE *file = depth < INCLUDES_MAX ? fopen(path, "re") : NULL;
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		char *word = line + strspn(line, " \t");

		word[strcspn(word, "#\r\n")] = '\0';
		for (size_t n = strlen(word); n && strchr(" \t", word[n - 1]); n--)
			word[n - 1] = '\0';
		if (!strncmp(word, "include", 7) && strchr(" \t", word[7]) && word[7])
			include(folders, word + 7 + strspn(word + 7, " \t"), depth, arena);
		else if (*word == '/')
			folder_add(folders, arena_strdup(arena, word));
	}
	if (file)
		fclose(file);
}

static struct folders *system_folders(struct arena *arena)
{
	static const char *const fixed[] = {
		"/lib/x86_64-linux-gnu",
		"/usr/lib/x86_64-linux-gnu",
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
	};

	struct folders *folders = arena_new(arena, struct folders);

	configuration_read(folders, "/etc/ld.so.conf", 0, arena);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		folder_add(folders, fixed[i]);
	return folders;
}

/* Is it an ELF file for this machine? Configured folders may hold libraries of others. */
static bool library_is_ours(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr header;
	bool ours;

	if (fd < 0)
		return false;
	ours = pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	       !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       header.e_machine == EM_X86_64;
	close(fd);
	return ours;
}

/* $ORIGIN is the folder of the file that contains the path. */
static const char *folder_expand(const char *folder, const char *origin, struct arena *arena)
{
	static const char *const names[] = {"$ORIGIN", "${ORIGIN}"};
	char *real, *own;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *at = strstr(folder, names[i]);

		if (!at)
			continue;
		real = realpath(origin, NULL);
		own = arena_strdup(arena, real ? real : origin);
		free(real);
		return arena_printf(arena, "%.*s%s%s", (int)(at - folder), folder, dirname(own),
				    at + strlen(names[i]));
	}
	return folder;
}

/* Look for @name in the folders of @list, separated by colons (or semicolons). */
static const char *search_list(const char *list, const char *name, const char *origin,
			       struct arena *arena)
{
	while (list && *list) {
		const size_t n = strcspn(list, ":;");
		const char *folder =
			folder_expand(arena_printf(arena, "%.*s", (int)n, list), origin, arena);
		const char *path = *folder ? arena_printf(arena, "%s/%s", folder, name) : name;

		if (library_is_ours(path))
			return path;
		list += n + (list[n] != '\0');
	}
	return NULL;
}

static const char *system_search(struct loader *loader, const char *name, const char *origin)
{
	const char *found = NULL;

	if (!loader->system)
		loader->system = system_folders(loader->arena);
	for (size_t i = 0; !found && i < loader->system->n; i++)
		found = search_list(loader->system->path[i], name, origin, loader->arena);
	return found;
}

static const char *library_locate(struct loader *loader, const struct library *by,
				  const char *runpath, const char *name)
{
	const char *found = NULL;

	if (strchr(name, '/')) {
		name = folder_expand(name, by->path, loader->arena);
		return library_is_ours(name) ? name : NULL;
	}
	for (const struct library *at = by; at && !runpath && !found; at = at->loader)
		found = search_list(at->rpath, name, at->path, loader->arena);
	if (!found)
		found = search_list(getenv("LD_LIBRARY_PATH"), name, by->path, loader->arena);
	if (!found)
		found = search_list(runpath, name, by->path, loader->arena);
	return found ? found : system_search(loader, name, by->path);
}

static void entry_read(Elf *elf, const GElf_Shdr *header, const GElf_Dyn *entry,
		       struct arena *arena, struct dynamic *ret)
{
	const char *text =
		entry->d_tag == DT_NEEDED || entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH
			? elf_strptr(elf, header->sh_link, entry->d_un.d_val)
			: NULL;

	if (!text)
		return;
	text = arena_strdup(arena, text);
	if (entry->d_tag == DT_RPATH)
		ret->rpath = text;
	else if (entry->d_tag == DT_RUNPATH)
		ret->runpath = text;
	else if (ret->n < NEEDED_MAX)
		ret->names[ret->n++] = text;
}

static void library_section_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
				 struct arena *arena, struct dynamic *ret)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		entry_read(elf, header, &entry, arena, ret);
}

static void dynamic_read(Elf *elf, struct arena *arena, struct dynamic *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			library_section_read(elf, section, &header, arena, ret);
	}
}

static void library_read(const struct library *library, struct arena *arena, struct dynamic *ret)
{
	Elf *elf;
	int fd;

	*ret = (struct dynamic){.n = 0};
	if (library->elf) {
		dynamic_read(library->elf, arena, ret);
		return;
	}
	fd = open(library->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	dynamic_read(elf, arena, ret);
	elf_end(elf);
	close(fd);
}

static void loader_init(struct loader *loader, const char *path, Elf *elf, struct arena *arena)
{
	*loader = (struct loader){.arena = arena, .n = 1};
	loader->libraries = arena_array(arena, struct library, LIBRARIES_MAX + 1);
	loader->libraries[0] = (struct library){.path = path, .elf = elf};
}

static bool library_is_known(const struct loader *loader, const char *path)
{
	for (size_t i = 0; i < loader->n; i++) {
		if (!strcmp(loader->libraries[i].path, path))
			return true;
	}
	return false;
}

/* Add the libraries that one file needs; the loader goes breadth first. */
static void needs_add(struct loader *loader, struct library *by)
{
	struct dynamic dynamic;

	library_read(by, loader->arena, &dynamic);
	by->rpath = dynamic.runpath ? NULL : dynamic.rpath;
	for (size_t i = 0; i < dynamic.n; i++) {
		const char *path = library_locate(loader, by, dynamic.runpath, dynamic.names[i]);

		if (path && loader->n <= LIBRARIES_MAX && !library_is_known(loader, path))
			loader->libraries[loader->n++] =
				(struct library){.path = path, .loader = by};
	}
}

size_t needed_libraries(const char *path, Elf *elf, struct arena *arena, const char *const **ret)
{
	struct loader loader;
	const char **paths;

	loader_init(&loader, path, elf, arena);
	for (size_t i = 0; i < loader.n; i++)
		needs_add(&loader, &loader.libraries[i]);
	paths = arena_array(arena, const char *, loader.n);
	for (size_t i = 1; i < loader.n; i++)
		paths[i - 1] = loader.libraries[i].path;
	*ret = paths;
	return loader.n - 1;
}

const char *needed_libraries_locate(const char *path, Elf *elf, const char *name,
				    struct arena *arena)
{
	struct loader loader;
	struct dynamic dynamic;

	loader_init(&loader, path, elf, arena);
	library_read(&loader.libraries[0], arena, &dynamic);
	loader.libraries[0].rpath = dynamic.runpath ? NULL : dynamic.rpath;
	return library_locate(&loader, &loader.libraries[0], dynamic.runpath, name);
}
