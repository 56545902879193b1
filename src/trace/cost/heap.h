/*
 * The heap as open calls see it: live blocks allocated within them. Mapped memory counts as blocks,
 * parts of which can be unmapped.
 *
 * Pure data. Blocks are numbered as they come. A call that was open then in the allocating thread
 * is a *scope* of the block, marked by the number of the last block before it. Few blocks matter at
 * once, and their number is bounded.
 */
#pragma once

#include "trace/state/cost_state.h"

enum { HEAP_BLOCKS_MAX = 1 << 18 };

void heap_clear(struct heap *heap);

/* The block at @address; NULL: none recorded. */
struct heap_block *heap_find(const struct heap *heap, uint64_t address);

/* There must be none at @address. NULL: no room. */
struct heap_block *heap_add(struct heap *heap, pid_t thread, uint64_t address, uint64_t size);
struct heap_block *heap_add_mapped(struct heap *heap, pid_t thread, uint64_t address,
				   uint64_t size);
/*
 * Unmap a part of [low, high), of mappings with number @last or before; *@ret describes the part.
 * False: none left.
 */
bool heap_unmap(struct heap *heap, uint64_t low, uint64_t high, uint64_t last,
		struct heap_block *ret);
void heap_remove(struct heap *heap, struct heap_block *block);
/* @thread has no open calls any more: drop its blocks. */
void heap_forget(struct heap *heap, pid_t thread);

struct heap_scope heap_scope(const struct heap *heap);
/*
 * Add @block to the scope of its thread's call, or remove it, if it was allocated within the call.
 */
void heap_scope_add(struct heap_scope *scope, const struct heap_block *block);
void heap_scope_remove(struct heap_scope *scope, const struct heap_block *block);
