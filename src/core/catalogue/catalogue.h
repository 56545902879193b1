/*
 * The catalogue: what the debug information says about the functions that a pattern named. dwarf/
 * builds it.
 *
 * Terms: a link-time address is one as written in the ELF file (`…_addr`); a run-time address
 * (`…_pc`, `…_address`) is one in the inferior; only module_runtime() converts. The probe address
 * is where a call is seen to begin: past the prologue, or at the first instruction where the
 * parameters' location lists are valid already. An exit is an instruction through which a call can
 * end. CFA: the canonical frame address, the value of the stack pointer before the call instruction
 * pushed the return address; it identifies a call's frame.
 *
 * Plain data in the catalogue's arena; things refer to each other by index.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "core/class_type.h"
#include "cost_call.h"
#include "core/feature.h"
#include "core/plan/read_plan.h"
#include "core/value.h"

struct module {
	const char *path; /* can be opened */
	/*
	 * Hex; "sum:" and a checksum of the contents for a file without one. NULL: only cost
	 * functions were looked for in it.
	 */
	const char *build_id;
	bool relocatable;    /* PIE or shared library: load bias known only at run time */
	uint64_t entry_addr; /* e_entry */
	uint64_t base_addr;  /* of the first loaded segment, down to its page */
	bool symbols_only;   /* no debug information: functions are the symbol table's */
};

struct address_range {
	uint64_t low_addr, high_addr; /* [low, high) */
};

/*
 * How a probe can be reached by a jump to code elsewhere instead of an int3: a run of whole
 * instructions, at least as long as a jump, that has the probed one in it, into whose middle
 * nothing jumps, and that holds nothing that cannot run elsewhere. A call may only be its last
 * instruction, so that it returns behind the run, as if the run had not been replaced. Padding
 * (nop, int3) behind a return or jump counts: it is never executed. Runs may overlap: together they
 * are one.
 */
struct jump_site {
	/*
	 * Link-time, where the run begins: the probed instruction or before; behind an endbr64 at
	 * the probe address, which stays, so that the probe is one instruction later.
	 */
	uint64_t addr;
	uint8_t size; /* bytes of the run; 0: there is none */
	bool closed;  /* jumps lead into its middle, but only its own, and behind JUMP_SIZE bytes */
	const char *why; /* size 0: the reason, a phrase, static; else NULL */
	/*
	 * Of a run that is shorter than a jump: it has a short jump to this address, where are
	 * JUMP_SIZE bytes for the other, within its reach. No two sites of a module have the same
	 * bytes, unless they are of the same code. 0: it is long enough.
	 */
	uint64_t gap_addr;
	/*
	 * The gap is at the end of another run, which is to be replaced as well, by a jump at its
	 * beginning, whether there are probes in it or not. 0: in padding.
	 */
	uint64_t lender_addr;
	uint8_t lender_size;
};

enum { JUMP_SIZE = 5, SHORT_JUMP_SIZE = 2 };

enum exit_kind {
	EXIT_RETURN,    /* ret */
	EXIT_TAIL_JUMP, /* a direct jump out of all ranges of the function */
	/*
	 * through a register or memory, not by a jump table: leaves only if the target is outside
	 */
	EXIT_INDIRECT_JUMP,
	EXIT_BLOCK, /* where a block ends: its function goes on */
};

/* Of one through memory or a register it is not known whether it leaves the function. */
static inline bool exit_is_jump(enum exit_kind kind)
{
	return kind == EXIT_TAIL_JUMP || kind == EXIT_INDIRECT_JUMP;
}

struct exit_site {
	uint64_t addr;
	enum exit_kind kind;
	const struct read_plan *cfa; /* of EXIT_BLOCK; at others it is the stack pointer + 8 */
	struct jump_site site;
};

enum branch_kind {
	BRANCH_CONDITIONAL, /* jumps if a condition holds */
	BRANCH_LOOP,        /* loop, jrcxz and the like: depends on the count in rcx */
	BRANCH_SWITCH,      /* jumps through a table */
	BRANCH_TURNS,       /* where a loop's turn begins; its outcome is their number */
};

