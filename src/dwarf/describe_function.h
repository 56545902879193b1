/*
 * Descriptions: what a catalogue says of one function.
 */
#pragma once

#include "core/catalogue/insn.h"
#include "dwarf/feature/function_features.h"
#include "dwarf/search/inlined.h"
#include "dwarf/search/function_search.h"

enum { NOTES_MAX = 64 };

/* What users should know, and is no error. */
struct description_notes {
	const char *list[NOTES_MAX];
	size_t n;
};

void describe_function_note(struct description_notes *notes, const char *note);

/* What describing the functions of one image takes. */
struct describer {
	const struct catalogue_request *request;
	const struct elf_file *image;
	struct insn_decoder *decoder;
	struct function_features sources; /* zero without debug information */
	unsigned module;                  /* the image's index in the catalogue */
	struct arena *arena;              /* the catalogue's */
	struct description_notes *notes;
};

/* The function that @candidate is, inlined in @places. */
void describe_function(const struct describer *describer, const struct candidate *candidate,
		       const struct inlined_places *places, struct function *ret);

/*
 * Everything about @function that needs its code: the ranges and the entry are known. @die: NULL if
 * there is no debug information.
 */
void describe_function_code(const struct describer *describer, Dwarf_Die *die,
			    struct function *function);
