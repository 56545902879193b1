/*
 * Which patterns name functions of which files: the program, a library that is named, those that it
 * needs. What a pattern means within one file is left to function_search.c and pattern_resolve.c.
 */
#include "object_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "dwarf/search/pattern_resolve.h"
#include "dwarf/file/needed_libraries.h"
#include "dwarf/search/suggestions.h"

enum { LIBRARIES_MAX = 512 };

/* What became of a pattern. */
struct pattern_outcome {
	struct pattern pattern;
	bool found;
	bool declared; /* in the executable */
};

static void part_close(struct object_file *part)
{
	function_search_deinit(&part->search);
	symbol_function_deinit(&part->symbols);
	elf_file_close(part->image);
}

/* Choose what one pattern (NULL: everything) means in the part. */
static bool part_choose(struct object_files *parts, struct object_file *part,
			const struct pattern *pattern, enum choice *ret, struct err *err)
{
	bool found = false;

	if (!pattern_resolve(&part->search, pattern, ret, err))
		return false;
	if (*ret == CHOICE_FOUND)
		return true;
	if (!symbol_function_find(&part->symbols, part->image, pattern, parts->request->ambiguous,
				  parts->scratch, &found, err))
		return false;
	if (found)
		*ret = CHOICE_FOUND;
	return true;
}

/* Look in the part for what the @n wishes ask; the found ones are marked. */
static bool part_search(struct object_files *parts, struct object_file *part,
			struct pattern_outcome *const *wishes, size_t n, struct err *err)
{
	const struct pattern **patterns =
		arena_array(parts->scratch, const struct pattern *, n + 1);
	enum choice choice;

	for (size_t i = 0; i < n; i++)
		patterns[i] = &wishes[i]->pattern;
	function_search_init(&part->search, part->image, patterns, n, parts->scratch);
	part->search.ambiguous = parts->request->ambiguous;
	function_search_run(&part->search);
	if (n == 0)
		return part_choose(parts, part, NULL, &choice, err);
	for (size_t i = 0; i < n; i++) {
		if (!part_choose(parts, part, patterns[i], &choice, err))
			return false;
		if (choice == CHOICE_FOUND)
			wishes[i]->found = part->used = true;
		else if (choice == CHOICE_DECLARED && part == parts->list)
			wishes[i]->declared = true;
	}
	return true;
}

static struct object_file *part_add(struct object_files *parts, const char *path,
				    struct elf_file *image)
{
	parts->list = mem_grow(parts->list, &parts->capacity, parts->n + 1, sizeof(*parts->list));
	parts->list[parts->n] = (struct object_file){.path = path, .image = image};
	return &parts->list[parts->n++];
}

/* A library that has nothing of what is looked for is closed again. */
static bool library_search(struct object_files *parts, const char *path,
			   struct pattern_outcome *const *wishes, size_t n, struct err *err)
{
	struct elf_file *image;
	struct object_file *part;
	bool ok;

	if (!elf_file_open_any(path, parts->request->debuginfo_path, &image, err))
		return false;
	part = part_add(parts, path, image);
	ok = elf_file_check(image, path, err) && part_search(parts, part, wishes, n, err);
	if (!part->used) {
		part_close(part);
		parts->n--;
	}
	return ok;
}

static bool not_found(struct object_files *parts, const char *path, const struct pattern *pattern,
		      struct err *err)
{
	const char *names[NEAREST_MAX];
	struct text list = {0};
	size_t n;

	if (!elf_file_check(parts->list[0].image, path, err))
		return false;
	n = suggestions_find(parts->list[0].image, pattern, parts->scratch, names);
	for (size_t i = 0; i < n; i++) {
		text_add_string(&list, i ? ", " : "");
		text_add_string(&list, names[i]);
	}
	if (n)
		err_set(err, ERR_NOT_FOUND, "%s: no function \"%s\"; the nearest names are: %s",
			path, pattern->given, list.bytes);
	else
		err_set(err, ERR_NOT_FOUND,
			"%s: no function \"%s\": `fathom list %s` shows what there is", path,
			pattern->given, path);
	text_deinit(&list);
	return false;
}

