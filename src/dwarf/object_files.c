/*
 * Which patterns name functions of which files: the program, a named library, libraries that it
 * needs. dwarf/search/function_search.c and dwarf/search/pattern_resolve.c match patterns within
 * one file.
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

/* A pattern, and what it named so far. */
struct pattern_outcome {
	struct pattern pattern;
	bool found;
	bool declared; /* declared in the program */
};

static void object_file_close(struct object_file *object)
{
	function_search_deinit(&object->search);
	symbol_function_deinit(&object->symbols);
	free(object->blocks);
	elf_file_close(object->image);
}

/* Unless it is there. */
static bool object_file_add_block(struct object_file *object, const struct block *block,
				  struct err *err)
{
	size_t n_same = 0, at;

	for (size_t i = 0; i < object->n_blocks; i++) {
		if (!strcmp(object->blocks[i].name, block->name))
			return true;
		n_same += block_shares_host(&object->blocks[i], block);
	}
	if (n_same == CATALOGUE_BLOCKS_MAX)
		return err_set(err, ERR_USAGE, "%s: there are more than %d blocks of one function",
			       block->name, CATALOGUE_BLOCKS_MAX);
	object->blocks = mem_grow(object->blocks, &object->blocks_capacity, object->n_blocks + 1,
				  sizeof(*object->blocks));
	for (at = object->n_blocks++; at && block_order(block, &object->blocks[at - 1]) < 0; at--)
		object->blocks[at] = object->blocks[at - 1];
	object->blocks[at] = *block;
	return true;
}

static bool object_file_add_blocks(struct object_files *objects, struct object_file *object,
				   const struct pattern *pattern, enum choice *ret, struct err *err)
{
	const struct block *list;
	size_t n;

	if (!block_find(object->image, object->path, pattern, objects->scratch, &list, &n, err))
		return false;
	*ret = n ? CHOICE_FOUND : CHOICE_NOTHING;
	for (size_t i = 0; i < n; i++)
		if (!object_file_add_block(object, &list[i], err))
			return false;
	return true;
}

/* Choose the functions that one pattern (NULL: every function) means in the file. */
static bool object_file_choose(struct object_files *objects, struct object_file *object,
			       const struct pattern *pattern, enum choice *ret, struct err *err)
{
	bool found = false;

	if (pattern && pattern->block_end)
		return object_file_add_blocks(objects, object, pattern, ret, err);
	if (!pattern_resolve(&object->search, pattern, ret, err))
		return false;
	if (*ret == CHOICE_FOUND)
		return true;
	if (!symbol_function_find(&object->symbols, object->image, pattern,
				  objects->request->ambiguous, objects->scratch, &found, err))
		return false;
	if (found)
		*ret = CHOICE_FOUND;
	return true;
}

/* Search the file for the @n patterns; mark those found. */
static bool object_file_search(struct object_files *objects, struct object_file *object,
			       struct pattern_outcome *const *outcomes, size_t n, struct err *err)
{
	const struct pattern **patterns =
		arena_array(objects->scratch, const struct pattern *, n + 1);
	enum choice choice;

	for (size_t i = 0; i < n; i++)
		patterns[i] = &outcomes[i]->pattern;
	function_search_init(&object->search, object->image, patterns, n, objects->scratch);
	object->search.ambiguous = objects->request->ambiguous;
	function_search_run(&object->search);
	if (n == 0)
		return object_file_choose(objects, object, NULL, &choice, err);
	for (size_t i = 0; i < n; i++) {
		if (!object_file_choose(objects, object, patterns[i], &choice, err))
			return false;
		if (choice == CHOICE_FOUND)
			outcomes[i]->found = object->used = true;
		else if (choice == CHOICE_DECLARED && object == objects->list)
			outcomes[i]->declared = true;
	}
	return true;
}

static struct object_file *object_file_add(struct object_files *objects, const char *path,
					   struct elf_file *image)
{
	objects->list =
		mem_grow(objects->list, &objects->capacity, objects->n + 1, sizeof(*objects->list));
	objects->list[objects->n] = (struct object_file){.path = path, .image = image};
	return &objects->list[objects->n++];
}

/* Search a library; close it if it has nothing. */
static bool library_search(struct object_files *objects, const char *path,
			   struct pattern_outcome *const *outcomes, size_t n, struct err *err)
{
	struct elf_file *image;
	struct object_file *object;
	bool ok;