/* How a switch's instruction finds its table entry: index = register / scale + bias. */
struct table_index {
	int8_t reg; /* DWARF number */
	uint8_t scale;
	int32_t bias;
};

/*
 * Where the path of a call branches. The outcome of a switch is the index into its jump table, from
 * the first entry (the lowest case in it, whatever the source calls it). Cases that the compiler
 * decides without the table have none.
 */
struct branch_site {
	/* "parser.c:123 at parse+0x4f", "loop(parser.c:123)": unique within the function */
	const char *name;
	enum branch_kind kind;
	/* where its outcome is visible: the jump, or a switch's load from the table */
	uint64_t addr;
	uint64_t target_addr;     /* where it jumps; 0: a switch; of a loop, what jumps back */
	bool in_loop;             /* a jump backwards spans it; of a loop: it is in another */
	bool is_rare;             /* as of features */
	struct table_index index; /* BRANCH_SWITCH */
	const char *file;         /* of the source, NULL if not known */
	unsigned line;            /* 0 if not known */
	struct jump_site site;
};

/* A copy of a function inlined in another one. */
struct inlined_copy {
	const char *file; /* the call's position, NULL if not known */
	unsigned line;
};

struct feature {
	const char *expression; /* unique within the function */
	enum feature_type type;
	enum provenance provenance;
	unsigned depth;        /* members and dereferences from the variable on; 0: the variable */
	struct read_plan plan; /* without steps: see `absence` */
	enum absence absence;  /* PRESENT: the plan can run */
	const char *explanation; /* for people: "in rdi", "at CFA-24", "optimised out here" */
	const char *object;      /* the string or container of which this is the size; NULL: none */
	/* leaves where the object's characters are, of `size` bytes (1, 2); without steps: none */
	struct read_plan text;
	bool is_name;               /* a text that is a name in the program's code, no data */
	bool is_part;               /* it is shown with the container that it is in */
	bool is_rare;               /* only read in a tenth of the calls (samples/asked_rows.h) */
	enum system_value system;   /* FROM_SYSTEM, which has no plan */
	const struct label *labels; /* enumerators, sorted by number; none for classes */
	size_t n_labels;
};

/* Blocks of one function; see struct function. */
enum { CATALOGUE_BLOCKS_MAX = 7 };

struct function {
	const char *name;    /* as programmers write it: std::list<int>::sort(), sqlite3RunParser */
	const char *linkage; /* as the linker sees it; the plain name in C */
	const char *file;    /* source file, NULL if not known */
	unsigned line;       /* 0 if not known */
	unsigned module;     /* index */
	const struct address_range
		*ranges; /* sorted; the first has the entry unless that is in a cold part */
	size_t n_ranges;
	uint64_t entry_addr;
	uint64_t probe_addr;
	/*
	 * Of a block, a part of a function that is measured as one itself, from its probe address
	 * to its exits of EXIT_BLOCK; through the others it is left without an end. Its ranges are
	 * those of the function, and its frame is taken to be this many bytes below the function's,
	 * so that it is within that call, and others within it. 0: it is a function.
	 */
	unsigned block;
	bool ends_with_function; /* such a block; all of its exits are ends */
	/* Link-time, of the counters of those who listen to the USDT probes of a block. */
	const uint64_t *semaphore_addrs;
	size_t n_semaphores;
	bool probe_in_loop;    /* a branch of the function leads to the probe address */
	struct jump_site site; /* of the probe address */
	struct read_plan cfa;  /* the CFA at the probe address */
	const struct exit_site *exits;
	size_t n_exits;
	/* Of one that may be left by a tail call: direct calls that were found, and how many of
	 * these have one of the catalogue's landings. */
	size_t n_calls, n_landings;
	const struct branch_site *branches; /* sorted */
	size_t n_branches;
	size_t switches_cut;                /* switches left out: outcomes not certain */
	const struct inlined_copy *inlined; /* not measured; only on request */
	size_t n_inlined;
	bool symbol_only; /* there is no debug information about it */
	/* FROM_RETURN is read when the call ends, the others at the probe address. */
	const struct feature *features;
	size_t n_features;
	size_t features_cut;      /* left out by the feature limit */
	size_t features_deep;     /* places below the depth limit */
	size_t n_locals;          /* local variables: without value when the call begins */
	const char *unmeasurable; /* why it cannot be measured (the rest may be missing), or NULL */
	bool is_left_out;         /* it could be, but was not chosen */
};

