/*
 * Cost functions: their names, and where catalogues find them. On the programs that test_attach
 * uses, too; the first argument is the directory of the compiled fixtures.
 */
#include "dwarf_fixture.h"

#include <stdio.h>
#include <string.h>

static struct catalogue *build_for(void **state, const char *name, unsigned metrics, bool mappings,
				   const char *preload)
{
	const char *pattern = strncmp(name, "throws", 6) ? "work" : "shop::Basket::total";
	const struct catalogue_request request = {.patterns = &pattern,
						  .n_patterns = 1,
						  .metrics = metrics,
						  .mappings = mappings,
						  .preload = preload};
	struct catalogue *catalogue;
	struct err err;

	if (!catalogue_build(fixture(state, name), &request, &catalogue, &err))
		fail_msg("%s: %s", name, err.text);
	return catalogue;
}

static const struct cost_function *find(const struct catalogue *catalogue, const char *name)
{
	for (size_t i = 0; i < catalogue->n_cost_functions; i++)
		if (!strcmp(catalogue->cost_functions[i].name, name))
			return &catalogue->cost_functions[i];
	return NULL;
}

static const char *module_of(const struct catalogue *catalogue, const char *name)
{
	const struct cost_function *cost = find(catalogue, name);

	if (!cost)
		fail_msg("there is no %s", name);
	assert_true(cost->module < catalogue->n_modules);
	return catalogue->modules[cost->module].path;
}

static void names_have_kinds(void **state)
{
	(void)state;
	assert_int_equal(cost_call_kind("malloc"), COST_ALLOCATE);
	assert_int_equal(cost_call_kind("_ZdaPv"), COST_FREE);
	assert_int_equal(cost_call_kind("valloc"), COST_ALLOCATE);
	assert_int_equal(cost_call_kind("_ZnwmSt11align_val_tRKSt9nothrow_t"), COST_ALLOCATE);
	assert_int_equal(cost_call_kind("posix_memalign"), COST_ALLOCATE_INTO);
	assert_int_equal(cost_call_kind("pthread_mutex_lock"), COST_LOCK_TAKE);
	assert_int_equal(cost_call_kind("sem_wait"), COST_SEMAPHORE_WAIT);
	assert_int_equal(cost_call_kind("_Unwind_Resume"), COST_UNWIND);
	assert_int_equal(cost_call_kind("siglongjmp"), COST_JUMP);
	assert_int_equal(cost_call_kind("execveat"), COST_CHANGE);
	assert_int_equal(cost_call_kind("prctl"), COST_CHANGE);
	assert_int_equal(cost_call_kind("strdup"), COST_KIND_COUNT); /* it calls malloc() */
	assert_int_equal(cost_call_kind(""), COST_KIND_COUNT);
}

static void only_what_a_metric_needs_is_looked_for(void **state)
{
	struct catalogue *catalogue =
		build_for(state, "memory-gcc-O2", 1 << METRIC_TIME, true, NULL);

	for (size_t i = 0; i < catalogue->n_cost_functions; i++)
		assert_true(cost_call_is_hooked(catalogue->cost_functions[i].kind));
	catalogue_destroy(catalogue);
	catalogue = build_for(state, "memory-gcc-O2", 0, true, NULL);
	assert_int_equal(catalogue->n_cost_functions, 0);
	assert_int_equal(catalogue->n_modules, 1);
	catalogue_destroy(catalogue);
	catalogue = build_for(state, "memory-gcc-O2", 1 << (METRIC_SELF + METRIC_MEM), false, NULL);
	assert_non_null(find(catalogue, "malloc"));
	assert_null(find(catalogue, "free"));
	assert_null(find(catalogue, "mmap"));
	assert_null(find(catalogue, "pthread_mutex_lock"));
	catalogue_destroy(catalogue);
	catalogue = build_for(state, "memory-gcc-O2", 1 << METRIC_PEAK, true, NULL);
	assert_non_null(find(catalogue, "free"));
	assert_non_null(find(catalogue, "mmap"));
	catalogue_destroy(catalogue);
}

static void they_are_found_where_they_are(void **state)
{
	struct catalogue *catalogue =
		build_for(state, "news-gcc-O2", 1 << METRIC_PEAK, false, NULL);

	assert_non_null(strstr(module_of(catalogue, "malloc"), "libc.so"));
	assert_non_null(strstr(module_of(catalogue, "_Znwm"), "libstdc++"));
	assert_null(catalogue->modules[find(catalogue, "malloc")->module].build_id);
	assert_int_equal(catalogue->n_functions, 1);
	assert_int_equal(catalogue->functions[0].module, 0);
	catalogue_destroy(catalogue);
	catalogue = build_for(state, "memory-gcc-O2-static", 1 << METRIC_MEM, false, NULL);
	assert_int_equal(find(catalogue, "malloc")->module, 0);
	catalogue_destroy(catalogue);
}

static void assert_unwinder(const struct catalogue *catalogue, const char *name)
{
	const struct cost_function *found = find(catalogue, name);

	assert_non_null(found);
	assert_true(found->n_exits > 0);
}

