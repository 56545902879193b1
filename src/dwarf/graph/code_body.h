/*
 * What the instructions of one function say: edges of the graph, loops, and the hash of its body.
 */
#pragma once

#include "code_places.h"
#include "core/catalogue/insn.h"

/* Code apart from its function, as the compiler places what is rarely executed. */
struct code_part {
	uint64_t addr, size;
	bool is_taken;
};

struct code_body;

/* All is borrowed. */
struct code_body *code_body_create(const struct elf_file *image, struct insn_decoder *decoder,
				   struct code_places *places, struct code_graph *graph,
				   enum code_sameness sameness);
/* Before anything is read; @parts are sorted, and borrowed. */
void code_body_take_parts(struct code_body *body, struct code_part *parts, size_t n);
void code_body_destroy(struct code_body *body);

/* Read the function @node: link it, and set its hash and what else is known of its code. */
void code_body_read(struct code_body *body, size_t node);
