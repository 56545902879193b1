/*
 * The catalogue: what the debug information says about the functions that were asked for.
 *
 * Terms: a link-time address is one as written in the ELF file (`…_addr`); a run-time address
 * (`…_pc`, `…_address`) is one in the inferior. module_runtime() is the only way from one to the
 * other. The probe address is where a call is noticed: past the prologue, or the first instruction
 * where the parameters' location lists are valid already. An exit is an instruction through which a
 * call can end. CFA: the canonical frame address, the value of the stack pointer before the call
 * instruction pushed the return address; it names a call's frame.
 *
 * Plain data: everything lives in the catalogue's arena, and things refer to each other by index.
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
	const char *path; /* as it can be opened */
	/*
	 * Hex; a file without one: "sum:" and a checksum of its contents. NULL: nobody asked for
	 * functions of it, which only has cost functions.
	 */
	const char *build_id;
	bool relocatable;    /* PIE or shared library: the load bias is known only at run time */
	uint64_t entry_addr; /* e_entry */
	uint64_t base_addr;  /* of the first loaded segment, down to its page */
	bool symbols_only;   /* there is no debug information: functions are the symbol table's */
};

struct address_range {
	uint64_t low_addr, high_addr; /* [low, high) */
};

enum exit_kind {
	EXIT_RETURN,    /* ret */
	EXIT_TAIL_JUMP, /* a direct jump out of all ranges of the function */
	/* through a register or memory, and no jump table: out only if the target is */
	EXIT_INDIRECT_JUMP,
};

struct exit_site {
	uint64_t addr;
	enum exit_kind kind;
};

enum branch_kind {
	BRANCH_CONDITIONAL, /* jumps if a condition holds */
	BRANCH_LOOP,        /* loop, jrcxz and kin: jumps by the count in rcx */
	BRANCH_SWITCH,      /* jumps through a table */
};

/*
 * How the instruction at a switch's address finds its entry: the register's number / scale + bias
 * is the index.
 */
struct table_index {
	int8_t reg; /* DWARF number */
	uint8_t scale;
	int32_t bias;
};

/*
 * A place where the way of a call divides. The outcome of a switch is the index by which its table
 * is read, counted from the table's first entry: that of the lowest case in it, whatever the source
 * calls it. Cases that the compiler decides without the table have none.
 */
struct branch_site {
	const char *name; /* "parser.c:123 at parse+0x4f": unique within the function */
	enum branch_kind kind;
	uint64_t
		/*
		 * where its outcome can be told: of the jump, or of a switch's load from the table
		 */
		addr;
	uint64_t target_addr;     /* where it jumps; 0: switches */
	bool in_loop;             /* a jump backwards spans it */
	struct table_index index; /* BRANCH_SWITCH */
	const char *file;         /* of the source, NULL if not known */
	unsigned line;            /* 0 if not known */
};

/* A copy of a function in another one. */
struct inlined_copy {
	const char *file; /* where it was called, NULL if not known */
	unsigned line;
};

struct feature {
	const char *expression; /* unique within the function */
	enum feature_type type;
	enum provenance provenance;
	unsigned depth; /* members and dereferences on the way from the variable; 0: the variable */
	struct read_plan plan; /* without steps: `absence` says why */
	enum absence absence;  /* PRESENT: the plan can be run */
	const char *
		/* "in rdi", "at CFA-24", "optimised out here": one phrase for people */
		explanation;
	enum system_value system;   /* FROM_SYSTEM; there is no plan */
	const struct label *labels; /* enumerators, sorted by number; classes have none here */
	size_t n_labels;
};

struct function {
	const char *name; /* as a programmer writes it: std::list<int>::sort(), sqlite3RunParser */
	const char *linkage; /* as the linker sees it; the plain name in C */
	const char *file;    /* source file, NULL if not known */
	unsigned line;       /* 0 if not known */
	unsigned module;     /* index */
	const struct address_range
		*ranges; /* sorted; the first holds the entry unless it is in a cold part */
	size_t n_ranges;
	uint64_t entry_addr;
	uint64_t probe_addr;
	bool probe_in_loop;   /* a branch within the function leads to the probe address */
	struct read_plan cfa; /* the CFA at the probe address */
	const struct exit_site *exits;
	size_t n_exits;
	const struct branch_site *branches; /* sorted */
	size_t n_branches;
	size_t switches_cut;                /* switches whose outcomes cannot be told for certain */
	const struct inlined_copy *inlined; /* not measured; only if they were asked for */
	size_t n_inlined;
	bool symbol_only; /* there is no debug information about it */
	/*
	 * Those of FROM_RETURN are to be read when the call ends, the others at the probe address.
	 */
	const struct feature *features;
	size_t n_features;
	size_t features_cut;  /* left out because of the feature limit */
	size_t features_deep; /* places not looked into because of the depth limit */
	size_t n_locals;      /* local variables: they have no value when the call begins */
	const char *
		/* why it cannot be measured (then the rest may be missing), or NULL */
		unmeasurable;
};

/* A function whose calls are cost calls. It has one entry, its first instruction. */
struct cost_function {
	const char *name; /* of its symbol, without a version */
	unsigned module;  /* index */
	enum cost_call_kind kind;
	uint64_t entry_addr;
	const uint64_t *exits; /* its returns; none: calls end where they return to */
	size_t n_exits;
};

struct catalogue {
	struct arena *arena;          /* owns everything below */
	const struct module *modules; /* the first is the file that was asked for */
	size_t n_modules;
	const struct class_type *classes; /* sorted by name */
	size_t n_classes;
	const struct vtable *vtables;
	size_t n_vtables;
	const struct class_cast *casts;
	size_t n_casts;
	const struct function *functions; /* sorted by name, then address */
	size_t n_functions;
	const struct cost_function *cost_functions; /* by module, then address, each address once */
	size_t n_cost_functions;
	const char *const *notes; /* what users should know about what was left out */
	size_t n_notes;
};

void catalogue_destroy(struct catalogue *catalogue); /* NULL is fine */

/* The run-time address of link-time address @addr in a module loaded with @load_bias. */
static inline uint64_t module_runtime(uint64_t load_bias, uint64_t addr)
{
	return load_bias + addr;
}

/* Is @addr in one of the ranges of @function? */
bool catalogue_contains(const struct function *function, uint64_t addr);

/*
 * The function of @catalogue that is the same code as function @index of @other; n_functions: there
 * is none.
 */
size_t catalogue_find_same(const struct catalogue *catalogue, const struct catalogue *other,
			   size_t index);

/* What the text form shows beside the functions themselves; bits. */
enum catalogue_detail {
	CATALOGUE_FEATURES = 1,
	CATALOGUE_BRANCHES = 2,
	CATALOGUE_WHOLE = 4, /* long lists to their ends */
};

/* The text form: for people, and for tests to compare. @details: of enum catalogue_detail. */
void catalogue_print(const struct catalogue *catalogue, unsigned details, FILE *out);
