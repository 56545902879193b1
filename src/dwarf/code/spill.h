/*
 * Spills: when the frame slots that hold parameters are filled.
 *
 * The line table says where the prologue ends, but compilers mark it before they have stored every
 * parameter: clang before a call to mcount, gcc wherever the scheduler moved the stores in
 * optimised code.
 */
#pragma once

#include "function_code.h"

enum { SPILL_SIZE_MAX = 512 };

struct spill {
	int64_t offset;                      /* of the slot from the CFA */
	size_t size;                         /* bytes, 1 to SPILL_SIZE_MAX */
	uint8_t missing[SPILL_SIZE_MAX / 8]; /* a bit for each byte, private */
};

/*
 * The first address at or behind @from at which every slot has been stored to, as far as the code
 * before the first branch shows; slots that it does not fill are passed over.
 */
uint64_t spill_end(const struct elf_file *image, struct insn_decoder *decoder,
		   const struct function *function, struct spill *spills, size_t n, uint64_t from);
