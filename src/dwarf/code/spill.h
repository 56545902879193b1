/*
 * When the frame slots that hold parameters are filled.
 *
 * The line table marks the prologue's end, but compilers put it before some parameters are stored:
 * clang before a call to mcount, gcc wherever the scheduler moved the stores in optimised code.
 */
#pragma once

#include "function_code.h"

enum { SPILL_SIZE_MAX = 512 };

struct spill {
	int64_t offset;                      /* of the slot, from the CFA */
	size_t size;                         /* bytes, 1 to SPILL_SIZE_MAX */
	uint8_t missing[SPILL_SIZE_MAX / 8]; /* one bit per byte, private */
};

/*
 * The first address at or after @from at which the code before the first branch has filled all of
 * the @n @spills; slots that it does not fill are ignored.
 */
uint64_t spill_end(const struct elf_file *image, struct insn_decoder *decoder,
		   const struct function *function, struct spill *spills, size_t n, uint64_t from);