	if (!elf_file_open_any(path, objects->request->debuginfo_path, &image, err))
		return false;
	object = object_file_add(objects, path, image);
	ok = elf_file_check(image, path, err) &&
	     object_file_search(objects, object, outcomes, n, err);
	if (!object->used) {
		object_file_close(object);
		objects->n--;
	}
	return ok;
}

/* Of a USDT probe, which needs no debug information. */
static bool is_probe(const struct pattern *pattern)
{
	return !strncmp(pattern->given, "usdt:", strlen("usdt:"));
}

/* Was a block meant? A function's parameters may have dots, too. */
static bool is_block_attempt(const struct pattern *pattern)
{
	return pattern->source && !pattern->block_end &&
	       ((strstr(pattern->name, "..") && !strchr(pattern->name, '(')) || is_probe(pattern));
}

static bool not_found(struct object_files *objects, const char *path, const struct pattern *pattern,
		      struct err *err)
{
	const char *names[NEAREST_MAX];
	struct text list = {0};
	size_t n;

	if (!is_probe(pattern) && !elf_file_check(objects->list[0].image, path, err))
		return false;
	if (pattern->block_end)
		return err_set(err, ERR_NOT_FOUND, "%s: %s: %s", path, pattern->given,
			       pattern->first_line ? "no line table names that file: was it "
						     "compiled with -g?"
						   : "there are no probes of that provider");
	if (is_block_attempt(pattern))
		return err_set(err, ERR_NOT_FOUND,
			       "%s: %s is no block: those are FILE:LINE..LINE, with lines from 1 "
			       "on, or usdt:PROVIDER:PROBE, or usdt:PROVIDER:PROBE..PROBE",
			       path, pattern->given);
	n = suggestions_find(objects->list[0].image, pattern, objects->scratch, names);
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

/* Our path of the file that the program sees at @path; NULL if there is none. */
static const char *in_root(struct object_files *objects, const char *path)
{
	const char *there;
	struct file ours, its;

	if (!path || !objects->request->root || *path != '/' ||
	    !strncmp(path, objects->request->root, strlen(objects->request->root)))
		return path;
	there = arena_printf(objects->scratch, "%s%s", objects->request->root, path);
	if (!file_identify(there, &its))
		return NULL;
	return file_identify(path, &ours) && object_file_is_same(&ours, &its) ? path : there;
}

static const char *program_library(struct object_files *objects, const char *name)
{
	const struct object_file *program = &objects->list[0];

	return needed_libraries_locate(program->path, program->image->elf, name, objects->scratch);
}

/* The file of a pattern's library: one that the program needs, or may load. */
static const char *library_path(struct object_files *objects, const struct pattern *pattern,
				const char *const *needed, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (pattern_has_library(pattern, needed[i]))
			return needed[i];
	}
	if (objects->request->root && *pattern->library == '/')
		return program_library(objects,
				       arena_printf(objects->scratch, "%s%s",
						    objects->request->root, pattern->library));
	return in_root(objects, program_library(objects, pattern->library));
}

/* The file if already open for another pattern. */
static struct object_file *object_file_opened(struct object_files *objects, const char *path)
{
	for (size_t i = 0; i < objects->n; i++) {
		if (!strcmp(objects->list[i].path, path))
			return &objects->list[i];
	}
	return NULL;
}

/* Search the library @path for all patterns that name it, at once. */
static bool named_library_search(struct object_files *objects, const char *path,
				 const char *const *paths, struct err *err)
{
	const size_t n_patterns = objects->request->n_patterns;
	struct pattern_outcome **outcomes =
		arena_array(objects->scratch, struct pattern_outcome *, n_patterns);
	size_t n = 0;

	for (size_t i = 0; i < n_patterns; i++) {
		if (paths[i] && !strcmp(paths[i], path))
			outcomes[n++] = &objects->outcomes[i];
	}
	if (!object_file_opened(objects, path) && !library_search(objects, path, outcomes, n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!outcomes[i]->found && !objects->request->found)
			return err_set(
				err, ERR_NOT_FOUND,
				"%s: no function \"%s\": `fathom list %s` shows what there is",
				path, outcomes[i]->pattern.name, path);
	}
	return true;
}

