/* Describes functions: joins what the other files find out about one. */
#include "describe_function.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "core/catalogue/code_rules.h"
#include "dwarf/code/function_code.h"
#include "dwarf/code/out_places.h"
#include "dwarf/code/probe_address.h"
#include "dwarf/feature/feature_search.h"
#include "dwarf/file/elf_check.h"
#include "dwarf/location/frame_base.h"
#include "feature_list.h"

void describe_function_note(struct description_notes *notes, const char *note)
{
	if (notes->n < NOTES_MAX)
		notes->list[notes->n++] = note;
}

static const char *why_inlined(const struct inlined_places *places, struct arena *arena)
{
	if (places->n == 0)
		return "the compiler left no code of it";
	if (!places->n_copies || !places->copies[0].file)
		return arena_printf(arena, "it only exists inlined, in %zu place%s", places->n,
				    places->n == 1 ? "" : "s");
	return arena_printf(arena, "it only exists inlined, in %zu place%s; the first is %s:%u",
			    places->n, places->n == 1 ? "" : "s", places->copies[0].file,
			    places->copies[0].line);
}

bool describe_function_cfa(const struct frame_base *frame, unsigned below, struct arena *arena,
			   struct read_plan *ret)
{
	struct steps steps = frame->cfa.steps;
	struct read_plan plan = {.steps = steps.step, .result = PLAN_UNSIGNED, .size = 8};
	struct err err;

	if (below)
		location_push(&steps, PLAN_ADD, -(int64_t)below);
	plan.n_steps = steps.n;
	if (steps.overflow || !read_plan_verify(&plan, &err))
		return false;
	plan.steps = arena_copy(arena, plan.steps, plan.n_steps * sizeof(*plan.steps));
	*ret = plan;
	return true;
}

static const char *bare_why(const struct function *function, const char *expression)
{
	for (size_t i = 0; i < function->n_features; i++)
		if (!strcmp(function->features[i].expression, expression))
			return NULL;
	return "there is no debug information";
}

static void bare_describe(const struct feature_limits *limits, struct arena *arena,
			  struct function *function)
{
	feature_list_bare(limits, arena, function);
	for (size_t i = 0; i < limits->n_required; i++)
		limits->why[i] = bare_why(function, limits->required[i]);
}

/* Those of every function come first, so that the indices are the same. */
static void outcomes_add(const struct describer *describer, const struct feature_limits *limits,
			 const struct function *function)
{
	const struct catalogue_request *request = describer->request;

	for (size_t i = 0; i < request->n_required && !request->required[i].function; i++) {
		struct required_outcome *outcome = &describer->outcomes[i];

		if (!limits->why[i]) {
			outcome->n_read++;
		} else if (!outcome->n_left++) {
			outcome->function = function->name;
			outcome->why = limits->why[i];
		}
	}
}

/* Their plans go, unless somebody asked for them. */
static void outputs_leave_out(const struct describer *describer,
			      const struct feature_limits *limits, struct function *function)
{
	struct arena *arena = describer->arena;
	bool *outputs = mem_alloc((function->n_features + 1) * sizeof(*outputs));
	struct feature *features;

	if (out_places_find(describer->image, describer->decoder, function, outputs)) {
		features = arena_copy(arena, function->features,
				      function->n_features * sizeof(*features));
		for (size_t i = 0; i < function->n_features; i++) {
			if (!outputs[i] ||
			    feature_search_is_required(limits, features[i].expression))
				continue;
			features[i].absence = ABSENT_WRITTEN;
			features[i].plan.n_steps = 0;
			features[i].explanation = "the function writes it before it reads it";
		}
		function->features = features;
	}
	free(outputs);
}

/* Arguments of its probe, which were there before, come first, as parameters do. */
static void arguments_join(const struct feature *arguments, size_t n,
			   const struct feature_limits *limits, struct arena *arena,
			   struct function *function)
{
	struct feature *joined = arena_array(arena, struct feature, n + function->n_features);

	if (!n)
		return;
	memcpy(joined, arguments, n * sizeof(*joined));
	memcpy(joined + n, function->features, function->n_features * sizeof(*joined));
	function->features = joined;
	function->n_features += n;
	for (size_t i = 0; i < limits->n_required; i++)
		for (size_t j = 0; j < n; j++)
			if (!strcmp(limits->required[i], arguments[j].expression))
				limits->why[i] = NULL;
}

static void features_describe(const struct describer *describer, Dwarf_Die *die,
			      const struct frame_base *frame, struct function *function)
{
	const struct catalogue_request *request = describer->request;
	struct feature_limits limits = {request->max_depth,
					request->max_features,
					request->globals,
					.names_left_out = request->names_left_out,
					.strings = request->strings,
					.containers = request->containers,
					.locals_line = function->block ? function->line : 0};
	const struct feature *arguments = function->features;
	const size_t n_arguments = function->n_features;

	if (!request->features)
		return;
	feature_list_require(request->required, request->n_required, function->name,
			     describer->arena, &limits);
	limits.why = arena_array(describer->arena, const char *, limits.n_required);
	if (die) {
		feature_list_find(die, frame, &describer->sources, &limits, describer->arena,
				  function);
		if (!function->block)
			outputs_leave_out(describer, &limits, function);
	} else {
		bare_describe(&limits, describer->arena, function);
	}
	arguments_join(arguments, n_arguments, &limits, describer->arena, function);
	outcomes_add(describer, &limits, function);
}

