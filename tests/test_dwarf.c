/*
 * Catalogues of the programs in fixtures/dwarf: names, probe addresses, exits, features, and input that is
 * broken. The first argument is the directory of the compiled fixtures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dwarf/build.h"

enum { TEXT_MAX = 4096 };

struct context {
	const char *fixtures;
	char scratch[64]; /* a file to break */
};

static struct context *context_of(void **state)
{
	return *state;
}

static const char *fixture(void **state, const char *name)
{
	static char path[TEXT_MAX];

	snprintf(path, sizeof(path), "%s/%s", context_of(state)->fixtures, name);
	return path;
}

static bool has_fixture(void **state, const char *name)
{
	return access(fixture(state, name), R_OK) == 0;
}

static bool build(const char *path, const char *pattern, struct catalogue **ret, struct err *err)
{
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = pattern ? 1 : 0,
		.features = true,
		.max_depth = 3,
		.max_features = 512,
	};

	*ret = NULL;
	*err = (struct err){0};
	return catalogue_build(path, &request, ret, err);
}

static struct catalogue *must_build(void **state, const char *name, const char *pattern)
{
	struct catalogue *catalogue;
	struct err err;

	if (!build(fixture(state, name), pattern, &catalogue, &err))
		fail_msg("%s: %s", name, err.text);
	return catalogue;
}

/* The one function that @pattern names. */
static const struct function *only(const struct catalogue *catalogue)
{
	if (catalogue->n_functions != 1)
		fail_msg("%zu functions instead of one", catalogue->n_functions);
	return &catalogue->functions[0];
}

static const struct feature *find(const struct function *function, const char *expression)
{
	for (size_t i = 0; i < function->n_features; i++) {
		if (!strcmp(function->features[i].expression, expression))
			return &function->features[i];
	}
	return NULL;
}

static void assert_plan(const struct read_plan *plan, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	read_plan_print(plan, out);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void assert_feature(const struct function *function, const char *expression,
			   enum feature_type type, unsigned depth, const char *plan)
{
	const struct feature *feature = find(function, expression);

	if (!feature)
		fail_msg("%s has no feature %s", function->name, expression);
	assert_int_equal(feature->absence, PRESENT);
	assert_int_equal(feature->type, type);
	assert_int_equal(feature->depth, depth);
	assert_int_equal(feature->provenance, FROM_PARAMETER);
	if (plan)
		assert_plan(&feature->plan, plan);
}

static void assert_absent(const struct function *function, const char *expression,
			  const char *explanation)
{
	const struct feature *feature = find(function, expression);

	if (!feature)
		fail_msg("%s has no feature %s", function->name, expression);
	assert_int_equal(feature->absence, ABSENT_UNSUPPORTED);
	assert_int_equal(feature->plan.n_steps, 0);
	assert_string_equal(feature->explanation, explanation);
}

static size_t count_exits(const struct function *function, enum exit_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < function->n_exits; i++)
		n += function->exits[i].kind == kind;
	return n;
}

/* The registers are those of the calling convention, so every compiler must give these plans. */
static void optimised_parameters_are_read_at_the_entry(void **state)
{
	static const char *const names[] = {"c-O2",        "c-O2-fixed", "c-debug-frame",
					    "c-O1-dwarf4", "c-split",    "clang-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;
		const struct function *function;

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = must_build(state, names[i], "scalars");
		function = only(catalogue);
		assert_null(function->unmeasurable);
		assert_int_equal(function->probe_addr, function->entry_addr);
		assert_false(function->probe_in_loop);
		assert_plan(&function->cfa, "reg 7; add 8; unsigned 8");
		assert_feature(function, "a", FEATURE_INT, 0, "reg 5; signed 4");
		assert_feature(function, "b", FEATURE_INT, 0, "reg 4; unsigned 1");
		assert_feature(function, "c", FEATURE_BOOL, 0, "reg 1; bool 1");
		assert_feature(function, "d", FEATURE_ENUM, 0, "reg 2; signed 4");
		assert_feature(function, "e", FEATURE_FLOAT, 0, "reg 17; float 8");
		assert_feature(function, "f", FEATURE_FLOAT, 0, "reg 18; float 4");
		assert_feature(function, "g", FEATURE_INT, 0, "reg 8; signed 8");
		assert_feature(function, "h", FEATURE_INT, 0, "reg 9; signed 2");
		assert_feature(function, "i", FEATURE_INT, 0, "reg 7; add 8; load 8; signed 8");
		assert_string_equal(find(function, "a")->explanation, "in rdi");
		catalogue_destroy(catalogue);
	}
}

