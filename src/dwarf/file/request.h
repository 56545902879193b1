/*
 * Requests: which functions a catalogue is to have, and what of each.
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

/* A feature that somebody has a use for, however far away it is. */
struct required_feature {
	const char *function; /* as annotations call it; parameters may be left out */
	const char *expression;
};

struct catalogue_request {
	/* As users write them (core/cxx_name.h, dwarf/search/pattern.h); none: every function. */
	const char *const *patterns;
	size_t n_patterns;
	bool nothing;        /* no function at all, whatever the patterns: the modules alone */
	bool ambiguous;      /* a name may be that of several functions: all are meant */
	bool features;       /* find features too */
	unsigned max_depth;  /* of features: dereferences and members on the way */
	size_t max_features; /* of one function */
	enum globals globals;
	/* Of call sites: found beyond the limits above, too. */
	const struct required_feature *wished;
	size_t n_wished;
	bool inlined; /* find inlined copies too */
	/*
	 * Folders of separate debug files, with colons between, before libdwfl's own; NULL: none.
	 * An absolute one may have a folder .build-id.
	 */
	const char *debuginfo_path;
	const char *const *libraries; /* that the program has mapped, beside those that it needs */
	size_t n_libraries;
	/* Bits 1 << enum metric: cost functions are looked for as they need them. */
	unsigned metrics;
	bool mappings;       /* anonymous memory that mmap gives is heap for them, too */
	const char *preload; /* LD_PRELOAD of the program, NULL: none */
	const char *root;    /* the folder in which it sees its files, NULL: as we do */
	/*
	 * [n_patterns], or NULL: set to whether the pattern names something here. With it patterns
	 * that name nothing are an error only if all do.
	 */
	bool *found;
};
