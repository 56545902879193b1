/* Blocks by address and by thread. */
#include "heap.h"

#include <stdlib.h>

#include <utlist.h>

#include "base/mem.h"

struct heap_thread {
	pid_t tid;
	struct heap_block *first;
	UT_hash_handle hh;
};

static struct heap_thread *heap_find_thread(const struct heap *heap, pid_t tid)
{
	struct heap_thread *found;

	HASH_FIND_INT(heap->threads, &tid, found);
	return found;
}

static struct heap_thread *need_thread(struct heap *heap, pid_t tid)
{
	struct heap_thread *thread = heap_find_thread(heap, tid);

	if (thread)
		return thread;
	thread = mem_alloc(sizeof(*thread));
	thread->tid = tid;
	HASH_ADD_INT(heap->threads, tid, thread);
	return thread;
}

void heap_clear(struct heap *heap)
{
	struct heap_thread *thread, *next;

	HASH_ITER (hh, heap->threads, thread, next)
		heap_forget(heap, thread->tid);
}

struct heap_block *heap_find(const struct heap *heap, uint64_t address)
{
	struct heap_block *found;

	HASH_FIND(hh, heap->blocks, &address, sizeof(address), found);
	return found;
}

static struct heap_block *heap_add_block(struct heap *heap, pid_t tid, uint64_t address,
					 uint64_t size)
{
	struct heap_thread *thread;
	struct heap_block *block;

	if (HASH_COUNT(heap->blocks) >= (heap->max ? heap->max : HEAP_BLOCKS_MAX)) {
		heap->lost++;
		return NULL;
	}
	thread = need_thread(heap, tid);
	block = mem_alloc(sizeof(*block));
	block->address = address;
	block->size = size;
	block->thread = tid;
	block->next = thread->first;
	if (block->next)
		block->next->previous = block;
	thread->first = block;
	HASH_ADD(hh, heap->blocks, address, sizeof(address), block);
	return block;
}

struct heap_block *heap_add(struct heap *heap, pid_t thread, uint64_t address, uint64_t size)
{
	struct heap_block *block = heap_add_block(heap, thread, address, size);

	if (block)
		block->number = ++heap->last;
	return block;
}

static struct heap_block *add_mapped(struct heap *heap, pid_t thread, uint64_t address,
				     uint64_t size, uint64_t number)
{
	struct heap_block *block = heap_add_block(heap, thread, address, size);

	if (!block)
		return NULL;
	block->number = number;
	block->mapped = true;
	DL_APPEND2(heap->mapped, block, previous_mapped, next_mapped);
	return block;
}

struct heap_block *heap_add_mapped(struct heap *heap, pid_t thread, uint64_t address, uint64_t size)
{
	return add_mapped(heap, thread, address, size, ++heap->last);
}

/* The parts outside [from, to) stay. */
static void cut(struct heap *heap, struct heap_block *block, uint64_t from, uint64_t to)
{
	const uint64_t end = block->address + block->size;

	if (to < end)
		add_mapped(heap, block->thread, to, end - to, block->number);
	block->size = from - block->address;
	if (!block->size)
		heap_remove(heap, block);
}

bool heap_unmap(struct heap *heap, uint64_t low, uint64_t high, uint64_t last,
		struct heap_block *ret)
{
	struct heap_block *block;

	DL_FOREACH2(heap->mapped, block, next_mapped)
	{
		const uint64_t end = block->address + block->size;
		const uint64_t from = low > block->address ? low : block->address;
		const uint64_t to = high < end ? high : end;

		if (from >= to || block->number > last)
			continue;
		*ret = *block;
		ret->size = to - from;
		cut(heap, block, from, to);
		return true;
	}
	return false;
}

void heap_remove(struct heap *heap, struct heap_block *block)
{
	if (block->next)
		block->next->previous = block->previous;
	if (block->previous)
		block->previous->next = block->next;
	else
		heap_find_thread(heap, block->thread)->first = block->next;
	HASH_DEL(heap->blocks, block);
	if (block->mapped)
		DL_DELETE2(heap->mapped, block, previous_mapped, next_mapped);
	free(block);
}

void heap_forget(struct heap *heap, pid_t tid)
{
	struct heap_thread *thread = heap_find_thread(heap, tid);

	if (!thread)
		return;
	while (thread->first)
		heap_remove(heap, thread->first);
	HASH_DEL(heap->threads, thread);
	free(thread);
}

struct heap_scope heap_scope(const struct heap *heap)
{
	return (struct heap_scope){.since = heap->last, .lost = heap->lost};
}

void heap_scope_add(struct heap_scope *scope, const struct heap_block *block)
{
	if (block->number <= scope->since)
		return;
	scope->live += block->size;
	scope->n_live += !block->mapped;
	if (scope->live > scope->peak)
		scope->peak = scope->live;
}

void heap_scope_remove(struct heap_scope *scope, const struct heap_block *block)
{
	if (block->number <= scope->since)
		return;
	scope->live -= block->size;
	scope->n_live -= !block->mapped;
}