static void pointers_are_followed_breadth_first(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "pointers");
	const struct function *f = only(catalogue);

	assert_feature(f, "strlen(name)", FEATURE_INT, 1, "reg 5; nonnull; strlen; unsigned 8");
	assert_feature(f, "*number", FEATURE_INT, 1, "reg 4; nonnull; load 4; signed 4");
	assert_feature(f, "strlen(*names)", FEATURE_INT, 2,
		       "reg 1; nonnull; load 8; nonnull; strlen; unsigned 8");
	assert_feature(f, "shape->small", FEATURE_INT, 1,
		       "reg 2; nonnull; add 24; load 1; unsigned 1");
	assert_feature(f, "shape->negative", FEATURE_INT, 1,
		       "reg 2; nonnull; add 26; load 2; signed 2");
	assert_feature(f, "shape->flags", FEATURE_INT, 1,
		       "reg 2; nonnull; add 28; load 4; const 61; shl; const 61; shr; unsigned 4");
	assert_feature(f, "shape->delta", FEATURE_INT, 1,
		       "reg 2; nonnull; add 28; load 4; const 56; shl; const 59; shra; signed 4");
	assert_feature(f, "shape->ready", FEATURE_BOOL, 1,
		       "reg 2; nonnull; add 29; load 1; bool 1");
	assert_feature(f, "shape->colour", FEATURE_ENUM, 1, NULL);
	assert_feature(f, "shape->area", FEATURE_FLOAT, 1,
		       "reg 2; nonnull; add 40; load 8; float 8");
	assert_feature(f, "shape->anonymous_member", FEATURE_INT, 1, NULL);
	assert_feature(f, "shape->inner.weight", FEATURE_INT, 2,
		       "reg 2; nonnull; load 8; signed 8");
	assert_feature(f, "strlen(shape->inner.label)", FEATURE_INT, 3, NULL);
	assert_feature(f, "shape->next->next->small", FEATURE_INT, 3, NULL);
	assert_null(find(f, "shape->next->next->inner.weight"));
	assert_string_equal(find(f, "shape->small")->explanation, "at rcx+24");
	for (size_t i = 1; i < f->n_features; i++)
		assert_true(f->features[i - 1].depth <= f->features[i].depth);
	catalogue_destroy(catalogue);
}

static void parameters_that_cannot_be_read_say_why(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "pointers");
	const struct function *function = only(catalogue);

	assert_absent(function, "anything", "a pointer: its target is void, which is not read");
	assert_absent(function, "opaque", "a pointer: its target type is incomplete");
	assert_absent(function, "callback",
		      "a pointer: its target is a function, which is not read");
	assert_null(find(function, "shape->either.as_int"));
	assert_null(find(function, "shape->callback"));
	catalogue_destroy(catalogue);
}

static void unoptimised_parameters_are_read_behind_the_prologue(void **state)
{
	static const char *const names[] = {"c-O0", "c-O0-pg", "clang-O0", "clang-O0-pg"};
	static const char *const functions[] = {"scalars", "pointers", "one_line", "two_exits"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t k = 0;
		     has_fixture(state, names[i]) && k < sizeof(functions) / sizeof(*functions);
		     k++) {
			struct catalogue *catalogue = must_build(state, names[i], functions[k]);
			const struct function *function = only(catalogue);

			assert_true(function->probe_addr > function->entry_addr);
			assert_true(function_contains(function, function->probe_addr));
			assert_plan(&function->cfa, "reg 6; add 16; unsigned 8");
			for (size_t f = 0; f < function->n_features; f++) {
				const struct feature *feature = &function->features[f];

				if (feature->absence == PRESENT)
					assert_int_equal(feature->plan.steps[0].arg, 6);
			}
			catalogue_destroy(catalogue);
		}
	}
}

static bool read_code(const char *path, uint64_t offset, uint8_t *to, size_t n)
{
	FILE *file = fopen(path, "rb");
	bool ok = file && fseek(file, (long)offset, SEEK_SET) == 0 && fread(to, 1, n, file) == n;

	if (file)
		fclose(file);
	return ok;
}

