/*
 * Jump sites: where jumps may replace instructions. All instructions of a function are seen first;
 * then runs are chosen (jump_run.h), and gaps near those that are too short (jump_gap.h).
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "dwarf/file/elf_file.h"
#include "jump_targets.h"

/* Decoded code. */
struct code_source {
	const struct elf_file *image;
	const struct jump_targets *targets; /* NULL: no sites are looked for */
	struct insn_decoder *decoder;
	bool by_hand; /* perhaps in assembly: jumps lead between functions */
	bool loops;   /* they are looked for */
};

struct jump_sites {              /* all zero: empty */
	struct code_insn *insns; /* by address */
	size_t n, capacity;
	struct code_jump *jumps;
	size_t n_jumps, jumps_capacity;
	uint64_t *places; /* addresses of code and data that instructions compute */
	size_t n_places, places_capacity;
	uint64_t added;   /* bit N: register N was computed by an addition */
	bool has_offsets; /* a jump through a table of 4-byte offsets */
	bool leaves;      /* an indirect jump that may be one through a table of labels */
	const char *why;  /* there is no site in the function: the reason */
};

/* For each instruction, in the order of addresses. */
void jump_sites_see(struct jump_sites *sites, const struct insn *insn);

/* Of an indirect jump: does a table explain where it leads, or is it taken for an exit? */
void jump_sites_table(struct jump_sites *sites, const struct insn *jump);
void jump_sites_exit(struct jump_sites *sites, const struct insn *jump);

/* Some bytes are no instructions. */
void jump_sites_undecoded(struct jump_sites *sites);

/* Call when a range of @function, up to @high_addr, has been seen. */
void jump_sites_padding(struct jump_sites *sites, const struct code_source *code,
			const struct function *function, uint64_t high_addr);

/* Call when all of @function has been seen. */
void jump_sites_finish(struct jump_sites *sites, const struct code_source *code,
		       const struct function *function);
void jump_sites_deinit(struct jump_sites *sites);
