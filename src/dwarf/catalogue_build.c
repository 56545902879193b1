/*
 * Assembles a catalogue from the functions found. object_files.c finds their files,
 * describe_function.c describes each.
 */
#include "catalogue_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/catalogue/insn.h"
#include "core/text_pool.h"
#include "dwarf/code/cost_symbols.h"
#include "landings.h"
#include "describe_function.h"
#include "folded_names.h"
#include "object_files.h"

struct builder {
	const struct catalogue_request *request;
	struct insn_decoder *decoder;
	struct catalogue *catalogue;
	struct object_files objects;
	struct module *modules;
	struct function *functions;
	size_t capacity;
	struct landings landings;
	struct description_notes notes;
	struct required_outcome *outcomes; /* [request->n_required] */
};

static struct function *function_add(struct builder *builder)
{
	struct catalogue *catalogue = builder->catalogue;

	builder->functions = mem_grow(builder->functions, &builder->capacity,
				      catalogue->n_functions + 1, sizeof(*builder->functions));
	return &builder->functions[catalogue->n_functions++];
}

static void candidates_describe(struct builder *builder, const struct object_file *object,
				const struct describer *describer)
{
	const struct function_search *search = &object->search;
	struct inlined_places *places = mem_alloc(search->n_candidates * sizeof(*places));

	inlined_find(search, builder->request->inlined, describer->arena, places);
	for (size_t i = 0; i < search->n_candidates; i++) {
		if (search->candidates[i].chosen)
			describe_function(describer, &search->candidates[i], &places[i],
					  function_add(builder));
	}
	free(places);
}

static void unit_note(void *self, const char *text)
{
	describe_function_note(self, text);
}

/* Of the functions from number @first on. */
static void object_file_land(struct builder *builder, const struct object_file *object,
			     const struct jump_targets *targets, size_t first, unsigned module)
{
	const struct code_source code = {.image = object->image,
					 .targets = targets,
					 .decoder = builder->decoder,
					 .by_hand = true};

	if (targets)
		landings_find(&builder->landings, &code, builder->functions + first,
			      builder->catalogue->n_functions - first, module);
}

/* Blocks of one function are within each other, in their order. */
static unsigned block_number(const struct object_file *object, size_t which)
{
	unsigned number = 1;

	for (size_t i = 0; i < which; i++)
		number += block_shares_host(&object->blocks[i], &object->blocks[which]);
	return number;
}

static void object_file_describe(struct builder *builder, const struct object_file *object,
				 unsigned module)
{
	struct jump_targets *targets =
		builder->request->without_sites ? NULL : jump_targets_create(object->image);
	const size_t first = builder->catalogue->n_functions;
	struct describer describer = {
		.request = builder->request,
		.image = object->image,
		.targets = targets,
		.decoder = builder->decoder,
		.module = module,
		.arena = builder->catalogue->arena,
		.notes = &builder->notes,
		.outcomes = builder->outcomes,
	};

	if (builder->request->features)
		function_features_init(object->image, module, (unsigned)builder->catalogue->n_casts,
				       describer.arena, &describer.sources);
	candidates_describe(builder, object, &describer);
	for (size_t i = 0; i < object->n_blocks; i++)
		block_describe(&describer, &object->blocks[i], block_number(object, i),
			       function_add(builder));
	for (size_t i = 0; i < object->symbols.n; i++)
		symbol_function_describe(&describer, &object->symbols.list[i],
					 function_add(builder));
	object_file_land(builder, object, targets, first, module);
	if (describer.sources.classes)
		classes_publish(describer.sources.classes, builder->catalogue);
	function_features_deinit(&describer.sources);
	jump_targets_destroy(targets);
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

/* As in the catalogue, so that the first name is the first of those with one code. */
static int code_order(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a, *y = *(struct function *const *)b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->entry_addr != y->entry_addr)
		return x->entry_addr < y->entry_addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Linkers fold functions of identical code: the first gets the calls of all, and that is said. */
static void function_fold(struct builder *builder, struct function *first, size_t n_own,
			  struct function *also)
{
	struct arena *arena = builder->catalogue->arena;
	const struct elf_file *image = builder->objects.list[first->module].image;
	const char *whose = "";

	also->unmeasurable =
		arena_printf(arena, "it has one code with %s, which stands for both", first->name);
	if (builder->request->features)
		whose = folded_names_join(image, first, n_own, also, arena)
				? ", with the parameters of the one that the call site means"
				: ", with its parameters";
	describe_function_note(
		&builder->notes,
		arena_printf(arena,
			     "%s, also %s: one code, made one by the linker; calls of both are "
			     "measured as the first%s",
			     first->name, also->name, whose));
}

static void functions_fold(struct builder *builder, struct function *list, size_t n)
{
	struct function **sorted = mem_alloc((n + 1) * sizeof(*sorted));
	struct function *first = NULL;
	size_t n_measured = 0, n_own = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].n_ranges && !list[i].unmeasurable && !list[i].block)
			sorted[n_measured++] = &list[i];
	qsort(sorted, n_measured, sizeof(*sorted), code_order);
	for (size_t i = 0; i < n_measured; i++) {
		if (!first || first->module != sorted[i]->module ||
		    first->entry_addr != sorted[i]->entry_addr) {
			first = sorted[i];
			n_own = first->n_features;
			continue;
		}
		function_fold(builder, first, n_own, sorted[i]);
	}
	free(sorted);
}

/* Sort the functions. Two DIEs for the same code are one function. */
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
	functions_fold(builder, list, kept);
	catalogue->functions = arena_copy(catalogue->arena, list, kept * sizeof(*list));
}

