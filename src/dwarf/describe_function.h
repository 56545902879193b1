/*
 * What a catalogue says about one function.
 */
#pragma once

#include "dwarf/code/jump_sites.h"
#include "dwarf/feature/function_features.h"
#include "dwarf/search/inlined.h"
#include "dwarf/search/function_search.h"

enum { NOTES_MAX = 64 };

/* Notes for users that are no errors. */
struct description_notes {
	const char *list[NOTES_MAX];
	size_t n;
};

void describe_function_note(struct description_notes *notes, const char *note);

/* What became of a required feature. */
struct required_outcome {
	size_t n_read, n_left;      /* functions that have it, and that cannot have it */
	const char *function, *why; /* the first of the latter */
};

/* What describing an image's functions requires. */
struct describer {
	const struct catalogue_request *request;
	const struct elf_file *image;
	struct insn_decoder *decoder;
	const struct jump_targets *targets; /* of the image; NULL: see struct code_source */
	struct function_features sources;   /* zero without debug information */
	unsigned module;                    /* the image's index in the catalogue */
	struct arena *arena;                /* the catalogue's */
	struct description_notes *notes;
	struct required_outcome *outcomes; /* [request->n_required] */
};

/* Describe the function @candidate, inlined in @places. */
void describe_function(const struct describer *describer, const struct candidate *candidate,
		       const struct inlined_places *places, struct function *ret);

/*
 * Set everything about @function that depends on its code; its ranges and entry are known. @die:
 * NULL without debug information.
 */
void describe_function_code(const struct describer *describer, Dwarf_Die *die,
			    struct function *function);

/*
 * The plan for @frame's CFA, @below bytes below it; it lives in @arena. False: plans cannot express
 * it.
 */
bool describe_function_cfa(const struct frame_base *frame, unsigned below, struct arena *arena,
			   struct read_plan *ret);

/*
 * Set the CFA and the features at @function's probe address, of a block of the function @die (NULL
 * without debug information). Features that it has are kept: arguments of a probe.
 */
void describe_function_features(const struct describer *describer, Dwarf_Die *die,
				struct function *function);
