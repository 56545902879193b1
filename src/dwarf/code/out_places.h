/*
 * Memory behind a pointer parameter that a function writes before it reads it:
 * what is there when a call begins is no input, and often what the caller left
 * uninitialised.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/catalogue/insn.h"
#include "dwarf/file/elf_file.h"

/*
 * Set @ret[i] for those features [n_features] of @function whose bytes behind a
 * pointer parameter are written on some way through it and read on none before
 * that. Returns whether there are any.
 *
 * All ways are followed from the probe address. A call, and whatever is not
 * understood, may read all that is not written yet. What is read through
 * another pointer is that one's feature.
 */
bool out_places_find(const struct elf_file *image, struct insn_decoder *decoder,
		     const struct function *function, bool *ret);