static bool is_written_in(Dwarf_Die *die, int language)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) && dwarf_srclang(&unit) == language;
}

/*
 * Goroutines' stacks move while functions run, so a frame has no fixed address.
 * Every Go program has the table by which Go's run-time library unwinds; C
 * names have no dots.
 */
static bool is_go(const struct elf_file *image, Dwarf_Die *die, const struct function *function)
{
	if (die)
		return is_written_in(die, DW_LANG_Go);
	return strchr(function->name, '.') && elf_check_has_section(image->elf, ".gopclntab");
}

/*
 * The frame at the first instruction of a function without debug information:
 * the return address is on top of the stack, whatever the call frame
 * information says.
 */
static void frame_bare(const struct elf_file *image, uint64_t addr, struct arena *arena,
		       struct frame_base *ret)
{
	enum { RSP = 7 }; /* DWARF number */
	const char *why;

	if (!frame_base_cfa(image, addr, arena, ret, &why)) {
		*ret = (struct frame_base){.addr = addr,
					   .cfa = {.kind = LOCATION_VALUE, .where = "CFA"}};
		location_push(&ret->cfa.steps, PLAN_REG, RSP);
		location_push(&ret->cfa.steps, PLAN_ADD, 8);
	}
	ret->at_entry = true;
}

void describe_function_features(const struct describer *describer, Dwarf_Die *die,
				struct function *function)
{
	struct frame_base frame;

	if (!(die ? frame_base_init(describer->image, die, function->probe_addr, describer->arena,
				    &frame, &function->unmeasurable)
		  : frame_base_cfa(describer->image, function->probe_addr, describer->arena, &frame,
				   &function->unmeasurable)))
		return;
	if (describe_function_cfa(&frame, function->block, describer->arena, &function->cfa))
		features_describe(describer, die, &frame, function);
	else
		function->unmeasurable = "its call frame information is too complex";
}

void describe_function_code(const struct describer *describer, Dwarf_Die *die,
			    struct function *function)
{
	const struct elf_file *image = describer->image;
	const struct code_source code = {
		.image = image,
		.targets = describer->targets,
		.decoder = describer->decoder,
		.loops = describer->request->loops,
		.by_hand = !die || is_written_in(die, DW_LANG_Mips_Assembler),
	};
	struct arena *arena = describer->arena;
	struct frame_base frame;
	uint64_t undecoded;
	bool framed = true;

	if (is_go(image, die, function)) {
		function->unmeasurable =
			"it is written in Go, which moves stacks while functions run";
		return;
	}
	function->probe_addr = die ? probe_address(image, describer->decoder, die, function)
				   : function->entry_addr;
	function_code_exits(&code, die, arena, function, &undecoded);
	if (undecoded)
		describe_function_note(describer->notes,
				       arena_printf(arena,
						    "%s: %" PRIu64
						    " bytes of its code are no instructions; an "
						    "exit may have been missed",
						    function->name, undecoded));
	if (die)
		framed = frame_base_init(image, die, function->probe_addr, arena, &frame,
					 &function->unmeasurable);
	else
		frame_bare(image, function->entry_addr, arena, &frame);
	if (framed && die)
		frame.unfilled =
			probe_address_before_slots(image, describer->decoder, die, function);
	if (framed && !describe_function_cfa(&frame, 0, arena, &function->cfa))
		function->unmeasurable = "its call frame information is too complex";
	else if (framed)
		features_describe(describer, die, &frame, function);
}

/* Why the program's function at this entry is not to be measured; NULL: it is. */
static const char *left_out_reason(const struct describer *describer, uint64_t entry_addr)
{
	const struct left_out *list = describer->request->left_out;
	const size_t n = describer->module ? 0 : describer->request->n_left_out;
	const size_t low = BISECT_FIRST(i, n, list[i].addr < entry_addr);

	return low < n && list[low].addr == entry_addr
		       ? arena_strdup(describer->arena, list[low].reason)
		       : NULL;
}

void describe_function(const struct describer *describer, const struct candidate *candidate,
		       const struct inlined_places *places, struct function *ret)
{
	struct arena *arena = describer->arena;
	Dwarf_Die die = candidate->die;
	/* The linkage name says which clone it is; programmers know one function. */
	const int n_name = (int)function_search_base_length(candidate->name);
	const char *file;
	unsigned line;

	file = function_search_source(candidate, &line);
	*ret = (struct function){
		.name = arena_printf(arena, "%.*s", n_name, candidate->name),
		.linkage = arena_strdup(arena, candidate->linkage),
		.file = file && *file ? arena_strdup(arena, file) : NULL,
		.line = line,
		.module = describer->module,
		.inlined = describer->request->inlined ? places->copies : NULL,
		.n_inlined = describer->request->inlined ? places->n_copies : 0,
	};
	switch (candidate->kind) {
	case CANDIDATE_CODE:
		die_ranges(describer->image, &die, arena, ret);
		ret->unmeasurable = left_out_reason(describer, ret->entry_addr);
		ret->is_left_out = ret->unmeasurable;
		if (!ret->is_left_out)
			describe_function_code(describer, &die, ret);
		break;
	case CANDIDATE_INLINED:
		ret->unmeasurable = why_inlined(places, arena);
		break;
	case CANDIDATE_DROPPED:
		ret->unmeasurable = "the linker left its code out: nothing calls it";
		break;
	case CANDIDATE_DECLARED:
		ret->unmeasurable =
			"it is only declared: its code is in none of the libraries that "
			"the program needs";
		break;
	}
}