/* clang marks the end of the prologue before the call of mcount, and stores the parameter behind it. */
static void the_probe_lies_behind_the_store_that_fills_the_slot(void **state)
{
	static const uint8_t store_edi[] = {0x89, 0x7d}; /* mov %edi,disp8(%rbp) */
	static const char *const names[] = {"clang-O0", "clang-O0-pg", "c-O0"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;
		const struct function *function;
		uint8_t code[3];

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = must_build(state, names[i], "one_line");
		function = only(catalogue);
		assert_feature(function, "n", FEATURE_INT, 0, NULL);
		assert_int_equal(function->features[0].plan.steps[1].op, PLAN_ADD);
		/* The first segments of these programs lie at their file offsets. */
		assert_true(read_code(fixture(state, names[i]), function->probe_addr - 3, code, 3));
		assert_memory_equal(code, store_edi, 2);
		assert_int_equal((int8_t)code[2], function->features[0].plan.steps[1].arg);
		catalogue_destroy(catalogue);
	}
}

/* -fstack-protector-all makes gcc copy the structure below the guard. */
static void the_probe_waits_for_a_structure_that_the_function_copies(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2-guarded", "by_value");
	const struct function *function = only(catalogue);
	const struct feature *weight = find(function, "shape.inner.weight");

	assert_non_null(weight);
	assert_int_equal(weight->absence, PRESENT);
	if (weight->explanation[6] == '-') /* at CFA-… */
		assert_true(function->probe_addr > function->entry_addr + 16);
	catalogue_destroy(catalogue);
}

static void exits_are_found(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "hand_over");

	assert_int_equal(count_exits(only(catalogue), EXIT_TAIL_JUMP), 1);
	assert_int_equal(only(catalogue)->n_exits, 1);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2", "hand_over_indirectly");
	assert_int_equal(count_exits(only(catalogue), EXIT_INDIRECT_JUMP), 1);
	assert_int_equal(only(catalogue)->n_exits, 1);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2", "never_returns");
	assert_int_equal(only(catalogue)->n_exits, 0);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O0", "two_exits");
	assert_int_equal(count_exits(only(catalogue), EXIT_RETURN), 1);
	assert_int_equal(only(catalogue)->n_exits, 1);
	catalogue_destroy(catalogue);
}

static void jump_tables_are_no_exits(void **state)
{
	static const char *const names[] = {"c-O0",    "c-O2",     "c-O2-fixed",
					    "c-O0-pg", "clang-O0", "clang-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct catalogue *catalogue;

		if (!has_fixture(state, names[i]))
			continue;
		catalogue = must_build(state, names[i], "choose");
		assert_int_equal(count_exits(only(catalogue), EXIT_INDIRECT_JUMP), 0);
		assert_true(count_exits(only(catalogue), EXIT_RETURN) > 0);
		catalogue_destroy(catalogue);
	}
}

static void a_probe_that_a_loop_passes_is_marked(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O0", "loop");

	assert_true(only(catalogue)->probe_in_loop);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O0", "two_exits");
	assert_false(only(catalogue)->probe_in_loop);
	catalogue_destroy(catalogue);
}

static void functions_are_found_by_the_names_that_programmers_write(void **state)
{
	static const struct {
		const char *pattern, *name;
	} cases[] = {
		{"std::list<int>::sort", "std::list<int>::sort()"},
		{"std::__cxx11::list<int, std::allocator<int> >::sort()", "std::list<int>::sort()"},
		{"list<int>::sort", "std::list<int>::sort()"},
		{"_ZNSt7__cxx114listIiSaIiEE4sortEv", "std::list<int>::sort()"},
		{"zoo::Derived::operator()", "zoo::Derived::operator()(int)"},
		{"zoo::Derived::operator<", "zoo::Derived::operator<(const zoo::Derived&) const"},
		{"zoo::Derived::operator long", "zoo::Derived::operator long() const"},
		{"in_anonymous", "zoo::(anonymous namespace)::in_anonymous(long)"},
		{"zoo::overloaded(double)", "zoo::overloaded(double)"},
		{"_ZN3zoo10overloadedEi", "zoo::overloaded(int)"},
		{"zoo::measure<std::string>", "zoo::measure<std::string>(const std::string&, int)"},
		{"zoo::measure<std::map<std::string, int>>",
		 "zoo::measure<std::map<std::string, int>>(const std::map<std::string, int>&, int)"},
		{"main::{lambda(int)#1}::operator()",
		 "main::{lambda(int)#1}::operator()(int) const"},
		{"main", "main"},
	};
	static const char *const names[] = {"cc-O0", "cc-O2"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			struct catalogue *catalogue = must_build(state, names[i], cases[k].pattern);

			assert_string_equal(only(catalogue)->name, cases[k].name);
			assert_null(only(catalogue)->unmeasurable);
			catalogue_destroy(catalogue);
		}
	}
}

