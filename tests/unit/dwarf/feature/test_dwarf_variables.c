/*
 * Variables that functions see. The fixture prints what they are called and where they are; the
 * library's functions return where they are.
 */
#include "dwarf_fixture.h"

#include <asm/prctl.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/plan/plan_runner.h"
#include "dwarf/feature/variables.h"
#include "dwarf/search/die_walk.h"

/* Those of which addresses can be compared, then those of which only thread-local ones can. */
static const char *const fixed_builds[] = {"globals-O0",    "globals-O2",         "globals-dwarf4",
					   "globals-clang", "globals-clang-O2",   "globals-static",
					   "globals-split", "globals-clang-units"};
static const char *const moving_builds[] = {"globals-pie", "globals-static-pie", "globals-lld"};

enum { VARIABLES_MAX = 256 };

static struct elf_file *open_image(void **state, const char *name)
{
	struct elf_file *image;
	struct err err;

	if (!elf_file_open(fixture(state, name), &image, &err))
		fail_msg("%s", err.text);
	return image;
}

struct wanted {
	const char *name;
	bool found;
	Dwarf_Die die;
};

static void look_at_function(void *self, Dwarf_Die *die, const char *scope)
{
	struct wanted *wanted = self;
	const char *name = dwarf_diename(die);

	(void)scope;
	if (name && !strcmp(name, wanted->name) && dwarf_hasattr(die, DW_AT_low_pc)) {
		wanted->found = true;
		wanted->die = *die;
	}
}

static Dwarf_Die function_die(const struct elf_file *image, const char *name)
{
	struct wanted wanted = {.name = name};
	const struct walk_visitor visitor = {.subprogram = look_at_function, .self = &wanted};

	die_walk_units(image, NULL, &visitor);
	if (!wanted.found)
		fail_msg("%s is not there", name);
	return wanted.die;
}

struct seen {
	struct variable variables[VARIABLES_MAX];
	size_t n, limit;
};

static bool see(void *self, const struct variable *variable)
{
	struct seen *seen = self;

	assert_true(seen->n < VARIABLES_MAX);
	seen->variables[seen->n++] = *variable;
	return seen->n != seen->limit;
}

/* What the function @name sees; the caller closes and destroys. */
struct view {
	struct elf_file *image;
	struct arena *arena;
	struct variables *variables;
	struct seen seen;
};

static void view_open(struct view *view, void **state, const char *name)
{
	*view = (struct view){.image = open_image(state, name), .arena = arena_create()};
	view->variables = variables_create(view->image, view->arena);
}

static void view_fill(struct view *view, const char *function, enum globals which)
{
	Dwarf_Die die = function_die(view->image, function);

	view->seen.n = 0;
	variables_each(view->variables, &die, which, see, &view->seen);
}

static void view_close(struct view *view)
{
	variables_destroy(view->variables);
	elf_file_close(view->image);
	arena_destroy(view->arena);
}

static const struct variable *find_variable(const struct view *view, const char *expression)
{
	for (size_t i = 0; i < view->seen.n; i++)
		if (!strcmp(view->seen.variables[i].expression, expression))
			return &view->seen.variables[i];
	return NULL;
}

/*
 * The variable is where the fixture's line says. Addresses of programs that are moved are not
 * compared.
 */
static void check_line(const struct view *view, const char *line, const char *build)
{
	const struct plan_step *step;
	const struct variable *found;
	char expression[64], kind;
	uint64_t number = 0;

	assert_int_equal(sscanf(line, "%c", &kind), 1);
	if (kind == 'a')
		assert_int_equal(sscanf(line, "a %" SCNx64 " %63s", &number, expression), 2);
	else
		assert_int_equal(sscanf(line, "t %" SCNd64 " %63s", (int64_t *)&number, expression),
				 2);
	found = find_variable(view, expression);
	if (!found)
		fail_msg("%s: %s is not seen", build, expression);
	if (found->at.kind != LOCATION_MEMORY)
		fail_msg("%s: %s: %s", build, expression, found->at.where);
	step = found->at.steps.step;
	if (kind == 't') {
		assert_int_equal(found->at.steps.n, 2);
		assert_int_equal(step[0].op, PLAN_REG);
		assert_int_equal(step[0].arg, PLAN_FS_BASE);
		assert_int_equal(step[1].op, PLAN_ADD);
		assert_int_equal(step[1].arg, number);
		return;
	}
	assert_int_equal(found->at.steps.n, 1);
	assert_int_equal(step[0].op, PLAN_ADDRESS);
	if (!view->image->relocatable)
		assert_int_equal(step[0].arg, number);
}

/* Compare with the lines before the mark, or behind it too; returns their number. */
static size_t check_lines(const struct view *view, const char *path, bool all)
{
	FILE *output = popen(path, "r");
	char line[256];
	bool behind = false;
	size_t n = 0;

	while (fgets(line, sizeof(line), output)) {
		if (*line == '-')
			behind = true;
		else if (!behind || all) {
			check_line(view, line, path);
			n++;
		}
	}
	assert_int_equal(pclose(output), 0);
	return n;
}

static void check_build(void **state, const char *build)
{
	struct view view;

	if (!has_fixture(state, build))
		return;
	view_open(&view, state, build);
	view_fill(&view, "watch", GLOBALS_UNIT);
	assert_int_equal(check_lines(&view, fixture(state, build), false), view.seen.n);
	view_fill(&view, "watch", GLOBALS_ALL);
	assert_true(check_lines(&view, fixture(state, build), true) <= view.seen.n);
	view_close(&view);
}

static void variables_are_where_the_program_says(void **state)
{
	for (size_t i = 0; i < sizeof(fixed_builds) / sizeof(*fixed_builds); i++)
		check_build(state, fixed_builds[i]);
}

