/*
 * Which functions patterns mean: source files, libraries, symbols, the ways to compile two units.
 * The first argument is the directory of the compiled fixtures.
 */
#include "dwarf_fixture.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/search/pattern.h"
#include "dwarf/search/function_search.h"
#include "dwarf/search/unit_filter.h"

static const char *const twins[] = {
	"twin",         "twin-lto",   "twin-split", "twin-split4",
	"twin-dwarf64", "twin-types", "twin-clang", "twin-clang-split",
};

enum { TWINS = sizeof(twins) / sizeof(*twins) };

/* What `fathom list` asks for. */
static struct catalogue *list(void **state, const char *name, const char *pattern)
{
	const struct catalogue_request request = {.patterns = &pattern,
						  .n_patterns = pattern ? 1 : 0,
						  .ambiguous = true,
						  .inlined = true};
	struct catalogue *catalogue;
	struct err err;

	if (!catalogue_build(fixture(state, name), &request, &catalogue, &err))
		fail_msg("%s %s: %s", name, pattern ? pattern : "", err.text);
	return catalogue;
}

static bool ends_in(const char *path, const char *end)
{
	return path && strlen(path) >= strlen(end) &&
	       !strcmp(path + strlen(path) - strlen(end), end);
}

static void static_functions_of_one_name_are_told_apart_by_their_files(void **state)
{
	for (size_t i = 0; i < TWINS; i++) {
		struct catalogue *catalogue;

		if (!has_fixture(state, twins[i]))
			continue;
		assert_error(fixture(state, twins[i]), "twin", ERR_USAGE,
			     "names 2 functions: give one of them in full, or a glob: "
			     "twin_a.c:twin; twin_b.c:twin");
		catalogue = must_build(state, twins[i], "twin_b.c:twin");
		assert_true(ends_in(only_function(catalogue)->file, "twin_b.c"));
		assert_null(only_function(catalogue)->unmeasurable);
		catalogue_destroy(catalogue);
		catalogue = must_build(state, twins[i], "dwarf/twin_a.c:twin");
		assert_true(ends_in(only_function(catalogue)->file, "twin_a.c"));
		catalogue_destroy(catalogue);
		catalogue = list(state, twins[i], "twin");
		assert_int_equal(catalogue->n_functions, 2);
		catalogue_destroy(catalogue);
	}
}

static void a_source_file_with_a_glob_means_its_functions(void **state)
{
	struct catalogue *catalogue = must_build(state, "twin", "twin_b.c:*");

	assert_int_equal(catalogue->n_functions, 2);
	assert_string_equal(catalogue->functions[0].name, "other");
	assert_string_equal(catalogue->functions[1].name, "twin");
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "twin", "twin_?.c:twin*");
	assert_int_equal(catalogue->n_functions, 2);
	catalogue_destroy(catalogue);
	assert_error(fixture(state, "twin"), "win_b.c:twin", ERR_NOT_FOUND, "no function");
	assert_error(fixture(state, "twin"), "twin_b.c:branches", ERR_NOT_FOUND, "no function");
}

