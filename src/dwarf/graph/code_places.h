/*
 * What lies at an address of an ELF file: a function, a stub that jumps to another module's, a word
 * that the loader fills, an object, or plain bytes.
 */
#pragma once

#include "core/catalogue/code_graph.h"
#include "dwarf/file/elf_file.h"

enum place_kind {
	PLACE_NOWHERE, /* no such address, or memory without contents or name */
	PLACE_NODE,    /* in a function or an object, or at the stub of an import */
	PLACE_WORD,    /* a word that holds the address of `node`, + offset */
	PLACE_BYTES,   /* constants without a name */
};

struct place {
	enum place_kind kind;
	size_t node;
	uint64_t offset; /* from the node's beginning */
	const uint8_t *bytes;
	size_t n_bytes; /* up to the end of the section */
};

struct code_places;

/* @graph has all functions; imports and objects are added to it as they are asked for. */
struct code_places *code_places_create(const struct elf_file *image, struct code_graph *graph);
void code_places_destroy(struct code_places *places);

struct place code_places_at(struct code_places *places, uint64_t addr);

/* Is it an address of the file's sections? */
bool code_places_has(const struct code_places *places, uint64_t addr);

/*
 * Add what the words of objects refer to, of those in the graph and those that they lead to, and
 * mark what the loader calls. To be called once, when all functions have been read.
 */
void code_places_follow(struct code_places *places);
