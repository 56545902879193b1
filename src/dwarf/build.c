/*
 * Putting a catalogue together: which patterns name functions of which files. What is said of a
 * function is left to describe.c.
 */
#include "dwarf/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/insn.h"
#include "dwarf/choose.h"
#include "dwarf/describe.h"
#include "dwarf/image.h"
#include "dwarf/needed.h"
#include "dwarf/nearest.h"
#include "dwarf/symbol_function.h"
#include "dwarf/walk.h"

enum { LIBRARIES_MAX = 512 };

/* A file that may have functions that were asked for. */
struct part {
	const char *path;
	struct image *image;
	struct search search;
	struct symbol_functions symbols;
	bool used; /* it has some */
};

/* What became of a pattern. */
struct wish {
	struct pattern pattern;
	bool found;
	bool declared; /* in the executable */
};

struct builder {
	const struct catalogue_request *request;
	struct insn_decoder *decoder;
	struct arena *scratch; /* names of candidates, locations under way */
	struct catalogue *catalogue;
	struct wish *wishes;
	struct part *parts; /* the first is the executable */
	size_t n_parts, parts_capacity;
	struct module *modules;
	struct function *functions;
	size_t capacity;
	struct notes notes;
};

static void part_close(struct part *part)
{
	search_deinit(&part->search);
	symbol_functions_deinit(&part->symbols);
	image_close(part->image);
}

/* Choose what one pattern (NULL: everything) means in the part. */
static bool part_choose(struct builder *builder, struct part *part, const struct pattern *pattern,
			enum choice *ret, struct err *err)
{
	bool found = false;

	if (!choose_pattern(&part->search, pattern, ret, err))
		return false;
	if (*ret == CHOICE_FOUND)
		return true;
	if (!symbol_functions_find(&part->symbols, part->image, pattern,
				   builder->request->ambiguous, builder->scratch, &found, err))
		return false;
	if (found)
		*ret = CHOICE_FOUND;
	return true;
}

/* Look in the part for what the @n wishes ask; the found ones are marked. */
static bool part_search(struct builder *builder, struct part *part, struct wish *const *wishes,
			size_t n, struct err *err)
{
	const struct pattern **patterns =
		arena_array(builder->scratch, const struct pattern *, n + 1);
	enum choice choice;

	for (size_t i = 0; i < n; i++)
		patterns[i] = &wishes[i]->pattern;
	search_init(&part->search, part->image, patterns, n, builder->scratch);
	part->search.ambiguous = builder->request->ambiguous;
	search_run(&part->search);
	if (n == 0)
		return part_choose(builder, part, NULL, &choice, err);
	for (size_t i = 0; i < n; i++) {
		if (!part_choose(builder, part, patterns[i], &choice, err))
			return false;
		if (choice == CHOICE_FOUND)
			wishes[i]->found = part->used = true;
		else if (choice == CHOICE_DECLARED && part == builder->parts)
			wishes[i]->declared = true;
	}
	return true;
}

static struct part *part_add(struct builder *builder, const char *path, struct image *image)
{
	builder->parts = mem_grow(builder->parts, &builder->parts_capacity, builder->n_parts + 1,
				  sizeof(*builder->parts));
	builder->parts[builder->n_parts] = (struct part){.path = path, .image = image};
	return &builder->parts[builder->n_parts++];
}

/* A library that has nothing of what is looked for is closed again. */
static bool library_search(struct builder *builder, const char *path, struct wish *const *wishes,
			   size_t n, struct err *err)
{
	struct image *image;
	struct part *part;
	bool ok;

	if (!image_open(path, &image, err))
		return false;
	part = part_add(builder, path, image);
	ok = image_check_functions(image, path, err) && part_search(builder, part, wishes, n, err);
	if (ok && !part->used) {
		part_close(part);
		builder->n_parts--;
	}
	return ok;
}

static bool not_found(struct builder *builder, const char *path, const struct pattern *pattern,
		      struct err *err)
{
	const char *names[NEAREST_MAX];
	const size_t n = nearest_find(builder->parts[0].image, pattern, builder->scratch, names);
	struct text list = {0};

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

/* The file that a pattern's library is: one that the program needs, or that it may load. */
static const char *library_path(struct builder *builder, const struct pattern *pattern,
				const char *const *needed, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (pattern_has_library(pattern, needed[i]))
			return needed[i];
	}
	return needed_locate(builder->parts[0].path, pattern->library, builder->scratch);
}

/* A part that was opened already, for another pattern. */
static struct part *part_of(struct builder *builder, const char *path)
{
	for (size_t i = 0; i < builder->n_parts; i++) {
		if (!strcmp(builder->parts[i].path, path))
			return &builder->parts[i];
	}
	return NULL;
}