static void the_last_template_arguments_may_be_left_out(void **state)
{
	static const struct {
		const char *pattern, *name;
	} rows[] = {
		{"share<int, double>", "share<int, double, char>(int, double, char)"},
		{"share<int>", "share<int>(int)"},
		{"share<int>(int, double, char)", "share<int, double, char>(int, double, char)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct catalogue *catalogue = must_build(state, "kinds-cc-O0", rows[i].pattern);

		assert_string_equal(only_function(catalogue)->name, rows[i].name);
		catalogue_destroy(catalogue);
	}
}

static void an_alias_of_the_linker_finds_the_function(void **state)
{
	struct catalogue *catalogue = must_build(state, "twin", "other_alias");

	assert_string_equal(only_function(catalogue)->name, "other");
	assert_null(only_function(catalogue)->unmeasurable);
	assert_false(only_function(catalogue)->symbol_only);
	catalogue_destroy(catalogue);
}

/* The walk over everything does not filter units, so it is the oracle. */
static void every_function_is_found_by_its_name(void **state)
{
	static const char *const more[] = {"c-O2",       "cc-O0",       "cc-O2",
					   "clangxx-O2", "c-O1-dwarf4", "rust"};

	for (size_t i = 0; i < TWINS + sizeof(more) / sizeof(*more); i++) {
		const char *name = i < TWINS ? twins[i] : more[i - TWINS];
		struct catalogue *all, *one;
		size_t step;

		if (!has_fixture(state, name))
			continue;
		all = list(state, name, NULL);
		assert_true(all->n_functions > 3);
		step = 1 + all->n_functions / 32;
		for (size_t k = 0; k < all->n_functions; k += step) {
			const struct function *wanted = &all->functions[k];
			bool found = false;

			one = list(state, name, wanted->name);
			for (size_t j = 0; j < one->n_functions; j++)
				found = found ||
					(one->functions[j].entry_addr == wanted->entry_addr &&
					 !strcmp(one->functions[j].name, wanted->name));
			if (!found)
				fail_msg("%s: %s is not found by its name", name, wanted->name);
			catalogue_destroy(one);
		}
		catalogue_destroy(all);
	}
}

struct counts {
	size_t passed, all;
};

static struct counts count_units(void **state, const char *name, const char *wanted)
{
	struct counts counts = {0, 0};
	struct unit_filter *filter;
	struct elf_file *image;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	struct err err;
	uint8_t type;

	assert_true(elf_file_open(fixture(state, name), &image, &err));
	filter = unit_filter_create(image, &wanted, 1);
	while (dwarf_get_units(image->dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		counts.all++;
		counts.passed += unit_filter_passes(filter, split.cu ? &split : &die);
	}
	unit_filter_destroy(filter);
	elf_file_close(image);
	return counts;
}

static void units_without_the_name_are_passed_over(void **state)
{
	static const char *const names[] = {"twin", "twin-dwarf64", "twin-clang", "twin-split",
					    "twin-clang-split"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct counts counts;

		if (!has_fixture(state, names[i]))
			continue;
		counts = count_units(state, names[i], "branches");
		assert_int_equal(counts.passed, 1);
		assert_int_equal(counts.all, 2);
		counts = count_units(state, names[i], "twin");
		assert_int_equal(counts.passed, 2);
		counts = count_units(state, names[i], "branche"); /* a part is not the name */
		assert_int_equal(counts.passed, 0);
	}
}

static void what_the_program_lacks_is_found_in_the_libraries_that_it_needs(void **state)
{
	struct catalogue *catalogue = must_build(state, "twin", "library_work");
	const struct function *function = only_function(catalogue);

	assert_int_equal(catalogue->n_modules, 2);
	assert_true(ends_in(catalogue->modules[0].path, "/twin"));
	assert_int_equal(function->module, 1);
	assert_true(ends_in(catalogue->modules[1].path, "/libtwin.so"));
	assert_true(catalogue->modules[1].relocatable);
	assert_null(function->unmeasurable);
	assert_true(ends_in(function->file, "twin_library.c"));
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "twin", "branches");
	assert_int_equal(catalogue->n_modules, 1);
	catalogue_destroy(catalogue);
}

static void a_library_can_be_named(void **state)
{
	char pattern[4096];
	struct catalogue *catalogue = must_build(state, "twin", "libtwin.so:library_*");

	assert_int_equal(catalogue->n_functions, 2);
	assert_int_equal(catalogue->functions[0].module, 1);
	catalogue_destroy(catalogue);
	/* One that the program would load later. */
	snprintf(pattern, sizeof(pattern), "%s:library_work", fixture(state, "libtwin.so"));
	catalogue = must_build(state, "c-O2", pattern);
	assert_int_equal(only_function(catalogue)->module, 1);
	catalogue_destroy(catalogue);
	assert_error(fixture(state, "twin"), "libnowhere.so:f", ERR_NOT_FOUND,
		     "no library \"libnowhere.so\"");
	assert_error(fixture(state, "twin"), "libtwin.so:branches", ERR_NOT_FOUND,
		     "no function \"branches\"");
}

static void functions_without_debug_information_are_found_by_symbol(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-plain", "two_exits");
	const struct function *function = only_function(catalogue);

	assert_true(function->symbol_only);
	assert_null(function->unmeasurable);
	assert_int_equal(function->probe_addr, function->entry_addr);
	assert_int_equal(function->n_ranges, 1);
	assert_int_equal(function->ranges[0].low_addr, function->entry_addr);
	assert_true(function->n_exits > 0);
	assert_int_equal(function->cfa.n_steps, 2);
	assert_true(catalogue->modules[0].symbols_only);
	assert_int_equal(catalogue->n_notes, 1);
	assert_non_null(strstr(catalogue->notes[0], "has no usable debug information"));
	catalogue_destroy(catalogue);
	catalogue = list(state, "c-plain", NULL);
	assert_true(catalogue->n_functions > 10);
	catalogue_destroy(catalogue);
	assert_error(fixture(state, "c-plain"), "two_exit", ERR_NOT_FOUND, "two_exits");
	catalogue = must_build(state, "twin-plain", "library_work");
	assert_true(only_function(catalogue)->symbol_only);
	assert_false(catalogue->modules[0].symbols_only);
	assert_true(catalogue->modules[1].symbols_only);
	catalogue_destroy(catalogue);
}

static void a_function_that_is_chosen_at_run_time_is_said_to_be_so(void **state)
{
	struct catalogue *catalogue = list(state, "twin", "libc.so.6:strlen");
	const struct function *function = only_function(catalogue);

	if (function->unmeasurable)
		assert_non_null(strstr(function->unmeasurable, "ifunc"));
	catalogue_destroy(catalogue);
}

/* The offset of the second unit in the file @bytes, whose section .debug_info is not compressed. */
static size_t second_unit(const uint8_t *bytes, size_t n)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++) {
		uint32_t length;

		if (strcmp(names + sections[i].sh_name, ".debug_info") != 0)
			continue;
		memcpy(&length, bytes + sections[i].sh_offset, sizeof(length));
		assert_true(sections[i].sh_offset + 4 + length < n);
		return sections[i].sh_offset + 4 + length;
	}
	fail_msg("no .debug_info");
	return 0;
}