/* Also where they use instructions for shadow stacks, or are linked statically and so hidden. */
static void ways_out_of_calls_are_found_for_every_metric(void **state)
{
	struct catalogue *catalogue =
		build_for(state, "throws-gcc-O2", 1 << METRIC_TIME, false, NULL);

	assert_non_null(strstr(module_of(catalogue, "_Unwind_Resume"), "libgcc_s"));
	assert_unwinder(catalogue, "_Unwind_RaiseException");
	assert_unwinder(catalogue, "_Unwind_Resume");
	assert_unwinder(catalogue, "_Unwind_Resume_or_Rethrow");
	assert_unwinder(catalogue, "_Unwind_ForcedUnwind");
	assert_non_null(find(catalogue, "longjmp"));
	assert_non_null(find(catalogue, "prctl"));
	assert_int_equal(find(catalogue, "execve")->kind, COST_CHANGE);
	catalogue_destroy(catalogue);
	catalogue = build_for(state, "throws-gcc-O2-static", 1 << METRIC_TIME, false, NULL);
	assert_unwinder(catalogue, "_Unwind_RaiseException");
	assert_int_equal(find(catalogue, "_Unwind_Resume")->module, 0);
	catalogue_destroy(catalogue);
}

static void what_is_preloaded_has_some(void **state)
{
	char preload[4096];
	struct catalogue *catalogue;
	size_t n = 0;

	snprintf(preload, sizeof(preload),
		 "/nowhere/none.so %s: ", fixture(state, "liballocator.so"));
	catalogue = build_for(state, "memory-gcc-O2", 1 << METRIC_MEM, false, preload);
	for (size_t i = 0; i < catalogue->n_cost_functions; i++)
		n += !strcmp(catalogue->cost_functions[i].name, "malloc");
	assert_int_equal(n, 2); /* its own and the C library's */
	catalogue_destroy(catalogue);
}

/* In this library valloc() and its like jump to memalign(), by way of the linker's table. */
static void jumps_to_other_cost_functions_are_none(void **state)
{
	char preload[4096];
	struct catalogue *catalogue;
	size_t n = 0;

	snprintf(preload, sizeof(preload), "%s", fixture(state, "liballocator.so"));
	catalogue = build_for(state, "memory-gcc-O2", 1 << METRIC_MEM, false, preload);
	for (size_t i = 0; i < catalogue->n_cost_functions; i++) {
		const struct cost_function *cost = &catalogue->cost_functions[i];

		if (strcmp(cost->name, "valloc") != 0 ||
		    !strstr(catalogue->modules[cost->module].path, "liballocator"))
			continue;
		assert_true(cost->exits_known);
		assert_true(cost->ends_elsewhere);
		assert_int_equal(cost->n_exits, 0);
		assert_int_equal(cost->n_jumps, 0);
		n++;
	}
	assert_int_equal(n, 1);
	catalogue_destroy(catalogue);
}

static size_t count_exits(const struct catalogue *catalogue, unsigned module, uint64_t addr)
{
	size_t n = 0;

	for (size_t i = 0; i < catalogue->n_cost_functions; i++)
		for (size_t j = 0; j < catalogue->cost_functions[i].n_exits; j++)
			n += catalogue->cost_functions[i].module == module &&
			     catalogue->cost_functions[i].exits[j] == addr;
	return n;
}

/* glibc's jumps to a static function. */
static void one_that_goes_on_in_code_without_a_name_ends_there(void **state)
{
	struct catalogue *catalogue =
		build_for(state, "memory-gcc-O2", 1 << METRIC_HOLD, false, NULL);
	const struct cost_function *unlock = find(catalogue, "pthread_mutex_unlock");

	assert_true(unlock && unlock->exits_known);
	assert_true(unlock->n_exits > 0);
	assert_int_equal(unlock->n_jumps, 0);
	catalogue_destroy(catalogue);
}

static void each_address_is_there_once(void **state)
{
	struct catalogue *catalogue =
		build_for(state, "memory-gcc-O2", ~0u >> (32 - METRIC_MEASURED), true, NULL);
	size_t ends = 0;

	for (size_t i = 0; i < catalogue->n_cost_functions; i++) {
		const struct cost_function *cost = &catalogue->cost_functions[i];

		if (i && cost[-1].module == cost->module)
			assert_true(cost[-1].entry_addr < cost->entry_addr);
		for (size_t j = 0; j < cost->n_exits; j++)
			assert_int_equal(count_exits(catalogue, cost->module, cost->exits[j]), 1);
		ends += cost->n_exits;
	}
	assert_true(ends > 0);
	catalogue_destroy(catalogue);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_kinds),
		cmocka_unit_test(only_what_a_metric_needs_is_looked_for),
		cmocka_unit_test(they_are_found_where_they_are),
		cmocka_unit_test(ways_out_of_calls_are_found_for_every_metric),
		cmocka_unit_test(what_is_preloaded_has_some),
		cmocka_unit_test(jumps_to_other_cost_functions_are_none),
		cmocka_unit_test(one_that_goes_on_in_code_without_a_name_ends_there),
		cmocka_unit_test(each_address_is_there_once),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
