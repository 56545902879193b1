/*
 * The heap as far as open calls are concerned: the blocks that were allocated within them and are live.
 *
 * Pure data. Blocks have numbers in the order in which they came; a call that was open at that time in the
 * thread that allocated the block is one of its *scopes*: what it has begun with is the number of the last block
 * before it. So few blocks matter at once, and their number is bounded.
 */
#ifndef FATHOM_TRACE_HEAP_H
#define FATHOM_TRACE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <uthash.h>

enum { HEAP_BLOCKS_MAX = 1 << 18 };

struct heap_block {
	uint64_t address;
	uint64_t size;
	uint64_t number;
	pid_t thread;                       /* that allocated it */
	struct heap_block *previous, *next; /* of its thread */
	UT_hash_handle hh;
};

struct heap_thread;

struct heap {
	struct heap_block *blocks; /* by address */
	struct heap_thread *threads;
	uint64_t last; /* number of the last block */
	uint64_t lost; /* blocks for which there was no room */
	size_t max;    /* 0: HEAP_BLOCKS_MAX */
};

/* What a call keeps of the blocks that its thread has allocated since it began. */
struct heap_scope {
	uint64_t since;      /* the last block before it */
	uint64_t lost;       /* so many had been lost by then */
	uint64_t live, peak; /* bytes */
};

void heap_clear(struct heap *heap);

/* The block at @address; NULL: it is none of ours. */
struct heap_block *heap_find(const struct heap *heap, uint64_t address);

/* There must be none at @address. NULL: there is no room. */
struct heap_block *heap_add(struct heap *heap, pid_t thread, uint64_t address, uint64_t size);
void heap_remove(struct heap *heap, struct heap_block *block);
/* @thread has no open calls any more: its blocks are nobody's. */
void heap_forget(struct heap *heap, pid_t thread);

struct heap_scope heap_scope(const struct heap *heap);
/* A call of the thread that owns @block gets it, or loses it, if the block came within it. */
void heap_scope_add(struct heap_scope *scope, const struct heap_block *block);
void heap_scope_remove(struct heap_scope *scope, const struct heap_block *block);

#endif