static bool named_libraries_search(struct object_files *objects, const char *const *needed,
				   size_t n_needed, struct err *err)
{
	const size_t n = objects->request->n_patterns;
	const char **paths = arena_array(objects->scratch, const char *, n);

	for (size_t i = 0; i < n; i++) {
		const struct pattern *pattern = &objects->outcomes[i].pattern;

		if (!pattern->library || objects->outcomes[i].found)
			continue;
		paths[i] = library_path(objects, pattern, needed, n_needed);
		if (!paths[i] && !objects->request->found)
			return err_set(err, ERR_NOT_FOUND,
				       "%s: no library \"%s\": give its path, as in "
				       "/path/library.so:%s",
				       objects->list[0].path, pattern->library, pattern->name);
	}
	for (size_t i = 0; i < n; i++) {
		if (paths[i] && !named_library_search(objects, paths[i], paths, err) &&
		    (!objects->request->found || err->code == ERR_USAGE))
			return false;
	}
	return true;
}

/* The patterns that satisfy @wanted. */
static size_t outcomes_select(struct object_files *objects,
			      bool (*wanted)(const struct object_files *,
					     const struct pattern_outcome *),
			      struct pattern_outcome ***ret)
{
	size_t n = 0;

	*ret = arena_array(objects->scratch, struct pattern_outcome *,
			   objects->request->n_patterns + 1);
	for (size_t i = 0; i < objects->request->n_patterns; i++) {
		if (wanted(objects, &objects->outcomes[i]))
			(*ret)[n++] = &objects->outcomes[i];
	}
	return n;
}

static bool is_for_program(const struct object_files *objects,
			   const struct pattern_outcome *outcome)
{
	return !outcome->pattern.library ||
	       pattern_has_library(&outcome->pattern, objects->list[0].path);
}

static bool is_for_any_library(const struct object_files *objects,
			       const struct pattern_outcome *outcome)
{
	(void)objects;
	return !outcome->found && !outcome->pattern.library;
}

/*
 * Search needed libraries for what the program lacks. Unusable ones are skipped: no pattern names
 * them.
 */
static bool needed_search(struct object_files *objects, const char *const *needed, size_t n_needed,
			  struct err *err)
{
	struct pattern_outcome **outcomes;

	for (size_t i = 0; i < n_needed && i < LIBRARIES_MAX; i++) {
		const size_t n = outcomes_select(objects, is_for_any_library, &outcomes);
		struct err why;

		if (n == 0)
			return true;
		if (object_file_opened(objects, needed[i]) ||
		    library_search(objects, needed[i], outcomes, n, &why))
			continue;
		if (why.code == ERR_USAGE) {
			*err = why;
			return false;
		}
	}
	return true;
}

/* Set the request's `found`; unmatched patterns are no error if one matched. */
static bool found_report(struct object_files *objects, struct err *err)
{
	const size_t n = objects->request->n_patterns;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		objects->request->found[i] = objects->outcomes[i].found;
		any |= objects->outcomes[i].found;
	}
	return any || !n ||
	       not_found(objects, objects->list[0].path, &objects->outcomes[0].pattern, err);
}

/* Patterns found nowhere may be declared in the program; else fail. */
static bool rest_search(struct object_files *objects, struct err *err)
{
	for (size_t i = 0; i < objects->request->n_patterns; i++) {
		const struct pattern_outcome *outcome = &objects->outcomes[i];

		if (outcome->found || objects->request->found)
			continue;
		if (!outcome->declared)
			return not_found(objects, objects->list[0].path, &outcome->pattern, err);
		pattern_resolve_declared(&objects->list[0].search, &outcome->pattern);
	}
	return !objects->request->found || found_report(objects, err);
}

static bool object_file_is_among(const struct file *file, const struct file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (object_file_is_same(file, &files[i]))
			return true;
	}
	return false;
}

/* The files that the program needs or has mapped, each once. */
static size_t libraries_list(struct object_files *objects, const char *const **ret)
{
	const struct catalogue_request *request = objects->request;
	const char *const *needed;
	const struct object_file *program = &objects->list[0];
	const size_t n_needed =
		needed_libraries(program->path, program->image->elf, objects->scratch, &needed);
	const size_t most = n_needed + request->n_libraries;
	const char **list = arena_array(objects->scratch, const char *, most + 1);
	struct file *files = arena_array(objects->scratch, struct file, most + 1);
	size_t n = 0;

	for (size_t i = 0; i < most; i++) {
		const char *path = i < n_needed ? in_root(objects, needed[i])
						: request->libraries[i - n_needed];

		if (path && file_identify(path, &files[n]) &&
		    !object_file_is_among(&files[n], files, n))
			list[n++] = path;
	}
	*ret = list;
	return n;
}

