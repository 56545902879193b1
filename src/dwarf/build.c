/*
 * Putting a catalogue together: the functions that were asked for, each with what the other files
 * find.
 */
#include "dwarf/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/insn.h"
#include "dwarf/code.h"
#include "dwarf/features.h"
#include "dwarf/frame.h"
#include "dwarf/image.h"
#include "dwarf/inlined.h"
#include "dwarf/nearest.h"
#include "dwarf/probe.h"
#include "dwarf/search.h"

enum { NOTES_MAX = 64 };

struct builder {
	const struct catalogue_request *request;
	struct image *image;
	struct insn_decoder *decoder;
	struct arena *scratch; /* names of candidates, locations under way */
	struct catalogue *catalogue;
	struct function *functions;
	size_t capacity;
	const char **notes;
	size_t n_notes;
};

static void note_add(struct builder *builder, const char *note)
{
	if (builder->n_notes < NOTES_MAX)
		builder->notes[builder->n_notes++] = note;
}

static const char *why_inlined(const struct inlined_places *places, struct arena *arena)
{
	if (places->n == 0)
		return "the compiler left no code of it";
	if (!places->file)
		return arena_printf(arena, "it only exists inlined, in %zu place%s", places->n,
				    places->n == 1 ? "" : "s");
	return arena_printf(arena, "it only exists inlined, in %zu place%s; the first is %s:%u",
			    places->n, places->n == 1 ? "" : "s", places->file, places->line);
}

/* The CFA's plan. False: plans cannot express it. */
static bool cfa_plan(const struct frame *frame, struct arena *arena, struct read_plan *ret)
{
	struct read_plan plan = {
		.steps = frame->cfa.steps.step,
		.n_steps = frame->cfa.steps.n,
		.result = PLAN_UNSIGNED,
		.size = 8,
	};
	struct err err;

	if (frame->cfa.steps.overflow || !read_plan_verify(&plan, &err))
		return false;
	plan.steps = arena_copy(arena, plan.steps, plan.n_steps * sizeof(*plan.steps));
	*ret = plan;
	return true;
}

/* Everything that needs the function's code. */
static void code_describe(struct builder *builder, Dwarf_Die *die, struct function *function)
{
	const struct catalogue_request *request = builder->request;
	const struct feature_limits limits = {request->max_depth, request->max_features};
	struct arena *arena = builder->catalogue->arena;
	struct frame frame;
	uint64_t undecoded;

	code_ranges(builder->image, die, arena, function);
	function->probe_addr =
		probe_address(builder->image, builder->decoder, die, function, arena);
	code_exits(builder->image, builder->decoder, arena, function, &undecoded);
	if (undecoded)
		note_add(builder,
			 arena_printf(arena,
				      "%s: %" PRIu64 " bytes of its code are no instructions; an "
				      "exit may have been missed",
				      function->name, undecoded));
	if (!frame_init(builder->image, die, function->probe_addr, arena, &frame,
			&function->unmeasurable))
		return;
	if (!cfa_plan(&frame, arena, &function->cfa))
		function->unmeasurable = "its call frame information is too complex";
	else if (request->features)
		features_find(die, &frame, &limits, arena, function);
}

static const char *source_file(Dwarf_Die *die, struct arena *arena)
{
	const char *file = die_file(die, DW_AT_decl_file);

	return file && *file ? arena_strdup(arena, file) : NULL;
}

/* Which clone it is says the linkage name; programmers know one function. */
static const char *without_clone(struct arena *arena, const char *name)
{
	const char *clone = strstr(name, " [clone ");

	return clone ? arena_printf(arena, "%.*s", (int)(clone - name), name)
		     : arena_strdup(arena, name);
}