static void thread_local_ones_are_where_programs_of_all_kinds_say(void **state)
{
	for (size_t i = 0; i < sizeof(moving_builds) / sizeof(*moving_builds); i++)
		check_build(state, moving_builds[i]);
}

static void what_cannot_vary_is_left_out(void **state)
{
	static const char *const names[] = {"constant", "words", "table", "std::__ioinit"};
	struct view view;

	view_open(&view, state, "globals-O0");
	view_fill(&view, "watch", GLOBALS_ALL);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_null(find_variable(&view, names[i]));
	view_fill(&view, "watch", GLOBALS_NONE);
	assert_int_equal(view.seen.n, 0);
	view_close(&view);
}

static void a_unit_sees_what_it_declares_and_not_what_others_keep(void **state)
{
	struct view view;

	view_open(&view, state, "globals-O0");
	view_fill(&view, "watch_other", GLOBALS_UNIT);
	assert_non_null(find_variable(&view, "count"));
	assert_non_null(find_variable(&view, "mine"));
	assert_non_null(find_variable(&view, "shared"));
	assert_non_null(find_variable(&view, "Counter::total"));
	assert_null(find_variable(&view, "calls"));
	assert_null(find_variable(&view, "ns::inner"));
	assert_null(find_variable(&view, "limit"));
	view_fill(&view, "watch_other", GLOBALS_ALL);
	assert_non_null(find_variable(&view, "'globals.cc'::count"));
	assert_non_null(find_variable(&view, "limit"));
	assert_null(find_variable(&view, "calls"));
	view_close(&view);
}

static void a_name_that_a_member_has_means_the_member(void **state)
{
	struct view view;

	view_open(&view, state, "globals-O0");
	view_fill(&view, "watch_member", GLOBALS_UNIT);
	assert_null(find_variable(&view, "mine"));
	assert_non_null(find_variable(&view, "'globals_more.cc'::mine"));
	assert_non_null(find_variable(&view, "count"));
	view_close(&view);
}

static void it_ends_when_it_is_told_to(void **state)
{
	struct view view;

	view_open(&view, state, "globals-O0");
	view.seen.limit = 3;
	view_fill(&view, "watch", GLOBALS_ALL);
	assert_int_equal(view.seen.n, 3);
	view_close(&view);
}

/* The library in this process. */
static void read_own(void *self, struct memory_read *reads, size_t n)
{
	(void)self;
	for (size_t i = 0; i < n; i++) {
		memcpy(reads[i].to, (const void *)reads[i].address, reads[i].size);
		reads[i].ok = true;
	}
}

struct library {
	struct view view;
	void *handle;
	struct link_map *map;
};

static struct value address_in_library(const struct library *library, const char *name)
{
	struct plan_runner *runner = plan_runner_create();
	const struct variable *variable = find_variable(&library->view, name);
	struct plan_context context = {
		.load_bias = library->map->l_addr,
		.memory = {.read = read_own},
	};
	struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};
	const struct read_plan *plans = &plan;
	struct value value;
	struct err err;

	if (!variable || variable->at.kind != LOCATION_MEMORY)
		fail_msg("%s: %s", name, variable ? variable->at.where : "not seen");
	syscall(SYS_arch_prctl, ARCH_GET_FS, &context.registers[PLAN_FS_BASE]);
	plan.steps = variable->at.steps.step;
	plan.n_steps = variable->at.steps.n;
	if (!read_plan_verify(&plan, &err))
		fail_msg("%s", err.text);
	plan_runner_run(runner, &plans, 1, &context, &value);
	plan_runner_destroy(runner);
	return value;
}

static void check_where(const struct library *library, const char *function, const char *name)
{
	int *(*where)(void) = (int *(*)(void))dlsym(library->handle, function);
	const double expected = (double)(uintptr_t)where();
	const struct value value = address_in_library(library, name);

	assert_int_equal(value.absence, PRESENT);
	assert_true(value.number == expected);
}

static void *check_other_thread(void *self)
{
	const struct library *library = self;

	if (!strstr(library->map->l_name, "fixed"))
		assert_int_equal(address_in_library(library, "hidden").absence, ABSENT_NULL);
	check_where(library, "where_hidden", "hidden");
	check_where(library, "where_exported", "exported");
	return NULL;
}

static void check_library(void **state, const char *name)
{
	struct library library;
	pthread_t thread;

	view_open(&library.view, state, name);
	view_fill(&library.view, "where_hidden", GLOBALS_UNIT);
	library.handle = dlopen(fixture(state, name), RTLD_NOW);
	if (!library.handle)
		fail_msg("%s", dlerror());
	assert_int_equal(dlinfo(library.handle, RTLD_DI_LINKMAP, &library.map), 0);
	check_where(&library, "where_hidden", "hidden");
	check_where(&library, "where_exported", "exported");
	pthread_create(&thread, NULL, check_other_thread, &library);
	pthread_join(thread, NULL);
	dlclose(library.handle);
	view_close(&library.view);
}

static void thread_local_variables_of_libraries_are_found_in_each_thread(void **state)
{
	check_library(state, "libthreads.so");
	check_library(state, "libthreads-fixed.so");
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_are_where_the_program_says),
		cmocka_unit_test(thread_local_ones_are_where_programs_of_all_kinds_say),
		cmocka_unit_test(what_cannot_vary_is_left_out),
		cmocka_unit_test(a_unit_sees_what_it_declares_and_not_what_others_keep),
		cmocka_unit_test(a_name_that_a_member_has_means_the_member),
		cmocka_unit_test(it_ends_when_it_is_told_to),
		cmocka_unit_test(thread_local_variables_of_libraries_are_found_in_each_thread),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