static void a_glob_names_several_functions_in_order(void **state)
{
	struct catalogue *catalogue = must_build(state, "cc-O2", "zoo::over*");

	assert_int_equal(catalogue->n_functions, 2);
	assert_string_equal(catalogue->functions[0].name, "zoo::overloaded(double)");
	assert_string_equal(catalogue->functions[1].name, "zoo::overloaded(int)");
	catalogue_destroy(catalogue);
}

static void assert_error(const char *path, const char *pattern, enum err_code code,
			 const char *part)
{
	struct catalogue *catalogue;
	struct err err;

	if (build(path, pattern, &catalogue, &err))
		fail_msg("%s %s: no error", path, pattern ? pattern : "");
	assert_null(catalogue);
	assert_int_equal(err.code, code);
	assert_null(strchr(err.text, '\n'));
	if (!strstr(err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", err.text, part);
}

static void a_name_of_several_functions_is_refused_with_the_list(void **state)
{
	assert_error(fixture(state, "cc-O2"), "overloaded", ERR_USAGE,
		     "zoo::overloaded(double); zoo::overloaded(int)");
	assert_error(fixture(state, "cc-O0"), "std::list<int>::begin*x", ERR_NOT_FOUND,
		     "no function");
}

static void a_name_that_is_not_there_brings_the_nearest(void **state)
{
	assert_error(fixture(state, "c-O2"), "two_exit", ERR_NOT_FOUND, "two_exits");
	assert_error(fixture(state, "c-O2"), "TWO_EXITS", ERR_NOT_FOUND, "two_exits");
	assert_error(fixture(state, "c-O2"), "indirectly", ERR_NOT_FOUND, "hand_over_indirectly");
	assert_error(fixture(state, "cc-O2"), "std::lst<int>::srt", ERR_NOT_FOUND,
		     "std::list<int>::sort()");
	assert_error(fixture(state, "c-O2"), "qqqqqqqqqqqq", ERR_NOT_FOUND, "fathom list");
}

static void functions_without_code_are_there_with_the_reason(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "only_inlined");

	assert_non_null(only(catalogue)->unmeasurable);
	assert_non_null(strstr(only(catalogue)->unmeasurable, "2 places"));
	assert_non_null(strstr(only(catalogue)->unmeasurable, "shapes.c:"));
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "std::list<int>::push_front(const int&)");
	assert_non_null(only(catalogue)->unmeasurable);
	assert_non_null(strstr(only(catalogue)->unmeasurable, "only declared"));
	catalogue_destroy(catalogue);
}

static void class_members_are_found_through_bases_and_references(void **state)
{
	struct catalogue *catalogue = must_build(state, "cc-O2", "std::list<int>::sort");

	assert_feature(only(catalogue), "this->_M_impl._M_node._M_size", FEATURE_INT, 3,
		       "reg 5; nonnull; add 16; load 8; unsigned 8");
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "zoo::Derived::feed");
	assert_feature(only(catalogue), "this->hidden", FEATURE_INT, 1,
		       "reg 5; nonnull; add 20; load 4; signed 4");
	assert_feature(only(catalogue), "this->base_value", FEATURE_INT, 1,
		       "reg 5; nonnull; add 8; load 8; signed 8");
	assert_feature(only(catalogue), "static_cast<Base *>(this)->hidden", FEATURE_INT, 1,
		       "reg 5; nonnull; add 16; load 4; signed 4");
	assert_feature(only(catalogue), "this->weight", FEATURE_FLOAT, 1, NULL);
	assert_feature(only(catalogue), "amount", FEATURE_INT, 0, "reg 4; signed 4");
	assert_null(find(only(catalogue), "this->everywhere"));
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "references");
	assert_feature(only(catalogue), "number", FEATURE_INT, 0,
		       "reg 5; nonnull; load 4; signed 4");
	assert_feature(only(catalogue), "text._M_string_length", FEATURE_INT, 1,
		       "reg 4; nonnull; add 8; load 8; unsigned 8");
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O2", "through_virtual");
	assert_feature(only(catalogue), "v->base_value", FEATURE_INT, 1, NULL);
	catalogue_destroy(catalogue);
}