struct file {
	dev_t device;
	ino_t inode;
};

static bool file_identify(const char *path, struct file *ret)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	*ret = (struct file){status.st_dev, status.st_ino};
	return true;
}

static bool object_file_is_same(const struct file *a, const struct file *b)
{
	return a->device == b->device && a->inode == b->inode;
}

/* The file that the program sees at @path, which is where we see one; NULL if there is none. */
static const char *in_root(struct object_files *parts, const char *path)
{
	const char *there;
	struct file ours, its;

	if (!path || !parts->request->root || *path != '/' ||
	    !strncmp(path, parts->request->root, strlen(parts->request->root)))
		return path;
	there = arena_printf(parts->scratch, "%s%s", parts->request->root, path);
	if (!file_identify(there, &its))
		return NULL;
	return file_identify(path, &ours) && object_file_is_same(&ours, &its) ? path : there;
}

/* The file that a pattern's library is: one that the program needs, or that it may load. */
static const char *library_path(struct object_files *parts, const struct pattern *pattern,
				const char *const *needed, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (pattern_has_library(pattern, needed[i]))
			return needed[i];
	}
	if (parts->request->root && *pattern->library == '/')
		return needed_libraries_locate(parts->list[0].path,
					       arena_printf(parts->scratch, "%s%s",
							    parts->request->root, pattern->library),
					       parts->scratch);
	return in_root(parts, needed_libraries_locate(parts->list[0].path, pattern->library,
						      parts->scratch));
}

/* A part that was opened already, for another pattern. */
static struct object_file *object_file_opened(struct object_files *parts, const char *path)
{
	for (size_t i = 0; i < parts->n; i++) {
		if (!strcmp(parts->list[i].path, path))
			return &parts->list[i];
	}
	return NULL;
}

/* All wishes that name the library @path are looked for at once. */
static bool named_library_search(struct object_files *parts, const char *path,
				 const char *const *paths, struct err *err)
{
	const size_t n_patterns = parts->request->n_patterns;
	struct pattern_outcome **wishes =
		arena_array(parts->scratch, struct pattern_outcome *, n_patterns);
	size_t n = 0;

	for (size_t i = 0; i < n_patterns; i++) {
		if (paths[i] && !strcmp(paths[i], path))
			wishes[n++] = &parts->wishes[i];
	}
	if (!object_file_opened(parts, path) && !library_search(parts, path, wishes, n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!wishes[i]->found && !parts->request->found)
			return err_set(
				err, ERR_NOT_FOUND,
				"%s: no function \"%s\": `fathom list %s` shows what there is",
				path, wishes[i]->pattern.name, path);
	}
	return true;
}

static bool named_libraries_search(struct object_files *parts, const char *const *needed,
				   size_t n_needed, struct err *err)
{
	const size_t n = parts->request->n_patterns;
	const char **paths = arena_array(parts->scratch, const char *, n);

	for (size_t i = 0; i < n; i++) {
		const struct pattern *pattern = &parts->wishes[i].pattern;

		if (!pattern->library || parts->wishes[i].found)
			continue;
		paths[i] = library_path(parts, pattern, needed, n_needed);
		if (!paths[i] && !parts->request->found)
			return err_set(err, ERR_NOT_FOUND,
				       "%s: no library \"%s\": give its path, as in "
				       "/path/library.so:%s",
				       parts->list[0].path, pattern->library, pattern->name);
	}
	for (size_t i = 0; i < n; i++) {
		if (paths[i] && !named_library_search(parts, paths[i], paths, err) &&
		    (!parts->request->found || err->code == ERR_USAGE))
			return false;
	}
	return true;
}

/* The wishes for which @wanted holds. */
static size_t wishes_select(struct object_files *parts,
			    bool (*wanted)(const struct object_files *,
					   const struct pattern_outcome *),
			    struct pattern_outcome ***ret)
{
	size_t n = 0;