/* All wishes that name the library @path are looked for at once. */
static bool named_library_search(struct builder *builder, const char *path,
				 const char *const *paths, struct err *err)
{
	const size_t n_patterns = builder->request->n_patterns;
	struct wish **wishes = arena_array(builder->scratch, struct wish *, n_patterns);
	size_t n = 0;

	for (size_t i = 0; i < n_patterns; i++) {
		if (paths[i] && !strcmp(paths[i], path))
			wishes[n++] = &builder->wishes[i];
	}
	if (!part_of(builder, path) && !library_search(builder, path, wishes, n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!wishes[i]->found)
			return err_set(
				err, ERR_NOT_FOUND,
				"%s: no function \"%s\": `fathom list %s` shows what there is",
				path, wishes[i]->pattern.name, path);
	}
	return true;
}

static bool named_libraries_search(struct builder *builder, const char *const *needed,
				   size_t n_needed, struct err *err)
{
	const size_t n = builder->request->n_patterns;
	const char **paths = arena_array(builder->scratch, const char *, n);

	for (size_t i = 0; i < n; i++) {
		const struct pattern *pattern = &builder->wishes[i].pattern;

		if (!pattern->library || builder->wishes[i].found)
			continue;
		paths[i] = library_path(builder, pattern, needed, n_needed);
		if (!paths[i])
			return err_set(err, ERR_NOT_FOUND,
				       "%s: no library \"%s\": give its path, as in "
				       "/path/library.so:%s",
				       builder->parts[0].path, pattern->library, pattern->name);
	}
	for (size_t i = 0; i < n; i++) {
		if (paths[i] && !named_library_search(builder, paths[i], paths, err))
			return false;
	}
	return true;
}

/* The wishes for which @wanted holds. */
static size_t wishes_select(struct builder *builder,
			    bool (*wanted)(const struct builder *, const struct wish *),
			    struct wish ***ret)
{
	size_t n = 0;

	*ret = arena_array(builder->scratch, struct wish *, builder->request->n_patterns + 1);
	for (size_t i = 0; i < builder->request->n_patterns; i++) {
		if (wanted(builder, &builder->wishes[i]))
			(*ret)[n++] = &builder->wishes[i];
	}
	return n;
}

static bool is_for_program(const struct builder *builder, const struct wish *wish)
{
	return !wish->pattern.library ||
	       pattern_has_library(&wish->pattern, builder->parts[0].path);
}

static bool is_for_any_library(const struct builder *builder, const struct wish *wish)
{
	(void)builder;
	return !wish->found && !wish->pattern.library;
}

/*
 * What the program does not have, its libraries may. A library that cannot be used is passed over: no
 * one asked for it.
 */
static bool needed_search(struct builder *builder, const char *const *needed, size_t n_needed,
			  struct err *err)
{
	struct wish **wishes;

	for (size_t i = 0; i < n_needed && i < LIBRARIES_MAX; i++) {
		const size_t n = wishes_select(builder, is_for_any_library, &wishes);
		struct err why;

		if (n == 0)
			return true;
		if (part_of(builder, needed[i]) ||
		    library_search(builder, needed[i], wishes, n, &why))
			continue;
		if (why.code == ERR_USAGE) {
			*err = why;
			return false;
		}
	}
	return true;
}

/* What is in no file may be declared in the program, or is not there at all. */
static bool rest_search(struct builder *builder, struct err *err)
{
	for (size_t i = 0; i < builder->request->n_patterns; i++) {
		const struct wish *wish = &builder->wishes[i];

		if (wish->found)
			continue;
		if (!wish->declared)
			return image_check_functions(builder->parts[0].image,
						     builder->parts[0].path, err) &&
			       not_found(builder, builder->parts[0].path, &wish->pattern, err);
		choose_declared(&builder->parts[0].search, &wish->pattern);
	}
	return true;
}

static bool parts_search(struct builder *builder, struct err *err)
{
	const size_t n_patterns = builder->request->n_patterns;
	struct wish **wishes;
	const char *const *needed;
	size_t n;

	builder->wishes = arena_array(builder->scratch, struct wish, n_patterns + 1);
	for (size_t i = 0; i < n_patterns; i++)
		pattern_parse(builder->request->patterns[i], builder->scratch,
			      &builder->wishes[i].pattern);
	if (!n_patterns &&
	    !image_check_functions(builder->parts[0].image, builder->parts[0].path, err))
		return false;
	n = wishes_select(builder, is_for_program, &wishes);
	if ((n || !n_patterns) && !part_search(builder, &builder->parts[0], wishes, n, err))
		return false;
	n = 0;
	for (size_t i = 0; i < n_patterns; i++)
		n += !builder->wishes[i].found;
	if (!n)
		return true;
	n = needed_libraries(builder->parts[0].path, builder->scratch, &needed);
	return named_libraries_search(builder, needed, n, err) &&
	       needed_search(builder, needed, n, err) && rest_search(builder, err);
}

static struct function *function_add(struct builder *builder)
{
	struct catalogue *catalogue = builder->catalogue;

	builder->functions = mem_grow(builder->functions, &builder->capacity,
				      catalogue->n_functions + 1, sizeof(*builder->functions));
	return &builder->functions[catalogue->n_functions++];
}

