/*
 * Memory of the pads in one inferior: code near its code, which is written by the tracer alone, and
 * the threads' blocks. All of it is known to the recovery table, by the target.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "pad_code.h"
#include "trace/target/target.h"

struct pad_area;

enum { PAD_AREA_SIZE = 1 << 20 };

/* @code: a run-time address of unneeded code, for remote system calls. */
struct pad_area *pad_area_create(const struct target *target, uint64_t code);
void pad_area_destroy(struct pad_area *area); /* NULL is fine; unmaps nothing */

/*
 * A word that is `alive` as long as the tracer lives, at an address below 2 GiB. Its memory is
 * mapped at the first call; @zero is the address of a zero byte there, for the file's name.
 * ERR_TARGET.
 */
bool pad_area_live(struct pad_area *area, pid_t tid, uint64_t zero, struct err *err);
struct pad_life pad_area_life(const struct pad_area *area);

/*
 * Have @tid set the lifeline's handler of @signal, see lifeline_trap.h, for its process, which has
 * none; pad_area_unmap() takes it away. SIGTRAP first. Does nothing before pad_area_live(), or
 * without blocks. All that have it: signal N is bit N - 1.
 */
void pad_area_guard(struct pad_area *area, pid_t tid, int signal);
uint64_t pad_area_guarded(const struct pad_area *area);

/* For a child with a copy of the memory. */
struct pad_area *pad_area_copy(const struct pad_area *area);

/*
 * Reserve @size bytes, at most PAD_AREA_SIZE, for code within reach of a 32-bit displacement from
 * @near, mapping memory if needed; their address is a multiple of 16. They are not reserved again
 * before pad_area_reuse(): a thread may be in what was there. @tid is a stopped tracee. ERR_TARGET:
 * no memory there.
 */
bool pad_area_allocate(struct pad_area *area, pid_t tid, uint64_t size, uint64_t near,
		       uint64_t *ret, struct err *err);

/* All of that may be reserved again: no thread is in a pad, and no jump leads there. */
void pad_area_reuse(struct pad_area *area);

/* Is @pc in code of pads? */
bool pad_area_contains(const struct pad_area *area, uint64_t pc);

/* Map @n blocks one behind the other, all zero; the first's address. ERR_TARGET. */
bool pad_area_map_blocks(struct pad_area *area, pid_t tid, size_t n, uint64_t *ret,
			 struct err *err);

/*
 * Have the stopped @tid unmap everything. No thread may be in a pad, or return there, and none have
 * its gs base in a block.
 */
/* Does a block begin there? */
bool pad_area_is_block(const struct pad_area *area, uint64_t address);

void pad_area_unmap(struct pad_area *area, pid_t tid);