/*
 * Behind a direct call of a function that may be left by a tail call: to code without probes,
 * perhaps, so that only this sees the call's end.
 */
struct landing {
	unsigned module; /* index */
	uint64_t addr;
	struct jump_site site; /* begins there */
};

/* Where a cost function jumps out of itself. */
struct cost_jump {
	uint64_t addr;
	struct jump_site site;
	bool gives_argument; /* to what will return its first argument: memset() */
};

/* A function whose calls are cost calls; its one entry is its first instruction. */
struct cost_function {
	const char *name; /* of its symbol, without a version */
	unsigned module;  /* index */
	enum cost_call_kind kind;
	uint64_t entry_addr;
	struct jump_site entry_site;
	bool exits_known;    /* else there are none below */
	bool ends_elsewhere; /* it jumps out, perhaps: not all calls end at its returns */
	/* [n_exits] its returns. Of an unwinder: where it may go on in another frame. */
	const uint64_t *exits;
	const struct jump_site *exit_sites; /* [n_exits] */
	size_t n_exits;
	/* Where it jumps out, apart from those to others of the catalogue's cost functions. */
	const struct cost_jump *jumps;
	size_t n_jumps;
};

struct catalogue {
	struct arena *arena;          /* owns everything below */
	const struct module *modules; /* [n_modules] the first is the requested file */
	size_t n_modules;
	const struct class_type *classes; /* sorted by name */
	size_t n_classes;
	const struct vtable *vtables;
	size_t n_vtables;
	const struct class_cast *casts;
	size_t n_casts;
	struct text_pool *texts;          /* of features that are text; NULL: read from text */
	const struct function *functions; /* sorted by name, then address */
	size_t n_functions;
	const struct cost_function *cost_functions; /* by module, then address, each address once */
	size_t n_cost_functions;
	const struct landing *landings; /* by module, then address, each once */
	size_t n_landings;
	const char *const *notes; /* [n_notes] for users: what was left out */
	size_t n_notes;
};

void catalogue_destroy(struct catalogue *catalogue); /* NULL is fine */

/*
 * A copy whose functions can be changed, as can the features and branches of function @index; the
 * rest is @catalogue's, which must outlive it.
 */
struct catalogue *catalogue_copy(const struct catalogue *catalogue);
struct feature *catalogue_own_features(struct catalogue *copy, size_t index);
struct branch_site *catalogue_own_branches(struct catalogue *copy, size_t index);

/* The run-time address of link-time address @addr in a module loaded with @load_bias. */
static inline uint64_t module_runtime(uint64_t load_bias, uint64_t addr)
{
	return load_bias + addr;
}

/* Is @addr in one of the ranges of @function? */
bool catalogue_contains(const struct function *function, uint64_t addr);

/*
 * The index of the function of @catalogue with the same code as function @index of @other;
 * n_functions: none.
 */
size_t catalogue_find_same(const struct catalogue *catalogue, const struct catalogue *other,
			   size_t index);

/* What the text form adds to the functions; bits. */
enum catalogue_detail {
	CATALOGUE_FEATURES = 1,
	CATALOGUE_BRANCHES = 2,
	CATALOGUE_WHOLE = 4,  /* long lists in full */
	CATALOGUE_SITES = 8,  /* which probes have a jump site, and why others do not */
	CATALOGUE_LOOPS = 16, /* if they were looked for */
};

/*
 * Are these the program's own sources, as far as names tell: not in the system's folders of
 * libraries and headers? @module, @file: paths; NULL: not known.
 */
bool catalogue_is_own(const char *module, const char *file);

/* Print one function; @details as below. */
void catalogue_print_function(const struct catalogue *catalogue, size_t index, unsigned details,
			      FILE *out);

/* Print the text form; @details: bits of enum catalogue_detail. */
void catalogue_print(const struct catalogue *catalogue, unsigned details, FILE *out);