static void candidates_describe(struct builder *builder, const struct part *part,
				const struct describer *describer)
{
	const struct search *search = &part->search;
	struct inlined_places *places = mem_alloc(search->n_candidates * sizeof(*places));

	inlined_find(search, builder->request->inlined, describer->arena, places);
	for (size_t i = 0; i < search->n_candidates; i++) {
		if (search->candidates[i].chosen)
			describe_candidate(describer, &search->candidates[i], &places[i],
					   function_add(builder));
	}
	free(places);
}

static void sources_create(struct builder *builder, struct describer *describer)
{
	const struct image *image = describer->image;
	struct type_names *names;

	if (!builder->request->features || !image->dwarf)
		return;
	names = type_names_create();
	describer->sources = (struct feature_sources){
		.image = image,
		.variables = variables_create(image, describer->arena),
		.names = names,
		.classes = classes_create(image, names, describer->module,
					  (unsigned)builder->catalogue->n_casts, describer->arena),
		.definitions = definitions_create(image, names),
	};
}

static void sources_destroy(struct feature_sources *sources)
{
	definitions_destroy(sources->definitions);
	classes_destroy(sources->classes);
	variables_destroy(sources->variables);
	type_names_destroy(sources->names);
}

static void unit_note(void *self, const char *text)
{
	notes_add(self, text);
}

static void part_describe(struct builder *builder, const struct part *part, unsigned module)
{
	struct describer describer = {
		.request = builder->request,
		.image = part->image,
		.decoder = builder->decoder,
		.module = module,
		.arena = builder->catalogue->arena,
		.notes = &builder->notes,
	};

	sources_create(builder, &describer);
	candidates_describe(builder, part, &describer);
	for (size_t i = 0; i < part->symbols.n; i++)
		symbol_function_describe(&describer, &part->symbols.list[i], function_add(builder));
	if (describer.sources.classes)
		classes_publish(describer.sources.classes, builder->catalogue);
	sources_destroy(&describer.sources);
}

static int function_order(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	if (names)
		return names;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->entry_addr < y->entry_addr ? -1 : x->entry_addr > y->entry_addr;
}

/* Sort the functions. Two DIEs that tell of one piece of code are one function. */
static void functions_finish(struct builder *builder)
{
	struct catalogue *catalogue = builder->catalogue;
	struct function *list = builder->functions;
	size_t kept = 0;

	if (catalogue->n_functions)
		qsort(list, catalogue->n_functions, sizeof(*list), function_order);
	for (size_t i = 0; i < catalogue->n_functions; i++) {
		if (!kept || !list[i].n_ranges || function_order(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	}
	catalogue->n_functions = kept;
	catalogue->functions = arena_copy(catalogue->arena, list, kept * sizeof(*list));
}

/* What users should know of the whole file. */
static void module_notes(struct builder *builder, const struct part *part)
{
	struct arena *arena = builder->catalogue->arena;

	if (!part->image->dwarf && part->symbols.n)
		notes_add(
			&builder->notes,
			arena_printf(
				arena,
				"%s: has no usable debug information: functions are known by name "
				"only, and what they work on by register",
				part->path));
}

static bool modules_describe(struct builder *builder, struct err *err)
{
	struct catalogue *catalogue = builder->catalogue;

	builder->modules = arena_array(catalogue->arena, struct module, builder->n_parts);
	catalogue->modules = builder->modules;
	for (size_t i = 0; i < builder->n_parts; i++) {
		const struct part *part = &builder->parts[i];

		if (!image_describe(part->image, part->path, catalogue->arena, &builder->modules[i],
				    err))
			return false;
		catalogue->n_modules++;
		units_notes(&part->image->units, part->path, catalogue->arena, unit_note,
			    &builder->notes);
		part_describe(builder, part, (unsigned)i);
		module_notes(builder, part);
	}
	return true;
}

static bool catalogue_fill(struct builder *builder, struct err *err)
{
	struct catalogue *catalogue = builder->catalogue;

	if (!insn_decoder_create(&builder->decoder, err) || !parts_search(builder, err) ||
	    !modules_describe(builder, err))
		return false;
	functions_finish(builder);
	catalogue->notes = arena_copy(catalogue->arena, builder->notes.list,
				      builder->notes.n * sizeof(*builder->notes.list));
	catalogue->n_notes = builder->notes.n;
	return true;
}

static void builder_deinit(struct builder *builder)
{
	for (size_t i = 0; i < builder->n_parts; i++)
		part_close(&builder->parts[i]);
	insn_decoder_destroy(builder->decoder);
	arena_destroy(builder->scratch);
	free(builder->parts);
	free(builder->functions);
}

bool catalogue_build(const char *path, const struct catalogue_request *request,
		     struct catalogue **ret, struct err *err)
{
	struct builder builder = {.request = request};
	struct image *image;
	struct arena *arena;
	bool ok;

	if (!image_open(path, &image, err))
		return false;
	arena = arena_create();
	builder.scratch = arena_create();
	builder.catalogue = arena_new(arena, struct catalogue);
	builder.catalogue->arena = arena;
	part_add(&builder, path, image);
	ok = catalogue_fill(&builder, err);
	builder_deinit(&builder);
	if (ok)
		*ret = builder.catalogue;
	else
		catalogue_destroy(builder.catalogue);
	return ok;
}
