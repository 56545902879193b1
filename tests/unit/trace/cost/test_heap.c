/* Blocks of the heap, and what calls keep of them. */
#include "check.h"

#include <string.h>

#include "trace/cost/heap.h"

static void a_call_has_what_came_within_it(void **state)
{
	struct heap heap = {.max = 0};
	struct heap_scope outer = heap_scope(&heap);
	struct heap_block *first = heap_add(&heap, 1, 0x1000, 100);
	struct heap_scope inner;

	(void)state;
	heap_scope_add(&outer, first);
	inner = heap_scope(&heap);
	heap_scope_add(&outer, heap_add(&heap, 1, 0x2000, 30));
	heap_scope_add(&inner, heap_find(&heap, 0x2000));
	heap_scope_remove(&outer, first);
	heap_scope_remove(&inner, first);
	heap_remove(&heap, first);
	assert_null(heap_find(&heap, 0x1000));
	assert_int_equal(outer.live, 30);
	assert_int_equal(outer.peak, 130);
	assert_int_equal(inner.live, 30);
	assert_int_equal(inner.peak, 30);
	heap_clear(&heap);
}

static void blocks_of_a_thread_are_forgotten_together(void **state)
{
	struct heap heap = {.max = 0};

	(void)state;
	heap_add(&heap, 1, 0x1000, 1);
	heap_add(&heap, 2, 0x2000, 2);
	heap_add(&heap, 1, 0x3000, 3);
	heap_add_mapped(&heap, 1, 0x10000, 4096);
	heap_remove(&heap, heap_find(&heap, 0x3000));
	heap_forget(&heap, 1);
	heap_forget(&heap, 3);
	assert_null(heap_find(&heap, 0x1000));
	assert_null(heap_find(&heap, 0x10000));
	assert_null(heap.mapped);
	assert_int_equal(heap_find(&heap, 0x2000)->size, 2);
	heap_clear(&heap);
	assert_null(heap.blocks);
	assert_null(heap.threads);
}

static void more_blocks_than_there_is_room_for_are_lost_and_counted(void **state)
{
	struct heap heap = {.max = 2};
	struct heap_scope scope = heap_scope(&heap);

	(void)state;
	assert_non_null(heap_add(&heap, 1, 0x1000, 1));
	assert_non_null(heap_add_mapped(&heap, 1, 0x2000, 1));
	assert_null(heap_add(&heap, 1, 0x3000, 1));
	assert_int_equal(heap.lost, scope.lost + 1);
	heap_remove(&heap, heap_find(&heap, 0x1000));
	assert_non_null(heap_add(&heap, 1, 0x3000, 1));
	assert_int_equal(heap_scope(&heap).lost, 1);
	heap_clear(&heap);
}

/* Give back [low, high) of a mapping of five pages of 16 bytes; returns how many bytes that was. */
static uint64_t unmap(struct heap *heap, uint64_t low, uint64_t high)
{
	struct heap_block part;
	uint64_t size = 0;

	while (heap_unmap(heap, low, high, heap->last, &part)) {
		assert_int_equal(part.thread, 7);
		assert_int_equal(part.number, 1);
		size += part.size;
	}
	return size;
}

static void parts_of_mappings_are_given_back(void **state)
{
	struct heap heap = {.max = 0};

	(void)state;
	heap_add_mapped(&heap, 7, 0x100, 0x50);
	heap_add(&heap, 7, 0x120, 0x10); /* no mapping */
	assert_int_equal(unmap(&heap, 0xf0, 0x110), 0x10);
	assert_int_equal(unmap(&heap, 0x120, 0x130), 0x10);
	assert_int_equal(unmap(&heap, 0x120, 0x130), 0);
	assert_int_equal(unmap(&heap, 0x140, 0x200), 0x10);
	assert_int_equal(heap_find(&heap, 0x110)->size, 0x10);
	assert_int_equal(heap_find(&heap, 0x130)->size, 0x10);
	assert_int_equal(unmap(&heap, 0, UINT64_MAX), 0x20);
	assert_null(heap.mapped);
	assert_non_null(heap_find(&heap, 0x120));
	heap_clear(&heap);
}

static void what_was_mapped_since_is_not_given_back(void **state)
{
	struct heap heap = {.max = 0};
	struct heap_block part;
	uint64_t before;

	(void)state;
	heap_add_mapped(&heap, 7, 0x100, 0x10);
	before = heap.last;
	heap_add_mapped(&heap, 7, 0x110, 0x10);
	assert_true(heap_unmap(&heap, 0x100, 0x200, before, &part));
	assert_int_equal(part.address, 0x100);
	assert_false(heap_unmap(&heap, 0x100, 0x200, before, &part));
	heap_clear(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_what_came_within_it),
		cmocka_unit_test(blocks_of_a_thread_are_forgotten_together),
		cmocka_unit_test(more_blocks_than_there_is_room_for_are_lost_and_counted),
		cmocka_unit_test(parts_of_mappings_are_given_back),
		cmocka_unit_test(what_was_mapped_since_is_not_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
