/*
 * Which DIEs of one image are the functions that patterns name.
 */
#pragma once

#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"
#include "pattern.h"

enum candidate_kind {
	CANDIDATE_CODE,     /* has code in this file */
	CANDIDATE_INLINED,  /* defined, without code of its own */
	CANDIDATE_DROPPED,  /* its code was dropped by the linker */
	CANDIDATE_DECLARED, /* defined in another file, or without debug information */
};

struct candidate {
	Dwarf_Die die;
	enum candidate_kind kind;
	const char *name; /* canonical */
	const char *linkage;
	uint64_t entry_addr; /* CANDIDATE_CODE */
	int line;            /* of its declaration, 0: unknown */
	bool chosen;
};

/* An abstract instance: the DIE that inlined copies refer to, one per unit and function. */
struct abstract {
	Dwarf_Die die;
	const char *name; /* canonical, that of its candidate */
	bool has_code;    /* its candidate has code, and perhaps a fuller name */
};

/* A symbol with the name of a pattern. */
struct alias {
	uint64_t addr;
	const struct pattern *pattern;
};

struct function_search {
	const struct elf_file *image;
	struct arena *arena;                   /* of names */
	const struct pattern *const *patterns; /* none: every function */
	size_t n_patterns;
	bool ambiguous; /* a name may match several functions: take all */
	struct candidate *candidates;
	size_t n_candidates, capacity;
	struct abstract *abstracts; /* sorted by address */
	size_t n_abstracts, abstracts_capacity;
	struct alias *aliases;
	size_t n_aliases, aliases_capacity;
	struct unit_filter *filter; /* during a run that can use one */
	bool refers;                /* units refer to DIEs of others */
};

/* @patterns are borrowed. */
void function_search_init(struct function_search *search, const struct elf_file *image,
			  const struct pattern *const *patterns, size_t n_patterns,
			  struct arena *arena);
void function_search_deinit(struct function_search *search);

/* Find the candidates, each once, grouped by name without a clone's suffix. */
void function_search_run(struct function_search *search);

/* Does the pattern match the candidate's name and source file? */
bool function_search_matches(const struct pattern *pattern, const struct candidate *candidate);

/*
 * The source file of the candidate, NULL if unknown. For functions without a declaration, like a
 * lambda's call operator (gcc), that of its code. libdw owns it while the image is open.
 */
const char *function_search_source(const struct candidate *candidate, unsigned *ret_line);

/* Is there a symbol with the pattern's name at the candidate's entry? */
bool function_search_is_alias(const struct function_search *search, const struct pattern *pattern,
			      const struct candidate *candidate);

/*
 * The kind of candidate @die is, without checking that its code is in the file. False: not a
 * candidate.
 */
bool function_search_kind(Dwarf_Die *die, enum candidate_kind *ret);

/* The length of @name without the suffix of a clone. */
size_t function_search_base_length(const char *name);

/* Compares two names without their clone suffixes. */
int function_search_base_order(const char *a, const char *b);
