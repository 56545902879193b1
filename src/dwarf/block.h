/*
 * Blocks: parts of functions, from where a pattern's first line begins to where its last one does,
 * or from one USDT probe to another, measured as functions of their own.
 */
#pragma once

#include "describe_function.h"
#include "dwarf/file/stap_probes.h"

struct block {
	const struct pattern *pattern;
	const char *name; /* as it was given; of one of several places of a probe with #1, #2 … */
	Dwarf_Die host;   /* the function; of no use if there is `bare` */
	const struct function *bare; /* its ranges and entry if it has no debug information */
	uint64_t begin_addr;
	const uint64_t *end_addrs; /* [n_ends] */
	size_t n_ends;
	const struct stap_probe *probe;  /* that it begins at; NULL: at a line */
	const uint64_t *semaphore_addrs; /* [n_semaphores] of its probes, each once */
	size_t n_semaphores;
};

/*
 * The @ret_n blocks, in @arena, that @pattern names in @image, the file @path: one, or one for each
 * place of a probe. None: the image has no such file, or provider of probes. ERR_USAGE: a line
 * without code, no such probe, a line of several functions.
 */
bool block_find(const struct elf_file *image, const char *path, const struct pattern *pattern,
		struct arena *arena, const struct block **ret, size_t *ret_n, struct err *err);

/* Are they of one function? */
bool block_shares_host(const struct block *a, const struct block *b);

/* As describe_function(). @number: that of struct function. */
void block_describe(const struct describer *describer, const struct block *block, unsigned number,
		    struct function *ret);

/* Orders pointers to blocks' patterns: what contains others comes first. */
int block_order(const struct block *a, const struct block *b);
