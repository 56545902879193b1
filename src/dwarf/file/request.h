/*
 * Requests: which functions a catalogue is to contain, and what about each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Which global variables are features. */
enum globals {
	GLOBALS_NONE,
	GLOBALS_UNIT, /* those that the function's compilation unit defines or declares */
	GLOBALS_ALL,  /* those of all units of its module */
};

/* A feature to be found even beyond the limits of depth and number. */
struct required_feature {
	/*
	 * As annotations write it; parameters may be omitted. NULL: of every function that can have
	 * it; a note says which cannot.
	 */
	const char *function;
	const char *expression;
};

struct container_table;

struct catalogue_request {
	/* As users write them (core/cxx_name.h, dwarf/search/pattern.h); none: every function. */
	const char *const *patterns;
	size_t n_patterns;
	bool nothing;        /* only the modules, no function, whatever the patterns */
	bool ambiguous;      /* a name may match several functions: take all */
	bool features;       /* find features too */
	unsigned max_depth;  /* of features: dereferences and members */
	size_t max_features; /* per function */
	enum globals globals;
	bool names_left_out; /* name the first that the limits leave out, without a plan */
	/*
	 * [n_required] features found even beyond the limits above, or made from their expressions;
	 * those of every function first.
	 */
	const struct required_feature *required;
	size_t n_required;
	const struct container_table *containers; /* how containers are read; NULL: as members */
	bool strings;                             /* short strings are categories */
	bool inlined;                             /* find inlined copies too */
	bool loops;                               /* and loops, among the branches */
	bool without_sites; /* find no jump sites, which takes a look at all code of a file */
	/*
	 * Folders of separate debug files, separated by colons, searched before libdwfl's own;
	 * NULL: none. An absolute one may contain a .build-id folder.
	 */
	const char *debuginfo_path;
	const struct left_out *left_out; /* of the program, sorted: not described */
	size_t n_left_out;
	const char *const *libraries; /* mapped by the program, beside those that it needs */
	size_t n_libraries;
	/* Bits 1 << enum metric: the metrics whose cost functions are looked for. */
	unsigned metrics;
	bool mappings;       /* anonymous mmap memory counts as heap */
	const char *preload; /* LD_PRELOAD of the program, NULL: none */
	const char *root;    /* the program's root folder, NULL: ours */
	/*
	 * [n_patterns], or NULL: set to whether each pattern names something here. If given,
	 * patterns that name nothing are an error only if all of them do.
	 */
	bool *found;
};