	*ret = arena_array(parts->scratch, struct pattern_outcome *,
			   parts->request->n_patterns + 1);
	for (size_t i = 0; i < parts->request->n_patterns; i++) {
		if (wanted(parts, &parts->wishes[i]))
			(*ret)[n++] = &parts->wishes[i];
	}
	return n;
}

static bool is_for_program(const struct object_files *parts, const struct pattern_outcome *wish)
{
	return !wish->pattern.library || pattern_has_library(&wish->pattern, parts->list[0].path);
}

static bool is_for_any_library(const struct object_files *parts, const struct pattern_outcome *wish)
{
	(void)parts;
	return !wish->found && !wish->pattern.library;
}

/*
 * What the program does not have, its libraries may. A library that cannot be used is passed over:
 * no one asked for it.
 */
static bool needed_search(struct object_files *parts, const char *const *needed, size_t n_needed,
			  struct err *err)
{
	struct pattern_outcome **wishes;

	for (size_t i = 0; i < n_needed && i < LIBRARIES_MAX; i++) {
		const size_t n = wishes_select(parts, is_for_any_library, &wishes);
		struct err why;

		if (n == 0)
			return true;
		if (object_file_opened(parts, needed[i]) ||
		    library_search(parts, needed[i], wishes, n, &why))
			continue;
		if (why.code == ERR_USAGE) {
			*err = why;
			return false;
		}
	}
	return true;
}

/* Tell which patterns name something; those that do not are no error if one does. */
static bool tell_found(struct object_files *parts, struct err *err)
{
	const size_t n = parts->request->n_patterns;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		parts->request->found[i] = parts->wishes[i].found;
		any |= parts->wishes[i].found;
	}
	return any || !n || not_found(parts, parts->list[0].path, &parts->wishes[0].pattern, err);
}

/* What is in no file may be declared in the program, or is not there at all. */
static bool rest_search(struct object_files *parts, struct err *err)
{
	for (size_t i = 0; i < parts->request->n_patterns; i++) {
		const struct pattern_outcome *wish = &parts->wishes[i];

		if (wish->found || parts->request->found)
			continue;
		if (!wish->declared)
			return not_found(parts, parts->list[0].path, &wish->pattern, err);
		pattern_resolve_declared(&parts->list[0].search, &wish->pattern);
	}
	return !parts->request->found || tell_found(parts, err);
}

static bool object_file_is_among(const struct file *file, const struct file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (object_file_is_same(file, &files[i]))
			return true;
	}
	return false;
}

/* What the program needs, and what else it has mapped; each file once. */
static size_t libraries_list(struct object_files *parts, const char *const **ret)
{
	const struct catalogue_request *request = parts->request;
	const char *const *needed;
	const size_t n_needed = needed_libraries(parts->list[0].path, parts->scratch, &needed);
	const size_t most = n_needed + request->n_libraries;
	const char **list = arena_array(parts->scratch, const char *, most + 1);
	struct file *files = arena_array(parts->scratch, struct file, most + 1);
	size_t n = 0;

	for (size_t i = 0; i < most; i++) {
		const char *path =
			i < n_needed ? in_root(parts, needed[i]) : request->libraries[i - n_needed];

		if (path && file_identify(path, &files[n]) &&
		    !object_file_is_among(&files[n], files, n))
			list[n++] = path;
	}
	*ret = list;
	return n;
}

/* The @n_list paths of @list and behind them those of @more that are other files. */
static size_t files_join(struct object_files *parts, const char ***list, size_t n_list,
			 const char *const *more, size_t n_more)
{
	const char **joined = arena_array(parts->scratch, const char *, n_list + n_more + 1);
	struct file *files = arena_array(parts->scratch, struct file, n_list + n_more + 1);
	size_t n = 0;

	for (size_t i = 0; i < n_list; i++) {
		joined[n] = (*list)[i];
		file_identify(joined[n], &files[n]);
		n++;
	}
	for (size_t i = 0; i < n_more; i++) {
		if (more[i] && file_identify(more[i], &files[n]) &&
		    !object_file_is_among(&files[n], files, n))
			joined[n++] = more[i];
	}
	*list = joined;
	return n;
}

