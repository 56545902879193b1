/*
 * Call sites: what is known of an address at which a call is open, so that its frame can be read.
 * One address may be in several functions: its own and those inlined there, each with parameters of
 * its own.
 */
#pragma once

#include "catalogue.h"
#include "core/plan/unwind.h"

/* A function with an open call at the address. */
struct call_place {
	const char *function;      /* canonical; NULL: not known */
	const char *linkage;       /* as the linker sees it; NULL: not known */
	const char *declared_file; /* NULL: not known */
	unsigned declared_line;    /* 0: not known */
	const char *file;          /* position of the address in its source; NULL if not known */
	unsigned line;             /* 0 if not known */
	bool is_inlined;
	bool is_symbol; /* without debug information */
	/* Parameters and globals, as readable at the address. */
	const struct feature *features;
	size_t n_features;
	size_t features_cut; /* left out because of the limit */
};

enum { CALL_PASSING_MAX = 32, CALL_ASKED_MAX = PLAN_FS_BASE - PLAN_ASKED };

/* What a call is known to pass. */
struct call_passing {
	/* What is called; both unknown: a plan leaves its run-time address, or nobody knows. */
	uint64_t callee_addr; /* link-time, in the same file; 0: not known */
	const char *callee;   /* its linkage name; NULL: not known */
	struct read_plan target;
	/* [n] at most CALL_PASSING_MAX: what registers and parameters have as the callee begins */
	const struct call_value {
		unsigned reg;
		const void *parameter; /* NULL: it is the register; else as in call_asked */
		struct read_plan plan;
	} * values;
	size_t n;
};

/* Parameters that were optimised away, which callers know: PLAN_ASKED + N is the one at N. */
struct call_asked {
	const void *parameters[CALL_ASKED_MAX]; /* which, of their file's debug information */
	size_t n;
};

/* A function that was called and ended by a jump to another one. */
struct call_hop {
	struct call_passing passing; /* what the jump passes */
	struct call_asked asked;     /* by its plans */
};

enum { CALL_CHAIN_MAX = 8 };

/* Tail calls: hops[0]'s function was called, that of the last one jumps to the one that runs. */
struct call_chain {
	const struct call_hop *hops[CALL_CHAIN_MAX];
	/* Its function may have run again in its place: what its caller passed is not known. */
	bool goes_round[CALL_CHAIN_MAX];
	size_t n; /* 0: it is not known which */
};

struct call_site {
	struct unwind_row row;
	struct call_passing passing;
	struct call_asked asked; /* by features here */
	uint64_t entry_addr;     /* of the function that the address is in; 0: not known */
	/* It may have been called again by its own tail calls: its caller passed other values. */
	bool calls_itself;
	const struct call_place *places; /* [n_places] innermost first; at least one */
	size_t n_places;
};