/* The @n_list paths of @list, followed by those of @more that are other files. */
static size_t files_join(struct object_files *objects, const char ***list, size_t n_list,
			 const char *const *more, size_t n_more)
{
	const char **joined = arena_array(objects->scratch, const char *, n_list + n_more + 1);
	struct file *files = arena_array(objects->scratch, struct file, n_list + n_more + 1);
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

/* The list of files preloaded into all programs of the machine. */
static const char *preloaded_by_all(struct object_files *objects)
{
	const char *root = objects->request->root ? objects->request->root : "";
	const char *path = arena_printf(objects->scratch, "%s/etc/ld.so.preload", root);
	FILE *file = fopen(path, "re");
	char names[PATH_MAX];
	size_t n = 0;

	if (file) {
		n = fread(names, 1, sizeof(names) - 1, file);
		fclose(file);
	}
	names[n] = '\0';
	return arena_strdup(objects->scratch, names);
}

/* Split at the blanks and colons of LD_PRELOAD and /etc/ld.so.preload; see ld.so(8). */
static size_t preloaded_list(struct object_files *objects, const char *const **ret)
{
	static const char separators[] = " :\t\n";
	const char *names = arena_printf(objects->scratch, "%s %s",
					 objects->request->preload ? objects->request->preload : "",
					 preloaded_by_all(objects));
	const char **list = arena_array(objects->scratch, const char *, strlen(names) / 2 + 1);
	size_t n = 0;

	while (*(names += strspn(names, separators))) {
		const size_t length = strcspn(names, separators);
		const char *name = arena_printf(objects->scratch, "%.*s", (int)length, names);

		list[n++] = in_root(objects, program_library(objects, name));
		names += length;
	}
	*ret = list;
	return n;
}

size_t object_files_list(struct object_files *objects, const char *const **ret)
{
	const char **files = arena_array(objects->scratch, const char *, objects->n);
	const char *const *more;
	size_t n = objects->n;
	size_t n_more;

	for (size_t i = 0; i < n; i++)
		files[i] = objects->list[i].path;
	n_more = preloaded_list(objects, &more);
	n = files_join(objects, &files, n, more, n_more);
	n_more = libraries_list(objects, &more);
	n = files_join(objects, &files, n, more, n_more < LIBRARIES_MAX ? n_more : LIBRARIES_MAX);
	*ret = files;
	return n;
}

bool object_files_search(struct object_files *objects, struct err *err)
{
	const size_t n_patterns = objects->request->n_patterns;
	struct pattern_outcome **outcomes;
	const char *const *needed;
	size_t n;

	objects->outcomes = arena_array(objects->scratch, struct pattern_outcome, n_patterns + 1);
	for (size_t i = 0; i < n_patterns; i++)
		pattern_parse(objects->request->patterns[i], objects->scratch,
			      &objects->outcomes[i].pattern);
	if (!n_patterns && !elf_file_check(objects->list[0].image, objects->list[0].path, err))
		return false;
	n = outcomes_select(objects, is_for_program, &outcomes);
	if ((n || !n_patterns) && !object_file_search(objects, &objects->list[0], outcomes, n, err))
		return false;
	n = 0;
	for (size_t i = 0; i < n_patterns; i++)
		n += !objects->outcomes[i].found;
	if (!n)
		return rest_search(objects, err);
	n = libraries_list(objects, &needed);
	return named_libraries_search(objects, needed, n, err) &&
	       needed_search(objects, needed, n, err) && rest_search(objects, err);
}

bool object_files_init(struct object_files *ret, const char *path,
		       const struct catalogue_request *request, struct err *err)
{
	struct elf_file *image;

	if (!elf_file_open_any(path, request->debuginfo_path, &image, err))
		return false;
	*ret = (struct object_files){.request = request, .scratch = arena_create()};
	object_file_add(ret, path, image);
	return true;
}

void object_files_deinit(struct object_files *objects)
{
	for (size_t i = 0; i < objects->n; i++)
		object_file_close(&objects->list[i]);
	arena_destroy(objects->scratch);
	free(objects->list);
}
