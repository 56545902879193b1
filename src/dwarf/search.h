/*
 * The search: which DIEs are the functions that patterns ask for.
 */
#ifndef FATHOM_DWARF_SEARCH_H
#define FATHOM_DWARF_SEARCH_H

#include "dwarf/die.h"
#include "dwarf/image.h"

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
	bool chosen;
};

struct pattern {
	const char *given;
	const char *text;  /* canonical */
	const char *plain; /* the function's plain name; NULL if any will do */
	size_t n_plain;
	bool glob;
};

struct search {
	const struct image *image;
	struct arena *arena;      /* of names */
	struct pattern *patterns; /* none: every function */
	size_t n_patterns;
	bool ambiguous; /* a name may be that of several functions: all are meant */
	struct candidate *candidates;
	size_t n_candidates, capacity;
};

void search_init(struct search *search, const struct image *image, const char *const *patterns,
		 size_t n_patterns, struct arena *arena);
void search_deinit(struct search *search);

/* Find the candidates, sorted by name, kind and address, each once. */
void search_run(struct search *search);

/*
 * Choose from the candidates those that the patterns mean: functions with code before inlined ones
 * before declared ones. Errors: ERR_NOT_FOUND (text without suggestions; *@ret_failed is the
 * pattern), ERR_USAGE.
 */
bool search_choose(struct search *search, size_t *ret_failed, struct err *err);

/*
 * What kind of candidate @die is, without looking whether its code is in the file. False: none at
 * all.
 */
bool search_kind(Dwarf_Die *die, enum candidate_kind *ret);

/* The length of @name without the suffix of a clone. */
size_t search_base_length(const char *name);

#endif
