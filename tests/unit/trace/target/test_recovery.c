/* The guard's table. */
#include "check.h"

#include <string.h>
#include <sys/mman.h>

#include "trace/target/recovery.h"

/* An instruction of 4 bytes. */
enum { STEP_AT = 0x401000 };
static const uint8_t STEP[] = {0x48, 0x8d, 0x47, 0x01};

static struct insn step_insn(void)
{
	struct insn insn = {.address = STEP_AT, .size = sizeof(STEP)};

	memcpy(insn.bytes, STEP, sizeof(STEP));
	return insn;
}

static struct recovery *create(void)
{
	struct recovery *guard;
	struct err err;

	assert_true(recovery_create(&guard, &err));
	return guard;
}

static void what_is_planted_is_in_the_table_until_it_is_forgotten(void **state)
{
	struct recovery *guard = create();
	const struct recovery_breakpoint *entries = recovery_table(guard)->breakpoints;
	struct insn insn = step_insn();
	unsigned number = 0, other = 0;

	(void)state;
	assert_true(recovery_plant(guard, 7, &insn, 0x1000, &number));
	assert_true(number > 0);
	assert_int_equal(entries[number].state, RECOVERY_PLANTED);
	assert_int_equal(entries[number].pid, 7);
	assert_int_equal(entries[number].address, insn.address);
	assert_int_equal(entries[number].slot, 0x1000);
	assert_memory_equal(entries[number].bytes, STEP, sizeof(STEP));
	recovery_lift(guard, number);
	assert_int_equal(entries[number].state, RECOVERY_LIFTED);
	other = number;
	assert_true(recovery_plant(guard, 7, &insn, 0x2000, &other));
	assert_int_equal(other, number);
	assert_int_equal(entries[number].slot, 0x2000);
	recovery_forget(guard, number);
	assert_int_equal(entries[number].state, RECOVERY_FREE);
	other = 0;
	assert_true(recovery_plant(guard, 8, &insn, 0, &other));
	assert_int_equal(other, number);
	recovery_destroy(guard);
}

static void a_table_that_is_full_is_told(void **state)
{
	struct recovery *guard = create();
	struct insn insn = step_insn();
	unsigned i, number = 0;

	(void)state;
	for (i = 1; i < RECOVERY_BREAKPOINTS; i++) {
		number = 0;
		assert_true(recovery_plant(guard, 7, &insn, 0, &number));
	}
	i = 0;
	assert_false(recovery_plant(guard, 7, &insn, 0, &i));
	recovery_forget(guard, number);
	assert_true(recovery_plant(guard, 7, &insn, 0, &i));
	assert_int_equal(i, number);
	recovery_destroy(guard);
}

static void more_processes_than_there_is_room_for_go_unguarded(void **state)
{
	struct recovery *guard = create();
	pid_t pid;

	(void)state;
	for (pid = 1; pid <= RECOVERY_PROCESSES + 10; pid++)
		recovery_add_process(guard, pid);
	recovery_set_stopped(guard, RECOVERY_PROCESSES + 5, true);
	recovery_remove_process(guard, RECOVERY_PROCESSES + 5);
	for (pid = 0; pid < RECOVERY_PROCESSES; pid++)
		assert_false(recovery_table(guard)->processes[pid].stopped);
	recovery_destroy(guard);
}

/* What is read of a new mapping is memory from then on. */
static void to_add_a_process_does_not_touch_the_places_of_all(void **state)
{
	enum { PAGE = 4096, PAGES = sizeof(((struct recovery_table *)NULL)->processes) / PAGE };
	struct recovery *guard = create();
	uint8_t *first = (uint8_t *)recovery_table(guard)->processes;
	unsigned char is_there[PAGES - 1];
	size_t n = 0;

	(void)state;
	recovery_add_process(guard, 7);
	recovery_set_stopped(guard, 8, true);
	recovery_remove_process(guard, 8);
	first += -(uintptr_t)first % PAGE;
	assert_int_equal(mincore(first, sizeof(is_there) * PAGE, is_there), 0);
	for (size_t i = 0; i < sizeof(is_there); i++)
		n += is_there[i] & 1;
	assert_true(n <= 2);
	recovery_destroy(guard);
}

static void without_a_guard_nothing_is_noted(void **state)
{
	struct insn insn = step_insn();
	unsigned number = 0;

	(void)state;
	recovery_add_process(NULL, 1);
	assert_true(recovery_plant(NULL, 1, &insn, 0, &number));
	assert_int_equal(number, 0);
	recovery_lift(NULL, 0);
	recovery_forget(NULL, 0);
	recovery_add_area(NULL, 1, &(struct recovery_area){.address = 4096});
	recovery_set_call(NULL, 1, NULL);
	recovery_destroy(NULL);
}

static void jumps_are_in_the_table_until_they_are_forgotten(void **state)
{
	struct recovery *guard = create();
	const struct recovery_breakpoint *entries = recovery_table(guard)->breakpoints;
	const struct recovery_jump jump = {.address = STEP_AT,
					   .size = RECOVERY_JUMP,
					   .original = {0x48, 0x8d, 0x47, 0x01, 0xc3},
					   .jump = {0xe9, 1, 2, 3, 4}};
	unsigned number = 0;

	(void)state;
	assert_true(recovery_plant_jump(guard, 7, &jump, &number));
	assert_int_equal(entries[number].state, RECOVERY_JUMPING);
	assert_int_equal(entries[number].pid, 7);
	assert_int_equal(entries[number].address, STEP_AT);
	assert_memory_equal(entries[number].bytes, STEP, sizeof(STEP));
	assert_memory_equal(entries[number].jump, jump.jump, RECOVERY_JUMP);
	recovery_forget(guard, number);
	assert_int_equal(entries[number].state, RECOVERY_FREE);
	recovery_destroy(guard);
}

static void areas_are_in_the_table_of_a_copy_too(void **state)
{
	const struct recovery_area area = {
		.address = 0x1000, .size = 0x2000, .kind = RECOVERY_PADS};
	struct recovery *guard = create();
	const struct recovery_area *found = recovery_table(guard)->processes[1].areas;

	(void)state;
	recovery_add_process(guard, 7);
	recovery_add_process(guard, 8);
	recovery_add_area(guard, 7, &area);
	recovery_copy_areas(guard, 7, 8);
	recovery_remove_area(guard, 7, 0x1000);
	assert_int_equal(recovery_table(guard)->processes[0].areas[0].address, 0);
	assert_int_equal(found->address, 0x1000);
	assert_int_equal(found->size, 0x2000);
	assert_int_equal(found->kind, RECOVERY_PADS);
	recovery_destroy(guard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_planted_is_in_the_table_until_it_is_forgotten),
		cmocka_unit_test(a_table_that_is_full_is_told),
		cmocka_unit_test(more_processes_than_there_is_room_for_go_unguarded),
		cmocka_unit_test(to_add_a_process_does_not_touch_the_places_of_all),
		cmocka_unit_test(without_a_guard_nothing_is_noted),
		cmocka_unit_test(jumps_are_in_the_table_until_they_are_forgotten),
		cmocka_unit_test(areas_are_in_the_table_of_a_copy_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
