/*
 * Instructions that run in a pad instead of where they stand in the program.
 */
#pragma once

#include <stdbool.h>

#include "assembler.h"
#include "base/err.h"
#include "core/catalogue/insn.h"

/*
 * Append what does the same as @insn does at its own address; a call returns there, so nothing
 * behind it in a run may be moved. ERR_UNSUPPORTED: there is nothing
 * such, or something that it refers to is out of reach from here.
 */
bool pad_moved_write(struct assembler *code, const struct insn *insn, struct err *err);

/*
 * Append a jump that is taken if and only if @insn, an INSN_JUMP, INSN_JUMP_IF or INSN_LOOP, jumps;
 * like it does, a loop counts.
 */
struct asm_fixup pad_moved_jump(struct assembler *code, const struct insn *insn);