static void depth_and_number_of_features_are_limited(void **state)
{
	static const char *const pattern = "pointers";
	struct catalogue_request request = {&pattern, 1, true, 1, 512};
	struct catalogue *catalogue;
	struct err err;

	assert_true(catalogue_build(fixture(state, "c-O2"), &request, &catalogue, &err));
	assert_non_null(find(only(catalogue), "shape->small"));
	assert_null(find(only(catalogue), "shape->inner.weight"));
	catalogue_destroy(catalogue);
	request = (struct catalogue_request){&pattern, 1, true, 3, 4};
	assert_true(catalogue_build(fixture(state, "c-O2"), &request, &catalogue, &err));
	assert_int_equal(only(catalogue)->n_features, 4);
	assert_true(only(catalogue)->features_cut > 20);
	catalogue_destroy(catalogue);
	request = (struct catalogue_request){&pattern, 1, false, 3, 512};
	assert_true(catalogue_build(fixture(state, "c-O2"), &request, &catalogue, &err));
	assert_int_equal(only(catalogue)->n_features, 0);
	catalogue_destroy(catalogue);
}

static void the_module_is_described(void **state)
{
	struct catalogue *catalogue = must_build(state, "c-O2", "main");

	assert_int_equal(catalogue->n_modules, 1);
	assert_true(catalogue->modules[0].relocatable);
	assert_true(catalogue->modules[0].entry_addr > 0);
	assert_true(strlen(catalogue->modules[0].build_id) > 8);
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "c-O2-fixed", "main");
	assert_false(catalogue->modules[0].relocatable);
	catalogue_destroy(catalogue);
}

static char *print(const struct catalogue *catalogue)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	catalogue_print(catalogue, true, out);
	fclose(out);
	return text;
}

static void every_function_is_listed_once_and_always_the_same(void **state)
{
	struct catalogue *catalogue = must_build(state, "cc-O0", NULL);
	char *first = print(catalogue), *second;

	for (size_t i = 1; i < catalogue->n_functions; i++) {
		const struct function *a = &catalogue->functions[i - 1],
				      *b = &catalogue->functions[i];
		const int order = strcmp(a->name, b->name);

		assert_true(order < 0 || (order == 0 && a->entry_addr < b->entry_addr));
	}
	catalogue_destroy(catalogue);
	catalogue = must_build(state, "cc-O0", NULL);
	second = print(catalogue);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "std::list<int>::sort()"));
	assert_non_null(strstr(first, "zoo::Base::feed(int)"));
	free(first);
	free(second);
	catalogue_destroy(catalogue);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

static uint8_t *read_whole(const char *path, size_t *ret_n)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*ret_n = (size_t)ftell(file);
	rewind(file);
	bytes = mem_alloc(*ret_n);
	assert_int_equal(fread(bytes, 1, *ret_n, file), *ret_n);
	fclose(file);
	return bytes;
}

static void files_that_are_no_programs_are_refused(void **state)
{
	const char *scratch = context_of(state)->scratch;

	assert_error("/nonexistent/program", NULL, ERR_IO, "/nonexistent/program");
	assert_error("/", NULL, ERR_IO, "directory");
	assert_error("/dev/null", NULL, ERR_IO, "not a regular file");
	write_file(scratch, "#!/bin/sh\nexit 0\n", 17);
	assert_error(scratch, NULL, ERR_FORMAT,
		     "not an ELF file: give the program itself, not a script");
	write_file(scratch, "", 0);
	assert_error(scratch, NULL, ERR_FORMAT, "not an ELF file");
	assert_error(fixture(state, "c-object"), NULL, ERR_UNSUPPORTED, "object file");
	assert_error(fixture(state, "c-plain"), NULL, ERR_UNSUPPORTED,
		     "has no debug information: build it with -g, or install its -dbgsym package");
}

static void programs_of_other_machines_are_refused(void **state)
{
	const char *scratch = context_of(state)->scratch;
	size_t n;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;

	header->e_machine = EM_AARCH64;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_UNSUPPORTED, "not built for x86-64");
	header->e_machine = EM_X86_64;
	header->e_type = ET_CORE;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_UNSUPPORTED, "core file");
	header->e_type = ET_DYN;
	header->e_ident[EI_CLASS] = ELFCLASS32;
	write_file(scratch, bytes, n);
	assert_error(scratch, NULL, ERR_UNSUPPORTED, "not built for x86-64");
	free(bytes);
}

/* Build a catalogue of whatever the file holds: an error or a catalogue, and nothing else. */
static void survive(const char *path)
{
	struct catalogue *catalogue;
	struct err err;

	if (build(path, NULL, &catalogue, &err)) {
		free(print(catalogue));
		catalogue_destroy(catalogue);
	} else {
		assert_true(err.code != ERR_NONE && err.text[0]);
		assert_null(strchr(err.text, '\n'));
	}
}

