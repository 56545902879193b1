/*
 * Functions that a linker made one, as their code is the same: which of them a call means says its
 * call site.
 *
 * Source: DWARF 5, section 3.4.1 (DW_AT_call_origin, DW_AT_call_return_pc).
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "dwarf/file/elf_file.h"

/*
 * Give @first, of whose features the first @n_own are its own, the parameters of @also, which has
 * the same code: each is there in the calls that mean its function, in others it is absent, for the
 * reason ABSENT_OTHER_CLASS; what both have alike is there in all. Calls that say nothing mean
 * @first. False: no call site says that it means @also, or too many do, or all parameters known are
 * alike; nothing is changed then.
 */
bool folded_names_join(const struct elf_file *image, struct function *first, size_t n_own,
		       const struct function *also, struct arena *arena);