static void what_a_broken_unit_hides_is_said(void **state)
{
	FILE *file = fopen(fixture(state, "twin"), "rb");
	uint8_t *bytes = test_malloc(1 << 20);
	const size_t n = fread(bytes, 1, 1 << 20, file);
	struct catalogue *catalogue;
	struct err err;

	fclose(file);
	memset(bytes + second_unit(bytes, n) + 4, 0xee, 2); /* its version */
	file = fopen(scratch_file(state), "wb");
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
	test_free(bytes);
	if (!build(scratch_file(state), "branches", &catalogue, &err))
		fail_msg("%s", err.text);
	assert_int_equal(catalogue->n_notes, 1);
	assert_non_null(strstr(catalogue->notes[0], scratch_file(state)));
	assert_non_null(
		strstr(catalogue->notes[0], "broken behind the unit at offset 0x0 of .debug_info"));
	catalogue_destroy(catalogue);
}

static void inlined_copies_are_listed_once_and_sorted(void **state)
{
	for (size_t i = 0; i < TWINS; i++) {
		struct catalogue *catalogue;
		const struct function *function;

		if (!has_fixture(state, twins[i]) || !strcmp(twins[i], "twin-split4"))
			continue;
		catalogue = list(state, twins[i], "small");
		function = only_function(catalogue);
		assert_non_null(
			strstr(function->unmeasurable, "it only exists inlined, in 3 places"));
		assert_int_equal(function->n_inlined, 3);
		assert_true(ends_in(function->inlined[0].file, "twin_a.c"));
		assert_int_equal(function->inlined[0].line, 16);
		assert_true(ends_in(function->inlined[1].file, "twin_a.c"));
		assert_int_equal(function->inlined[1].line, 23);
		assert_true(ends_in(function->inlined[2].file, "twin_b.c"));
		assert_int_equal(function->inlined[2].line, 11);
		catalogue_destroy(catalogue);
	}
}

static void what_only_exists_inlined_is_not_said_to_be_inlined_as_well(void **state)
{
	struct catalogue *catalogue = list(state, "twin", "small");
	char *text = print(catalogue);

	assert_non_null(strstr(text, "it only exists inlined, in 3 places"));
	assert_non_null(strstr(text, "\n    inlined at: "));
	assert_null(strstr(text, "also inlined"));
	free(text);
	catalogue_destroy(catalogue);
}