static void truncated_programs_do_no_harm(void **state)
{
	enum { LENGTHS = 150 };
	const char *scratch = context_of(state)->scratch;
	size_t n;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);

	for (size_t i = 0; i < LENGTHS; i++) {
		write_file(scratch, bytes, n * i / LENGTHS);
		survive(scratch);
	}
	free(bytes);
}

/* Where the section called @name lies in the file; false if there is none. */
static bool section_find(const uint8_t *bytes, const char *name, size_t *ret_offset,
			 size_t *ret_size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (!strcmp(names + sections[i].sh_name, name)) {
			*ret_offset = sections[i].sh_offset;
			*ret_size = sections[i].sh_size;
			return true;
		}
	}
	return false;
}

/* A generator of its own, so that every run breaks the same bytes. */
static uint32_t random_next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33);
}

static void programs_with_wrong_bytes_do_no_harm(void **state)
{
	static const char *const sections[] = {
		".debug_info", ".debug_abbrev", ".debug_line", ".debug_loclists", ".debug_rnglists",
		".debug_str",  ".eh_frame",     ".symtab",     ".text",           ".debug_aranges"};
	enum { COPIES = 60 };
	const char *scratch = context_of(state)->scratch;
	uint64_t random = 1;
	size_t n, offset, size;
	uint8_t *bytes = read_whole(fixture(state, "c-O2"), &n);
	uint8_t *copy = mem_alloc(n);

	for (size_t s = 0; s < sizeof(sections) / sizeof(*sections); s++) {
		if (!section_find(bytes, sections[s], &offset, &size) || !size)
			continue;
		for (int i = 0; i < COPIES; i++) {
			memcpy(copy, bytes, n);
			for (uint32_t k = 0; k <= random_next(&random) % 8; k++)
				copy[offset + random_next(&random) % size] =
					(uint8_t)random_next(&random);
			write_file(scratch, copy, n);
			survive(scratch);
		}
	}
	for (int i = 0; i < COPIES; i++) {
		memcpy(copy, bytes, n);
		copy[random_next(&random) % sizeof(Elf64_Ehdr)] = (uint8_t)random_next(&random);
		write_file(scratch, copy, n);
		survive(scratch);
	}
	free(copy);
	free(bytes);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optimised_parameters_are_read_at_the_entry),
		cmocka_unit_test(pointers_are_followed_breadth_first),
		cmocka_unit_test(parameters_that_cannot_be_read_say_why),
		cmocka_unit_test(unoptimised_parameters_are_read_behind_the_prologue),
		cmocka_unit_test(the_probe_lies_behind_the_store_that_fills_the_slot),
		cmocka_unit_test(the_probe_waits_for_a_structure_that_the_function_copies),
		cmocka_unit_test(exits_are_found),
		cmocka_unit_test(jump_tables_are_no_exits),
		cmocka_unit_test(a_probe_that_a_loop_passes_is_marked),
		cmocka_unit_test(functions_are_found_by_the_names_that_programmers_write),
		cmocka_unit_test(a_glob_names_several_functions_in_order),
		cmocka_unit_test(a_name_of_several_functions_is_refused_with_the_list),
		cmocka_unit_test(a_name_that_is_not_there_brings_the_nearest),
		cmocka_unit_test(functions_without_code_are_there_with_the_reason),
		cmocka_unit_test(class_members_are_found_through_bases_and_references),
		cmocka_unit_test(depth_and_number_of_features_are_limited),
		cmocka_unit_test(the_module_is_described),
		cmocka_unit_test(every_function_is_listed_once_and_always_the_same),
		cmocka_unit_test(files_that_are_no_programs_are_refused),
		cmocka_unit_test(programs_of_other_machines_are_refused),
		cmocka_unit_test(truncated_programs_do_no_harm),
		cmocka_unit_test(programs_with_wrong_bytes_do_no_harm),
	};
	struct context context = {.scratch = "/tmp/fathom-test-dwarf-XXXXXX"};
	struct CMUnitTest with_state[sizeof(tests) / sizeof(*tests)];
	int fd, failed;

	if (argc != 2) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	context.fixtures = argv[1];
	fd = mkstemp(context.scratch);
	if (fd < 0)
		return 2;
	close(fd);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		with_state[i] = tests[i];
		with_state[i].initial_state = &context;
	}
	failed = cmocka_run_group_tests(with_state, NULL, NULL);
	unlink(context.scratch);
	return failed;
}