/* What is preloaded into all programs of the machine. */
static const char *preloaded_by_all(struct object_files *parts)
{
	const char *root = parts->request->root ? parts->request->root : "";
	const char *path = arena_printf(parts->scratch, "%s/etc/ld.so.preload", root);
	FILE *file = fopen(path, "re");
	char names[PATH_MAX];
	size_t n = 0;

	if (file) {
		n = fread(names, 1, sizeof(names) - 1, file);
		fclose(file);
	}
	names[n] = '\0';
	return arena_strdup(parts->scratch, names);
}

/* Blanks and colons separate names in LD_PRELOAD and /etc/ld.so.preload; see ld.so(8). */
static size_t preloaded_list(struct object_files *parts, const char *const **ret)
{
	static const char separators[] = " :\t\n";
	const char *names = arena_printf(parts->scratch, "%s %s",
					 parts->request->preload ? parts->request->preload : "",
					 preloaded_by_all(parts));
	const char **list = arena_array(parts->scratch, const char *, strlen(names) / 2 + 1);
	size_t n = 0;

	while (*(names += strspn(names, separators))) {
		const size_t length = strcspn(names, separators);
		const char *name = arena_printf(parts->scratch, "%.*s", (int)length, names);

		list[n++] = in_root(
			parts, needed_libraries_locate(parts->list[0].path, name, parts->scratch));
		names += length;
	}
	*ret = list;
	return n;
}

size_t object_files_list(struct object_files *parts, const char *const **ret)
{
	const char **files = arena_array(parts->scratch, const char *, parts->n);
	const char *const *more;
	size_t n = parts->n;
	size_t n_more;

	for (size_t i = 0; i < n; i++)
		files[i] = parts->list[i].path;
	n_more = preloaded_list(parts, &more);
	n = files_join(parts, &files, n, more, n_more);
	n_more = libraries_list(parts, &more);
	n = files_join(parts, &files, n, more, n_more < LIBRARIES_MAX ? n_more : LIBRARIES_MAX);
	*ret = files;
	return n;
}

bool object_files_search(struct object_files *parts, struct err *err)
{
	const size_t n_patterns = parts->request->n_patterns;
	struct pattern_outcome **wishes;
	const char *const *needed;
	size_t n;

	parts->wishes = arena_array(parts->scratch, struct pattern_outcome, n_patterns + 1);
	for (size_t i = 0; i < n_patterns; i++)
		pattern_parse(parts->request->patterns[i], parts->scratch,
			      &parts->wishes[i].pattern);
	if (!n_patterns && !elf_file_check(parts->list[0].image, parts->list[0].path, err))
		return false;
	n = wishes_select(parts, is_for_program, &wishes);
	if ((n || !n_patterns) && !part_search(parts, &parts->list[0], wishes, n, err))
		return false;
	n = 0;
	for (size_t i = 0; i < n_patterns; i++)
		n += !parts->wishes[i].found;
	if (!n)
		return rest_search(parts, err);
	n = libraries_list(parts, &needed);
	return named_libraries_search(parts, needed, n, err) &&
	       needed_search(parts, needed, n, err) && rest_search(parts, err);
}

bool object_files_init(struct object_files *ret, const char *path,
		       const struct catalogue_request *request, struct err *err)
{
	struct elf_file *image;

	if (!elf_file_open_any(path, request->debuginfo_path, &image, err))
		return false;
	*ret = (struct object_files){.request = request, .scratch = arena_create()};
	part_add(ret, path, image);
	return true;
}

void object_files_deinit(struct object_files *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		part_close(&parts->list[i]);
	arena_destroy(parts->scratch);
	free(parts->list);
}