static void assert_names_its_place(const struct function *function,
				   const struct branch_site *branch)
{
	char expected[256];

	snprintf(expected, sizeof(expected), "%s:%u at %s+0x%lx", strrchr(branch->file, '/') + 1,
		 branch->line, function->name, branch->addr - function->entry_addr);
	assert_string_equal(branch->name, expected);
}

static void conditional_branches_have_their_source_lines(void **state)
{
	struct catalogue *catalogue = must_build(state, "twin", "branches");
	const struct function *function = only_function(catalogue);
	bool loop = false;

	assert_true(function->n_branches >= 2);
	for (size_t i = 0; i < function->n_branches; i++) {
		const struct branch_site *branch = &function->branches[i];

		assert_true(catalogue_contains(function, branch->addr));
		assert_true(catalogue_contains(function, branch->target_addr));
		assert_true(i == 0 || function->branches[i - 1].addr < branch->addr);
		assert_names_its_place(function, branch);
		loop = loop || (branch->line == 15 && ends_in(branch->file, "twin_a.c"));
	}
	assert_true(loop);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-plain", "two_exits");
	assert_true(only_function(catalogue)->n_branches > 0);
	assert_null(only_function(catalogue)->branches[0].file);
	assert_memory_equal(only_function(catalogue)->branches[0].name, "two_exits+0x", 12);
	assert_int_equal(only_function(catalogue)->branches[0].line, 0);
	catalogue_destroy(catalogue);
}

static void a_module_says_where_its_first_segment_starts(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "main");

	assert_int_equal(catalogue->modules[0].base_addr, 0);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2-fixed", "main");
	assert_int_equal(catalogue->modules[0].base_addr, 0x400000);
	catalogue_destroy(catalogue);
}

static void functions_of_rust_have_the_names_that_programmers_write(void **state)
{
	static const struct {
		const char *pattern, *name;
	} cases[] = {
		{"shapes::largest", "shapes::largest"},
		{"Square::grow", "shapes::Square::grow"},
		{"area", "Square as "},
		{"*::area", "Area>::area"},
	};
	static const char *const names[] = {"rust", "rust-v0"};

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			struct catalogue *catalogue;

			if (!has_fixture(state, names[i]))
				continue;
			catalogue = must_build(state, names[i], cases[k].pattern);
			if (!strstr(only_function(catalogue)->name, cases[k].name))
				fail_msg("%s found %s", cases[k].pattern,
					 only_function(catalogue)->name);
			assert_null(strstr(only_function(catalogue)->name, "17h"));
			catalogue_destroy(catalogue);
		}
	}
}

static void assert_parts(const char *given, const char *name, const char *source,
			 const char *library)
{
	struct arena *arena = arena_create();
	struct pattern pattern;

	pattern_parse(given, arena, &pattern);
	assert_string_equal(pattern.name, name);
	assert_int_equal(!pattern.source, !source);
	assert_int_equal(!pattern.library, !library);
	if (source)
		assert_string_equal(pattern.source, source);
	if (library)
		assert_string_equal(pattern.library, library);
	arena_destroy(arena);
}

static void a_pattern_is_taken_apart_at_its_last_single_colon(void **state)
{
	(void)state;
	assert_parts("f", "f", NULL, NULL);
	assert_parts("ns::f", "ns::f", NULL, NULL);
	assert_parts("::f", "::f", NULL, NULL);
	assert_parts("a.c:f", "f", "a.c", NULL);
	assert_parts("./src/../a.c:ns::f", "ns::f", "a.c", NULL);
	assert_parts("a.c:::f", "::f", "a.c", NULL);
	assert_parts("lib/libz.so.1:inflate*", "inflate*", NULL, "lib/libz.so.1");
	assert_parts("libz.so:inflate", "inflate", NULL, "libz.so");
	assert_parts("a.sort.c:f", "f", "a.sort.c", NULL);
	assert_parts("[[:alpha:]]*", "[[:alpha:]]*", NULL, NULL);
	assert_parts("/proc/self/exe:main", "main", NULL, "/proc/self/exe");
	assert_parts("main::{lambda(auto:1)#1}::operator()<int>(int) const",
		     "main::{lambda(auto:1)#1}::operator()<int>(int) const", NULL, NULL);
	assert_parts("dir(1)/a.c:g(auto:1)", "g(auto:1)", "dir(1)/a.c", NULL);
}

