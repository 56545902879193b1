/*
 * The search: which DIEs of one image are the functions that patterns ask for.
 */
#pragma once

#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"
#include "pattern.h"

enum candidate_kind {
	CANDIDATE_CODE,     /* it has code here */
	CANDIDATE_INLINED,  /* defined, and no code of its own is left */
	CANDIDATE_DROPPED,  /* the linker left its code out */
	CANDIDATE_DECLARED, /* its definition is not in this file, or has no debug information */
};

struct candidate {
	Dwarf_Die die;
	enum candidate_kind kind;
	const char *name; /* canonical */
	const char *linkage;
	uint64_t entry_addr; /* CANDIDATE_CODE */
	int line;            /* where it is declared, 0 if not known */
	bool chosen;
};

/*
 * An abstract instance: what inlined copies of a function refer to. A function has one in each
 * unit.
 */
struct abstract {
	Dwarf_Die die;
	const char *name; /* canonical, of the candidate that it was seen with */
	bool has_code;    /* that has code, and a name that may say more than its own */
};

/* A symbol that is called what a pattern is. */
struct alias {
	uint64_t addr;
	const struct pattern *pattern;
};

struct function_search {
	const struct elf_file *image;
	struct arena *arena;                   /* of names */
	const struct pattern *const *patterns; /* none: every function */
	size_t n_patterns;
	bool ambiguous; /* a name may be that of several functions: all are meant */
	struct candidate *candidates;
	size_t n_candidates, capacity;
	struct abstract *abstracts; /* sorted by address */
	size_t n_abstracts, abstracts_capacity;
	struct alias *aliases;
	size_t n_aliases, aliases_capacity;
	struct unit_filter *filter; /* while it runs, if it can use one */
	bool refers;                /* units refer to DIEs of others */
};

/* @patterns are borrowed. */
void function_search_init(struct function_search *search, const struct elf_file *image,
			  const struct pattern *const *patterns, size_t n_patterns,
			  struct arena *arena);
void function_search_deinit(struct function_search *search);

/*
 * Find the candidates, each once; those of one name, but for the suffix of a clone, stand together.
 */
void function_search_run(struct function_search *search);

/* Does the pattern name the candidate, in the right source file? */
bool function_search_matches(const struct pattern *pattern, const struct candidate *candidate);

/*
 * The source file of the candidate, NULL if not known. What no one declared, as the call operator
 * that gcc makes for a lambda, is where its code comes from. It is libdw's, as long as the image is
 * open.
 */
const char *function_search_source(const struct candidate *candidate, unsigned *ret_line);

/* Is a symbol with the pattern's name at the candidate's entry? */
bool function_search_is_alias(const struct function_search *search, const struct pattern *pattern,
			      const struct candidate *candidate);

/*
 * What kind of candidate @die is, without looking whether its code is in the file. False: none at
 * all.
 */
bool function_search_kind(Dwarf_Die *die, enum candidate_kind *ret);

/* The length of @name without the suffix of a clone. */
size_t function_search_base_length(const char *name);

/* The order of two names without that. */
int function_search_base_order(const char *a, const char *b);
