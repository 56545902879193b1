/*
 * Where return values are: the functions of a library are called, and what their results' plans
 * make of the registers behind the call is what they returned.
 */
#include "dwarf_fixture.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/plan_runner.h"
#include "dwarf/type/return_value.h"

struct expected {
	const char *function;
	uint64_t offset; /* of the part that is compared */
	unsigned size;
	enum plan_result result;
	double number;
};

static bool find_in(Dwarf_Die *unit, const char *name, Dwarf_Die *ret)
{
	for (bool more = die_first(unit, ret); more; more = die_next(ret)) {
		const char *found = dwarf_diename(ret);
		Dwarf_Addr entry;

		if (dwarf_tag(ret) == DW_TAG_subprogram && found && !strcmp(found, name) &&
		    dwarf_entrypc(ret, &entry) == 0)
			return true;
	}
	return false;
}

static void find_function(const struct elf_file *image, const char *name, Dwarf_Die *ret)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		if (find_in(&die, name, ret))
			return;
	fail_msg("%s is not in the debug information", name);
}

/* Call @function with room for an object, and note the registers behind the call. */
static void call(void (*function)(void), struct plan_context *context)
{
	static uint64_t room[8] __attribute__((aligned(16)));
	uint64_t rax, rdx;
	double xmm0, xmm1;
	void *target = (void *)function;

	memset(room, 0x55, sizeof(room));
	__asm__ volatile("movq %[room], %%rdi\n\t"
			 "call *%[target]\n\t"
			 "fninit\n\t"
			 "movq %%rax, %[rax]\n\t"
			 "movq %%rdx, %[rdx]\n\t"
			 "movsd %%xmm0, %[xmm0]\n\t"
			 "movsd %%xmm1, %[xmm1]\n\t"
			 : [rax] "=m"(rax), [rdx] "=m"(rdx), [xmm0] "=m"(xmm0), [xmm1] "=m"(xmm1)
			 : [room] "r"((void *)room), [target] "r"(target)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",
			   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory", "cc");
	context->registers[0] = rax;
	context->registers[1] = rdx;
	memcpy(&context->registers[PLAN_XMM0], &xmm0, 8);
	memcpy(&context->registers[PLAN_XMM0 + 1], &xmm1, 8);
}

static void read_own(void *self, struct memory_read *reads, size_t n)
{
	(void)self;
	for (size_t i = 0; i < n; i++) {
		reads[i].ok = reads[i].address > 4096;
		if (reads[i].ok)
			memcpy(reads[i].to, (void *)(uintptr_t)reads[i].address, reads[i].size);
	}
}

static struct value run(const struct location *at, const struct expected *expected,
			struct plan_context *context)
{
	struct plan_runner *runner = plan_runner_create();
	const struct read_plan plan = {at->steps.step, at->steps.n, expected->result,
				       expected->size};
	const struct read_plan *pointer = &plan;
	struct value value;
	struct err err;

	assert_true(read_plan_verify(&plan, &err));
	plan_runner_run(runner, &pointer, 1, context, &value);
	plan_runner_destroy(runner);
	return value;
}

static void check_one(const char *path, const struct elf_file *image, void *library,
		      const struct expected *expected)
{
	struct arena *arena = arena_create();
	struct plan_context context = {.memory = {read_own, NULL}};
	void (*function)(void);
	struct location at;
	struct value value;
	Dwarf_Die die;

	*(void **)&function = dlsym(library, expected->function);
	assert_non_null(function);
	find_function(image, expected->function, &die);
	assert_true(return_value_locate(image, &die, arena, &at));
	location_part(&at, expected->offset, expected->size, arena);
	location_load(&at, expected->size);
	if (at.kind == LOCATION_ABSENT)
		fail_msg("%s: %s: %s", path, expected->function, at.where);
	call(function, &context);
	value = run(&at, expected, &context);
	if (value.absence != PRESENT || value.number != expected->number)
		fail_msg("%s: %s: %g at %lu, not %g", path, expected->function, value.number,
			 (unsigned long)expected->offset, expected->number);
	arena_destroy(arena);
}

static void check_all(void **state, const char *name, const struct expected *expected, size_t n)
{
	struct elf_file *image;
	struct err err;
	void *library;
	const char *path = fixture(state, name);

	if (!has_fixture(state, name))
		return; /* there is no clang here */
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
	if (!elf_file_open(path, &image, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < n; i++)
		check_one(path, image, library, &expected[i]);
	elf_file_close(image);
	dlclose(library);
}

static const char *const c_libraries[] = {"returns-gcc-O0.so", "returns-gcc-O2.so",
					  "returns-gcc-O2-dwarf4.so", "returns-clang-O0.so",
					  "returns-clang-O2.so"};
static const char *const cc_libraries[] = {"returns-gxx-O0.so",
					   "returns-gxx-O2.so",
					   "returns-gxx-O2-dwarf4.so",
					   "returns-clangxx-O0.so",
					   "returns-clangxx-O2-dwarf4.so",
					   "returns-clangxx-O2.so"};

enum {
	N_C = sizeof(c_libraries) / sizeof(*c_libraries),
	N_CC = sizeof(cc_libraries) / sizeof(*cc_libraries)
};

static void what_c_functions_return_is_read(void **state)
{
	static const struct expected expected[] = {
		{"r_int", 0, 4, PLAN_SIGNED, -7},
		{"r_byte", 0, 1, PLAN_UNSIGNED, 200},
		{"r_bool", 0, 1, PLAN_BOOL, 1},
		{"r_enum", 0, 4, PLAN_SIGNED, -200},
		{"r_pointer", 0, 8, PLAN_UNSIGNED, 0x123456789abc},
		{"r_float", 0, 4, PLAN_FLOAT, 1.25},
		{"r_double", 0, 8, PLAN_FLOAT, -2.5},
		{"r_int128", 0, 8, PLAN_SIGNED, 5},
		{"r_int128", 8, 8, PLAN_SIGNED, 3},
		{"r_complex_float", 0, 4, PLAN_FLOAT, 1.5},
		{"r_complex_float", 4, 4, PLAN_FLOAT, 2.5},
		{"r_complex_double", 0, 8, PLAN_FLOAT, 3.5},
		{"r_complex_double", 8, 8, PLAN_FLOAT, 4.5},
		{"r_vector", 4, 4, PLAN_FLOAT, 2},
		{"r_pair", 0, 4, PLAN_SIGNED, -1},
		{"r_pair", 4, 4, PLAN_SIGNED, 2},
		{"r_small", 0, 1, PLAN_SIGNED, -1},
		{"r_small", 2, 2, PLAN_SIGNED, -300},
		{"r_small", 4, 4, PLAN_SIGNED, 70000},
		{"r_small", 8, 8, PLAN_SIGNED, 0x1p40},
		{"r_mixed", 0, 8, PLAN_SIGNED, -5},
		{"r_mixed", 8, 8, PLAN_FLOAT, 0.75},
		{"r_swapped", 0, 8, PLAN_FLOAT, 0.75},
		{"r_swapped", 8, 4, PLAN_SIGNED, -5},
		{"r_doubles", 0, 8, PLAN_FLOAT, 0.25},
		{"r_doubles", 8, 8, PLAN_FLOAT, 0.5},
		{"r_points", 0, 4, PLAN_FLOAT, 1.5},
		{"r_points", 4, 4, PLAN_FLOAT, 2.5},
		{"r_points", 8, 4, PLAN_FLOAT, 3.5},
		{"r_floats_and_int", 0, 4, PLAN_FLOAT, 1.5},
		{"r_floats_and_int", 4, 4, PLAN_SIGNED, -2},
		{"r_floats_and_int", 8, 4, PLAN_FLOAT, 3.5},
		{"r_big", 16, 8, PLAN_SIGNED, 33},
		{"r_bits", 0, 2, PLAN_UNSIGNED, 5 + ((-4000 & 0x1fff) << 3)},
		{"r_packed", 1, 8, PLAN_SIGNED, -9},
		{"r_text", 10, 1, PLAN_SIGNED, 'd'},
		{"r_nested", 4, 4, PLAN_SIGNED, 8},
		{"r_nested", 8, 4, PLAN_FLOAT, 9.5},
		{"r_either", 0, 8, PLAN_SIGNED, 77},
	};

	for (size_t i = 0; i < N_C; i++)
		check_all(state, c_libraries[i], expected, sizeof(expected) / sizeof(*expected));
}

static void what_cc_functions_return_is_read(void **state)
{
	static const struct expected expected[] = {
		{"r_derived", 0, 4, PLAN_SIGNED, -3},       {"r_derived", 4, 4, PLAN_FLOAT, 1.5},
		{"r_derived", 8, 8, PLAN_FLOAT, 2.5},       {"r_copied", 0, 4, PLAN_SIGNED, 5},
		{"r_ended", 0, 8, PLAN_FLOAT, 3.5},         {"r_virtual", 8, 4, PLAN_SIGNED, 4},
		{"r_holder", 4, 4, PLAN_SIGNED, 7},         {"r_defaulted", 0, 4, PLAN_SIGNED, 9},
		{"r_static", 0, 8, PLAN_FLOAT, 8.5},        {"r_member", 0, 8, PLAN_SIGNED, 0},
		{"r_moved", 0, 4, PLAN_SIGNED, 12},         {"r_stuck", 0, 4, PLAN_SIGNED, 13},
		{"r_templated", 0, 4, PLAN_SIGNED, 14},     {"r_outside", 0, 4, PLAN_SIGNED, 15},
		{"r_pointer_pair", 8, 8, PLAN_FLOAT, 2.25}, {"r_function", 8, 8, PLAN_SIGNED, 0},
		{"r_null", 0, 8, PLAN_UNSIGNED, 0},
	};

	for (size_t i = 0; i < N_CC; i++)
		check_all(state, cc_libraries[i], expected, sizeof(expected) / sizeof(*expected));
}

/*
 * The phrase for what @function of @library returns; NULL: it is somewhere. It returns something.
 */
static void assert_returned_absent(void **state, const char *name, const char *function,
				   const char *phrase)
{
	struct arena *arena = arena_create();
	struct elf_file *image;
	struct location at;
	struct err err;
	Dwarf_Die die;

	if (!has_fixture(state, name)) {
		arena_destroy(arena);
		return;
	}
	assert_true(elf_file_open(fixture(state, name), &image, &err));
	find_function(image, function, &die);
	assert_true(return_value_locate(image, &die, arena, &at));
	if (at.kind != LOCATION_ABSENT || !strstr(at.where, phrase))
		fail_msg("%s: %s: %s", name, function, location_phrase(&at, arena));
	elf_file_close(image);
	arena_destroy(arena);
}

static void what_the_x87_holds_is_absent(void **state)
{
	for (size_t i = 0; i < N_C; i++) {
		assert_returned_absent(state, c_libraries[i], "r_long_double", "st(0)");
		assert_returned_absent(state, c_libraries[i], "r_extended", "st(0)");
		/* clang does not tell it from a complex _Float128. */
		assert_returned_absent(state, c_libraries[i], "r_complex_long_double",
				       strstr(c_libraries[i], "clang") ? "a complex number"
								       : "st(0)");
	}
}

static void the_upper_half_of_a_vector_is_not_the_next_register(void **state)
{
	struct arena *arena = arena_create();
	struct elf_file *image;
	struct location at;
	struct err err;
	Dwarf_Die die;

	assert_true(elf_file_open(fixture(state, "returns-gcc-O2.so"), &image, &err));
	find_function(image, "r_vector", &die);
	assert_true(return_value_locate(image, &die, arena, &at));
	location_part(&at, 8, 4, arena);
	assert_int_equal(at.kind, LOCATION_ABSENT);
	assert_non_null(strstr(at.where, "upper part of xmm0"));
	elf_file_close(image);
	arena_destroy(arena);
}

static void what_no_caller_uses_is_absent(void **state)
{
	assert_returned_absent(state, "returns-gcc-O2.so", "r_unused", "may return nothing");
	assert_returned_absent(state, "returns-clang-O2.so", "r_unused", "drops");
}

static void a_class_is_not_guessed_to_be_trivial(void **state)
{
	assert_returned_absent(state, "returns-gxx-O2-strict.so", "r_copied",
			       "not in the debug information");
	assert_returned_absent(state, "returns-gxx-O2-strict.so", "r_holder",
			       "not in the debug information");
}

static void a_function_without_result_has_no_location(void **state)
{
	struct arena *arena = arena_create();
	struct elf_file *image;
	struct location at;
	struct err err;
	Dwarf_Die die;

	assert_true(elf_file_open(fixture(state, "returns-gcc-O0.so"), &image, &err));
	find_function(image, "r_nothing", &die);
	assert_false(return_value_locate(image, &die, arena, &at));
	elf_file_close(image);
	arena_destroy(arena);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(what_c_functions_return_is_read),
		cmocka_unit_test(what_cc_functions_return_is_read),
		cmocka_unit_test(what_the_x87_holds_is_absent),
		cmocka_unit_test(the_upper_half_of_a_vector_is_not_the_next_register),
		cmocka_unit_test(what_no_caller_uses_is_absent),
		cmocka_unit_test(a_class_is_not_guessed_to_be_trivial),
		cmocka_unit_test(a_function_without_result_has_no_location),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