static void function_add(struct builder *builder, const struct candidate *candidate,
			 const struct inlined_places *places)
{
	struct arena *arena = builder->catalogue->arena;
	Dwarf_Die die = candidate->die;
	struct function function = {
		.name = without_clone(arena, candidate->name),
		.linkage = arena_strdup(arena, candidate->linkage),
		.file = source_file(&die, arena),
	};
	int line = 0;

	if (dwarf_decl_line(&die, &line) == 0 && line > 0)
		function.line = (unsigned)line;
	switch (candidate->kind) {
	case CANDIDATE_CODE:
		code_describe(builder, &die, &function);
		break;
	case CANDIDATE_INLINED:
		function.unmeasurable = why_inlined(places, arena);
		break;
	case CANDIDATE_DROPPED:
		function.unmeasurable = "the linker left its code out: nothing calls it";
		break;
	case CANDIDATE_DECLARED:
		function.unmeasurable =
			"it is only declared: its code is in a library, or was built without -g";
		break;
	}
	builder->functions = mem_grow(builder->functions, &builder->capacity,
				      builder->catalogue->n_functions + 1, sizeof(function));
	builder->functions[builder->catalogue->n_functions++] = function;
}

/* Candidates without code come once a name, with the places of all their DIEs. */
static size_t group_merge(const struct search *search, size_t first, struct inlined_places *places)
{
	const struct candidate *list = search->candidates;
	size_t next = first + 1;

	while (list[first].kind != CANDIDATE_CODE && next < search->n_candidates &&
	       !strcmp(list[first].name, list[next].name)) {
		if (places[first].n == 0)
			places[first] = places[next];
		else
			places[first].n += places[next].n;
		next++;
	}
	return next;
}

static void functions_add(struct builder *builder, const struct search *search)
{
	struct inlined_places *places = mem_alloc(search->n_candidates * sizeof(*places));
	struct catalogue *catalogue = builder->catalogue;

	inlined_count(search, builder->scratch, places);
	for (size_t i = 0; i < search->n_candidates;) {
		const size_t next = group_merge(search, i, places);

		if (search->candidates[i].chosen)
			function_add(builder, &search->candidates[i], &places[i]);
		i = next;
	}
	catalogue->functions = arena_copy(catalogue->arena, builder->functions,
					  catalogue->n_functions * sizeof(*builder->functions));
	free(builder->functions);
	free(places);
}

static bool not_found(struct builder *builder, const char *path, const struct pattern *pattern,
		      struct err *err)
{
	const char *names[NEAREST_MAX];
	const size_t n = nearest_find(builder->image, pattern, builder->scratch, names);
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

static bool functions_find(struct builder *builder, const char *path, struct err *err)
{
	const struct catalogue_request *request = builder->request;
	struct search search;
	size_t failed = 0;
	bool ok;

	search_init(&search, builder->image, request->patterns, request->n_patterns,
		    builder->scratch);
	search.ambiguous = request->ambiguous;
	search_run(&search);
	ok = search_choose(&search, &failed, err);
	if (ok)
		functions_add(builder, &search);
	else if (err->code == ERR_NOT_FOUND)
		not_found(builder, path, &search.patterns[failed], err);
	search_deinit(&search);
	return ok;
}

static void note_unit(void *self, const char *text)
{
	note_add(self, text);
}

static bool catalogue_fill(struct builder *builder, const char *path, struct err *err)
{
	struct catalogue *catalogue = builder->catalogue;
	struct module *module = arena_new(catalogue->arena, struct module);

	if (!insn_decoder_create(&builder->decoder, err) ||
	    !image_describe(builder->image, path, catalogue->arena, module, err))
		return false;
	catalogue->modules = module;
	catalogue->n_modules = 1;
	builder->notes = arena_array(catalogue->arena, const char *, NOTES_MAX);
	units_notes(&builder->image->units, catalogue->arena, note_unit, builder);
	if (!functions_find(builder, path, err))
		return false;
	catalogue->notes = builder->notes;
	catalogue->n_notes = builder->n_notes;
	return true;
}

bool catalogue_build(const char *path, const struct catalogue_request *request,
		     struct catalogue **ret, struct err *err)
{
	struct builder builder = {.request = request};
	struct arena *arena;
	bool ok;

	if (!image_open(path, &builder.image, err))
		return false;
	arena = arena_create();
	builder.scratch = arena_create();
	builder.catalogue = arena_new(arena, struct catalogue);
	builder.catalogue->arena = arena;
	ok = catalogue_fill(&builder, path, err);
	insn_decoder_destroy(builder.decoder);
	arena_destroy(builder.scratch);
	image_close(builder.image);
	if (ok)
		*ret = builder.catalogue;
	else
		catalogue_destroy(builder.catalogue);
	return ok;
}
