/*
 * Words of a file that the loader writes: what is at their addresses once the program runs.
 */
#pragma once

#include "elf_file.h"

struct relocated_word {
	uint64_t addr;
	const char *name; /* of another module's symbol, in the file's memory; NULL: see `value` */
	uint64_t value;   /* as before relocation of the file as a whole */
};

/* The @ret_n words by address, in *@ret, which the caller frees; NULL: none. */
void relocated_words_find(const struct elf_file *image, struct relocated_word **ret, size_t *ret_n);

/* The one at @addr exactly; NULL: the loader writes none there. */
const struct relocated_word *relocated_words_at(const struct relocated_word *words, size_t n,
						uint64_t addr);