static void assert_block(const char *given, const char *end, unsigned first, unsigned last)
{
	struct arena *arena = arena_create();
	struct pattern pattern;

	pattern_parse(given, arena, &pattern);
	assert_int_equal(!pattern.block_end, !end);
	if (end)
		assert_string_equal(pattern.block_end, end);
	assert_int_equal(pattern.first_line, first);
	assert_int_equal(pattern.last_line, last);
	arena_destroy(arena);
}

static void two_lines_or_probes_are_a_block(void **state)
{
	(void)state;
	assert_block("a.c:10..20", "20", 10, 20);
	assert_block("src/a.c:20..10", "10", 20, 10);
	assert_block("usdt:base:begin..end", "end", 0, 0);
	assert_block("usdt:base:begin", "begin", 0, 0);
	assert_block("a.c:10..", NULL, 0, 0);
	assert_block("a.c:..20", NULL, 0, 0);
	assert_block("a.c:10...20", NULL, 0, 0);
	assert_block("a.c:010..20", NULL, 0, 0);
	assert_block("a.c:10..99999999999", NULL, 0, 0);
	assert_block("10..20", NULL, 0, 0);
	assert_block("a.c:begin..end", NULL, 0, 0);
}

static void sources_are_compared_from_a_slash_on(void **state)
{
	struct arena *arena = arena_create();
	struct pattern pattern;

	(void)state;
	pattern_parse("src/a.c:f", arena, &pattern);
	assert_true(pattern_has_source(&pattern, "/x/src/a.c"));
	assert_true(pattern_has_source(&pattern, "src/a.c"));
	assert_true(pattern_has_source(&pattern, "/x/src/b/../a.c"));
	assert_false(pattern_has_source(&pattern, "/x/nsrc/a.c"));
	assert_false(pattern_has_source(&pattern, NULL));
	pattern_parse("a*.c:f", arena, &pattern);
	assert_true(pattern_has_source(&pattern, "/x/src/abc.c"));
	assert_false(pattern_has_source(&pattern, "/x/src/babc.c"));
	pattern_parse("f", arena, &pattern);
	assert_true(pattern_has_source(&pattern, NULL));
	assert_string_equal(pattern_clean_path("./a/./b/../../c.h", arena), "c.h");
	assert_string_equal(pattern_clean_path("../../string/c.h", arena), "string/c.h");
	assert_string_equal(pattern_clean_path("/a/../..//b/", arena), "/b");
	assert_string_equal(pattern_clean_path("", arena), "");
	arena_destroy(arena);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(static_functions_of_one_name_are_told_apart_by_their_files),
		cmocka_unit_test(a_source_file_with_a_glob_means_its_functions),
		cmocka_unit_test(the_last_template_arguments_may_be_left_out),
		cmocka_unit_test(an_alias_of_the_linker_finds_the_function),
		cmocka_unit_test(every_function_is_found_by_its_name),
		cmocka_unit_test(units_without_the_name_are_passed_over),
		cmocka_unit_test(what_the_program_lacks_is_found_in_the_libraries_that_it_needs),
		cmocka_unit_test(a_library_can_be_named),
		cmocka_unit_test(functions_without_debug_information_are_found_by_symbol),
		cmocka_unit_test(a_function_that_is_chosen_at_run_time_is_said_to_be_so),
		cmocka_unit_test(what_a_broken_unit_hides_is_said),
		cmocka_unit_test(inlined_copies_are_listed_once_and_sorted),
		cmocka_unit_test(what_only_exists_inlined_is_not_said_to_be_inlined_as_well),
		cmocka_unit_test(conditional_branches_have_their_source_lines),
		cmocka_unit_test(a_module_says_where_its_first_segment_starts),
		cmocka_unit_test(functions_of_rust_have_the_names_that_programmers_write),
		cmocka_unit_test(a_pattern_is_taken_apart_at_its_last_single_colon),
		cmocka_unit_test(sources_are_compared_from_a_slash_on),
		cmocka_unit_test(two_lines_or_probes_are_a_block),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
