/*
 * The heap as far as open calls are concerned: the blocks that were allocated within them and are
 * live.
 *
 * Mapped memory is blocks too, of which a part can be given back.
 *
 * Pure data. Blocks have numbers in the order in which they came; a call that was open at that time
 * in the thread that allocated the block is one of its *scopes*: what it has begun with is the
 * number of the last block before it. So few blocks matter at once, and their number is bounded.
 */
#pragma once

#include "trace/state/cost_state.h"

enum { HEAP_BLOCKS_MAX = 1 << 18 };

void heap_clear(struct heap *heap);

/* The block at @address; NULL: it is none of ours. */
struct heap_block *heap_find(const struct heap *heap, uint64_t address);

/* There must be none at @address. NULL: there is no room. */
struct heap_block *heap_add(struct heap *heap, pid_t thread, uint64_t address, uint64_t size);
struct heap_block *heap_add_mapped(struct heap *heap, pid_t thread, uint64_t address,
				   uint64_t size);
/*
 * A part of [low, high) of mapped memory that came with number @last or before is given back; *@ret
 * is that, of the size of the part. False: there is none left.
 */
bool heap_unmap(struct heap *heap, uint64_t low, uint64_t high, uint64_t last,
		struct heap_block *ret);
void heap_remove(struct heap *heap, struct heap_block *block);
/* @thread has no open calls any more: its blocks are nobody's. */
void heap_forget(struct heap *heap, pid_t thread);

struct heap_scope heap_scope(const struct heap *heap);
/* A call of the thread that owns @block gets it, or loses it, if the block came within it. */
void heap_scope_add(struct heap_scope *scope, const struct heap_block *block);
void heap_scope_remove(struct heap_scope *scope, const struct heap_block *block);