/* Notes for users about the whole file. */
static void module_notes(struct builder *builder, const struct object_file *object)
{
	struct arena *arena = builder->catalogue->arena;

	if (!object->image->dwarf && object->symbols.n)
		describe_function_note(
			&builder->notes,
			arena_printf(
				arena,
				"%s: has no usable debug information: functions are known by name "
				"only, and what they work on by register",
				object->path));
}

static bool modules_describe(struct builder *builder, struct err *err)
{
	struct catalogue *catalogue = builder->catalogue;

	builder->modules = arena_array(catalogue->arena, struct module, builder->objects.n);
	catalogue->modules = builder->modules;
	for (size_t i = 0; i < builder->objects.n; i++) {
		const struct object_file *object = &builder->objects.list[i];

		if (!elf_file_describe(object->image, object->path, catalogue->arena,
				       &builder->modules[i], err))
			return false;
		catalogue->n_modules++;
		unit_check_notes(&object->image->units, object->path, catalogue->arena, unit_note,
				 &builder->notes);
		object_file_describe(builder, object, (unsigned)i);
		module_notes(builder, object);
	}
	return true;
}

/* Modules with only cost functions follow the others. */
static void cost_functions_describe(struct builder *builder)
{
	struct catalogue *catalogue = builder->catalogue;
	struct arena *arena = catalogue->arena;
	struct cost_symbols symbols = {.n = 0};
	const char *const *files;
	struct module *modules, row;
	size_t n;

	if (!builder->request->metrics)
		return;
	n = object_files_list(&builder->objects, &files);
	modules = arena_array(arena, struct module, n);
	memcpy(modules, catalogue->modules, catalogue->n_modules * sizeof(*modules));
	for (size_t i = 0; i < n; i++) {
		const bool is_object = i < builder->objects.n;
		const size_t module = is_object ? i : catalogue->n_modules;
		const struct elf_file *image = is_object ? builder->objects.list[i].image : NULL;

		if (cost_symbols_find(&symbols, files[i], image, builder->request, builder->decoder,
				      (unsigned)module, arena, &row) &&
		    !is_object)
			modules[catalogue->n_modules++] = row;
	}
	catalogue->modules = modules;
	catalogue->cost_functions =
		arena_copy(arena, symbols.list, symbols.n * sizeof(*symbols.list));
	catalogue->n_cost_functions = symbols.n;
	cost_symbols_deinit(&symbols);
}

/*
 * Of each feature that was asked for by hand: which functions cannot have it. Programs that are
 * executed later need not have any that can.
 */
static bool outcomes_tell(struct builder *builder, struct err *err)
{
	const struct catalogue_request *request = builder->request;
	struct arena *arena = builder->catalogue->arena;

	for (size_t i = 0; i < request->n_required && !request->required[i].function; i++) {
		const struct required_outcome *outcome = &builder->outcomes[i];
		const char *expression = request->required[i].expression;
		const char *others = "";

		if (!outcome->n_left)
			continue;
		if (!outcome->n_read && !request->found)
			return err_set(err, ERR_USAGE, "%s has no feature '%s': %s",
				       outcome->function, expression, outcome->why);
		if (outcome->n_left > 1)
			others = arena_printf(arena, ", nor in %zu more functions",
					      outcome->n_left - 1);
		describe_function_note(&builder->notes,
				       arena_printf(arena, "'%s' is not read in %s: %s%s",
						    expression, outcome->function, outcome->why,
						    others));
	}
	return true;
}

static bool catalogue_fill(struct builder *builder, struct err *err)
{
	struct catalogue *catalogue = builder->catalogue;

	builder->outcomes = arena_array(catalogue->arena, struct required_outcome,
					builder->request->n_required + 1);
	if (!insn_decoder_create(&builder->decoder, err) ||
	    !(builder->request->nothing || object_files_search(&builder->objects, err)) ||
	    !modules_describe(builder, err) || !outcomes_tell(builder, err))
		return false;
	cost_functions_describe(builder);
	functions_finish(builder);
	catalogue->landings = arena_copy(catalogue->arena, builder->landings.list,
					 builder->landings.n * sizeof(*builder->landings.list));
	catalogue->n_landings = builder->landings.n;
	catalogue->notes = arena_copy(catalogue->arena, builder->notes.list,
				      builder->notes.n * sizeof(*builder->notes.list));
	catalogue->n_notes = builder->notes.n;
	return true;
}

bool catalogue_build(const char *path, const struct catalogue_request *request,
		     struct catalogue **ret, struct err *err)
{
	struct builder builder = {.request = request};
	struct arena *arena;
	bool ok;

	if (!object_files_init(&builder.objects, path, request, err))
		return false;
	arena = arena_create();
	builder.catalogue = arena_new(arena, struct catalogue);
	builder.catalogue->arena = arena;
	builder.catalogue->texts = text_pool_create(arena);
	ok = catalogue_fill(&builder, err);
	insn_decoder_destroy(builder.decoder);
	free(builder.functions);
	free(builder.landings.list);
	object_files_deinit(&builder.objects);
	if (ok)
		*ret = builder.catalogue;
	else
		catalogue_destroy(builder.catalogue);
	return ok;
}

bool catalogue_build_check(const char *path, const char *debuginfo_path, struct err *err)
{
	struct elf_file *image;
	bool ok;

	if (!elf_file_open_any(path, debuginfo_path, &image, err))
		return false;
	ok = elf_file_check(image, path, err);
	elf_file_close(image);
	return ok;
}
