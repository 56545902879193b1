/*
 * Where code of a module may be entered from elsewhere: by direct jumps and calls, by addresses in
 * its data and its instructions, at symbols, and where exceptions continue.
 *
 * More is listed than there is: jumps are looked for at every byte, instruction or not. Jumps over
 * less than 128 bytes, which need an exact decoding, and tables of 4-byte offsets are left to
 * jump_sites.c.
 */
#pragma once

#include "dwarf/file/elf_file.h"

struct jump_targets;

/* Only the ELF part of @image is needed. */
struct jump_targets *jump_targets_create(const struct elf_file *image);
void jump_targets_destroy(struct jump_targets *targets); /* NULL is fine */

/* May something jump to @addr? */
bool jump_targets_has(const struct jump_targets *targets, uint64_t addr);

/*
 * For each address, in order, where a direct call of one of the @n sorted @entries seems to be.
 * Bytes that only look like one are given, too.
 */
void jump_targets_calls(const struct jump_targets *targets, const uint64_t *entries, size_t n,
			void (*see)(void *self, uint64_t addr, uint64_t entry_addr), void *self);

/* Why targets may be missing, a phrase; NULL: all are known. */
const char *jump_targets_unknown(const struct jump_targets *targets);
